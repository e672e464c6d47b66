// A frame that a client sends to a task whose source is `push`, and its outcome.
// Units: nanoseconds. Threads: plain values; for AnswerFrame see below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/frames/frame.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/sources/frame_source.hpp"
#include "vision/decode/objects.hpp"

namespace saccade::runtime {

struct PushedFrame {
  Frame frame;
  profiles::InputShape shape;  // of each region of a tensor
  Regions regions;
};

// A network output, unchanged.
struct NamedTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::variant<std::vector<float>, std::vector<std::int64_t>, std::vector<std::int32_t>,
               std::vector<std::uint8_t>>
      data;
};

struct FrameAnswer {
  std::optional<DropReason> dropped = {};  // absent: it was processed, and the following is set
  std::vector<float> logits = {};          // classify: of all regions, one after the other
  vision::Objects objects = {};            // detect: in pixels of the frame; for a tensor, of its region
  std::vector<NamedTensor> tensors = {};   // tensor: those that the interface passes through
  std::size_t variant = 0;                 // of the task's profile set
  ProcessorIndex processor = 0;
  Duration latency{0};    // from its receipt
  Duration inference{0};  // of that in the engine
};

// Called once for each accepted frame when it has ended, on the thread that ends it, possibly before its push
// returns, and under locks: it must neither wait nor call back.
using AnswerFrame = std::function<void(FrameAnswer)>;

enum class PushVerdict {
  accepted,    // the frame is received
  full,        // the task's gate is full: rejected
  not_pushed,  // the task's source is not `push`
  starting,    // the run has not begun
  ending,      // the run is over
};

class Serving;
// Passes the frame to the task's gate and, if a viewer waits for the task's latest frame, a small picture of
// it to the viewer. Threads: any. Never waits for an engine.
[[nodiscard]] PushVerdict push_frame(Serving& serving, TaskNumber task, PushedFrame frame, AnswerFrame answer,
                                     TimePoint now);

}  // namespace saccade::runtime
