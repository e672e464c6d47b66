// What is seen of a simulated fleet from outside: which box serves which camera since when, and whether what
// must hold does. Knows nothing of how the fleet decides. Threads: plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/id.hpp"
#include "fleet_simulation/simulation.hpp"

namespace saccade::fleet_simulation {

class Witness {
 public:
  // `served`: cameras that the fleet has room for.
  Witness(const fleet::Problem& problem, const std::set<TaskId>& served);

  // On a box that runs. `restarted`: it was stopped with this epoch while it stayed assigned.
  void started(std::size_t box, const TaskId& camera, std::int64_t epoch, bool restarted, TimePoint now);
  void serves(std::size_t box, const TaskId& camera, TimePoint now);
  void ended(std::size_t box, const TaskId& camera, TimePoint now);
  void box_halted(std::size_t box, TimePoint now);  // died, or stands still
  void box_resumed(std::size_t box, const std::map<TaskId, bool>& open, TimePoint now);  // camera -> served
  // By order of the box's own agent. `cut`: the box has not reached the store for a while.
  void stopped_by_order(std::size_t box, const TaskId& camera, bool cut, TimePoint now);
  void configured(const TaskId& camera, bool is, TimePoint now);
  // A box was given a camera with this epoch for improvement.
  void improved(std::int64_t epoch, TimePoint now);
  void breach(TimePoint now, std::string invariant, std::string found);
  // Every second. `calm_since`: when the last fault ended; absent in a storm.
  void look(TimePoint now, std::optional<TimePoint> calm_since);

  [[nodiscard]] const std::optional<Breach>& first_breach() const { return breach_; }
  void report(SimulationResult& result) const;

 private:
  struct Seen {
    bool exclusive = false;
    bool expected = false;  // the fleet has room for it
    bool configured = true;
    bool ever = false;              // it was served
    std::set<std::size_t> open;     // boxes that run and have started it
    std::set<std::size_t> serving;  // of those
    TimePoint since{};              // of the present number of boxes that serve it
    std::map<std::int64_t, std::size_t> epochs;
  };
  void change(Seen& seen, std::size_t before, TimePoint now);
  void look_at(const TaskId& id, const Seen& seen, TimePoint now, TimePoint calm_since);

  std::map<TaskId, Seen> cameras_;
  double moves_per_hour_ = 0.0;
  std::set<std::int64_t> improved_;  // epochs
  std::optional<Breach> breach_;
  std::vector<Duration> gaps_;
  std::int64_t looked_ = 0;
  std::int64_t unserved_ = 0;
};

}  // namespace saccade::fleet_simulation
