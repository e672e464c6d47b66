// The real shell with its threads on the fake accelerator: exchanges on a card that has room for little, with
// failures of loads, inferences and destructions; what the ledger reserves is what the card holds.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "runtime/engines/fake_accelerator.hpp"
#include "tests/support/shell_trial.hpp"

namespace saccade::runtime {
namespace {

using test::expect_sound_books;
using test::kRoomy;
using test::run_config;
using test::shared;
using test::state_at;
using test::Trial;
using test::two_variants;

constexpr double kContext = 50e6;
constexpr double kSmall = 100e6;
constexpr double kLarge = 300e6;
constexpr double kLargePeak = 380e6;

profiles::ProfileSetPtr on_card() {
  profiles::ProfileSet set = two_variants();
  set.variants[0].device_memory = Bytes(kSmall);
  set.variants[1].device_memory = Bytes(kLarge);
  set.variants[1].device_load_peak = Bytes(kLargePeak);
  return shared(std::move(set));
}

// `tasks` on a card whose limit changes: bytes from each 20 ms on.
RunConfig card_config(std::size_t tasks, const std::vector<double>& limits) {
  const profiles::ProfileSetPtr profiles = on_card();
  std::vector<TimelineState> timeline;
  for (const double limit : limits) {
    TimelineState state =
        state_at(0.02 * static_cast<double>(timeline.size()), tasks, 200.0, kRoomy, profiles);
    state.snapshot.processors[0].memory = "gpu0";
    state.snapshot.processors[0].device_context = Bytes(kContext);
    state.snapshot.limits.memories["gpu0"] = Bytes(limit);
    timeline.push_back(std::move(state));
  }
  RunConfig config = run_config(std::move(timeline));
  config.processors[0].provider = "cuda";
  return config;
}

FakeAcceleratorBehaviour card(double memory) {
  FakeAcceleratorBehaviour behaviour;
  behaviour.provider = "cuda";
  behaviour.memory = Bytes(memory);
  behaviour.context = Bytes(kContext);
  behaviour.workspace = Bytes(0.0);
  return behaviour;
}

// Until every task has processed so many frames since all changes were made.
Trial::OnStatus until_settled(std::size_t states, std::int64_t frames) {
  auto before = std::make_shared<std::int64_t>(-1);
  return [=](Trial& run, const RunStatus& status) {
    if (!status.settled || to_seconds(status.at).value() < 0.02 * static_cast<double>(states)) return;
    std::int64_t processed = 0;
    for (const TaskStatus& task : status.tasks) processed += task.frames.processed;
    if (*before < 0) *before = processed;
    if (processed >= *before + frames) run.stop();
  };
}

TEST(AcceleratorRun, TheLedgerNeverAsksForMoreThanTheCardHas) {
  const double room = kContext + 2 * kLarge + kLargePeak;
  const std::vector<double> limits = {kContext + 3 * kSmall, room, kContext + 3 * kSmall, room};
  const auto backend = std::make_shared<const FakeAcceleratorBackend>(card(room));
  Trial run(card_config(3, limits));
  const RunSummary summary = run.with_backend(backend).watching(until_settled(limits.size(), 30)).go();
  expect_sound_books(summary);
  const FakeAccelerator::Account account = backend->device()->account();
  EXPECT_EQ(account.out_of_memory, 0);
  EXPECT_EQ(account.failed_in_capture, 0);
  EXPECT_EQ(account.destroyed_in_capture, 0);
  EXPECT_EQ(account.engines, 0) << "all were destroyed";
  EXPECT_EQ(account.used.value(), kContext);
  EXPECT_LE(account.peak.value(), room);
  ASSERT_EQ(summary.memories.size(), 1U);
  EXPECT_LE(account.peak, summary.memories[0].peak) << "what was planned is at least what was taken";
  EXPECT_EQ(run.count(EventKind::exclude), 0U);
  EXPECT_GE(account.plans, 6);
}

TEST(AcceleratorRun, FailuresOfLoadsAndInferencesCostFramesAndNothingElse) {
  std::atomic<int> loads = 0;
  std::atomic<int> inferences = 0;
  FakeAcceleratorBehaviour behaviour = card(2e9);
  behaviour.before_load = [&](const EngineSpec&) -> Status {
    if (++loads % 3 == 0) return Error{"device", "no load this time", ""};
    return Done{};
  };
  behaviour.before_inference = [&](const EngineSpec&) -> Status {
    if (++inferences % 41 == 0) return Error{"device", "no answer this time", ""};
    return Done{};
  };
  const std::vector<double> limits = {kContext + 2 * kSmall, 2e9, kContext + 2 * kSmall, 2e9};
  const auto backend = std::make_shared<const FakeAcceleratorBackend>(behaviour);
  Trial run(card_config(2, limits));
  const RunSummary summary = run.with_backend(backend).watching(until_settled(limits.size(), 40)).go();
  expect_sound_books(summary);
  EXPECT_EQ(backend->device()->account().engines, 0);
  EXPECT_EQ(backend->device()->account().used.value(), kContext);
  EXPECT_EQ(backend->device()->account().out_of_memory, 0);
}

TEST(AcceleratorRun, DestructionsThatFailEndNeitherTheRunNorTheProcess) {
  FakeAcceleratorBehaviour behaviour = card(100e9);
  behaviour.destroys_badly = [](const EngineSpec&) { return true; };
  const std::vector<double> limits = {kContext + kSmall, 1e9, kContext + kSmall};
  const auto backend = std::make_shared<const FakeAcceleratorBackend>(behaviour);
  Trial run(card_config(1, limits));
  const RunSummary summary = run.with_backend(backend).watching(until_settled(limits.size(), 20)).go();
  expect_sound_books(summary);
  EXPECT_GE(backend->device()->account().destroyed_badly, 2);
  EXPECT_EQ(backend->device()->account().engines, 0);
}

TEST(AcceleratorRun, ANetworkThatCannotBeCapturedServesAndTheLogSaysSo) {
  FakeAcceleratorBehaviour behaviour = card(1e9);
  behaviour.captures = [](const EngineSpec&) { return false; };
  const auto backend = std::make_shared<const FakeAcceleratorBackend>(behaviour);
  Trial run(card_config(1, {1e9}));
  const RunSummary summary = run.with_backend(backend).watching(until_settled(1, 20)).go();
  expect_sound_books(summary);
  EXPECT_GE(summary.tasks[0].processed, 20);
  EXPECT_GE(run.count(EventKind::load, "runs without a captured graph: the launches cannot be captured"), 1U);
  EXPECT_EQ(run.count(EventKind::exclude), 0U);
  EXPECT_EQ(backend->device()->account().captures, 0);
}

// A loader that forgot the provider, or set another one, would serve from the host and nobody would know.
TEST(AcceleratorRun, AFallBackToTheCpuInSilenceIsNoRun) {
  RunConfig config = card_config(1, {1e9});
  config.processors[0].provider = "cpu";
  const auto backend = std::make_shared<const FakeAcceleratorBackend>(card(1e9));
  Trial run(config);
  run.when([](Trial& self, const action::Report& report) {
    if (report.event == EventKind::exclude) self.stop();
  });
  const RunSummary summary = run.with_backend(backend).go();
  expect_sound_books(summary);
  EXPECT_EQ(summary.tasks[0].processed, 0);
  EXPECT_EQ(backend->device()->account().inferences, 0);
  EXPECT_GE(run.count(EventKind::exclude, "execution provider 'cpu', not for this device"), 1U);
}

}  // namespace
}  // namespace saccade::runtime
