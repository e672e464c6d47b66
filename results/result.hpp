// What a network saw in one frame, as reported to the outside: the record `saccade-result/1` before
// formatting, and a presence change.
// Threads: plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "vision/decode/objects.hpp"

namespace saccade::results {

// An object as reported, with its label by name. The box is in pixels of the source's frame.
struct SeenObject {
  std::string label;
  int label_index = 0;  // into the profile set's labels
  double score = 0.0;   // in [0, 1]
  vision::Box box;
  int region = 0;  // 0 if the task has no regions
};

// What `captured_at` is.
enum class CapturedBy {
  camera,   // the time of capture by the camera's clock
  arrival,  // the time at which a source's picture arrived, by this machine's clock
  client,   // the time at which a client's frame arrived, by this machine's clock
};

struct Result {
  std::string task;
  std::int64_t frame = 0;       // ascending within a run of a task
  std::int64_t generation = 0;  // of the plan that the frame was served under
  std::chrono::system_clock::time_point captured_at;
  CapturedBy captured_by = CapturedBy::arrival;
  double captured_monotonic_seconds = 0.0;
  std::string variant;
  std::string processor;
  double accuracy = 0.0;
  double relative_accuracy = 0.0;
  int width = 0;  // of the source's frame
  int height = 0;
  bool classifies = false;              // true: the network labels regions; false: it detects objects
  std::vector<SeenObject> objects;      // best score first; of a classifier the label of each region
  std::map<std::string, int> presence;  // label to count, with the hold; only labels that are present
  double latency_seconds = 0.0;         // of the inference
  double age_seconds = 0.0;             // end of the inference minus capture
  Duration ended{0};                    // end of the inference, by the clock of captured_monotonic_seconds
};

// The presence of a label in a task's view began or ended, or its count changed.
struct PresenceChange {
  std::string task;
  std::string label;
  int count = 0;  // 0: no longer present
};

// The state of a task.
struct TaskState {
  std::string task;
  bool source_connected = false;
  double demanded_fps = 0.0;
  double granted_fps = 0.0;
  double achieved_fps = 0.0;
  std::string variant;  // serving variant; empty: none
  double accuracy = 0.0;
  std::int64_t generation = 0;  // of the plan
};

}  // namespace saccade::results
