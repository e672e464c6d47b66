#include "bench/paper/oracle.hpp"

#include <algorithm>
#include <functional>

#include "base/check.hpp"
#include "scheduler/filter.hpp"

namespace saccade::bench {
namespace {

constexpr double kTolerance = 1e-9;

struct Option {
  std::size_t variant = 0;
  double accuracy = 0.0;
  double time = 0.0;
  double energy = 0.0;
  double memory = 0.0;
};

bool holds(double used, double allowed) { return used <= allowed * (1.0 + kTolerance); }

}  // namespace

std::vector<Choice> best_choices(const scheduler::Snapshot& snapshot, double best) {
  const std::size_t n = snapshot.tasks.size();
  std::vector<std::vector<Option>> options(n);
  for (std::size_t i = 0; i < n; ++i) {
    const scheduler::Task& task = snapshot.tasks[i];
    const std::vector<scheduler::VariantCost> costs = scheduler::variant_costs(snapshot, task);
    for (const std::size_t v : scheduler::filter_variants(snapshot, task, costs).kept) {
      options[i].push_back({v, costs[v].relative_accuracy, costs[v].total_time() * task.demand,
                            costs[v].energy ? (*costs[v].energy * task.demand).value() : 0.0,
                            costs[v].memory ? costs[v].memory->value() : 0.0});
    }
  }
  std::vector<double> ahead(n + 1, 0.0);  // the most accuracy that the later tasks can add
  for (std::size_t i = n; i-- > 0;) {
    double most = 0.0;
    for (const Option& option : options[i]) most = std::max(most, option.accuracy);
    ahead[i] = ahead[i + 1] + most;
  }
  const double wanted = best * static_cast<double>(n);
  const scheduler::Limits& limits = snapshot.limits;
  std::vector<Choice> found;
  Choice choice(n);
  const std::function<void(std::size_t, Option)> extend = [&](std::size_t i, const Option& sum) {
    if (sum.accuracy + ahead[i] < wanted - kTolerance * static_cast<double>(n)) return;
    if (!holds(sum.time, snapshot.processors.front().budget())) return;
    if (limits.memory && !holds(sum.memory, limits.memory->value())) return;
    if (limits.energy_per_second &&
        !holds(snapshot.idle_power.value() + sum.energy, limits.energy_per_second->value())) {
      return;
    }
    if (i == n) {
      found.push_back(choice);
      return;
    }
    for (const Option& option : options[i]) {
      choice[i] = option.variant;
      extend(i + 1, {0, sum.accuracy + option.accuracy, sum.time + option.time, sum.energy + option.energy,
                     sum.memory + option.memory});
    }
  };
  extend(0, {});
  return found;
}

std::size_t switches_between(const Choice& a, const Choice& b) {
  SACCADE_CHECK(a.size() == b.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1U : 0U;
  return count;
}

std::size_t fewest_switches(const std::vector<std::vector<Choice>>& steps) {
  if (steps.empty()) return 0;
  std::vector<std::size_t> cost(steps.front().size(), 0);
  for (std::size_t s = 1; s < steps.size(); ++s) {
    std::vector<std::size_t> next;
    for (const Choice& to : steps[s]) {
      std::size_t least = cost.front() + switches_between(steps[s - 1].front(), to);
      for (std::size_t from = 1; from < cost.size(); ++from) {
        least = std::min(least, cost[from] + switches_between(steps[s - 1][from], to));
      }
      next.push_back(least);
    }
    cost = std::move(next);
  }
  return *std::min_element(cost.begin(), cost.end());
}

}  // namespace saccade::bench
