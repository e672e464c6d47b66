#include "scheduler/degradation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace saccade::scheduler {
namespace {

// Rates so low that the count of steps would not be exact are not met in practice (2^53 frames/s).
std::uint64_t steps_between(double demand, double floor) {
  return static_cast<std::uint64_t>(std::ceil(std::min(demand - floor, 0x1p53)));
}

}  // namespace

StepLadder::StepLadder(const Menus& menus) {
  std::map<int, std::vector<std::size_t>> by_priority;
  for (const Choice& choice : menus.choices()) {
    const Task& task = menus.snapshot().tasks[choice.task];
    const double floor = menus.floor(choice).value();
    by_priority[task.priority].push_back(rungs_.size());
    rungs_.push_back(
        {.demand = task.demand.value(), .floor = floor, .steps = steps_between(task.demand.value(), floor)});
  }
  for (auto& [priority, choices] : by_priority) classes_.push_back(std::move(choices));
}

std::uint64_t StepLadder::steps() const {
  std::uint64_t total = 0;
  for (const Rung& rung : rungs_) total += rung.steps;
  return total;
}

Rates StepLadder::rates(std::uint64_t step) const {
  std::vector<std::uint64_t> taken(rungs_.size(), 0);
  for (const std::vector<std::size_t>& members : classes_) {
    const auto taken_after = [&](std::uint64_t rounds) {
      std::uint64_t sum = 0;
      for (const std::size_t i : members) sum += std::min(rungs_[i].steps, rounds);
      return sum;
    };
    // The largest number of whole rounds that `step` steps pay for.
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    for (const std::size_t i : members) high = std::max(high, rungs_[i].steps);
    while (low < high) {
      const std::uint64_t middle = low + (high - low + 1) / 2;
      if (taken_after(middle) <= step) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    step -= taken_after(low);
    for (const std::size_t i : members) {
      taken[i] = std::min(rungs_[i].steps, low);
      if (step > 0 && rungs_[i].steps > low) {  // the round that is not complete
        ++taken[i];
        --step;
      }
    }
    if (step == 0) break;
  }
  Rates rates;
  for (std::size_t i = 0; i < rungs_.size(); ++i) rates.push_back(rate(i, taken[i]));
  return rates;
}

Fps StepLadder::rate(std::size_t choice, std::uint64_t step) const {
  const Rung& rung = rungs_[choice];
  return Fps(step >= rung.steps ? rung.floor : rung.demand - static_cast<double>(step));
}

namespace {

std::size_t count(const Menu& menu) {
  std::size_t variants = 0;
  for (const std::vector<std::size_t>& of_choice : menu) variants += of_choice.size();
  return variants;
}

// Bounds the search from below. Rates only fall along the ladder, and with the widest menu a lower rate
// never needs more of anything; so with it "fits" holds from some step on, and no menu(rates) fits
// before that step.
class WidestSearch {
 public:
  WidestSearch(const ProblemBuilder& builder, const StepLadder& ladder, const Solve& solve)
      : builder_(builder),
        menus_(builder.menus()),
        ladder_(ladder),
        solve_(solve),
        menu_(builder.leanest(menus_.widest_menu())) {}

  StepSearch run() {
    const std::uint64_t last = ladder_.steps();
    if (last == 0 || refuted(last))
      return {.outcome = StepSearch::Outcome::exhausted, .step = 0, .selection = {}};
    const std::uint64_t first = first_not_refuted(1, last);
    if (stopped()) return {};
    std::uint64_t low = first - 1;  // does not fit
    std::uint64_t high = first;     // being asked
    std::uint64_t stride = 1;
    while (true) {
      const Answer answer = ask(high);
      if (answer == Answer::fits) break;
      if (answer == Answer::unknown) return {};
      if (high == last) return {.outcome = StepSearch::Outcome::exhausted, .step = 0, .selection = {}};
      low = high;
      high = std::min(last, high + stride);
      stride *= 2;
    }
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      const Answer answer = ask(middle);
      if (answer == Answer::unknown) {
        return {.outcome = StepSearch::Outcome::too_far, .step = high, .selection = selection_};
      }
      (answer == Answer::fits ? high : low) = middle;
    }
    return {.outcome = StepSearch::Outcome::found, .step = high, .selection = selection_};
  }

 private:
  enum class Answer { fits, does_not, unknown };

  [[nodiscard]] bool stopped() const { return solve_.stopped(count(menu_)); }

  // Some row cannot hold even by itself, or a task has nothing to choose from: what refuted() says of the
  // problem, without building it.
  [[nodiscard]] bool refuted(std::uint64_t step) const {
    const Rates rates = ladder_.rates(step);
    std::vector<double> least(builder_.rows().size(), 0.0);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (rates[i] <= Fps(0.0)) continue;
      if (menu_[i].empty()) return true;
      const Choice& choice = menus_.choices()[i];
      for (std::size_t row = 0; row < least.size(); ++row) {
        double smallest = std::numeric_limits<double>::infinity();
        for (const std::size_t variant : menu_[i]) {
          smallest = std::min(smallest, builder_.use(choice, {variant, rates[i]}, row));
        }
        least[row] += smallest;
      }
    }
    for (std::size_t row = 0; row < least.size(); ++row) {
      if (!ilp::holds(least[row], capacity_of(builder_.rows()[row]))) return true;
    }
    return false;
  }

  // refuted() is monotone along the ladder as well and costs no solve.
  [[nodiscard]] std::uint64_t first_not_refuted(std::uint64_t low, std::uint64_t high) const {
    while (low < high && !stopped()) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (refuted(middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  Answer ask(std::uint64_t step) {
    const Offers offers = offers_at(menu_, ladder_.rates(step));
    const ilp::ChoiceResult result = solve_(builder_.feasibility(offers), {});
    if (result.verdict == ilp::Verdict::infeasible) return Answer::does_not;
    if (result.verdict == ilp::Verdict::unknown) return Answer::unknown;
    selection_ = taken(offers, result.picks);  // asked steps that fit only fall, so the last is the lowest
    return Answer::fits;
  }

  const ProblemBuilder& builder_;
  const Menus& menus_;
  const StepLadder& ladder_;
  const Solve& solve_;
  Menu menu_;
  Selection selection_;
};

}  // namespace

StepSearch first_feasible_step(const ProblemBuilder& builder, const StepLadder& ladder, const Solve& solve) {
  const Menus& menus = builder.menus();
  StepSearch search = WidestSearch(builder, ladder, solve).run();
  const bool some_step =
      search.outcome == StepSearch::Outcome::found || search.outcome == StepSearch::Outcome::too_far;
  if (!menus.menu_depends_on_rates() || !some_step) return search;
  if (search.outcome == StepSearch::Outcome::too_far) return {};
  // Under a min_time_share quick variants drop out as rates fall, so fitting is not monotone: walk.
  for (std::uint64_t step = search.step; step <= ladder.steps(); ++step) {
    const Rates rates = ladder.rates(step);
    const Menu menu = menus.menu(rates);
    if (solve.stopped(count(menu))) return {};
    const Offers offers = offers_at(builder.leanest(menu), rates);
    const ilp::ChoiceProblem problem = builder.feasibility(offers);
    if (refuted(problem)) continue;
    const ilp::ChoiceResult result = solve(problem, {});
    if (result.verdict == ilp::Verdict::unknown) return {};
    if (result.verdict == ilp::Verdict::infeasible) continue;
    return {.outcome = StepSearch::Outcome::found, .step = step, .selection = taken(offers, result.picks)};
  }
  return {.outcome = StepSearch::Outcome::exhausted, .step = 0, .selection = {}};
}

}  // namespace saccade::scheduler
