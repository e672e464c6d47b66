// What `saccade profile` measures of engines on a device with a memory of its own, on the fake accelerator:
// its memory and its load peak, loads that are their warm-up, and with which options that was.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/engines/fake_accelerator.hpp"
#include "runtime/engines/providers.hpp"
#include "runtime/profiling/profiler.hpp"

namespace saccade::runtime {
namespace {

using std::chrono::milliseconds;

constexpr double kEngine = 10e6;
constexpr double kWorkspace = 67e6;
constexpr double kPlanning = 90e6;

class AcceleratorProfile : public testing::Test {
 protected:
  AcceleratorProfile() : backend_(behaviour()), memory_(backend_.device()) {
    request_.set.network = "net";
    request_.set.input = {2, 2, 1};
    request_.set.interface.input.color = profiles::ColorOrder::gray;
    request_.set.labels = {"a", "b"};
    profiles::Variant variant;
    variant.id = VariantId("only");
    variant.accuracy = 0.5;
    request_.set.variants = {variant};
    request_.batches = {1, 4};
    request_.rounds.warmup = 1;
    request_.rounds.fewest = 3;
    request_.rounds.most = 3;
    request_.loads = 3;
    request_.memory_engines = 3;
    request_.processor = ProcessorId("gpu");
    request_.provider = "cuda";
    request_.device_memory = &memory_;
  }

  FakeAcceleratorBehaviour behaviour() {
    FakeAcceleratorBehaviour of;
    of.provider = "cuda";
    of.engine = Bytes(kEngine);
    of.workspace = Bytes(kWorkspace);
    of.planning = Bytes(kPlanning);
    of.spend = [this](Duration time) { clock_.advance(time); };
    of.before_inference = [this](const EngineSpec& spec) -> Status {
      clock_.advance(milliseconds(2));
      graphs_ = spec.graphs;
      return Done{};
    };
    return of;
  }

  profiles::ProfileSet measured() {
    auto result = measure_profiles(backend_, request_, clock_, nullptr);
    EXPECT_TRUE(result) << to_string(result.errors());
    return result ? std::move(result).value().set : profiles::ProfileSet{};
  }

  ManualClock clock_;
  bool graphs_ = false;
  FakeAcceleratorBackend backend_;
  FakeDeviceMemory memory_;
  ProfileRequest request_;
};

TEST_F(AcceleratorProfile, DeviceMemoryIsWhatAFurtherEngineAddsWithoutTheContext) {
  const profiles::ProfileSet set = measured();
  ASSERT_EQ(set.variants.size(), 1U);
  EXPECT_EQ(set.variants[0].device_memory, Bytes(kEngine + kWorkspace)) << "with the workspace of its thread";
  EXPECT_EQ(set.variants[0].device_load_peak, Bytes(kEngine + kWorkspace + kPlanning));
}

TEST_F(AcceleratorProfile, WhatCannotBeReadIsAbsentAndSoIsWhatWasMeasuredBefore) {
  request_.set.variants[0].device_memory = Bytes(1.0);
  request_.set.variants[0].device_load_peak = Bytes(2.0);
  memory_.readable = false;
  EXPECT_FALSE(measured().variants[0].device_memory);
  EXPECT_FALSE(measured().variants[0].device_load_peak);
  request_.device_memory = nullptr;
  EXPECT_FALSE(measured().variants[0].device_memory);
}

TEST_F(AcceleratorProfile, WithoutMeasuringMemoryThatOfTheSetIsKept) {
  request_.set.provenance.provider = "cuda";
  request_.set.variants[0].device_memory = Bytes(1.0);
  request_.memory_engines = 0;
  EXPECT_EQ(measured().variants[0].device_memory, Bytes(1.0));
}

TEST_F(AcceleratorProfile, MemoryThatEnginesOfAnotherProviderTookIsNotKept) {
  profiles::Variant& variant = request_.set.variants[0];
  variant.memory = variant.load_peak = variant.device_memory = variant.device_load_peak = Bytes(1.0);
  request_.memory_engines = 0;
  const profiles::ProfileSet set = measured();  // by a card; before it was the CPU
  for (const auto& bytes : {set.variants[0].memory, set.variants[0].load_peak, set.variants[0].device_memory,
                            set.variants[0].device_load_peak})
    EXPECT_EQ(bytes, std::nullopt);
}

// Plan, capture and the three inferences of the warm-up: an engine's first inference is its load.
TEST_F(AcceleratorProfile, TheLoadTimeHasTheWarmUpInIt) {
  EXPECT_NEAR(measured().variants[0].load_time->value(), 0.300 + 0.012 + 3 * 0.002, 1e-9);
  request_.graphs = false;
  EXPECT_NEAR(measured().variants[0].load_time->value(), 0.300 + 3 * 0.002, 1e-9);
}

TEST_F(AcceleratorProfile, TheSetSaysWithWhichProviderAndOptions) {
  profiles::ProfileSet set = measured();
  EXPECT_EQ(set.provenance.provider, "cuda");
  EXPECT_EQ(set.provenance.provider_options, provider_options("cuda", true, false));
  EXPECT_EQ(set.device.processors, std::vector<ProcessorId>{ProcessorId("gpu")});
  EXPECT_EQ(set.variants[0].frame_time.at(ProcessorId("gpu")), Seconds(0.002));
  EXPECT_TRUE(graphs_);
  request_.graphs = false;
  request_.block = true;
  set = measured();
  EXPECT_EQ(set.provenance.provider_options, provider_options("cuda", false, true));
  EXPECT_FALSE(graphs_);
}

TEST_F(AcceleratorProfile, AMeasurementWithOtherOptionsIsAnotherOne) {
  const std::string with = measurement_identity(backend_, request_);
  request_.graphs = false;
  EXPECT_NE(measurement_identity(backend_, request_), with);
  request_.graphs = true;
  EXPECT_EQ(measurement_identity(backend_, request_), with);
  request_.device = 1;
  EXPECT_NE(measurement_identity(backend_, request_), with);
}

}  // namespace
}  // namespace saccade::runtime
