// A virtual latency with a given median and 99th percentile. The deviation from the median is that of a
// sum of four uniform numbers, which is bounded and close to normal, scaled to meet the 99th percentile
// exactly. Below the median it is a quarter as wide, because measured latencies have their tail above.
// Integers only.
// Threads: plain value.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"
#include "runtime/simulation/dice.hpp"

namespace saccade::runtime {

class Latency {
 public:
  Latency() = default;
  Latency(Duration median, Duration p99)
      : median_(median.count()), excess_(std::max<std::int64_t>(0, (p99 - median).count())) {}

  [[nodiscard]] Duration median() const { return Duration(median_); }
  [[nodiscard]] Duration draw(Dice& dice) const {
    const std::uint64_t word = dice.next();
    if (excess_ == 0) return Duration(median_);
    std::int64_t deviation = -2 * kOne;
    for (unsigned part = 0; part < 4; ++part) {
      deviation += static_cast<std::int64_t>((word >> (16 * part)) & 0xFFFFU);
    }
    // 99 of 100 sums of four uniform numbers lie below 2 + 1.30007: (2 - 1.30007)^4 / 24 = 0.01.
    constexpr std::int64_t kP99 = 85'201;  // 1.30007 * 2^16
    const std::int64_t away = excess_ / kP99 * deviation + excess_ % kP99 * deviation / kP99;
    return Duration(std::max<std::int64_t>(median_ + (away < 0 ? away / 4 : away), 1));
  }

 private:
  static constexpr std::int64_t kOne = 1 << 16;
  std::int64_t median_ = 1;
  std::int64_t excess_ = 0;
};

}  // namespace saccade::runtime
