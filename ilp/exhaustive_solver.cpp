#include "ilp/exhaustive_solver.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ilp/screening.hpp"
#include "ilp/work_meter.hpp"

namespace saccade::ilp {
namespace {

// All selections in the order of their index vectors. The sums of a prefix are kept per depth, so they are
// those of evaluate() to the last bit.
class Enumeration {
 public:
  Enumeration(const ChoiceProblem& problem, const SolveLimits& limits)
      : problem_(problem),
        meter_({limits.stop, limits.max_nodes}, kNodesPerPoll),
        sums_(problem.groups.size() + 1),
        picks_(problem.groups.size()) {
    sums_[0].levels.assign(problem.level_count, 0.0);
    sums_[0].used.assign(problem.capacities.size(), 0.0);
    sums_[0].largest.assign(problem.peak_count, 0.0);
    std::fill(sums_.begin() + 1, sums_.end(), sums_[0]);
  }

  // Among the selections optimal in the first best_.size() levels: the largest next level or, once all
  // levels are fixed, the first in order. False if a limit was reached.
  bool fix_next_level() {
    next_best_.reset();
    const bool complete = visit(0);
    if (complete && next_best_ && best_.size() < problem_.level_count) best_.push_back(*next_best_);
    return complete;
  }

  [[nodiscard]] const std::optional<Picks>& found() const { return found_; }
  [[nodiscard]] double best_value() const { return best_.front(); }
  [[nodiscard]] const SearchOutcome& outcome() const { return meter_.outcome(); }

 private:
  struct Sums {
    std::vector<double> levels, used, largest;
  };

  bool visit(std::size_t depth) {
    if (depth == picks_.size()) return consider(sums_[depth]);
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

  bool consider(const Sums& sums) {
    if (!meter_.may_continue()) return false;
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
  WorkMeter meter_;
  std::vector<Sums> sums_;  // of the first `index` groups
  Picks picks_;
  std::vector<double> best_;         // optimum of each level fixed so far
  std::optional<double> next_best_;  // best value of the level being fixed
  std::optional<Picks> found_;
  bool finished_ = false;
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
    result.message = "too many selections to enumerate";
    return result;
  }
  Enumeration enumeration(problem, limits);
  const bool first = enumeration.fix_next_level();
  bool complete = first;
  for (std::size_t level = 1; complete && enumeration.found() && level <= problem.level_count; ++level) {
    complete = enumeration.fix_next_level();
  }
  if (complete && !enumeration.found()) result = infeasible_result(screen(problem));
  result.limit = enumeration.outcome().limit;
  result.stats.nodes = enumeration.outcome().nodes;
  std::optional<Picks> found = enumeration.found();
  // A complete enumeration has seen the start.
  if (result.limit != Limit::none && limits.start && feasible(problem, *limits.start) &&
      (!found ||
       better(evaluate(problem, *limits.start), *limits.start, evaluate(problem, *found), *found))) {
    found = limits.start;
  }
  if (!found) return result;

  result.verdict = first ? Verdict::optimal : Verdict::feasible;
  result.picks = *found;
  result.evaluation = evaluate(problem, result.picks);
  result.bound = first ? enumeration.best_value() : sum_of_best(problem);
  return result;
}

}  // namespace saccade::ilp
