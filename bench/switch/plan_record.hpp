// The plans of a run over time: written down while the product serves, and replayed by the naive way, so that
// both have the same plans at the same times.
// Threads: one at a time. Time is an argument, since the start of the run that is recorded or replays.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "scheduler/plan.hpp"

namespace saccade::bench {

struct PlanAt {  // runs from then on
  Duration at{0};
  std::shared_ptr<const scheduler::Plan> plan;
};

class PlanRecorder {
 public:
  // The plan that runs at `at`, as often as it is looked at; null: none does yet. Times do not fall.
  void note(Duration at, const std::shared_ptr<const scheduler::Plan>& plan);
  // What ran in from .. to, as times since `from`: first, at 0, what ran there already, or else the first
  // plan.
  [[nodiscard]] std::vector<PlanAt> within(Duration from, Duration to) const;

 private:
  std::vector<PlanAt> plans_;
};

class PlanReplay {
 public:
  explicit PlanReplay(std::vector<PlanAt> plans) : plans_(std::move(plans)) {}

  // The next plan, if its time has come; null: it has not, or there is no other. Who is late gets all plans
  // that it missed, one per call.
  [[nodiscard]] const scheduler::Plan* due(Duration now);
  [[nodiscard]] Duration next() const;  // when the next plan is due; Duration::max(): there is none

 private:
  std::vector<PlanAt> plans_;
  std::size_t next_ = 0;
};

}  // namespace saccade::bench
