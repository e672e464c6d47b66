// The real shell with its threads, when all goes well.
#include "runtime/real/real_shell.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "ilp/core_solver.hpp"
#include "runtime/engines/simulated_backend.hpp"
#include "runtime/machine/thread_cpu_clock.hpp"
#include "tests/support/shell_trial.hpp"

namespace saccade::runtime {
namespace {

using test::expect_sound_books;
using test::kAtMost;
using test::kBigMemory;
using test::KnownFrames;
using test::kRoomy;
using test::kSmallMemory;
using test::run_config;
using test::shared;
using test::state_at;
using test::Trial;
using test::two_variants;
using test::until_processed;

TEST(RealShell, ServesEveryTaskWithTheBestVariantAndKeepsSoundBooks) {
  Trial run(run_config({state_at(0.0, 3, 200.0, kRoomy, shared(two_variants()))}));
  const RunSummary summary = run.watching(until_processed(20)).go();
  expect_sound_books(summary);
  for (const TaskSummary& task : summary.tasks) {
    ASSERT_EQ(task.variants.size(), 1U);
    EXPECT_EQ(task.variants[0].id.str(), "big");
    ASSERT_TRUE(task.mean_relative_accuracy.has_value());
    EXPECT_NEAR(*task.mean_relative_accuracy, 1.0, 1e-12);  // a mean of ones over many frames
    EXPECT_EQ(task.switches, 0);
  }
  EXPECT_EQ(summary.memory_peak.value(), 3 * kBigMemory);
  EXPECT_GE(summary.solves.count, 1);
  EXPECT_GT(summary.processors.at(0).busy_share, 0.0);
}

TEST(RealShell, ServesOnEveryProcessorThatThePlanNeeds) {
  for (const std::size_t processors : {2U, 4U}) {
    TimelineState state = state_at(0.0, processors, 200.0, kRoomy, shared(two_variants(processors)));
    // 200 frames of 100 us each second take 2 %: one task each.
    for (scheduler::Processor& processor : state.snapshot.processors) processor.capacity = 0.08;
    Trial run(run_config({state}));
    const RunSummary summary = run.watching(until_processed(20)).go();
    expect_sound_books(summary);
    std::set<std::string> variants;
    for (const TaskSummary& task : summary.tasks) {
      ASSERT_EQ(task.variants.size(), 1U);
      variants.insert(task.variants[0].id.str());
    }
    EXPECT_EQ(variants.size(), processors);
    ASSERT_EQ(summary.processors.size(), processors);
    for (const auto& processor : summary.processors) EXPECT_GT(processor.busy_share, 0.0);
  }
}

TEST(RealShell, TellsOfEveryEngineThatItLoadsThenWarmsThenServes) {
  Trial run(run_config({state_at(0.0, 2, 100.0, kRoomy, shared(two_variants()))}));
  static_cast<void>(run.watching(until_processed(1)).go());
  for (const std::string task : {"task-0", "task-1"}) {
    std::vector<EventKind> story;
    for (const action::Report& event : run.events()) {
      if (event.task == task && event.event != EventKind::drop) story.push_back(event.event);
    }
    EXPECT_EQ(story, (std::vector<EventKind>{EventKind::load, EventKind::warm, EventKind::swap})) << task;
  }
  EXPECT_EQ(run.events().front().event, EventKind::plan);
}

// One change of the memory limit; ends when every task has been switched to the variant it should run
// then and the old engines are gone.
RunSummary limit_changes(Trial& run, std::size_t wanted) {
  return run
      .watching([wanted](Trial& self, const RunStatus& status) {
        const bool there = std::all_of(status.tasks.begin(), status.tasks.end(), [&](const TaskStatus& task) {
          return task.variant == std::optional(wanted);
        });
        const std::size_t tasks = status.tasks.size();
        if (there && self.count(EventKind::swap) == 2 * tasks && self.count(EventKind::unload) == tasks)
          self.stop();
      })
      .go();
}

void expect_switched(const RunSummary& summary, const std::string& from, const std::string& to) {
  expect_sound_books(summary);
  ASSERT_EQ(summary.switches.size(), summary.tasks.size());
  for (const SwitchSummary& each : summary.switches) {
    EXPECT_EQ(each.from->str(), from);
    EXPECT_EQ(each.to->str(), to);
    EXPECT_GT(each.load.value(), 0.0);
    EXPECT_GE(each.at.value(), 0.02);
  }
  for (const TaskSummary& task : summary.tasks) EXPECT_EQ(task.switches, 1);
  EXPECT_EQ(summary.segments.size(), 2U);
}

TEST(RealShell, SwitchesToSmallerVariantsWhenTheMemoryLimitShrinks) {
  const auto profiles = shared(two_variants());
  Trial run(run_config(
      {state_at(0.0, 1, 100.0, kRoomy, profiles), state_at(0.02, 1, 100.0, kSmallMemory, profiles)}));
  expect_switched(limit_changes(run, 0), "big", "small");
}

TEST(RealShell, SwitchesToMoreAccurateVariantsWhenTheMemoryLimitGrows) {
  const auto profiles = shared(two_variants());
  Trial run(run_config(
      {state_at(0.0, 2, 100.0, 2 * kSmallMemory, profiles), state_at(0.02, 2, 100.0, kRoomy, profiles)}));
  const RunSummary summary = limit_changes(run, 1);
  expect_switched(summary, "small", "big");
  // That no frame is lost to the switch then is held in virtual time (switching_test.cpp): a busy machine
  // loses some here.
  for (const SwitchSummary& each : summary.switches) EXPECT_TRUE(each.both_fit);
}

TEST(RealShell, LoadsAreNiceOnlyOnceSomethingServes) {
  const auto profiles = shared(two_variants());
  std::mutex mutex;
  std::vector<int> nices;
  SimulatedBehaviour behaviour;
  behaviour.before_load = [&](const EngineSpec&) -> Status {
    const std::lock_guard lock(mutex);
    nices.push_back(getpriority(PRIO_PROCESS, 0));  // on Linux of the thread that asks
    return Done{};
  };
  Trial run(run_config({state_at(0.0, 1, 500.0, kSmallMemory, profiles),
                        state_at(0.02, 1, 500.0, kRoomy, profiles)}),
            std::move(behaviour));
  run.when([](Trial& self, const action::Report& report) {
    if (report.event == EventKind::swap && report.detail == "small -> big") self.stop();
  });
  expect_sound_books(run.go());
  ASSERT_GE(nices.size(), 2U);
  EXPECT_EQ(nices.front(), getpriority(PRIO_PROCESS, 0)) << "the whole service waits for it";
  EXPECT_GE(nices.back(), 10) << "frames are served meanwhile";
}

TEST(RealShell, EndsAfterItsDurationWithNothingInFlight) {
  Trial run(run_config({state_at(0.0, 4, 500.0, kRoomy, shared(two_variants()))}));
  const RunSummary summary = run.go(std::chrono::milliseconds(50));
  expect_sound_books(summary);
  EXPECT_GE(summary.seconds.value(), 0.05);
  for (const TaskSummary& task : summary.tasks) EXPECT_GT(task.demanded, 0);
}

TEST(RealShell, StoppedBeforeItsFirstEngineIsLoadedEndsWithEmptyBooks) {
  Trial run(run_config({state_at(0.0, 2, 100.0, kRoomy, shared(two_variants()))}));
  const RunSummary summary = run.when([](Trial& self, const action::Report&) { self.stop(); }).go();
  expect_sound_books(summary);
}

// Tells how many different frames it filled when it is closed, which is before the run ends.
class CountedFrames final : public FrameSource {
 public:
  explicit CountedFrames(std::atomic<std::size_t>& addresses) : addresses_(addresses) {}
  ~CountedFrames() override { addresses_ = frames_.addresses().size(); }
  bool next(Duration at, Frame& frame) override { return frames_.next(at, frame); }

