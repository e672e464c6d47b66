#include "scheduler/row_prices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scheduler/menus.hpp"
#include "scheduler/problem_builder.hpp"

namespace saccade::scheduler {
namespace {

Offers offers_to_price(const Menus& menus, Priced priced) {
  Offers offers;
  for (const Choice& choice : menus.choices()) {
    std::vector<Offer>& own = offers.emplace_back();
    for (const std::size_t variant : choice.usable)
      own.push_back({variant, menus.snapshot().tasks[choice.task].demand});
    if (priced == Priced::serving) own.push_back({});
  }
  return offers;
}

ilp::ChoiceProblem problem_to_price(const ProblemBuilder& builder, const Offers& offers, Priced priced) {
  if (priced == Priced::objective) return builder.problem(offers);
  ilp::ChoiceProblem problem = builder.feasibility(offers);
  for (std::size_t i = 0; i < offers.size(); ++i) {
    for (std::size_t j = 0; j < offers[i].size(); ++j)
      problem.groups[i].options[j].levels = {offers[i][j].off() ? 0.0 : 1.0};
  }
  return problem;
}

// Empty: the solver gave none, or found the problem infeasible.
std::vector<double> relaxed_prices(const ilp::ChoiceProblem& problem, const ilp::ChoiceSolver& solver,
                                   const std::function<bool()>& stop) {
  ilp::SolveLimits limits;
  limits.stop = stop;
  limits.max_nodes = 0;  // the relaxation alone
  std::vector<double> prices = solver.solve(problem, limits).prices;
  if (prices.size() != problem.capacities.size()) prices.clear();
  return prices;
}

// With the option to be off, at a value that makes it the last resort.
ilp::ChoiceProblem with_last_resort(ilp::ChoiceProblem problem) {
  constexpr double kFar = 1e3;
  double range = 0.0;
  for (const ilp::Group& group : problem.groups) {
    const auto [least, most] = std::minmax_element(
        group.options.begin(), group.options.end(),
        [](const ilp::Option& a, const ilp::Option& b) { return a.levels.front() < b.levels.front(); });
    range += most->levels.front() - least->levels.front() + std::abs(most->levels.front());
  }
  for (ilp::Group& group : problem.groups) {
    ilp::Option off;
    off.levels.assign(problem.level_count, 0.0);
    off.levels.front() = -kFar * range;
    off.use.assign(problem.capacities.size(), 0.0);
    off.peak.assign(problem.peak_count, 0.0);
    group.options.push_back(std::move(off));
  }
  return problem;
}

// Whether the variants fit when tasks may be shared among them. A solver refuses at once what no selection
// of whole variants satisfies.
bool relaxation_fits(const Snapshot& snapshot, const ilp::ChoiceSolver& solver,
                     const std::function<bool()>& stop) {
  constexpr double kRounding = 1e-6;  // tasks
  const auto served = price_rows(snapshot, Priced::serving, solver, stop);
  return served && served->bound() >= static_cast<double>(served->tasks.size()) - kRounding;
}

bool accurate_enough(const Task& task, std::size_t variant, const CostTable& costs) {
  if (!task.excluded.empty() && task.excluded[variant]) return false;
  if (task.min_accuracy && !ilp::holds(*task.min_accuracy, costs.accuracy(variant))) return false;
  return !task.min_relative_accuracy ||
         ilp::holds(*task.min_relative_accuracy, costs.relative_accuracy(variant));
}

double best_worth(const ilp::Group& group, const std::vector<double>& prices) {
  double best = -std::numeric_limits<double>::infinity();
  for (const ilp::Option& option : group.options) {
    double worth = option.levels.front();
    for (std::size_t row = 0; row < prices.size(); ++row) worth -= prices[row] * option.use[row];
    best = std::max(best, worth);
  }
  return best;
}

TaskPrices prices_of(const ProblemBuilder& builder, const Choice& choice, const std::vector<double>& prices,
                     Priced priced) {
  const Snapshot& snapshot = builder.menus().snapshot();
  const Task& task = snapshot.tasks[choice.task];
  const bool objective = priced == Priced::objective;
  TaskPrices of_task;
  of_task.task = choice.task;
  for (std::size_t v = 0; v < task.profiles->variants.size(); ++v) {
    const bool by_accuracy = objective && snapshot.objective == Objective::max_accuracy;
    const double value = by_accuracy ? builder.value(choice, {v, task.demand}) : objective ? 0.0 : 1.0;
    const bool may = accurate_enough(task, v, *choice.costs);
    of_task.value.push_back(may ? std::optional(value) : std::nullopt);
  }
  const double rate = task.demand.value();
  for (std::size_t p = 0; p < snapshot.processors.size(); ++p)
    of_task.per_second.push_back(prices[p] * rate * snapshot.processors[p].correction);
  for (std::size_t row = 0; row < prices.size(); ++row) {
    const Resource resource = builder.rows()[row].resource;
    if (resource == Resource::energy) of_task.per_joule += prices[row] * rate;
    if (resource == Resource::memory) of_task.per_byte += prices[row];
  }
  if (objective && snapshot.objective == Objective::min_energy) of_task.per_joule += rate;
  if (objective && snapshot.objective == Objective::min_memory) of_task.per_byte += 1.0;
  return of_task;
}

}  // namespace

double RowPrices::bound() const {
  double sum = capacities;
  for (const TaskPrices& task : tasks) sum += task.best;
  return sum;
}

std::optional<RowPrices> price_rows(const Snapshot& snapshot, Priced priced, const ilp::ChoiceSolver& solver,
                                    const std::function<bool()>& stop) {
  const Menus menus(snapshot);
  const ProblemBuilder builder(menus);
  const ilp::ChoiceProblem problem = problem_to_price(builder, offers_to_price(menus, priced), priced);
  std::vector<double> prices = relaxed_prices(problem, solver, stop);
  if (prices.empty() && priced == Priced::objective && relaxation_fits(snapshot, solver, stop))
    prices = relaxed_prices(with_last_resort(problem), solver, stop);
  if (prices.empty()) return std::nullopt;
  RowPrices found;
  for (std::size_t row = 0; row < prices.size(); ++row)
    found.capacities += prices[row] * problem.capacities[row];
  for (std::size_t i = 0; i < menus.choices().size(); ++i) {
    found.tasks.push_back(prices_of(builder, menus.choices()[i], prices, priced));
    found.tasks.back().best = best_worth(problem.groups[i], prices);
  }
  return found;
}

}  // namespace saccade::scheduler
