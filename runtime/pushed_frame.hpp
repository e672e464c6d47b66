// A frame that a client sends to a task whose source is `push`, and what becomes of it.
// Units: nanoseconds. Threads: plain values; who is answered, and on which thread, say the calls that take
// an AnswerFrame.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/frame.hpp"
#include "runtime/run_config.hpp"

namespace saccade::runtime {

struct PushedFrame {
  std::vector<float> input;    // as Frame::input: of all regions
  profiles::InputShape shape;  // of each
  Regions regions;
};

struct FrameAnswer {
  std::optional<DropReason> dropped = {};  // absent: it was processed, and what follows holds
  std::vector<float> logits = {};          // of all regions, one after the other
  std::size_t variant = 0;                 // of the task's profile set
  ProcessorIndex processor = 0;
  Duration latency{0};    // from its receipt
  Duration inference{0};  // of that in the engine
};

// Called once for each frame that was accepted, when it has ended, on the thread that ends it, perhaps
// before the frame's push returns and under locks: it neither waits nor calls back.
using AnswerFrame = std::function<void(FrameAnswer)>;

enum class PushVerdict {
  accepted,    // it is received
  full,        // as many of the task's frames wait as may: rejected
  not_pushed,  // the task is not one that takes frames
  starting,    // the run has not begun
  ending,      // or is over
};

}  // namespace saccade::runtime
