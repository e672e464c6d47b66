#include "config/fit.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/check.hpp"
#include "scheduler/heuristics.hpp"

namespace saccade::config {
double fullness(const scheduler::Snapshot& snapshot) {
  std::vector<double> share(snapshot.processors.size(), 0.0);
  for (const scheduler::Task& task : snapshot.tasks) {
    const std::vector<scheduler::VariantCost> costs = scheduler::variant_costs(snapshot, task);
    std::vector<std::size_t> all(costs.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const scheduler::VariantCost& best = costs[*scheduler::most_accurate(costs, all)];
    for (std::size_t p = 0; p < share.size(); ++p) share[p] += best.time[p] * task.demand;
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
