#include "runtime/frames/latency_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.hpp"

namespace saccade::runtime {

std::size_t LatencyHistogram::bucket_of(std::uint64_t ns) {
  constexpr std::uint64_t kSub = 1U << kSubBits;
  if (ns < kSub) return ns;
  const int shift = static_cast<int>(std::bit_width(ns)) - 1 - kSubBits;
  return (static_cast<std::size_t>(shift) << kSubBits) + (ns >> shift);
}

std::uint64_t LatencyHistogram::upper_bound(std::size_t bucket) {
  constexpr std::size_t kSub = 1U << kSubBits;
  if (bucket < kSub) return bucket;
  const std::size_t shift = (bucket >> kSubBits) - 1;
  const std::uint64_t mantissa = bucket - (shift << kSubBits);
  return ((mantissa + 1) << shift) - 1;
}

std::int64_t& LatencyHistogram::make_room(std::size_t bucket) {
  const std::size_t row = bucket - bucket % kRow;
  if (buckets_.empty()) first_ = row;
  if (row < first_) {
    buckets_.insert(buckets_.begin(), first_ - row, 0);
    first_ = row;
  }
  if (bucket - first_ >= buckets_.size()) buckets_.resize(row + kRow - first_);
  return buckets_[bucket - first_];
}

void LatencyHistogram::add(Duration latency) {
  const Duration counted = std::max(latency, Duration(0));
  ++make_room(bucket_of(static_cast<std::uint64_t>(counted.count())));
  ++count_;
  sum_ += to_seconds(counted);
  max_ = std::max(max_, counted);
}

std::optional<Duration> LatencyHistogram::quantile(double share) const {
  SACCADE_CHECK(share >= 0.0 && share <= 1.0);
  if (count_ == 0) return std::nullopt;
  const auto rank = std::max<std::int64_t>(1, std::llround(std::ceil(share * static_cast<double>(count_))));
  std::int64_t seen = 0;
  std::size_t bucket = 0;
  while ((seen += buckets_[bucket]) < rank) ++bucket;
  return std::min(Duration(static_cast<Duration::rep>(upper_bound(first_ + bucket))), max_);
}

std::optional<Duration> LatencyHistogram::max() const {
  if (count_ == 0) return std::nullopt;
  return max_;
}

std::int64_t LatencyHistogram::count_up_to(Duration bound) const {
  if (bound < Duration(0)) return 0;
  const auto ns = static_cast<std::uint64_t>(bound.count());
  const std::size_t last = bucket_of(ns);
  const std::size_t end = upper_bound(last) == ns ? last + 1 : last;  // of the buckets that count
  std::int64_t counted = 0;
  for (std::size_t i = 0; i < buckets_.size() && first_ + i < end; ++i) counted += buckets_[i];
  return counted;
}

}  // namespace saccade::runtime
