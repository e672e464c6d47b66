// The real shell with its threads. Nothing here waits for a time to pass or judges how long something
// took: runs end when the event they wait for has happened, and what is asserted are the books, the
// order of events and what serves.
#include "runtime/real_shell.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <numeric>

#include "ilp/glpk_solver.hpp"
#include "runtime/engines/simulated_backend.hpp"
#include "tests/support/run_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

using test::kBigMemory;
using test::KnownFrames;
using test::kSmallMemory;
using test::run_config;
using test::state_at;
using test::two_variants;

constexpr double kRoomy = 100e6;
constexpr Duration kAtMost = std::chrono::seconds(60);  // only for a run that never gets where it should

Result<std::unique_ptr<FrameSource>> open_known(const SourceConfig&, const Regions&,
                                                const profiles::InputShape& input,
                                                const std::vector<std::string>&) {
  return std::unique_ptr<FrameSource>(std::make_unique<KnownFrames>(input.size()));
}

profiles::ProfileSetPtr shared(profiles::ProfileSet set) {
  return std::make_shared<const profiles::ProfileSet>(std::move(set));
}

// A run that keeps its events and may be ended from inside them.
class Trial {
 public:
  using OnEvent = std::function<void(Trial&, const action::Report&)>;
  using OnStatus = std::function<void(Trial&, const RunStatus&)>;

  explicit Trial(RunConfig config, SimulatedBehaviour behaviour = {})
      : config_(std::move(config)), backend_(std::make_shared<SimulatedBackend>(std::move(behaviour))) {}

  Trial& with_backend(std::shared_ptr<const EngineBackend> backend) {
    backend_ = std::move(backend);
    return *this;
  }
  Trial& when(OnEvent on_event) {
    on_event_ = std::move(on_event);
    return *this;
  }
  Trial& watching(OnStatus on_status) {
    on_status_ = std::move(on_status);
    return *this;
  }

  RunSummary go(std::optional<Duration> duration = kAtMost) {
    const ilp::GlpkSolver solver;
    const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
    RunHooks hooks;
    hooks.drop_events = true;
    hooks.event = [&](Duration, const action::Report& report) {
      events_.push_back(report);
      if (on_event_) on_event_(*this, report);
    };
    hooks.status_interval = Duration(0);
    hooks.status = [&](const RunStatus& status) {
      if (on_status_) on_status_(*this, status);
    };
    auto shell = RealShell::open(config_, backend_, *policy, hooks, open_known);
    EXPECT_TRUE(shell.ok()) << (shell.ok() ? "" : to_string(shell.errors()));
    shell_ = std::move(shell).value();
    RunSummary summary = shell_->run(duration);
    shell_.reset();
    return summary;
  }
  void stop() { shell_->stop(); }

  [[nodiscard]] std::size_t count(const std::string& event, const std::string& detail = "") const {
    return static_cast<std::size_t>(std::count_if(events_.begin(), events_.end(), [&](const auto& each) {
      return each.event == event && each.detail.find(detail) != std::string::npos;
    }));
  }
  [[nodiscard]] const std::vector<action::Report>& events() const { return events_; }

 private:
  RunConfig config_;
  std::shared_ptr<const EngineBackend> backend_;
  OnEvent on_event_;
  OnStatus on_status_;
  std::unique_ptr<RealShell> shell_;
  std::vector<action::Report> events_;
};

std::int64_t dropped(const TaskSummary& task) {
  return std::accumulate(task.dropped.begin(), task.dropped.end(), std::int64_t{0});
}

