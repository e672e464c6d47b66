// Which CPUs captures and processors share.
#include "runtime/real/thread_places.hpp"

#include <gtest/gtest.h>

namespace saccade::runtime {
namespace {

RunConfig on(const std::vector<std::vector<int>>& cpus) {
  RunConfig config;
  TimelineState& state = config.timeline.emplace_back();
  for (const std::vector<int>& each : cpus) {
    const ProcessorId id("cpu" + std::to_string(config.processors.size()));
    config.processors.push_back({.id = id, .cpus = each});
    state.snapshot.processors.emplace_back().id = id;
  }
  return config;
}

TEST(DecodingPlacesOfARun, CapturesKeepOffReservedCpusWhileThereAreOthers) {
  const DecodingPlaces places = decoding_places(on({{0}, {1}}), {0, 1, 2, 3});
  EXPECT_EQ(places.cpus, 2U);
  EXPECT_FALSE(places.any_shared());
}

TEST(DecodingPlacesOfARun, WhereAllCpusAreReservedEachIsShared) {
  const DecodingPlaces places = decoding_places(on({{0}, {1}}), {0, 1});
  EXPECT_EQ(places.cpus, 2U);
  EXPECT_EQ(places.processors[0].shared, 1.0);
  EXPECT_EQ(places.processors[1].shared, 1.0);
  EXPECT_DOUBLE_EQ(places.load(0, 0.4), 0.2);
}

TEST(DecodingPlacesOfARun, AProcessorWithoutCpusRunsWhereCapturesDo) {
  const DecodingPlaces places = decoding_places(on({{}, {1}}), {0, 1});
  EXPECT_EQ(places.cpus, 1U);
  EXPECT_TRUE(places.processors[0].floating);
  EXPECT_EQ(places.processors[1].shared, 0.0);
  EXPECT_DOUBLE_EQ(places.load(0, 0.4), 0.4);
  EXPECT_EQ(places.load(1, 0.4), 0.0);
}

TEST(DecodingPlacesOfARun, AnAcceleratorsTimeIsNotDecodings) {
  RunConfig config = on({{0}});
  config.processors[0].provider = "cuda";
  EXPECT_FALSE(decoding_places(config, {0}).any_shared());
}

TEST(DecodingPlacesOfARun, KnowsTheCapacityOfTheConfiguration) {
  RunConfig config = on({{0}});
  config.timeline[0].snapshot.processors[0].capacity = 0.75;
  EXPECT_DOUBLE_EQ(decoding_places(config, {0}).load(0, 0.5), 0.25);
}

}  // namespace
}  // namespace saccade::runtime
