// The real shell with its threads, when models, engines, loads or sources fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>

#include "ilp/core_solver.hpp"
#include "runtime/engines/simulated_backend.hpp"
#include "runtime/real/real_shell.hpp"
#include "tests/support/shell_trial.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

using test::expect_sound_books;
using test::kRoomy;
using test::kSmallMemory;
using test::open_known;
using test::run_config;
using test::shared;
using test::state_at;
using test::Trial;
using test::two_variants;
using test::until_processed;

// Serves "small" first; the timeline then allows "big", which cannot be loaded. Ends when the failure
// was told and frames have been processed since.
RunSummary small_then_big(Trial& run) {
  auto processed = std::make_shared<std::int64_t>(-1);
  run.watching([processed](Trial& self, const RunStatus& status) {
    if (self.count(EventKind::exclude, "big") == 0) return;
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
  EXPECT_GE(run.count(EventKind::exclude, why), 1U);
  ASSERT_EQ(summary.tasks[0].variants.size(), 1U);
  EXPECT_EQ(summary.tasks[0].variants[0].id.str(), "small");
  // A busy machine may lose frames meanwhile; the switch that was called off is then recorded with them.
  for (const SwitchSummary& record : summary.switches) {
    EXPECT_EQ(record.to, record.from);
    EXPECT_GT(record.frames_lost, 0);
  }
  EXPECT_EQ(summary.tasks[0].dropped[static_cast<std::size_t>(DropReason::no_engine)], 0);
}

TEST(RealShellFaults, AMissingModelFileKeepsTheOldEngineServing) {
  const test::TemporaryFolder folder;
  profiles::ProfileSet set = two_variants();
  set.directory = folder.path();
  set.variants[1].model = "missing.onnx";
  Trial run(small_then_big_config(set));
  const RunSummary summary = small_then_big(run);
  expect_old_engine_kept_serving(run, summary, "missing.onnx");
}

TEST(RealShellFaults, AModelFileWithAnotherHashKeepsTheOldEngineServing) {
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

TEST(RealShellFaults, ACorruptModelFileKeepsTheOldEngineServing) {
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
  EXPECT_GE(run.count(EventKind::exclude, "big"), 1U);
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

TEST(RealShellFaults, AVariantWhoseInferencesFailIsTakenOutAndTheOtherServes) {
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
  EXPECT_GE(run.count(EventKind::exclude, "the device is lost"), 1U);
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

// A task that is to switch from "small" to "big", whose load waits at the door.
Trial from_small_to_big(const std::shared_ptr<Door>& door) {
  SimulatedBehaviour behaviour;
  behaviour.before_load = [door](const EngineSpec& spec) -> Status {
    return spec.profile->id.str() == "big" ? door->pass() : Status(Done{});
  };
  const auto profiles = shared(two_variants());
  return Trial(run_config({state_at(0.0, 1, 500.0, kSmallMemory, profiles),
                           state_at(0.02, 1, 500.0, kRoomy, profiles)}),
               behaviour);
}

TEST(RealShellFaults, EndsInTheMiddleOfALoadThatHangs) {
  const auto door = std::make_shared<Door>();
  Trial run = from_small_to_big(door);
  const RunSummary summary = run.when([](Trial& self, const action::Report& event) {
                                  if (event.event == EventKind::load && event.detail.find("big") == 0)
                                    self.stop();
                                })
                                 .go();
  expect_sound_books(summary);
  EXPECT_TRUE(summary.switches.empty());
  ASSERT_EQ(summary.tasks[0].variants.size(), 1U);
  EXPECT_EQ(summary.tasks[0].variants[0].id.str(), "small");
  door->release();
}

TEST(RealShellFaults, FramesAreServedThroughASlowLoad) {
  const auto door = std::make_shared<Door>();
  Trial run = from_small_to_big(door);
  // The load ends only after the old engine has served fifty more frames.
  run.watching([door, before = std::optional<std::int64_t>()](Trial& self, const RunStatus& status) mutable {
    const std::int64_t processed = status.tasks[0].frames.processed;
    if (self.count(EventKind::load) == 2 && !before) before = processed;
    if (before && processed >= *before + 50) door->release();
    if (self.count(EventKind::swap) == 2) self.stop();
  });
  const RunSummary summary = run.go();
  expect_sound_books(summary);
  ASSERT_EQ(summary.switches.size(), 1U);
  ASSERT_FALSE(summary.tasks[0].variants.empty());
  EXPECT_GE(summary.tasks[0].variants[0].frames, 50);
}

TEST(RealShellFaults, AnotherLoaderTakesOverFromOneThatHangs) {
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
  EXPECT_EQ(run.count(EventKind::fault, "hangs"), 1U);
  for (const TaskSummary& task : summary.tasks) EXPECT_GE(task.processed, 5);
  door->release();
}

// --- Inferences that do not return ----------------------------------------------------------------

// "big" warms up well; inferences after that wait at the door.
Trial whose_inferences_hang(const std::shared_ptr<Door>& door, const test::TemporaryFolder& folder) {
  SimulatedBehaviour behaviour;
  behaviour.before_inference =
      [door, inferences = std::make_shared<std::atomic<int>>(0)](const EngineSpec& spec) -> Status {
    return spec.model.stem() == "big" && inferences->fetch_add(1) > 1 ? door->pass() : Status(Done{});
  };
  RunConfig config =
      run_config({state_at(0.0, 1, 100.0, kRoomy, shared(with_files(two_variants(), folder)))});
  config.runtime.inference_timeout = Seconds(0.05);
  return Trial(config, behaviour);
}

TEST(RealShellFaults, AnInferenceThatHangsCostsItsEngineAndNotTheProcessor) {
  const test::TemporaryFolder folder;
  const auto door = std::make_shared<Door>();
  Trial run = whose_inferences_hang(door, folder);
  bool told = false;
  run.watching([&told](Trial& self, const RunStatus& status) {
    const auto health = self.shell().outline().processors.at(0);
    told = told || (health.left_behind == 1 && !health.out_of_service);
    if (told && status.tasks[0].frames.processed >= 20) self.stop();
  });
  const RunSummary summary = run.go();
  expect_sound_books(summary);
  EXPECT_TRUE(told);
  EXPECT_GE(run.count(EventKind::exclude, "an inference does not return"), 1U);
  EXPECT_GE(run.count(EventKind::fault, "its worker is left behind"), 1U);
  const auto small = std::find_if(summary.tasks[0].variants.begin(), summary.tasks[0].variants.end(),
                                  [](const VariantSummary& variant) { return variant.id.str() == "small"; });
  ASSERT_NE(small, summary.tasks[0].variants.end());
  EXPECT_GE(small->frames, 10);
  EXPECT_EQ(run.count(EventKind::fault, "its thread ends with the process"), 1U);
  door->release();
}

TEST(RealShellFaults, EndsInTheMiddleOfAnInferenceThatHangs) {
  const test::TemporaryFolder folder;
  const auto door = std::make_shared<Door>();
  Trial run = whose_inferences_hang(door, folder);
  run.watching([door](Trial& self, const RunStatus&) {
    const std::lock_guard lock(door->mutex);
    if (door->waiting > 0) self.stop();
  });
  const SteadyClock clock;
  const TimePoint before = clock.now();
  const RunSummary summary = run.go();
  expect_sound_books(summary);
  EXPECT_LT(clock.now() - before, std::chrono::seconds(60)) << "it does not wait for ever";
  EXPECT_EQ(run.count(EventKind::fault, "its thread ends with the process"), 1U);
  door->release();
}

// --- Opening --------------------------------------------------------------------------------------

TEST(RealShellFaults, NamesEverySourceThatCanNeverDeliverWithItsTask) {
  RunConfig config = run_config({state_at(0.0, 2, 10.0, kRoomy, shared(two_variants()))});
  config.tasks[0].source = SyntheticSource{"colours"};
  config.tasks[1].source = SyntheticSource{"smells"};
  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
  const auto shell = RealShell::open(config, std::make_shared<SimulatedBackend>(), *policy, {});
  ASSERT_FALSE(shell.ok());
  ASSERT_EQ(shell.errors().size(), 2U);
  EXPECT_EQ(shell.errors()[0].where, "task-0: source/data_set");
  EXPECT_EQ(shell.errors()[1].where, "task-1: source/data_set");
}

TEST(RealShellFaults, RefusesATaskWhoseVariantsAllUseSeveralProcessors) {
  profiles::ProfileSet set = two_variants();
  for (profiles::Variant& variant : set.variants) variant.frame_time[ProcessorId("gpu")] = Seconds(1e-4);
  const RunConfig config = run_config({state_at(0.0, 1, 10.0, kRoomy, shared(set))});
  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
  const auto shell = RealShell::open(config, std::make_shared<SimulatedBackend>(), *policy, {}, open_known);
  ASSERT_FALSE(shell.ok());
  EXPECT_EQ(shell.errors()[0].where, "task-0");
  EXPECT_EQ(shell.errors()[0].what, "every variant of this task's network uses several processors at once");
}

}  // namespace
}  // namespace saccade::runtime
