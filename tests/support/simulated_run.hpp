// A run of the simulated shell whose changes, plans and faults a test writes down. Time 0 is the first
// change, so frames are due while the first engines load. Loads take exactly the profile's load time,
// warm-ups 1 ms, solves 2 ms unless the test says otherwise, and frames the profile's time per frame.
// A broken invariant fails the test, with the time at which it broke.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ilp/exhaustive_solver.hpp"
#include "runtime/simulation/simulated_shell.hpp"
#include "scheduler/policy.hpp"
#include "tests/support/milliseconds.hpp"
#include "tests/support/scenes.hpp"

namespace saccade::test {

enum class LoadFate { good, fails, hangs };

class SimulatedRun final : private scheduler::Policy, private runtime::FaultSource {
 public:
  explicit SimulatedRun(const scheduler::Snapshot& first, const runtime::RuntimeOptions& options = {},
                        scheduler::PolicyKind policy = scheduler::PolicyKind::transprecision,
                        const std::vector<std::size_t>& standbys = {},
                        const std::vector<double>& load_pauses = {});  // seconds, per processor

  // The script; each part is called when the thing happens, and by default all goes well.
  std::function<LoadFate(runtime::TaskIndex, std::size_t variant)> load_fate = [](auto, auto) {
    return LoadFate::good;
  };
  Duration hang_time = std::chrono::hours(10);
  Duration solve_time = ms(2);
  std::function<bool(runtime::TaskIndex, std::size_t variant)> warm_up_fails = [](auto, auto) {
    return false;
  };
  std::function<bool(runtime::TaskIndex, std::size_t variant)> frame_fails = [](auto, auto) { return false; };
  std::function<double(runtime::TaskIndex)> slowness = [](auto) { return 1.0; };  // factor on an inference
  std::function<double(runtime::ProcessorIndex)> processor_slowness = [](auto) { return 1.0; };  // likewise
  std::function<bool(runtime::TaskIndex)> camera_delivers = [](auto) { return true; };
  std::function<bool()> solver_gives_nothing = [] { return false; };
  std::function<scheduler::Plan(const scheduler::Snapshot&)> planner = [this](const auto& snapshot) {
    return policy_->decide(snapshot, {});
  };

  void at(TimePoint when, std::function<void()> action) { script_.emplace(when, std::move(action)); }
  void change(TimePoint when, scheduler::Snapshot wanted);
  void remove(TimePoint when, std::size_t task);
  void send(TimePoint when, runtime::Event event);  // to the controller
  void run_until(TimePoint end);                    // what is due then has not happened yet
  void shut_down();                                 // leaves no frame open

  [[nodiscard]] const runtime::Controller& controller() const { return shell_->controller(); }
  [[nodiscard]] const runtime::TaskFrames& frames(runtime::TaskIndex task) const {
    return shell_->desk().ledger().task(task);
  }
  [[nodiscard]] std::int64_t lost(runtime::TaskIndex task, runtime::LossCause cause) const {
    return frames(task).dropped_by_cause[static_cast<std::size_t>(cause)];
  }
  [[nodiscard]] std::int64_t dropped(runtime::TaskIndex task, runtime::DropReason reason) const {
    return frames(task).dropped[static_cast<std::size_t>(reason)];
  }
  [[nodiscard]] std::size_t reports(const std::string& event, const std::string& part = "") const;
  [[nodiscard]] std::size_t solves() const { return solves_; }
  [[nodiscard]] std::size_t loads() const { return loads_.size(); }
  // Of the loads, in order: when each began.
  [[nodiscard]] const std::vector<Duration>& load_begins() const { return loads_; }
  [[nodiscard]] std::size_t hung() const { return hung_; }                      // loads
  [[nodiscard]] const std::vector<int>& warm_ups() const { return warm_ups_; }  // inferences of each

 private:
  const char* name() const override { return policy_->name(); }
  scheduler::Plan decide(const scheduler::Snapshot& snapshot, const scheduler::DecideLimits&) const override {
    return planner(snapshot);
  }
  std::optional<Duration> next() const override;
  Turn turn(Duration now, const runtime::MemoryAmounts& reserved) override;
  Wish wanted(const scheduler::Snapshot&, Duration) override { return {wanted_, removed_}; }
  Fate load(runtime::TaskIndex task, std::size_t variant, Duration now) override;
  Fate warm_up(runtime::TaskIndex task, std::size_t variant, int inferences, Duration now) override;
  Fate solve() override;
  Camera camera(runtime::TaskIndex task, Duration now) override;
  std::int64_t inference_percent(runtime::TaskIndex task, runtime::ProcessorIndex processor,
                                 Duration) override;
  bool inference_fails(runtime::TaskIndex task, std::size_t variant, Duration) override {
    return frame_fails(task, variant);
  }

  const ilp::ExhaustiveSolver solver_;
  const std::unique_ptr<scheduler::Policy> policy_;
  std::multimap<TimePoint, std::function<void()>> script_;  // what is still to come
  Turn turn_;
  scheduler::Snapshot wanted_;
  std::vector<std::size_t> removed_;
  std::vector<runtime::action::Report> reports_;
  std::vector<int> warm_ups_;
  std::size_t solves_ = 0;
  std::vector<Duration> loads_;
  std::size_t hung_ = 0;
  std::unique_ptr<runtime::SimulatedShell> shell_;
};

}  // namespace saccade::test
