// What a run tells while it goes on: events for the log and the event stream, its status for a live
// view. Both shells tell the same.
// Threads: the hooks are called by whoever runs the shell.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/controller.hpp"
#include "runtime/frame_ledger.hpp"

namespace saccade::runtime {

struct TaskStatus {
  TaskFrames frames;  // since the start of the run
  Fps demanded{0.0};
  Fps granted{0.0};                    // by the plan
  Fps rate{0.0};                       // in force; lower than granted in a transition
  std::optional<std::size_t> variant;  // that serves
};

struct RunStatus {  // what a live view shows
  Duration at{0};   // since time 0; 0 while the first engines load
  std::vector<TaskStatus> tasks;
  std::vector<Duration> busy;  // per processor, since the start
  std::shared_ptr<const scheduler::Plan> plan;
  std::shared_ptr<const scheduler::Snapshot> wanted;  // the state of the timeline in force
  Bytes reserved{0.0};
  const std::vector<SwitchRecord>* switches = nullptr;  // valid during the call
  TimePoint start{};                                    // what switches' times are counted from
};

struct RunHooks {
  // plan | load | warm | swap | drain | unload | drop | fault | ...; `at` as in RunStatus.
  std::function<void(Duration at, const action::Report&)> event;
  bool drop_events = false;  // every dropped frame is an event, too
  std::function<void(const RunStatus&)> status;
  Duration status_interval = std::chrono::milliseconds(250);
};

}  // namespace saccade::runtime
