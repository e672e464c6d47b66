#include "config/partition.hpp"

#include <gtest/gtest.h>

namespace saccade::config {
namespace {

profiles::Device device(const std::string& kind, int threads) {
  profiles::Device device;
  device.processors = {ProcessorId(kind)};
  if (threads > 1) device.threads[ProcessorId(kind)] = threads;
  return device;
}

using Cpus = std::vector<std::vector<int>>;
const Cpus kFourCores{{0, 4}, {1, 5}, {2, 6}, {3, 7}};

TEST(Partition, TakesOneCpuOfEveryCore) {
  EXPECT_EQ(partition(kFourCores, device("cpu", 1))->cpus, (Cpus{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(partition(kFourCores, device("cpu-x2", 2))->cpus, (Cpus{{0, 1}, {2, 3}}));
  EXPECT_EQ(partition(kFourCores, device("cpu-x4", 4))->cpus, (Cpus{{0, 1, 2, 3}}));
  EXPECT_EQ(partition(kFourCores, device("cpu-x2", 2))->kind, ProcessorId("cpu-x2"));
}

TEST(Partition, LeavesFreeWhatIsLeftOver) {
  EXPECT_EQ(partition(kFourCores, device("cpu-x3", 3))->cpus, (Cpus{{0, 1, 2}}));
  EXPECT_FALSE(partition(kFourCores, device("cpu-x5", 5)).has_value());
}

scheduler::Plan plan(scheduler::PlanStatus status, double lost, double value) {
  scheduler::Plan plan;
  plan.status = status;
  plan.loss = {{.priority = 0, .weight_off = 0.0, .weighted_fps = lost}};
  plan.objective_value = value;
  return plan;
}

TEST(Partition, ServesBetterByLossThenObjectiveThenRoom) {
  using scheduler::PlanStatus;
  const scheduler::Plan good = plan(PlanStatus::optimal, 0.0, 0.9);
  EXPECT_TRUE(serves_better(good, 0.5, plan(PlanStatus::infeasible, 0.0, 1.0), 0.1));
  EXPECT_TRUE(serves_better(good, 0.9, plan(PlanStatus::degraded, 3.0, 1.0), 0.1));
  EXPECT_TRUE(serves_better(good, 0.9, plan(PlanStatus::optimal, 0.0, 0.8), 0.1));
  EXPECT_TRUE(serves_better(good, 0.5, good, 0.6));
  EXPECT_FALSE(serves_better(good, 0.5, good, 0.5));
  scheduler::Plan lean = plan(PlanStatus::optimal, 0.0, 20e6), fat = plan(PlanStatus::optimal, 0.0, 30e6);
  lean.objective = fat.objective = scheduler::Objective::min_memory;
  EXPECT_TRUE(serves_better(lean, 0.5, fat, 0.5));
  EXPECT_FALSE(serves_better(fat, 0.5, lean, 0.5));
}

}  // namespace
}  // namespace saccade::config
