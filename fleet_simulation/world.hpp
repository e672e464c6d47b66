// The simulated fleet itself: boxes and planners as processes on one event queue (simulation.hpp). Threads:
// plain value.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fleet_simulation/simulation.hpp"
#include "fleet_simulation/witness.hpp"
#include "fleet_store/box_link.hpp"
#include "fleet_store/planner_link.hpp"
#include "fleet_store/simulated_store.hpp"
#include "runtime/simulation/dice.hpp"
#include "runtime/simulation/event_hash.hpp"

namespace saccade::fleet_simulation {

using runtime::Dice;

// A clock that is fast or slow by some millionths.
class LocalClock {
 public:
  explicit LocalClock(std::int64_t millionths) : millionths_(millionths) {}
  [[nodiscard]] TimePoint at(TimePoint real) const {
    const std::int64_t ns = real.time_since_epoch().count();
    return TimePoint(Duration(ns + ns / 1'000'000 * millionths_));
  }
  // Not before the local time.
  [[nodiscard]] TimePoint real(TimePoint local) const {
    const std::int64_t ns = local.time_since_epoch().count();
    TimePoint real(Duration(ns - ns / 1'000'000 * millionths_));
    while (at(real) < local) real += std::chrono::microseconds(10);
    return real;
  }

 private:
  std::int64_t millionths_;
};

struct Process {
  fleet_store::SimulatedStore::Client* client = nullptr;
  LocalClock clock{0};
  bool runs = false;  // it was started, has not died and does not stand still
  std::int64_t session = 0;
  TimePoint wakes{};
};

struct Engine {
  std::int64_t epoch = 0;
  std::uint64_t generation = 0;
  bool serves = false;
};

struct SimulatedBox : Process {
  std::optional<fleet_store::BoxLink> link;
  std::optional<std::string> disk;
  std::map<TaskId, Engine> engines;
  std::map<TaskId, bool> standby;          // engines that are kept ready: whether they are
  std::map<TaskId, std::int64_t> stopped;  // epochs, of this process
  bool hangs = false;
  bool reachable = true;  // its API, by the planners
  std::optional<TimePoint> cut_since;
  bool engines_fail = false;
};

struct SimulatedPlanner : Process {
  std::optional<fleet_store::PlannerLink> link;
  bool led = false;
  std::optional<std::size_t> room;  // boxes of one write, when it is started
};

class World {
 public:
  World(const fleet::Problem& problem, const SimulationSettings& settings);
  SimulationResult run();

 private:
  void at(TimePoint time, std::function<void()> what);
  void after(Duration time, std::function<void()> what) { at(now_ + time, std::move(what)); }
  [[nodiscard]] TimePoint next() const;
  void advance(TimePoint until);

  // --- processes
  void start_box(std::size_t index);
  void stop_box(std::size_t index);
  void halt_box(std::size_t index, bool halt);
  void start_planner(std::size_t index);
  void stop_planner(std::size_t index);
  void flush_box(std::size_t index);
  void flush_planner(std::size_t index);
  void wake_process(std::size_t process, Process& of, std::optional<TimePoint> local);
  void serve_events(std::size_t process);
  void step_process(std::size_t process);
  void order(std::size_t index, const fleet_store::BoxOrder& order);
  void load(std::size_t index, const TaskId& camera);
  // --- standby cameras (world_standby.cpp)
  void note_standby_start(std::size_t index, const fleet::AssignedCamera& camera);
  void stand_by(std::size_t index, const std::vector<fleet::StandbyCamera>& cameras);
  void load_standby(std::size_t index, const TaskId& camera);
  void report_standby(std::size_t index);
  void probe(std::size_t planner, const fleet::BoxId& box);
  void look_at_write(const fleet_store::request::Commit& commit);  // (world_moved.cpp)

  // --- operator
  void configure();
  void set_key(const std::string& key, const std::optional<std::string>& value);
  [[nodiscard]] std::optional<fleet_store::Configured> read(
      const std::map<std::string, fleet_store::Entry>& entries) const;

  // --- faults (world_faults.cpp)
  void storm();
  void strike(Fault fault);
  void strike_box(Fault fault);
  void strike_planner(Fault fault);
  void strike_store(Fault fault);
  void strike_operator(Fault fault);
  void heal();
  void note(Fault fault, std::uint64_t word);
  [[nodiscard]] Duration until_storm_ends(Duration most);

  const fleet::Problem& problem_;
  SimulationSettings settings_;
  Dice dice_;
  Dice delays_;
  fleet_store::SimulatedStore store_;
  fleet_store::Keys keys_{"sim"};
  Witness witness_;
  std::vector<SimulatedBox> boxes_;
  std::vector<SimulatedPlanner> planners_;
  fleet_store::SimulatedStore::Client* operator_ = nullptr;
  std::uint64_t operator_requests_ = 0;
  std::set<std::string> set_keys_;  // by the operator, since the last calm began
  std::map<fleet::BoxId, std::size_t> box_index_;
  std::map<TaskId, std::size_t> camera_index_;

  std::map<std::pair<TimePoint, std::uint64_t>, std::function<void()>> queue_;
  std::set<std::pair<TimePoint, std::size_t>> wakes_;  // boxes, then planners
  std::uint64_t sequence_ = 0;
  std::uint64_t generation_ = 0;
  std::set<std::int64_t> standby_starts_;  // epochs
  TimePoint now_{};
  std::vector<Fault> drawn_;
  TimePoint storm_ends_{};
  std::optional<TimePoint> calm_since_;
  runtime::EventHash hash_;
  SimulationResult result_;
};

}  // namespace saccade::fleet_simulation
