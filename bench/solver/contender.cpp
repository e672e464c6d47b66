#include "bench/solver/contender.hpp"

#include <chrono>
#include <utility>

#include "ilp/core_solver.hpp"
#include "ilp/glpk_solver.hpp"

namespace saccade::bench {
namespace {

class Own final : public Contender {
 public:
  Own(std::unique_ptr<ilp::ChoiceSolver> solver, std::string name)
      : solver_(std::move(solver)), name_(std::move(name)) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string version() const override { return "of this commit"; }
  [[nodiscard]] Answer answer(const Request& request) const override { return answer_of(*solver_, request); }

 private:
  std::unique_ptr<ilp::ChoiceSolver> solver_;
  std::string name_;
};

}  // namespace

Answer answer_of(const ilp::ChoiceSolver& solver, const Request& request) {
  const ilp::ChoiceResult result =
      solver.solve(request.problem, {.stop = stop_after(request.seconds), .gap = request.gap});
  const bool named = !result.culprits.empty() || !result.conflict.empty() || result.peak_is_culprit;
  return {result.verdict, result.picks, result.gap(), named};
}

std::unique_ptr<Contender> make_own(std::unique_ptr<ilp::ChoiceSolver> solver, std::string name) {
  return std::make_unique<Own>(std::move(solver), std::move(name));
}

const ilp::ChoiceSolver& product_solver() {
  static const ilp::CoreSolver solver;
  return solver;
}

Others other_contenders() {
  Others others;
  others.contenders.push_back(make_plain_glpk(false));
  others.contenders.push_back(make_plain_glpk(true));
  others.contenders.push_back(make_own(std::make_unique<ilp::GlpkSolver>(), "glpk certified"));
#ifdef SACCADE_WITH_CBC
  others.contenders.push_back(make_cbc());
#else
  others.missing.emplace_back("CBC");
#endif
#ifdef SACCADE_WITH_HIGHS
  others.contenders.push_back(make_highs());
#else
  others.missing.emplace_back("HiGHS");
#endif
  return others;
}

std::function<bool()> stop_after(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  return [end] { return Clock::now() >= end; };
}

}  // namespace saccade::bench