// What holds of every summary, whatever happened.
void expect_sound_books(const RunSummary& summary) {
  for (const TaskSummary& task : summary.tasks) {
    SCOPED_TRACE(task.id.str());
    EXPECT_EQ(task.in_flight, 0);
    EXPECT_EQ(task.received, task.processed + dropped(task));
    EXPECT_LE(task.received, task.demanded);
    EXPECT_LE(task.granted, task.demanded);
    EXPECT_EQ(dropped(task),
              std::accumulate(task.dropped_by_cause.begin(), task.dropped_by_cause.end(), std::int64_t{0}));
    std::int64_t by_variant = 0;
    for (const VariantSummary& variant : task.variants) by_variant += variant.frames;
    EXPECT_EQ(by_variant, task.processed);
    if (task.accuracy) {
      EXPECT_EQ(task.accuracy->measured, 1.0);
      EXPECT_EQ(task.accuracy->labelled, task.processed);
    }
  }
  std::vector<SegmentFrames> sums(summary.tasks.size());
  for (const SegmentSummary& segment : summary.segments) {
    for (std::size_t i = 0; i < segment.tasks.size(); ++i) {
      sums[i].demanded += segment.tasks[i].demanded;
      sums[i].processed += segment.tasks[i].processed;
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_EQ(sums[i].demanded, summary.tasks[i].demanded);
    EXPECT_EQ(sums[i].processed, summary.tasks[i].processed);
  }
}

// Ends the run when every task has processed so many frames.
Trial::OnStatus until_processed(std::int64_t frames) {
  return [frames](Trial& run, const RunStatus& status) {
    const bool enough = std::all_of(status.tasks.begin(), status.tasks.end(),
                                    [&](const TaskStatus& task) { return task.frames.processed >= frames; });
    if (enough) run.stop();
  };
}

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

TEST(RealShell, TellsOfEveryEngineThatItLoadsThenWarmsThenServes) {
  Trial run(run_config({state_at(0.0, 2, 100.0, kRoomy, shared(two_variants()))}));
  static_cast<void>(run.watching(until_processed(1)).go());
  for (const std::string task : {"task-0", "task-1"}) {
    std::vector<std::string> story;
    for (const action::Report& event : run.events()) {
      if (event.task == task && event.event != "drop") story.push_back(event.event);
    }
    EXPECT_EQ(story, (std::vector<std::string>{"load", "warm", "swap"})) << task;
  }
  EXPECT_EQ(run.events().front().event, "plan");
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
        if (there && self.count("swap") == 2 * tasks && self.count("unload") == tasks) self.stop();
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
  for (const SwitchSummary& each : summary.switches) {
    EXPECT_TRUE(each.both_fit);
    EXPECT_EQ(each.frames_lost, 0);
  }
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
    if (report.event == "swap" && report.detail == "small -> big") self.stop();
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

TEST(RealShell, ReusesAFewFramesOfMemoryPerTask) {
  const RunConfig config = run_config({state_at(0.0, 1, 1000.0, kRoomy, shared(two_variants()))});
  const ilp::GlpkSolver solver;
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
  KnownFrames* source = nullptr;
  std::size_t addresses = 0;
  std::unique_ptr<RealShell> shell;
  RunHooks hooks;
  hooks.status_interval = Duration(0);
  hooks.status = [&](const RunStatus& status) {
    if (status.tasks[0].frames.received >= 100) shell->stop();
  };
  shell = RealShell::open(config, std::make_shared<SimulatedBackend>(), *policy, hooks,
                          [&](const auto&, const auto&, const profiles::InputShape& input, const auto&) {
                            auto frames = std::make_unique<KnownFrames>(input.size());
                            source = frames.get();
                            return Result<std::unique_ptr<FrameSource>>(std::move(frames));
                          })
              .value();
  const RunSummary summary = shell->run(kAtMost);
  addresses = source->addresses().size();
  EXPECT_GE(summary.tasks[0].received, 100);
  EXPECT_LE(addresses, config.runtime.gate_frames + 2);  // waiting, running, being captured
}

// --- Faults ---------------------------------------------------------------------------------------

// Serves "small" first; the timeline then allows "big", which cannot be loaded. Ends when the failure
// was told and frames have been processed since.
RunSummary small_then_big(Trial& run) {
  auto processed = std::make_shared<std::int64_t>(-1);
  run.watching([processed](Trial& self, const RunStatus& status) {
    if (self.count("exclude", "big") == 0) return;
    const std::int64_t now = status.tasks[0].frames.processed;
    if (*processed < 0) *processed = now;
    if (now >= *processed + 10) self.stop();
  });
  return run.go();
}

RunConfig small_then_big_config(profiles::ProfileSet set) {
  const auto profiles = shared(std::move(set));
  return run_config(
      {state_at(0.0, 1, 500.0, kSmallMemory, profiles), state_at(0.02, 1, 500.0, kRoomy, profiles)});
}

void expect_old_engine_kept_serving(const Trial& run, const RunSummary& summary, const std::string& why) {
  expect_sound_books(summary);
  EXPECT_GE(run.count("exclude", why), 1U);
  ASSERT_EQ(summary.tasks[0].variants.size(), 1U);
  EXPECT_EQ(summary.tasks[0].variants[0].id.str(), "small");
  // A busy machine may lose frames meanwhile; the switch that was called off is then recorded with them.
  for (const SwitchSummary& record : summary.switches) {
    EXPECT_EQ(record.to, record.from);
    EXPECT_GT(record.frames_lost, 0);
  }
  EXPECT_EQ(summary.tasks[0].dropped[static_cast<std::size_t>(DropReason::no_engine)], 0);
}

TEST(RealShell, AMissingModelFileKeepsTheOldEngineServing) {
  const test::TemporaryFolder folder;
  profiles::ProfileSet set = two_variants();
  set.directory = folder.path();
  set.variants[1].model = "missing.onnx";
  Trial run(small_then_big_config(set));
  const RunSummary summary = small_then_big(run);
  expect_old_engine_kept_serving(run, summary, "missing.onnx");
}

TEST(RealShell, AModelFileWithAnotherHashKeepsTheOldEngineServing) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "big.onnx") << "a model that was replaced";
  profiles::ProfileSet set = two_variants();
  set.directory = folder.path();
  set.variants[1].model = "big.onnx";
  set.variants[1].sha256 = std::string(64, '0');
  Trial run(small_then_big_config(set));
  const RunSummary summary = small_then_big(run);
  expect_old_engine_kept_serving(run, summary, "big.onnx");
}

