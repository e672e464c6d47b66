// HiGHS through its C++ interface, on one thread, with the defaults beside gap and time limit.
#include <Highs.h>

#include "bench/solver/columns.hpp"
#include "bench/solver/contender.hpp"

namespace saccade::bench {
namespace {

class HighsContender final : public Contender {
 public:
  [[nodiscard]] std::string name() const override { return "highs"; }
  [[nodiscard]] std::string version() const override { return highsVersion(); }

  [[nodiscard]] Answer answer(const Request& request) const override {
    const Columns columns = columns_of(request.problem);
    Highs highs;
    highs.setOptionValue("output_flag", false);
    highs.setOptionValue("threads", 1);
    highs.setOptionValue("time_limit", request.seconds);
    highs.setOptionValue("mip_rel_gap", request.gap > ilp::kTolerance ? request.gap : 0.0);
    highs.passModel(model_of(request.problem, columns));
    highs.run();
    const HighsModelStatus status = highs.getModelStatus();
    if (status == HighsModelStatus::kInfeasible) return {ilp::Verdict::infeasible, {}, {}};
    if (highs.getInfo().primal_solution_status != kSolutionStatusFeasible) return {};
    return {status == HighsModelStatus::kOptimal ? ilp::Verdict::optimal : ilp::Verdict::feasible,
            picks_of(columns, highs.getSolution().col_value),
            {}};
  }

 private:
  static HighsLp model_of(const ilp::ChoiceProblem& problem, const Columns& columns) {
    const auto count = static_cast<std::size_t>(columns.count());
    HighsLp lp;
    lp.num_col_ = columns.count();
    lp.num_row_ = columns.rows;
    lp.sense_ = ObjSense::kMaximize;
    lp.col_cost_ = columns.objective;
    lp.col_lower_.assign(count, 0.0);
    lp.col_upper_.assign(count, 1.0);
    lp.integrality_.assign(count, HighsVarType::kInteger);
    lp.row_lower_.assign(static_cast<std::size_t>(columns.rows), 1.0);
    lp.row_upper_ = lp.row_lower_;
    for (std::size_t row = 0; row < problem.capacities.size(); ++row) {
      lp.row_lower_[static_cast<std::size_t>(columns.groups) + row] = -kHighsInf;
      lp.row_upper_[static_cast<std::size_t>(columns.groups) + row] = problem.capacities[row];
    }
    lp.a_matrix_.format_ = MatrixFormat::kColwise;
    lp.a_matrix_.start_ = columns.start;
    lp.a_matrix_.index_ = columns.row;
    lp.a_matrix_.value_ = columns.value;
    return lp;
  }
};

}  // namespace

std::unique_ptr<Contender> make_highs() { return std::make_unique<HighsContender>(); }

}  // namespace saccade::bench
