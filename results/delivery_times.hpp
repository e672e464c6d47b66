// Times from the end of a result's inference until a sink has sent it: a histogram with fixed bounds, small
// enough to be copied for every scrape.
// Units: nanoseconds. Threads: plain value; monotonic_now() any. Errors: none.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace saccade::results {

// By the clock of Result::ended.
[[nodiscard]] inline Duration monotonic_now() {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

class DeliveryTimes {
 public:
  // Upper bounds in milliseconds: from a local reader to a receiver that was unreachable for minutes.
  static constexpr std::array<std::int64_t, 15> kBounds = {1,   2,    5,    10,   20,     50,     100,    200,
                                                           500, 1000, 2000, 5000, 10'000, 60'000, 300'000};

  void add(Duration time) {
    const Duration took = std::max(time, Duration(0));
    std::size_t bucket = 0;
    while (bucket < kBounds.size() && took > std::chrono::milliseconds(kBounds[bucket])) ++bucket;
    ++counts_[bucket];
    sum_ += took;
  }
  [[nodiscard]] std::int64_t count() const { return up_to(kBounds.size()); }
  [[nodiscard]] Duration sum() const { return sum_; }
  // Number of results up to that bound; for the last index: all of them.
  [[nodiscard]] std::int64_t up_to(std::size_t bound) const {
    std::int64_t count = 0;
    for (std::size_t i = 0; i <= std::min(bound, kBounds.size()); ++i) count += counts_[i];
    return count;
  }
  bool operator==(const DeliveryTimes&) const = default;

 private:
  std::array<std::int64_t, kBounds.size() + 1> counts_{};  // by bucket; the last has no bound
  Duration sum_{0};
};

}  // namespace saccade::results
