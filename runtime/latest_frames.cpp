#include "runtime/latest_frames.hpp"

#include <algorithm>
#include <utility>

namespace saccade::runtime {

void LatestFrames::captured(TaskIndex task, const std::vector<float>& input) {
  if (wanted_.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(mutex_);
  const auto found = tasks_.find(task);
  if (found == tasks_.end() || !found->second.frame_wanted) return;
  found->second.latest.input = input;
  found->second.frame_wanted = false;
  --wanted_;
}

void LatestFrames::answered(TaskIndex task, const std::vector<float>& logits, std::size_t classes) {
  if (wanted_.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(mutex_);
  const auto found = tasks_.find(task);
  if (found == tasks_.end() || !found->second.answer_wanted) return;
  std::vector<int>& answers = found->second.latest.answers;
  answers.clear();
  for (auto region = logits.begin(); region != logits.end(); region += static_cast<std::ptrdiff_t>(classes)) {
    const auto best = std::max_element(region, region + static_cast<std::ptrdiff_t>(classes));
    answers.push_back(static_cast<int>(best - region));
  }
  found->second.answer_wanted = false;
  --wanted_;
}

LatestFrames::Look LatestFrames::look(TaskIndex task) {
  const std::lock_guard lock(mutex_);
  Entry& entry = tasks_[task];
  for (bool* wanted : {&entry.frame_wanted, &entry.answer_wanted}) {
    if (!std::exchange(*wanted, true)) ++wanted_;
  }
  return entry.latest;
}

void LatestFrames::forget(TaskIndex task) {
  const std::lock_guard lock(mutex_);
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return;
  wanted_ -= (found->second.frame_wanted ? 1 : 0) + (found->second.answer_wanted ? 1 : 0);
  tasks_.erase(found);
}

}  // namespace saccade::runtime
