#include "runtime/frames/busy_window.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::runtime {
namespace {
constexpr Duration kSecond{1'000'000'000};
}

BusyWindow::BusyWindow(double capacity) : whole_(capacity >= 1.0), capacity_(to_duration(Seconds(capacity))) {
  SACCADE_CHECK(capacity_.count() > 0);
}

void BusyWindow::add(TimePoint start, TimePoint end) {
  SACCADE_CHECK(start <= end);
  if (whole_) return;
  sum_ += end - start;
  if (!intervals_.empty() && intervals_.back().end == start) {
    intervals_.back().end = end;
  } else {
    intervals_.push_back({start, end});
  }
}

Duration BusyWindow::used(TimePoint since) const {
  Duration left_out{0};
  for (std::size_t i = 0; i < intervals_.size() && intervals_[i].start < since; ++i) {
    left_out += std::min(intervals_[i].end, since) - intervals_[i].start;
  }
  return sum_ - left_out;
}

bool BusyWindow::spent(TimePoint now) {
  if (whole_) return false;
  const TimePoint since = now - kSecond;
  while (!intervals_.empty() && intervals_.front().end <= since) {
    const Interval gone = intervals_.pop_front();
    sum_ -= gone.end - gone.start;
  }
  return used(since) >= capacity_;
}

Duration BusyWindow::left(TimePoint now) const {
  return whole_ ? Duration::max() : capacity_ - used(now - kSecond);
}

std::optional<TimePoint> BusyWindow::spent_until(TimePoint now) const {
  if (whole_) return std::nullopt;
  const TimePoint since = now - kSecond;
  Duration to_free = used(since) - capacity_ + Duration(1);
  if (to_free.count() <= 0) return std::nullopt;
  for (std::size_t i = 0;; ++i) {
    SACCADE_CHECK(i < intervals_.size());
    const TimePoint start = std::max(intervals_[i].start, since);
    const Duration length = std::max(intervals_[i].end - start, Duration(0));
    if (to_free <= length) return start + to_free + kSecond;
    to_free -= length;
  }
}

}  // namespace saccade::runtime
