// Latencies in bounded memory: buckets of equal relative width (64 per power of two, so a quantile is
// at most 1.6 % above the true one), the maximum exactly. Negative latencies count as 0.
// Threads: plain value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"

namespace saccade::runtime {

class LatencyHistogram {
 public:
  void add(Duration latency);
  [[nodiscard]] std::int64_t count() const { return count_; }
  // The smallest bucket bound that at least share * count latencies do not exceed; absent when empty.
  [[nodiscard]] std::optional<Duration> quantile(double share) const;
  [[nodiscard]] std::optional<Duration> max() const;
  // How many were at most `bound`, to the resolution of the buckets: those of the bucket that `bound`
  // falls into count only when it is the bucket's end.
  [[nodiscard]] std::int64_t count_up_to(Duration bound) const;
  [[nodiscard]] Seconds sum() const { return sum_; }

 private:
  static constexpr int kSubBits = 6;
  static constexpr std::size_t kBuckets = (64 - kSubBits) << kSubBits;
  static std::size_t bucket_of(std::uint64_t ns);
  static std::uint64_t upper_bound(std::size_t bucket);

  std::array<std::int64_t, kBuckets> buckets_{};
  std::int64_t count_ = 0;
  Seconds sum_{0.0};  // nanoseconds of a whole life could overflow
  Duration max_{0};
};

}  // namespace saccade::runtime
