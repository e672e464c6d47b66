#include "runtime/machine/outside_time.hpp"

#include <algorithm>

namespace saccade::runtime {
namespace {

constexpr Duration kRememberHolds = std::chrono::seconds(20);

Duration grown(Duration before, Duration now) { return std::max(now - before, Duration(0)); }

}  // namespace

std::optional<CpuHold> OutsideTime::add(const CpuSample& sample) {
  if (!last_) {
    last_ = sample;
    return std::nullopt;
  }
  const CpuSample before = *last_;
  last_ = sample;
  const Duration ours = grown(before.own, sample.own) + grown(before.throttled, sample.throttled);
  const Duration steal = grown(before.steal, sample.steal);
  const Duration left_over = std::max(sample.at - before.at - ours, Duration(0));
  const Duration taken = std::max(grown(before.waited, sample.waited) - ours, steal);
  const Duration outside = std::min(taken, left_over);
  while (!holds_.empty() && holds_.front().to + kRememberHolds < sample.at) holds_.pop_front();
  if (outside < kLeast) return std::nullopt;
  holds_.push_back({sample.at - outside, sample.at, std::min(steal, outside)});
  return holds_.back();
}

Duration OutsideTime::between(TimePoint from, TimePoint to) const {
  Duration held{0};
  for (const CpuHold& hold : holds_) {
    held += std::max(std::min(to, hold.to) - std::max(from, hold.from), Duration(0));
  }
  return held;
}

}  // namespace saccade::runtime
