#include "scheduler/latency.hpp"

#include <algorithm>
#include <vector>

#include "ilp/choice_problem.hpp"
#include "scheduler/filter.hpp"

namespace saccade::scheduler {
namespace {

constexpr double kHardlyWaits = 0.8;  // share of the maximum rate up to which frames hardly wait

}  // namespace

Seconds frame_latency(const profiles::Variant& variant, Seconds total, Seconds longest, Fps rate) {
  const profiles::Staging& staging = variant.staging;
  if (staging.empty()) return total;
  Seconds profiled{0.0}, profiled_longest{0.0};
  for (const auto& [processor, time] : variant.frame_time) {
    profiled += time;
    profiled_longest = std::max(profiled_longest, time);
  }
  const Seconds alone = staging.latency * (total / profiled);
  const Fps most = staging.max_fps * (profiled_longest / longest);
  if (ilp::holds(rate.value(), kHardlyWaits * most.value())) return alone;
  return std::max(alone, Seconds(staging.max_in_flight / most.value()));
}

Seconds longest_time(const VariantCost& cost) {
  Seconds longest{0.0};
  for (const Seconds time : cost.time) longest = std::max(longest, time);
  return longest;
}

std::optional<Seconds> unmet_latency(const Snapshot& snapshot, const Task& task) {
  if (!task.max_latency) return std::nullopt;
  const std::vector<VariantCost> costs = variant_costs(snapshot, task);
  Task unlimited = task;
  unlimited.max_latency.reset();
  std::optional<Seconds> least;
  for (const std::size_t v : filter_variants(snapshot, unlimited, costs).kept) {
    const Seconds latency =
        frame_latency(task.profiles->variants[v], costs[v].total_time(), longest_time(costs[v]), task.demand);
    least = least ? std::min(*least, latency) : latency;
  }
  if (least && ilp::holds(least->value(), task.max_latency->value())) return std::nullopt;
  return least;
}

}  // namespace saccade::scheduler
