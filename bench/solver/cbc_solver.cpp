// CBC through its C interface, which solves as the `cbc` program does: preprocessing, cuts, heuristics.
#include <Cbc_C_Interface.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "bench/solver/columns.hpp"
#include "bench/solver/contender.hpp"

namespace saccade::bench {
namespace {

std::string text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

// Standard output leads nowhere while it lives: CBC prints debugging lines past its log level.
class Silence {
 public:
  Silence() : output_(::dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    ::close(nowhere);
  }
  ~Silence() {
    std::fflush(stdout);
    ::dup2(output_, STDOUT_FILENO);
    ::close(output_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int output_;
};

class Cbc final : public Contender {
 public:
  [[nodiscard]] std::string name() const override { return "cbc"; }
  [[nodiscard]] std::string version() const override { return Cbc_getVersion(); }

  [[nodiscard]] Answer answer(const Request& request) const override {
    const Columns columns = columns_of(request.problem);
    const auto count = static_cast<std::size_t>(columns.count());
    const std::vector<double> zeros(count, 0.0), ones(count, 1.0);
    std::vector<double> least(static_cast<std::size_t>(columns.rows), 1.0), most = least;
    for (std::size_t row = 0; row < request.problem.capacities.size(); ++row) {
      least[static_cast<std::size_t>(columns.groups) + row] = -1e300;
      most[static_cast<std::size_t>(columns.groups) + row] = request.problem.capacities[row];
    }
    Cbc_Model* model = Cbc_newModel();
    Cbc_loadProblem(model, columns.count(), columns.rows, columns.start.data(), columns.row.data(),
                    columns.value.data(), zeros.data(), ones.data(), columns.objective.data(), least.data(),
                    most.data());
    Cbc_setObjSense(model, -1.0);
    for (int column = 0; column < columns.count(); ++column) Cbc_setInteger(model, column);
    Cbc_setLogLevel(model, 0);
    Cbc_setParameter(model, "timeMode", "elapsed");
    Cbc_setParameter(model, "seconds", text(request.seconds).c_str());
    Cbc_setParameter(model, "ratioGap", text(request.gap > ilp::kTolerance ? request.gap : 0.0).c_str());
    {
      const Silence silence;
      Cbc_solve(model);
    }
    const Answer answer = read(model, columns);
    Cbc_deleteModel(model);
    return answer;
  }

 private:
  static Answer read(Cbc_Model* model, const Columns& columns) {
    if (Cbc_isProvenInfeasible(model) != 0) return {ilp::Verdict::infeasible, {}, {}};
    const double* solution = Cbc_numberSavedSolutions(model) > 0 ? Cbc_bestSolution(model) : nullptr;
    const bool proven = Cbc_isProvenOptimal(model) != 0;
    if (proven && solution == nullptr) solution = Cbc_getColSolution(model);
    if (solution == nullptr) return {};
    return {proven ? ilp::Verdict::optimal : ilp::Verdict::feasible,
            picks_of(columns, {solution, solution + columns.count()}),
            {}};
  }
};

}  // namespace

std::unique_ptr<Contender> make_cbc() { return std::make_unique<Cbc>(); }

}  // namespace saccade::bench
