#include "config/fit.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "base/check.hpp"
#include "scheduler/heuristics.hpp"

namespace saccade::config {
double fullness(const scheduler::Snapshot& snapshot) {
  std::vector<std::vector<std::size_t>> all;
  std::vector<std::optional<std::size_t>> best;
  for (const scheduler::Task& task : snapshot.tasks) {
    const std::vector<scheduler::VariantCost> costs = scheduler::variant_costs(snapshot, task);
    all.emplace_back(costs.size());
    std::iota(all.back().begin(), all.back().end(), std::size_t{0});
    best.push_back(scheduler::most_accurate(costs, all.back()));
  }
  scheduler::spread_over_processors(snapshot, all, best);
  std::vector<double> share(snapshot.processors.size(), 0.0);
  for (std::size_t i = 0; i < best.size(); ++i) {
    const scheduler::VariantCost cost = variant_cost(snapshot, snapshot.tasks[i], *best[i]);
    for (std::size_t p = 0; p < share.size(); ++p) share[p] += cost.time[p] * snapshot.tasks[i].demand;
  }
  double most = 0.0;
  for (std::size_t p = 0; p < share.size(); ++p) {
    most = std::max(most, share[p] / snapshot.processors[p].budget());
  }
  return most;
}

Fit fit(const runtime::RunConfig& named, const runtime::RunConfig& measured) {
  SACCADE_CHECK(named.timeline.size() == measured.timeline.size());
  Fit best;
  for (std::size_t state = 0; state < named.timeline.size(); ++state) {
    const double full = fullness(named.timeline[state].snapshot);
    if (full > best.named) best = {state, full, fullness(measured.timeline[state].snapshot)};
  }
  return best;
}

}  // namespace saccade::config
