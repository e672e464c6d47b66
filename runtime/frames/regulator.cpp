#include "runtime/frames/regulator.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace saccade::runtime {

Duration interval_of(Fps rate) {
  SACCADE_CHECK(rate.value() > 0.0);
  constexpr double kSlowest = 1e17;
  return Duration(static_cast<Duration::rep>(std::min(std::floor(1e9 / rate.value()), kSlowest)));
}

namespace {
constexpr double kRounding = 1e-6;  // relative; what another sum of the same numbers may differ by, and more
}

void Regulator::set_rate(Fps rate, TimePoint now) {
  SACCADE_CHECK(rate.value() >= 0.0);
  if (rate == rate_) return;
  const bool raised = rate.value() > rate_.value() * (1.0 + kRounding);
  const Duration before = interval_;
  rate_ = rate;
  if (rate.value() == 0.0) return;
  interval_ = interval_of(rate);
  if (raised) {
    full_at_ = TimePoint{};
  } else if (full_at_ > now && before.count() > 0) {
    // The share of the bucket that is missing is the same; rounded down, in favour of the frame.
    const double missing = static_cast<double>((full_at_ - now).count()) /
                           static_cast<double>(before.count()) * static_cast<double>(interval_.count());
    full_at_ = now + Duration(static_cast<Duration::rep>(missing));
  }
}

bool Regulator::admit(TimePoint due) {
  if (rate_.value() == 0.0) return false;
  if (due + (kBurst - 1) * interval_ < full_at_) return false;
  full_at_ = std::max(full_at_, due) + interval_;
  return true;
}

}  // namespace saccade::runtime
