// The frame counts of each task between two entries of the timeline: a frame belongs to the segment in which
// it was due, whenever it ended. This allows, say, the segment of full demand to be judged separately.
// Threads: none of its own; under the same lock as the frame ledger.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "runtime/frames/frame.hpp"

namespace saccade::runtime {

struct SegmentFrames {
  std::int64_t demanded = 0;
  std::int64_t granted = 0;
  std::int64_t processed = 0;
};

class SegmentBook {
 public:
  // Ascending, the first at 0: times since the start of the run.
  SegmentBook(const std::vector<Duration>& starts, std::size_t task_count);

  void add_task();                  // with the next index
  void renew_task(TaskIndex task);  // begins at 0 in every segment
  // Replaces the part of the timeline after `now` by the part of `starts` after `now`; past segments stay.
  void retime(const std::vector<Duration>& starts, Duration now);

  void tick(TaskIndex task, Duration due, bool granted);
  void processed(TaskIndex task, Duration due);

  [[nodiscard]] std::size_t count() const { return segments_.size(); }
  [[nodiscard]] Duration start(std::size_t segment) const { return segments_.at(segment).start; }
  [[nodiscard]] const SegmentFrames& frames(std::size_t segment, TaskIndex task) const;

 private:
  struct Segment {
    Duration start{0};
    std::vector<SegmentFrames> tasks;
  };
  SegmentFrames& at(TaskIndex task, Duration due);

  std::size_t task_count_;
  std::vector<Segment> segments_;
};

}  // namespace saccade::runtime
