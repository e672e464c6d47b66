#include "runtime/latest_frame.hpp"

#include <algorithm>
#include <utility>

namespace saccade::runtime {

bool LatestFrame::wants_frame(TimePoint now) const {
  if (!frame_wanted_.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(mutex_);
  return !shown_ || now - *shown_ >= kLeastPause;
}

void LatestFrame::show(std::string jpeg, TimePoint now) {
  const std::lock_guard lock(mutex_);
  latest_.jpeg = std::move(jpeg);
  shown_ = now;
  frame_wanted_ = false;
}

void LatestFrame::answered(const std::vector<float>& logits, std::size_t classes) {
  std::vector<int> answers;
  for (auto region = logits.begin(); region != logits.end(); region += static_cast<std::ptrdiff_t>(classes)) {
    const auto best = std::max_element(region, region + static_cast<std::ptrdiff_t>(classes));
    answers.push_back(static_cast<int>(best - region));
  }
  const std::lock_guard lock(mutex_);
  latest_.answers = std::move(answers);
  answer_wanted_ = false;
}

LatestFrame::Look LatestFrame::look() {
  const std::lock_guard lock(mutex_);
  frame_wanted_ = true;
  answer_wanted_ = true;
  return latest_;
}

void LatestFrame::forget() {
  const std::lock_guard lock(mutex_);
  frame_wanted_ = false;
  answer_wanted_ = false;
  latest_ = {};
  shown_.reset();
}

}  // namespace saccade::runtime