TEST(RealShell, ACorruptModelFileKeepsTheOldEngineServing) {
  // A real engine library: the hash is right, the model is not. The good one is loaded by name, too.
  const std::filesystem::path models = std::filesystem::path(SACCADE_SOURCE_DIR) / "tests/support/models";
  const test::TemporaryFolder folder;
  std::filesystem::copy_file(models / "tiny-gap.onnx", folder / "small.onnx");
  std::ofstream(folder / "big.onnx") << "not a network";
  profiles::ProfileSet set = two_variants();
  set.directory = folder.path();
  set.input = {.width = 8, .height = 8, .channels = 3};
  set.labels = {"a", "b", "c", "d", "e"};
  set.variants[0].model = "small.onnx";
  set.variants[1].model = "big.onnx";
  set.variants[1].sha256 = sha256_of(folder / "big.onnx").value();
  Trial run(small_then_big_config(set));
  run.with_backend(make_backend("opencv").value());
  const RunSummary summary = small_then_big(run);
  EXPECT_GE(run.count("exclude", "big"), 1U);
  ASSERT_EQ(summary.tasks[0].variants.size(), 1U);
  EXPECT_EQ(summary.tasks[0].variants[0].id.str(), "small");
  EXPECT_EQ(summary.tasks[0].in_flight, 0);
}

// The set with a model file for each variant, so that the hooks of the simulated backend tell which
// variant infers.
profiles::ProfileSet with_files(profiles::ProfileSet set, const test::TemporaryFolder& folder) {
  set.directory = folder.path();
  for (profiles::Variant& variant : set.variants) {
    variant.model = variant.id.str() + ".onnx";
    std::ofstream(folder.path() / variant.model) << variant.id.str();
  }
  return set;
}

TEST(RealShell, AVariantWhoseInferencesFailIsTakenOutAndTheOtherServes) {
  const test::TemporaryFolder folder;
  auto inferences = std::make_shared<std::atomic<int>>(0);
  SimulatedBehaviour behaviour;
  behaviour.before_inference = [inferences](const EngineSpec& spec) -> Status {
    // "big" warms up well and fails from then on.
    const bool fails = spec.model.stem() == "big" && inferences->fetch_add(1) > 0;
    return fails ? Status(Error{"big", "the device is lost", ""}) : Status(Done{});
  };
  Trial run(run_config({state_at(0.0, 1, 500.0, kRoomy, shared(with_files(two_variants(), folder)))}),
            behaviour);
  const RunSummary summary = run.watching(until_processed(10)).go();
  expect_sound_books(summary);
  EXPECT_GE(run.count("exclude", "the device is lost"), 1U);
  EXPECT_GE(summary.tasks[0].dropped[static_cast<std::size_t>(DropReason::engine_error)], 5);
  ASSERT_EQ(summary.tasks[0].variants.size(), 1U);
  EXPECT_EQ(summary.tasks[0].variants[0].id.str(), "small");
}

