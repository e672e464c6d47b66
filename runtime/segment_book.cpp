#include "runtime/segment_book.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::runtime {

SegmentBook::SegmentBook(std::vector<Duration> starts, std::size_t task_count)
    : starts_(std::move(starts)), task_count_(task_count), frames_(starts_.size() * task_count) {
  SACCADE_CHECK(!starts_.empty() && std::is_sorted(starts_.begin(), starts_.end()));
}

void SegmentBook::tick(TaskIndex task, Duration due, bool granted) {
  SegmentFrames& frames = at(task, due);
  ++frames.demanded;
  if (granted) ++frames.granted;
}

void SegmentBook::processed(TaskIndex task, Duration due) { ++at(task, due).processed; }

const SegmentFrames& SegmentBook::frames(std::size_t segment, TaskIndex task) const {
  return frames_.at(segment * task_count_ + task);
}

SegmentFrames& SegmentBook::at(TaskIndex task, Duration due) {
  const auto after = std::upper_bound(starts_.begin() + 1, starts_.end(), due);
  const auto segment = static_cast<std::size_t>(after - starts_.begin()) - 1;
  return frames_.at(segment * task_count_ + task);
}

}  // namespace saccade::runtime
