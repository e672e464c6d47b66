// What other threads see of the run: the controller's state as an immutable sheet, which the main loop
// replaces. The frame counters have a lock of their own (real/serving.hpp); read() and outline() combine
// both, and outline() copies no counters. Threads: update() by the main loop, everything else from any
// thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "runtime/real/energy_book.hpp"
#include "runtime/real/serving.hpp"
#include "runtime/run/conductor.hpp"

namespace saccade::runtime {

class StatusBoard {
 public:
  void update(const Conductor& conductor);
  // Time of the run at `now`, as in RunStatus; copies nothing.
  [[nodiscard]] Duration elapsed(TimePoint now) const;
  [[nodiscard]] RunStatus read(const Serving& serving, const EnergyBook& energy, TimePoint now) const;
  // As RealShell::outline().
  [[nodiscard]] RunOutline outline(const std::optional<TaskId>& only, const Serving& serving,
                                   TimePoint now) const;

 private:
  struct Network {
    TaskNumber number = 0;
    profiles::ProfileSetPtr profiles;
    int regions = 1;
  };
  struct Sheet {
    RunStatus status;                // without its tasks
    std::vector<TaskOutline> tasks;  // without what comes from the frame desk
    std::vector<Network> networks;   // by index, removed tasks included
    std::optional<Joules> forgotten_energy;
    std::optional<TimePoint> start;
  };
  [[nodiscard]] std::shared_ptr<const Sheet> sheet() const;
  [[nodiscard]] static Duration time_of(const Sheet& sheet, TimePoint now) {
    return sheet.start ? now - *sheet.start : Duration(0);
  }
  static void fill_in(TaskOutline& task, const FrameDesk::TaskView& now, bool connected, std::string trouble);
  [[nodiscard]] static bool fits(const Sheet& sheet, const Serving::View& view);
  [[nodiscard]] static std::optional<EnergyReading> modelled(const Sheet& sheet, const Serving::View& view,
                                                             Duration at);

  mutable Mutex mutex_;
  std::shared_ptr<const Sheet> sheet_ SACCADE_GUARDED_BY(mutex_) = std::make_shared<Sheet>();
};

}  // namespace saccade::runtime
