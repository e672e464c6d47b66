// How the frames of each task fared between two entries of the timeline: a frame belongs to the
// segment in which it was due, whenever it ended. So "the segment of full demand" can be judged apart.
// Threads: none of its own; under the same lock as the frame ledger.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "runtime/frame.hpp"

namespace saccade::runtime {

struct SegmentFrames {
  std::int64_t demanded = 0;
  std::int64_t granted = 0;
  std::int64_t processed = 0;
};

class SegmentBook {
 public:
  // Ascending, the first at 0: times since the start of the run.
  SegmentBook(std::vector<Duration> starts, std::size_t task_count);

  void tick(TaskIndex task, Duration due, bool granted);
  void processed(TaskIndex task, Duration due);

  [[nodiscard]] std::size_t count() const { return starts_.size(); }
  [[nodiscard]] Duration start(std::size_t segment) const { return starts_.at(segment); }
  [[nodiscard]] const SegmentFrames& frames(std::size_t segment, TaskIndex task) const;

 private:
  SegmentFrames& at(TaskIndex task, Duration due);

  std::vector<Duration> starts_;
  std::size_t task_count_;
  std::vector<SegmentFrames> frames_;  // segment by segment
};

}  // namespace saccade::runtime