 private:
  KnownFrames frames_;
  std::atomic<std::size_t>& addresses_;
};

TEST(RealShell, ReusesAFewFramesOfMemoryPerTask) {
  const RunConfig config = run_config({state_at(0.0, 1, 1000.0, kRoomy, shared(two_variants()))});
  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
  std::atomic<std::size_t> addresses = 0;
  std::unique_ptr<RealShell> shell;
  RunHooks hooks;
  hooks.status_interval = Duration(0);
  hooks.status = [&](const RunStatus& status) {
    if (status.tasks[0].frames.received >= 100) shell->stop();
  };
  shell = RealShell::open(
              config, std::make_shared<SimulatedBackend>(), *policy, hooks,
              [&](const auto&, const auto&, const NetworkInputs&, const auto&) {
                return Result<std::unique_ptr<FrameSource>>(std::make_unique<CountedFrames>(addresses));
              })
              .value();
  const RunSummary summary = shell->run(kAtMost);
  EXPECT_GE(summary.tasks[0].received, 100);
  EXPECT_GT(addresses, 0U);
  EXPECT_LE(addresses, config.runtime.gate_frames + 2);  // waiting, running, being captured
}

// --- Faults ---------------------------------------------------------------------------------------

// Burns processor time of the calling thread, however long that takes.
void burn(Duration time) {
  const ThreadCpuClock cpu;
  for (const TimePoint begun = cpu.now(); cpu.now() - begun < time;) continue;
}

TEST(RealShell, AJobOnAnEmulatedProcessorTakesItsSlowdownTimesItsOwnTime) {
  static constexpr Duration kBurnt = std::chrono::microseconds(300);
  TimelineState state = state_at(0.0, 2, 50.0, kRoomy, shared(two_variants()));
  state.slowdowns = {4.0};
  Trial run(run_config({state}), {.before_inference = [](const EngineSpec&) {
              burn(kBurnt);
              return Status(Done{});
            }});
  std::vector<double> shown;
  const auto enough = until_processed(20);
  const RunSummary summary = run.watching([&](Trial& trial, const RunStatus& status) {
                                  shown = status.slowdowns;
                                  enough(trial, status);
                                })
                                 .go();
  expect_sound_books(summary);
  EXPECT_EQ(shown, std::vector<double>{4.0});
  EXPECT_EQ(summary.processors.at(0).slowdown, 4.0);
  for (const TaskSummary& task : summary.tasks) {
    ASSERT_TRUE(task.frame_time_parts);
    const Seconds taken = task.frame_time_parts->prepare + task.frame_time_parts->infer;
    EXPECT_GE(taken.value(), 4.0 * to_seconds(kBurnt).value());
    ASSERT_TRUE(task.latency);
    EXPECT_GE(task.latency->max, taken) << "the result leaves at the end";
  }
}

}  // namespace
}  // namespace saccade::runtime
