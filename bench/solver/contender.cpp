#include "bench/solver/contender.hpp"

#include <algorithm>
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
  others.contenders.push_back(make_own(std::make_unique<ilp::GlpkSolver>(), "glpk settled"));
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

Columns columns_of(const ilp::ChoiceProblem& problem) {
  Columns columns;
  columns.groups = static_cast<int>(problem.groups.size());
  columns.rows = columns.groups + static_cast<int>(problem.capacities.size());
  columns.start.push_back(0);
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    columns.first.push_back(columns.count());
    for (const ilp::Option& option : problem.groups[group].options) {
      columns.objective.push_back(option.levels.front());
      columns.row.push_back(static_cast<int>(group));
      columns.value.push_back(1.0);
      for (std::size_t row = 0; row < option.use.size(); ++row) {
        if (option.use[row] == 0.0) continue;
        columns.row.push_back(columns.groups + static_cast<int>(row));
        columns.value.push_back(option.use[row]);
      }
      columns.start.push_back(static_cast<int>(columns.row.size()));
    }
  }
  columns.first.push_back(columns.count());
  return columns;
}

ilp::Picks picks_of(const Columns& columns, const std::vector<double>& values) {
  ilp::Picks picks;
  for (std::size_t group = 0; group + 1 < columns.first.size(); ++group) {
    const auto begin = values.begin() + columns.first[group];
    const auto end = values.begin() + columns.first[group + 1];
    picks.push_back(static_cast<std::size_t>(std::max_element(begin, end) - begin));
  }
  return picks;
}

}  // namespace saccade::bench
