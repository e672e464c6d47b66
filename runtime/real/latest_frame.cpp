#include "runtime/real/latest_frame.hpp"

#include <utility>

namespace saccade::runtime {

bool LatestFrame::wants_frame(TimePoint now) const {
  if (!frame_wanted_.load(std::memory_order_relaxed)) return false;
  const Lock lock(mutex_);
  return !shown_ || now - *shown_ >= kLeastPause;
}

void LatestFrame::show(std::string jpeg, TimePoint now) {
  const Lock lock(mutex_);
  latest_.jpeg = std::move(jpeg);
  shown_ = now;
  frame_wanted_ = false;
}

void LatestFrame::answered(std::size_t variant, const std::vector<int>& classes,
                           const vision::Objects& objects) {
  const Lock lock(mutex_);
  if (!latest_.answer) latest_.answer.emplace();
  latest_.answer->variant = variant;
  latest_.answer->classes = classes;
  latest_.answer->objects = objects;
}

LatestFrame::Look LatestFrame::look() {
  const Lock lock(mutex_);
  frame_wanted_ = true;
  return latest_;
}

std::optional<LatestAnswer> LatestFrame::answer() const {
  const Lock lock(mutex_);
  return latest_.answer;
}

void LatestFrame::forget() {
  const Lock lock(mutex_);
  frame_wanted_ = false;
  latest_ = {};
  shown_.reset();
}

}  // namespace saccade::runtime
