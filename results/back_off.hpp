// How long a sink waits before the n-th consecutive retry: a random time, uniform between `least` and
// min(`most`, `least` * 2^n). Pure. Threads: plain values.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"

namespace saccade::results {

struct BackOffRule {
  Duration least = std::chrono::seconds(1);
  Duration most = std::chrono::seconds(30);
};

class BackOff {
 public:
  explicit BackOff(BackOffRule rule) : rule_(rule) {}

  void reset() { attempts_ = 0; }
  // `uniform`: a number in [0, 1).
  [[nodiscard]] Duration next(double uniform) {
    attempts_ = std::min(attempts_ + 1, 30);
    const Duration longest = std::min(rule_.most, rule_.least * (std::int64_t{1} << attempts_));
    const auto spread = static_cast<double>((longest - rule_.least).count());
    return rule_.least + Duration(static_cast<std::int64_t>(uniform * spread));
  }

 private:
  BackOffRule rule_;
  int attempts_ = 0;  // in a row
};

}  // namespace saccade::results
