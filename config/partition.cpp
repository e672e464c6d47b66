#include "config/partition.hpp"

#include <algorithm>
#include <cstddef>

#include "ilp/choice_problem.hpp"

namespace saccade::config {
namespace {

// Below, equal or above, within the tolerance of plans.
int compare(double a, double b) {
  if (ilp::equal_value(a, b)) return 0;
  return a < b ? -1 : 1;
}

// Tasks that are off before frames, the highest class first.
int compare_losses(const scheduler::Plan& a, const scheduler::Plan& b) {
  for (std::size_t i = 0; i < std::min(a.loss.size(), b.loss.size()); ++i) {
    if (const int off = compare(a.loss[i].weight_off, b.loss[i].weight_off); off != 0) return off;
    if (const int lost = compare(a.loss[i].weighted_fps, b.loss[i].weighted_fps); lost != 0) return lost;
  }
  return 0;
}

bool runs(const scheduler::Plan& plan) {
  return plan.status != scheduler::PlanStatus::infeasible && plan.status != scheduler::PlanStatus::unknown;
}

}  // namespace

std::optional<Partition> partition(const std::vector<std::vector<int>>& cores,
                                   const profiles::Device& device) {
  if (device.processors.empty()) return std::nullopt;
  Partition partition;
  partition.kind = device.processors.front();
  partition.threads = device.threads_on(partition.kind);
  const auto each = static_cast<std::size_t>(partition.threads);
  for (std::size_t first = 0; first + each <= cores.size(); first += each) {
    std::vector<int>& cpus = partition.cpus.emplace_back();
    for (std::size_t core = first; core < first + each; ++core) cpus.push_back(cores[core].front());
  }
  if (partition.cpus.empty()) return std::nullopt;
  return partition;
}

bool serves_better(const scheduler::Plan& a, double fullest_a, const scheduler::Plan& b, double fullest_b) {
  if (runs(a) != runs(b)) return runs(a);
  if (const int losses = compare_losses(a, b); losses != 0) return losses < 0;
  if (a.objective_value && b.objective_value) {
    const int values = compare(*a.objective_value, *b.objective_value);
    if (values != 0) return (values > 0) == (a.objective == scheduler::Objective::max_accuracy);
  }
  return compare(fullest_a, fullest_b) < 0;
}

}  // namespace saccade::config
