// Latencies in bounded memory: buckets of equal relative width (64 per power of two, so that a quantile is at
// most 1.6 % above the true one) and the exact maximum. Negative latencies count as 0. Memory is used only
// for the powers of two between the smallest and the largest latency so far, half a kilobyte each: an empty
// histogram uses none, and copies are proportionally small. No allocation once both extremes have been seen.
// Threads: plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.hpp"

namespace saccade::runtime {

class LatencyHistogram {
 public:
  void add(Duration latency);
  [[nodiscard]] std::int64_t count() const { return count_; }
  // The smallest bucket bound that is not exceeded by share * count latencies; absent when empty.
  [[nodiscard]] std::optional<Duration> quantile(double share) const;
  [[nodiscard]] std::optional<Duration> max() const;
  // How many were at most `bound`, to the resolution of the buckets: the bucket that contains `bound` counts
  // only if `bound` is its end.
  [[nodiscard]] std::int64_t count_up_to(Duration bound) const;
  [[nodiscard]] Seconds sum() const { return sum_; }

 private:
  static constexpr int kSubBits = 6;
  static constexpr std::size_t kRow = std::size_t{1} << kSubBits;  // buckets of one power of two
  static std::size_t bucket_of(std::uint64_t ns);
  static std::uint64_t upper_bound(std::size_t bucket);
  [[nodiscard]] std::int64_t& make_room(std::size_t bucket);

  std::vector<std::int64_t> buckets_;  // whole rows, beginning with bucket first_
  std::size_t first_ = 0;
  std::int64_t count_ = 0;
  Seconds sum_{0.0};  // a sum in nanoseconds could overflow in a long run
  Duration max_{0};
};

}  // namespace saccade::runtime
