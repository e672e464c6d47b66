// The controller with memories of devices: reserved before a load, released after it, limits one by one.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "tests/support/simulated_run.hpp"

namespace saccade::test::memories_test {
namespace {

using namespace runtime;

constexpr double kLarge = 300e6;
constexpr double kSmall = 100e6;

// Two steps on the card, with what they take of it.
profiles::ProfileSetPtr on_card() {
  profiles::ProfileSet set =
      *network({{"large", 0.95, 20.0, 20.0, 20.0, 0.0, "gpu"}, {"small", 0.80, 4.0, 20.0, 10.0, 0.0, "gpu"}});
  set.variants[0].device_memory = Bytes(kLarge);
  set.variants[1].device_memory = Bytes(kSmall);
  return std::make_shared<const profiles::ProfileSet>(std::move(set));
}

scheduler::Snapshot with_card(std::vector<scheduler::Task> tasks) {
  scheduler::Snapshot snapshot = scene(std::move(tasks));
  scheduler::Processor gpu = snapshot.processors.front();
  gpu.id = ProcessorId("gpu");
  gpu.memory = "gpu0";
  gpu.context = Bytes(5e6);
  gpu.device_context = Bytes(50e6);
  snapshot.processors.push_back(gpu);
  return snapshot;
}

scheduler::Snapshot limited_to(scheduler::Snapshot snapshot, double bytes) {
  snapshot.limits.memories["gpu0"] = Bytes(bytes);
  return snapshot;
}

TEST(DeviceMemories, AreReservedApartFromTheHostsAndContextsOnce) {
  auto base = with_card({camera("a", 10, on_card()), camera("b", 10, on_card())});
  base.limits.memory = Bytes(45e6);
  SimulatedRun run(limited_to(base, 2 * kLarge + 50e6));
  run.run_until(at_ms(1000));
  EXPECT_EQ(run.controller().serving(0), 0U);
  EXPECT_EQ(run.controller().serving(1), 0U) << "the host's limit is not exceeded by what the card holds";
  EXPECT_EQ(run.controller().memory().used().of(0), Bytes(45e6));
  EXPECT_EQ(run.controller().memory().used().of(1), Bytes(2 * kLarge + 50e6));
  run.shut_down();
}

TEST(DeviceMemories, AnExchangeThatDoesNotFitOnTheCardLetsGoFirst) {
  const auto base = with_card({camera("a", 10, on_card())});
  auto small = limited_to(base, kLarge + 50e6);
  small.tasks[0].max_frame_time = Seconds(0.01);
  SimulatedRun run(small);
  run.run_until(at_ms(500));
  EXPECT_EQ(run.controller().serving(0), 1U);
  run.change(at_ms(500), limited_to(base, kLarge + 50e6));
  run.run_until(at_ms(1500));
  EXPECT_EQ(run.controller().serving(0), 0U);
  EXPECT_LE(run.controller().memory().peak().of(1), Bytes(kLarge + 50e6)) << "never both";
  ASSERT_FALSE(run.controller().switches().empty());
  EXPECT_FALSE(run.controller().switches().back().both_fit);
  run.shut_down();
}

TEST(DeviceMemories, AnExchangeThatFitsOnTheCardIsNotHeldBackByTheHost) {
  const auto base = with_card({camera("a", 10, on_card())});
  auto small = limited_to(base, kLarge + kSmall + 50e6);
  small.limits.memory = Bytes(45e6);
  auto large = small;
  small.tasks[0].max_frame_time = Seconds(0.01);
  SimulatedRun run(small);
  run.change(at_ms(500), large);
  run.run_until(at_ms(1500));
  EXPECT_EQ(run.controller().serving(0), 0U);
  EXPECT_TRUE(run.controller().switches().back().both_fit);
  EXPECT_EQ(run.controller().memory().peak().of(1), Bytes(kLarge + kSmall + 50e6));
  run.shut_down();
}

TEST(DeviceMemories, OnlyEnginesOfTheMemoryThatIsExceededAreLetGo) {
  const auto base = limited_to(with_card({camera("a", 10, on_card(), 1), camera("b", 10, ladder())}), 500e6);
  SimulatedRun run(base);
  bool dumb = false;
  run.solver_gives_nothing = [&] { return dumb; };
  run.at(at_ms(1000), [&] { dumb = true; });
  run.change(at_ms(1000), limited_to(base, 200e6));
  run.run_until(at_ms(3000));
  EXPECT_EQ(run.controller().serving(0), std::nullopt);
  EXPECT_EQ(run.controller().serving(1), 0U) << "of a lower class, but it holds nothing of the card";
  EXPECT_LE(run.controller().memory().used().of(1), Bytes(200e6));
  dumb = false;
  run.run_until(at_ms(10'000));
  EXPECT_EQ(run.controller().serving(0), 1U) << "a plan brings it back, smaller";
  run.shut_down();
}

TEST(DeviceMemories, WhatIsNotMeasuredIsSaidWhenItLoads) {
  profiles::ProfileSet set = *on_card();
  for (profiles::Variant& variant : set.variants) variant.device_memory.reset();
  SimulatedRun run(with_card({camera("a", 10, std::make_shared<const profiles::ProfileSet>(set))}));
  run.run_until(at_ms(500));
  EXPECT_EQ(run.reports("load", "device memory not measured, counted as 0"), 1U);
  run.shut_down();
}

}  // namespace
}  // namespace saccade::test::memories_test
