// Receives what networks see: called for every frame that a worker has finished and decoded, on that worker,
// with no lock held. Its time is added to the frame's: implementations copy and return; they neither block
// nor throw. After a worker was abandoned during a call, that call is never repeated, but the abandoned
// worker may keep the listener alive beyond the run. Likewise for every picture that a source delivers, on
// the task's capture thread, after the frame has been offered: time spent there may delay the next capture.
// Units: nanoseconds; boxes in pixels of the source's frame. Threads: several workers and captures
// concurrently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/clock.hpp"
#include "base/id.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/frames/frame.hpp"
#include "runtime/pictures/picture.hpp"
#include "vision/decode/objects.hpp"

namespace saccade::runtime {

// A task, as long as its frames are served with the same network.
struct ServedTask {
  TaskId id;
  std::shared_ptr<const profiles::ProfileSet> profiles;
};

struct SeenFrame {
  const ServedTask& task;
  FrameNumber number = 0;        // unique in a run; a later frame of a task has a higher one
  std::uint64_t generation = 0;  // of the plan
  std::size_t variant = 0;       // of the task's profile set
  ProcessorIndex processor = 0;
  Duration captured_monotonic{0};  // as in CaptureTime
  Duration captured_wall{0};
  bool captured_by_camera = false;
  Duration ended{0};                 // when the result was available, by the same clock as captured_monotonic
  Duration inference{0};             // in the engine
  const Picture* picture = nullptr;  // null: the frame was a tensor
  std::span<const PixelBox> regions = {};  // in the picture
  // The network's output, in memory that is valid during the call.
  const vision::Objects& objects;      // of a detector
  std::span<const int> classes = {};   // of a classifier: of each region
  std::span<const float> logits = {};  // of a classifier: of all regions, one after the other
  // `picture`, for implementations that keep it; null: as above, or it cannot be kept.
  const PicturePtr* kept = nullptr;
  bool by_client = false;  // a client sent it
};

class ResultListener {
 public:
  virtual ~ResultListener() = default;
  virtual void seen(const SeenFrame& frame) = 0;
  // Whether to call captured() for the task's pictures.
  [[nodiscard]] virtual bool wants_pictures(const TaskId& /*task*/) { return false; }
  virtual void captured(const TaskId& /*task*/, const Picture& /*picture*/) {}
};

}  // namespace saccade::runtime
