// What the main loop lets other threads see of the controller, as one copy. The frames' books have a
// lock of their own (real/serving.hpp); read() puts both together.
// Threads: update() by the main loop, read() from any thread.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "runtime/conductor.hpp"
#include "runtime/real/serving.hpp"
#include "runtime/sensors/energy_book.hpp"

namespace saccade::runtime {

class StatusBoard {
 public:
  void update(const Conductor& conductor);
  [[nodiscard]] RunStatus read(const Serving& serving, const EnergyBook& energy, TimePoint now) const;

 private:
  struct Task {
    TaskIndex index = 0;
    TaskStatus status;  // without what the frames' books tell
  };
  struct Network {
    profiles::ProfileSetPtr profiles;
    int regions = 1;
  };
  [[nodiscard]] static std::optional<EnergyReading> modelled(const std::vector<Network>& networks,
                                                             const Serving::View& view, Watts idle,
                                                             Duration at);

  mutable std::mutex mutex_;
  RunStatus status_;  // without its tasks
  std::vector<Task> tasks_;
  std::vector<Network> networks_;  // by index: of tasks that were removed, too
  std::optional<TimePoint> start_;
};

}  // namespace saccade::runtime
