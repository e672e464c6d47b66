#include "ilp/exhaustive_solver.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ilp/screening.hpp"

namespace saccade::ilp {
namespace {

constexpr std::int64_t kNodesPerPoll = 1024;

// Walks over all selections in the order of their index vectors. The sums of a prefix are kept per
// depth, so they are those of evaluate() to the last bit.
class Walk {
 public:
  Walk(const ChoiceProblem& problem, const SolveLimits& limits)
      : problem_(problem), limits_(limits), sums_(problem.groups.size() + 1), picks_(problem.groups.size()) {
    sums_[0].levels.assign(problem.level_count, 0.0);
    sums_[0].used.assign(problem.capacities.size(), 0.0);
    sums_[0].largest.assign(problem.peak_count, 0.0);
    std::fill(sums_.begin() + 1, sums_.end(), sums_[0]);
  }

  // Of the selections whose first best_.size() levels equal the best: the largest next level, or,
  // when all levels are settled, the first in order. False when a limit struck.
  bool settle_next_level() {
    next_best_.reset();
    const bool walked = visit(0);
    if (walked && next_best_ && best_.size() < problem_.level_count) best_.push_back(*next_best_);
    return walked;
  }

  [[nodiscard]] const std::optional<Picks>& found() const { return found_; }
  [[nodiscard]] double best_value() const { return best_.front(); }
  [[nodiscard]] std::int64_t nodes() const { return nodes_; }
  [[nodiscard]] Limit limit() const { return limit_; }

 private:
  struct Sums {
    std::vector<double> levels, used, largest;
  };

  bool visit(std::size_t depth) {
    if (depth == picks_.size()) return look(sums_[depth]);
    const Sums& before = sums_[depth];
    Sums& after = sums_[depth + 1];
    const std::vector<Option>& options = problem_.groups[depth].options;
    for (std::size_t index = 0; index < options.size(); ++index) {
      const Option& option = options[index];
      for (std::size_t i = 0; i < after.levels.size(); ++i)
        after.levels[i] = before.levels[i] + option.levels[i];
      for (std::size_t i = 0; i < after.used.size(); ++i) after.used[i] = before.used[i] + option.use[i];
      for (std::size_t i = 0; i < after.largest.size(); ++i) {
        after.largest[i] = std::max(before.largest[i], option.peak[i]);
      }
      picks_[depth] = index;
      if (!visit(depth + 1)) return false;
      if (finished_) return true;
    }
    return true;
  }

  bool look(const Sums& sums) {
    if (nodes_ >= limits_.max_nodes) {
      limit_ = Limit::work;
      return false;
    }
    if (nodes_ % kNodesPerPoll == 0 && limits_.stop && limits_.stop()) {
      limit_ = Limit::stop;
      return false;
    }
    ++nodes_;
    if (!feasible(sums)) return true;
    for (std::size_t level = 0; level < best_.size(); ++level) {
      if (!equal_value(sums.levels[level], best_[level])) return true;
    }
    if (best_.size() == problem_.level_count) {
      found_ = picks_;
      finished_ = true;
    } else if (const double value = sums.levels[best_.size()]; !next_best_ || value > *next_best_) {
      next_best_ = value;
      found_ = picks_;
    }
    return true;
  }

  [[nodiscard]] bool feasible(const Sums& sums) const {
    for (std::size_t row = 0; row < sums.used.size(); ++row) {
      if (!holds(sums.used[row], problem_.capacities[row])) return false;
    }
    double peak = 0.0;
    for (const double amount : sums.largest) peak += amount;
    return !problem_.peak_capacity || holds(peak, *problem_.peak_capacity);
  }

  const ChoiceProblem& problem_;
  const SolveLimits& limits_;
  std::vector<Sums> sums_;  // of the first `index` groups
  Picks picks_;
  std::vector<double> best_;         // of the levels settled so far
  std::optional<double> next_best_;  // of the level being settled
  std::optional<Picks> found_;
  bool finished_ = false;
  std::int64_t nodes_ = 0;
  Limit limit_ = Limit::none;
};

bool too_many_selections(const ChoiceProblem& problem) {
  std::int64_t selections = 1;
  for (const Group& group : problem.groups) {
    if (group.options.empty()) return false;
    if (std::cmp_greater(group.options.size(), ExhaustiveSolver::kMostSelections / selections)) return true;
    selections *= static_cast<std::int64_t>(group.options.size());
  }
  return false;
}

double sum_of_best(const ChoiceProblem& problem) {
  double sum = 0.0;
  for (const Group& group : problem.groups) {
    double best = group.options.front().levels.front();
    for (const Option& option : group.options) best = std::max(best, option.levels.front());
    sum += best;
  }
  return sum;
}

}  // namespace

ChoiceResult ExhaustiveSolver::solve(const ChoiceProblem& problem, const SolveLimits& limits) const {
  if (std::string complaint = validate(problem); !complaint.empty()) return refused(std::move(complaint));
  ChoiceResult result;
  if (too_many_selections(problem)) {
    result.limit = Limit::work;
    result.message = "too many selections to look at every one";
    return result;
  }
  Walk walk(problem, limits);
  const bool first = walk.settle_next_level();
  bool walked = first;
  for (std::size_t level = 1; walked && walk.found() && level <= problem.level_count; ++level) {
    walked = walk.settle_next_level();
  }
  if (walked && !walk.found()) result = infeasible_result(screen(problem));
  result.limit = walk.limit();
  result.stats.nodes = walk.nodes();
  std::optional<Picks> found = walk.found();
  // A walk that was not ended by a limit has seen the start.
  if (walk.limit() != Limit::none && limits.start && feasible(problem, *limits.start) &&
      (!found ||
       better(evaluate(problem, *limits.start), *limits.start, evaluate(problem, *found), *found))) {
    found = limits.start;
  }
  if (!found) return result;

  result.verdict = first ? Verdict::optimal : Verdict::feasible;
  result.picks = *found;
  result.evaluation = evaluate(problem, result.picks);
  result.bound = first ? walk.best_value() : sum_of_best(problem);
  return result;
}

}  // namespace saccade::ilp
