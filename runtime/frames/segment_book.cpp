#include "runtime/frames/segment_book.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::runtime {

SegmentBook::SegmentBook(const std::vector<Duration>& starts, std::size_t task_count)
    : task_count_(task_count) {
  SACCADE_CHECK(!starts.empty() && std::is_sorted(starts.begin(), starts.end()));
  for (const Duration start : starts) segments_.push_back({start, std::vector<SegmentFrames>(task_count)});
}

void SegmentBook::add_task() {
  ++task_count_;
  for (Segment& segment : segments_) segment.tasks.resize(task_count_);
}

void SegmentBook::renew_task(TaskIndex task) {
  for (Segment& segment : segments_) segment.tasks.at(task) = {};
}

void SegmentBook::retime(const std::vector<Duration>& starts, Duration now) {
  while (segments_.size() > 1 && segments_.back().start > now) segments_.pop_back();
  for (const Duration start : starts) {
    if (start > now) segments_.push_back({start, std::vector<SegmentFrames>(task_count_)});
  }
}

void SegmentBook::tick(TaskIndex task, Duration due, bool granted) {
  SegmentFrames& frames = at(task, due);
  ++frames.demanded;
  if (granted) ++frames.granted;
}

void SegmentBook::processed(TaskIndex task, Duration due) { ++at(task, due).processed; }

const SegmentFrames& SegmentBook::frames(std::size_t segment, TaskIndex task) const {
  return segments_.at(segment).tasks.at(task);
}

SegmentFrames& SegmentBook::at(TaskIndex task, Duration due) {
  const auto after =
      std::upper_bound(segments_.begin() + 1, segments_.end(), due,
                       [](Duration time, const Segment& segment) { return time < segment.start; });
  return (after - 1)->tasks.at(task);
}

}  // namespace saccade::runtime
