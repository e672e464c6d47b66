// The fake accelerator (engine_test.cpp takes it through the suite that every back end passes): what is asked
// of engines on any device: a thread of their own, warm when they are loaded, captures that disturb nobody,
// nothing on the host.
#include "runtime/engines/fake_accelerator.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "tests/conformance/engine_models.hpp"

namespace saccade::runtime {
namespace {

using conformance::infer;
using conformance::load;
using conformance::model_file;
using conformance::spec_of;

EngineSpec tiny() { return spec_of(model_file("tiny-gap.onnx")); }

TEST(FakeAccelerator, ALoadedEngineIsWarmOnTheThreadThatServes) {
  Duration spent{0};
  const FakeAcceleratorBackend backend({.spend = [&](Duration time) { spent += time; }});
  const auto engine = load(backend, tiny());
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(spent, std::chrono::milliseconds(312)) << "planned and captured once, within the load";
  for (int i = 0; i < 5; ++i) std::thread([&] { infer(*engine, 0); }).join();
  EXPECT_EQ(spent, std::chrono::milliseconds(312)) << "whoever asks, the engine's own thread runs it";
  EXPECT_EQ(backend.device()->account().captures, 1);
  EXPECT_EQ(backend.device()->account().plans, 1);
}

TEST(FakeAccelerator, TheContextIsTakenOnceAndEnginesGiveAllBack) {
  const FakeAcceleratorBackend backend;
  std::vector<std::unique_ptr<Engine>> engines;
  engines.push_back(load(backend, tiny()));
  const double one = backend.device()->account().used.value();
  EXPECT_EQ(one, 570e6 + 67e6 + 10e6);
  engines.push_back(load(backend, tiny()));
  EXPECT_EQ(backend.device()->account().used.value(), one + 67e6 + 10e6);
  engines.clear();
  EXPECT_EQ(backend.device()->account().used.value(), 570e6) << "the context stays";
  for (int i = 0; i < 20; ++i) EXPECT_NE(load(backend, tiny()), nullptr);
  EXPECT_EQ(backend.device()->account().used.value(), 570e6);
  EXPECT_EQ(backend.device()->account().engines, 0);
}

TEST(FakeAccelerator, TakesWhatTheProfileSaysAndAFullMemoryIsAnErrorThatLeavesNothing) {
  profiles::Variant variant;
  variant.device_memory = Bytes(100e6);
  variant.device_load_peak = Bytes(180e6);
  EngineSpec spec = tiny();
  spec.profile = &variant;
  const FakeAcceleratorBackend backend(
      {.memory = Bytes(300e6), .context = Bytes(0.0), .workspace = Bytes(0.0)});
  const auto first = load(backend, spec);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(backend.device()->account().used.value(), 100e6);
  EXPECT_EQ(backend.device()->account().peak.value(), 180e6);
  const auto second = load(backend, spec);
  ASSERT_NE(second, nullptr);
  const auto third = backend.load(spec);
  ASSERT_FALSE(third.ok());
  EXPECT_NE(to_string(third.errors()).find("memory of the device is full"), std::string::npos);
  EXPECT_EQ(backend.device()->account().used.value(), 200e6);
  EXPECT_EQ(backend.device()->account().engines, 2);
  infer(*first, 0);
}

TEST(FakeAccelerator, ACaptureDisturbsNoOtherEngine) {
  std::function<void()> meanwhile;
  const FakeAcceleratorBackend backend({.in_capture = [&] {
    if (meanwhile) meanwhile();
  }});
  const auto serving = load(backend, tiny());
  ASSERT_NE(serving, nullptr);
  int served = 0;
  meanwhile = [&] { served += infer(*serving, 0).empty() ? 0 : 1; };
  const auto other = load(backend, tiny());
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(served, 1);
  EXPECT_EQ(backend.device()->account().failed_in_capture, 0);
}

TEST(FakeAccelerator, WithoutGraphsNothingIsCaptured) {
  const FakeAcceleratorBackend backend;
  EngineSpec spec = tiny();
  spec.graphs = false;
  const auto engine = load(backend, spec);
  ASSERT_NE(engine, nullptr);
  infer(*engine, 0);
  EXPECT_EQ(backend.device()->account().captures, 0);
  EXPECT_EQ(backend.device()->account().plans, 1);
  EXPECT_EQ(engine->remark(), "") << "it was asked for without";
}

TEST(FakeAccelerator, ANetworkThatCannotBeCapturedIsServedWithoutAndSaysSo) {
  const FakeAcceleratorBackend backend({.captures = [](const EngineSpec& spec) { return spec.batch == 1; }});
  const auto captured = load(backend, tiny());
  ASSERT_NE(captured, nullptr);
  EXPECT_EQ(captured->remark(), "");
  EngineSpec spec = tiny();
  spec.batch = 4;
  const auto plain = load(backend, spec);
  ASSERT_NE(plain, nullptr);
  EXPECT_NE(plain->remark().find("without a captured graph: the launches cannot be captured"),
            std::string::npos)
      << plain->remark();
  EXPECT_EQ(infer(*plain, 0).size(), 4 * conformance::kClasses);
  EXPECT_EQ(backend.device()->account().captures, 1);
  EXPECT_EQ(backend.device()->account().engines, 2) << "the first attempt left nothing";
}

// Otherwise a failure that passes would make an engine slow for as long as it serves.
TEST(FakeAccelerator, OtherFailuresAreNoReasonToServeWithoutGraphs) {
  int loads = 0;
  const FakeAcceleratorBackend backend({.before_load = [&](const EngineSpec&) -> Status {
    if (++loads == 1)
      return Error{"device", "/srv/captures/tiny.onnx: failure 900, another thread captures a graph", ""};
    return Done{};
  }});
  EXPECT_FALSE(backend.load(tiny()).ok());
  EXPECT_EQ(loads, 1);
  const auto engine = load(backend, tiny());
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(engine->remark(), "");
  EXPECT_EQ(backend.device()->account().captures, 1);
}

TEST(FakeAccelerator, CapturesAndDestructionsAreNeverUnderWayTogether) {
  std::atomic<bool> capturing = false;
  std::atomic<bool> overlapped = false;
  std::unique_ptr<Engine> doomed;
  std::thread destroyer;
  const FakeAcceleratorBackend backend(
      {.in_capture =
           [&] {
             if (!doomed) return;
             capturing = true;
             destroyer = std::thread([&] { doomed.reset(); });
             for (int i = 0; i < 1000; ++i) std::this_thread::yield();  // room for a mistake, not for timing
             capturing = false;
           },
       .destroys_badly =
           [&](const EngineSpec&) {
             overlapped = overlapped || capturing;
             return false;
           }});
  doomed = load(backend, tiny());
  const auto other = load(backend, tiny());
  ASSERT_TRUE(destroyer.joinable());
  destroyer.join();
  EXPECT_FALSE(overlapped);
  EXPECT_EQ(backend.device()->account().destroyed_in_capture, 0);
}

TEST(FakeAccelerator, NothingRunsOnTheHostInSilence) {
  const FakeAcceleratorBackend backend(
      {.provider = "cuda", .covers = [](const EngineSpec& spec) { return spec.batch == 1; }});
  EngineSpec spec = tiny();
  const auto elsewhere = backend.load(spec);
  ASSERT_FALSE(elsewhere.ok()) << "for the CPU";
  EXPECT_NE(to_string(elsewhere.errors()).find("'cpu'"), std::string::npos);
  spec.provider = "cuda";
  EXPECT_NE(load(backend, spec), nullptr);
  spec.batch = 4;
  const auto lacking = backend.load(spec);
  ASSERT_FALSE(lacking.ok());
  EXPECT_NE(to_string(lacking.errors()).find("nodes that the device cannot run"), std::string::npos);
}

TEST(FakeAccelerator, FailuresOfLoadAndWarmUpAndRunComeBackAsErrors) {
  bool load_fails = true;
  int good_inferences = 1;
  const FakeAcceleratorBackend backend({.before_load = [&](const EngineSpec&) -> Status {
                                          if (load_fails) return Error{"device", "no load", ""};
                                          return Done{};
                                        },
                                        .before_inference = [&](const EngineSpec&) -> Status {
                                          if (good_inferences-- > 0) return Done{};
                                          return Error{"device", "lost", ""};
                                        }});
  EXPECT_FALSE(backend.load(tiny()).ok());
  load_fails = false;
  EXPECT_FALSE(backend.load(tiny()).ok()) << "the second inference of its warm-up fails";
  EXPECT_EQ(backend.device()->account().engines, 0);
  good_inferences = 4;
  const auto engine = load(backend, tiny());
  ASSERT_NE(engine, nullptr);
  infer(*engine, 0);
  ASSERT_TRUE(engine->prepare(conformance::images(0, 1)));
  Outputs outputs;
  EXPECT_FALSE(engine->infer(outputs).ok());
}

TEST(FakeAccelerator, ADestructionThatFailsIsKnownAndEndsNothing) {
  const FakeAcceleratorBackend backend({.destroys_badly = [](const EngineSpec&) { return true; }});
  (void)load(backend, tiny());
  EXPECT_EQ(backend.device()->account().destroyed_badly, 1);
  EXPECT_EQ(backend.device()->account().engines, 0);
  EXPECT_EQ(backend.device()->account().used.value(), 570e6 + 67e6 + 10e6);
}

}  // namespace
}  // namespace saccade::runtime
