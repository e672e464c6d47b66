// The real shell under everything at once: states change, other threads ask for other configurations and for
// the status, loads and inferences fail, sources are lost and come back, and several threads end the run, all
// at instants drawn from a seed and counted in frames; with one, two and four workers and the planner that
// ships; nothing here waits for time to pass. What is asserted are the books and that every run ends; what is
// looked for are data races: the thread sanitizer runs it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

#include "ilp/core_solver.hpp"
#include "runtime/engines/simulated_backend.hpp"
#include "runtime/real/real_shell.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::runtime::stress_test {
namespace {

using test::KnownFrames;
using test::kSmallMemory;

constexpr std::size_t kTasks = 4;
constexpr double kFps = 400.0;
constexpr int kFrames = 400;  // about as many as a run has, over all tasks

// Counts the frames that sources were asked for; threads wait for a number of them.
class Instants {
 public:
  void pass() {
    passed_.fetch_add(1);
    passed_.notify_all();
  }
  void await(int instant) const {
    for (int passed = passed_.load(); passed < instant; passed = passed_.load()) passed_.wait(passed);
  }

 private:
  std::atomic<int> passed_ = 0;
};

// Is lost at random ticks, for a random number of them.
class LossySource final : public FrameSource {
 public:
  LossySource(std::uint32_t seed, Instants& instants) : dice_(seed), instants_(instants) {}

  bool next(Duration at, Frame& frame) override {
    instants_.pass();
    if (lost_for_ > 0) {
      --lost_for_;
    } else if (dice_() % 20 == 0) {
      lost_for_ = static_cast<int>(dice_() % 15);
    }
    return lost_for_ == 0 && frames_.next(at, frame);
  }
  [[nodiscard]] std::optional<std::string> fault() const override {
    return lost_for_ > 0 ? std::optional<std::string>("no signal") : std::nullopt;
  }

 private:
  KnownFrames frames_;
  std::mt19937 dice_;
  Instants& instants_;
  int lost_for_ = 0;
};

scheduler::Snapshot random_state(std::size_t tasks, const profiles::ProfileSetPtr& profiles,
                                 std::mt19937& dice) {
  const double memory = kSmallMemory * static_cast<double>(tasks + dice() % 14);
  scheduler::Snapshot state = test::state_at(0.0, tasks, kFps, memory, profiles).snapshot;
  if (state.processors.size() > 1) {  // one alone does not hold all tasks
    for (scheduler::Processor& processor : state.processors) {
      processor.capacity = 0.08 + 0.02 * static_cast<double>(dice() % 8);
    }
  }
  for (scheduler::Task& task : state.tasks) {
    if (dice() % 4 == 0) task.demand = Fps(static_cast<double>(dice() % 3) * kFps / 2.0);
    task.weight = 1.0 + static_cast<double>(dice() % 5);
  }
  return state;
}

// Fails now and then, loads and inferences, from whatever thread.
SimulatedBehaviour faults(std::uint32_t seed) {
  const auto draw = [count = std::make_shared<std::atomic<std::uint32_t>>(seed)](std::uint32_t one_in) {
    return std::mt19937(count->fetch_add(1))() % one_in == 0;
  };
  SimulatedBehaviour behaviour;
  behaviour.before_load = [draw](const EngineSpec&) {
    return draw(8) ? Status(Error{"loader", "no room", ""}) : Status(Done{});
  };
  behaviour.before_inference = [draw](const EngineSpec&) {
    return draw(25) ? Status(Error{"device", "hiccup", ""}) : Status(Done{});
  };
  return behaviour;
}

// States that follow each other quickly.
RunConfig random_config(std::size_t tasks, const profiles::ProfileSetPtr& profiles, std::mt19937& dice) {
  std::vector<TimelineState> timeline;
  for (int i = 0; i < 60; ++i) {
    timeline.push_back({std::chrono::milliseconds(5 * i), random_state(tasks, profiles, dice)});
  }
  return test::run_config(std::move(timeline));
}

int instant_from(std::mt19937& dice) { return static_cast<int>(dice() % kFrames); }

void expect_sound_books(const RunSummary& summary) {
  for (const TaskSummary& task : summary.tasks) {
    SCOPED_TRACE(task.id.str());
    const auto dropped = std::accumulate(task.dropped.begin(), task.dropped.end(), std::int64_t{0});
    EXPECT_EQ(task.in_flight, 0);
    EXPECT_EQ(task.received, task.processed + dropped);
    EXPECT_LE(task.received, task.demanded);
  }
}

constexpr std::array<std::size_t, 3> kWorkers = {1, 2, 4};

class Stress : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Stress, EndsInGoodOrderWhateverHappensWhen) {
  std::mt19937 dice(GetParam());
  const std::size_t workers = kWorkers[GetParam() % kWorkers.size()];
  const auto profiles = std::make_shared<const profiles::ProfileSet>(test::two_variants(workers));
  RunConfig config = random_config(kTasks, profiles, dice);
  config.runtime.coalesce = Seconds(0.002);
  config.runtime.warm_cache = Bytes(static_cast<double>(dice() % 2) * 4e6);
  config.runtime.transition = dice() % 2 == 0 ? TransitionMode::keep_old : TransitionMode::unload_first;
  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
  Instants instants;
  // Shared: a thread that opens a source is not waited for once nobody wants it.
  const auto sources = std::make_shared<std::atomic<std::uint32_t>>(0);
  const auto opener = [sources, &instants, first = GetParam() * 100](
                          const SourceConfig&, const Regions&, const NetworkInputs&,
                          const std::vector<std::string>&) -> Result<std::unique_ptr<FrameSource>> {
    const std::uint32_t seed = first + sources->fetch_add(1);
    return std::unique_ptr<FrameSource>(std::make_unique<LossySource>(seed, instants));
  };
  RunHooks hooks;
  hooks.drop_events = true;
  hooks.status_interval = Duration(0);
  hooks.status = [](const RunStatus&) {};
  auto shell =
      RealShell::open(config, std::make_shared<SimulatedBackend>(faults(GetParam())), *policy, hooks, opener);
  ASSERT_TRUE(shell.ok()) << to_string(shell.errors());

  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&, instant = instant_from(dice)] {
      instants.await(instant);
      shell.value()->stop();
    });
  }
  for (int i = 0; i < 3; ++i) {
    RunConfig other = random_config(1 + dice() % (2 * kTasks), profiles, dice);
    other.runtime = config.runtime;
    others.emplace_back([&, other = std::move(other), instant = instant_from(dice)] {
      instants.await(instant);
      // Refused when the run has not begun or is over.
      static_cast<void>(shell.value()->reconfigure(other));
      EXPECT_LE(shell.value()->status().tasks.size(), 2 * kTasks);
    });
  }
  const RunSummary summary = shell.value()->run(std::nullopt);
  // Some may still wait for frames that no longer come.
  for (int i = 0; i < kFrames; ++i) instants.pass();
  for (std::thread& other : others) other.join();
  expect_sound_books(summary);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Stress, testing::Range(1U, 13U));

}  // namespace
}  // namespace saccade::runtime::stress_test
