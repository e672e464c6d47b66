#include "app/fit.hpp"

#include <algorithm>
#include <vector>

#include "base/check.hpp"

namespace saccade::app {
namespace {

// The variant the heuristics run: most accurate, then fastest, then first.
const scheduler::VariantCost& most_accurate(const std::vector<scheduler::VariantCost>& costs) {
  return *std::min_element(costs.begin(), costs.end(), [](const auto& a, const auto& b) {
    return a.accuracy != b.accuracy ? a.accuracy > b.accuracy : a.total_time() < b.total_time();
  });
}

}  // namespace

double fullness(const scheduler::Snapshot& snapshot) {
  std::vector<double> share(snapshot.processors.size(), 0.0);
  for (const scheduler::Task& task : snapshot.tasks) {
    const std::vector<scheduler::VariantCost> costs = scheduler::variant_costs(snapshot, task);
    const scheduler::VariantCost& best = most_accurate(costs);
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

}  // namespace saccade::app
