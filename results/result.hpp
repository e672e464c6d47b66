// What a network saw in one frame, as it is told to the outside: the record `saccade-result/1` before it is
// written down, and a change of what is present.
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

// What is told of an object: the label by its name. The box is in pixels of the source's frame.
struct SeenObject {
  std::string label;
  int label_index = 0;  // into the profile set's labels
  double score = 0.0;   // in [0, 1]
  vision::Box box;
  int region = 0;  // 0 where a task has none
};

enum class CapturedBy { camera, arrival, client };  // whose clock `captured_at` is

struct Result {
  std::string task;
  std::int64_t frame = 0;       // counts up within a run of a task
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
  bool classifies = false;              // the network labels regions; else it finds objects
  std::vector<SeenObject> objects;      // best score first; of a classifier the label of each region
  std::map<std::string, int> presence;  // label to how many, with the hold; only labels that are present
  double latency_seconds = 0.0;         // of the inference
  double age_seconds = 0.0;             // end of the inference less the capture
  Duration ended{0};                    // the inference, by the clock of captured_monotonic_seconds
};

// A label began or ended to be present in a task's view, or its count changed.
struct PresenceChange {
  std::string task;
  std::string label;
  int count = 0;  // 0: no longer present
};

// How a task fares.
struct TaskState {
  std::string task;
  bool source_connected = false;
  double demanded_fps = 0.0;
  double granted_fps = 0.0;
  double achieved_fps = 0.0;
  std::string variant;  // that serves; empty: none
  double accuracy = 0.0;
  std::int64_t generation = 0;  // of the plan
};

}  // namespace saccade::results