// A door that loads of "big" wait at.
struct Door {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  int waiting = 0;
  int passed = 0;

  Status pass() {
    std::unique_lock lock(mutex);
    ++waiting;
    changed.wait(lock, [&] { return open; });
    --waiting;
    ++passed;
    changed.notify_all();
    return Done{};
  }
  // Lets everybody through and waits until they are.
  void release() {
    std::unique_lock lock(mutex);
    open = true;
    changed.notify_all();
    changed.wait(lock, [&] { return waiting == 0; });
  }
};

TEST(RealShell, EndsInTheMiddleOfALoadThatHangs) {
  const auto door = std::make_shared<Door>();
  SimulatedBehaviour behaviour;
  behaviour.before_load = [door](const EngineSpec& spec) -> Status {
    return spec.profile->id.str() == "big" ? door->pass() : Status(Done{});
  };
  const auto profiles = shared(two_variants());
  Trial run(run_config({state_at(0.0, 1, 500.0, kSmallMemory, profiles),
                        state_at(0.02, 1, 500.0, kRoomy, profiles)}),
            behaviour);
  const RunSummary summary = run.when([](Trial& self, const action::Report& event) {
                                  if (event.event == "load" && event.detail.find("big") == 0) self.stop();
                                })
                                 .go();
  expect_sound_books(summary);
  EXPECT_TRUE(summary.switches.empty());
  ASSERT_EQ(summary.tasks[0].variants.size(), 1U);
  EXPECT_EQ(summary.tasks[0].variants[0].id.str(), "small");
  door->release();
}

TEST(RealShell, AnotherLoaderTakesOverFromOneThatHangs) {
  const auto door = std::make_shared<Door>();
  SimulatedBehaviour behaviour;
  behaviour.before_load =
      [door, hung = std::make_shared<std::atomic<bool>>(false)](const EngineSpec& spec) -> Status {
    if (spec.profile->id.str() != "big" || hung->exchange(true)) return Done{};  // the first of them hangs
    return door->pass();
  };
  RunConfig config = run_config({state_at(0.0, 2, 500.0, kRoomy, shared(two_variants()))});
  config.runtime.load_timeout =
      Seconds(1.0);  // far beyond what a simulated load takes, on a starved machine too
  Trial run(config, behaviour);
  const RunSummary summary = run.watching(until_processed(5)).go();
  expect_sound_books(summary);
  EXPECT_EQ(run.count("fault", "hangs"), 1U);
  for (const TaskSummary& task : summary.tasks) EXPECT_GE(task.processed, 5);
  door->release();
}

// --- Opening --------------------------------------------------------------------------------------

TEST(RealShell, NamesEverySourceThatDoesNotOpenWithItsTask) {
  RunConfig config = run_config({state_at(0.0, 2, 10.0, kRoomy, shared(two_variants()))});
  config.tasks[0].source = VideoSource{"/nowhere/a.avi"};
  config.tasks[1].source = ImagesSource{"/nowhere"};
  const ilp::GlpkSolver solver;
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
  const auto shell = RealShell::open(config, std::make_shared<SimulatedBackend>(), *policy, {});
  ASSERT_FALSE(shell.ok());
  ASSERT_EQ(shell.errors().size(), 2U);
  EXPECT_EQ(shell.errors()[0].where, "task-0: /nowhere/a.avi");
  EXPECT_EQ(shell.errors()[1].where, "task-1: /nowhere");
}

TEST(RealShell, RefusesATaskWhoseVariantsAllUseSeveralProcessors) {
  profiles::ProfileSet set = two_variants();
  for (profiles::Variant& variant : set.variants) variant.frame_time[ProcessorId("gpu")] = Seconds(1e-4);
  const RunConfig config = run_config({state_at(0.0, 1, 10.0, kRoomy, shared(set))});
  const ilp::GlpkSolver solver;
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
  const auto shell = RealShell::open(config, std::make_shared<SimulatedBackend>(), *policy, {}, open_known);
  ASSERT_FALSE(shell.ok());
  EXPECT_EQ(shell.errors()[0].where, "task-0");
  EXPECT_EQ(shell.errors()[0].what, "every variant of this task's network uses several processors at once");
}

}  // namespace
}  // namespace saccade::runtime
