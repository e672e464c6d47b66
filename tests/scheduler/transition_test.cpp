// Shares of time while engines load. Laws on random instances:
//   - no budget is exceeded; a ready task has its target rate; a task without an engine has rate 0;
//   - no task above its need;
//   - max-min: a task below its need uses a full processor on which no waiting task has a larger share
//     of time; equal: every task has at most its slot, and all of it unless it needs less.
#include "scheduler/transition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/random_snapshot.hpp"

namespace saccade::scheduler {
namespace {

using test::RandomSnapshots;

struct Instance {
  std::vector<double> budgets;
  std::vector<TransitionTask> tasks;
};

double time_of(const TransitionTask& task) {
  double sum = 0.0;
  for (const Seconds time : task.serving_time) sum += time.value();
  return sum;
}

Instance random_instance(RandomSnapshots& random) {
  Instance instance;
  const std::size_t processors = 1 + random.below(3);
  for (std::size_t p = 0; p < processors; ++p) instance.budgets.push_back(random.between(0.5, 1.0, 0.05));
  std::vector<double> left = instance.budgets;
  const std::size_t tasks = 1 + random.below(7);
  for (std::size_t i = 0; i < tasks; ++i) {
    TransitionTask task;
    for (std::size_t p = 0; p < processors; ++p) {
      task.serving_time.push_back(Seconds(random.chance(0.4) ? random.between(0.001, 0.05, 0.001) : 0.0));
    }
    task.serving_time[random.below(processors)] = Seconds(random.between(0.001, 0.05, 0.001));
    task.has_engine = random.chance(0.8);
    task.ready = task.has_engine && random.chance(0.4);
    task.old_need = Fps(random.between(1, 30, 1));
    double fitting = task.old_need.value();
    for (std::size_t p = 0; p < processors; ++p) {
      if (task.serving_time[p] > Seconds(0.0))
        fitting = std::min(fitting, std::max(0.0, left[p]) / task.serving_time[p].value());
    }
    task.target = Fps(fitting * random.between(0.0, 1.0, 0.1));  // the target plan fits
    if (task.ready) {
      for (std::size_t p = 0; p < processors; ++p) left[p] -= task.serving_time[p] * task.target;
    }
    instance.tasks.push_back(std::move(task));
  }
  return instance;
}

std::vector<double> used(const Instance& instance, const std::vector<Fps>& rates) {
  std::vector<double> sums(instance.budgets.size(), 0.0);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    for (std::size_t p = 0; p < sums.size(); ++p) sums[p] += instance.tasks[i].serving_time[p] * rates[i];
  }
  return sums;
}

class TransitionShares : public ::testing::TestWithParam<Shares> {};
INSTANTIATE_TEST_SUITE_P(Rules, TransitionShares, ::testing::Values(Shares::max_min, Shares::equal),
                         [](const auto& param) { return std::string(to_string(param.param)); });

TEST_P(TransitionShares, NeverExceedABudgetNorANeed) {
  RandomSnapshots random(8);
  for (int n = 0; n < 3000; ++n) {
    const Instance instance = random_instance(random);
    const std::vector<Fps> rates = transition_rates(instance.budgets, instance.tasks, GetParam());
    ASSERT_EQ(rates.size(), instance.tasks.size());
    const std::vector<double> sums = used(instance, rates);
    for (std::size_t p = 0; p < sums.size(); ++p) EXPECT_LE(sums[p], instance.budgets[p] * (1 + 1e-9));
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const TransitionTask& task = instance.tasks[i];
      EXPECT_GE(rates[i].value(), 0.0);
      if (task.ready) {
        EXPECT_EQ(rates[i], task.target);
      } else if (!task.has_engine) {
        EXPECT_EQ(rates[i].value(), 0.0);
      } else {
        EXPECT_LE(rates[i], task.old_need);
      }
    }
  }
}

TEST(MaxMinShares, LeaveNoTaskShortWhileAnotherHasMoreOfTheSameProcessor) {
  RandomSnapshots random(9);
  int short_tasks = 0;
  for (int n = 0; n < 3000; ++n) {
    const Instance instance = random_instance(random);
    const std::vector<Fps> rates = transition_rates(instance.budgets, instance.tasks, Shares::max_min);
    const std::vector<double> sums = used(instance, rates);
    const auto share = [&](std::size_t i) { return time_of(instance.tasks[i]) * rates[i].value(); };
    const auto waits = [&](std::size_t i) {
      return instance.tasks[i].has_engine && !instance.tasks[i].ready;
    };
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (!waits(i) || rates[i] >= instance.tasks[i].old_need * (1 - 1e-9)) continue;
      ++short_tasks;
      bool bottleneck = false;
      for (std::size_t p = 0; p < sums.size(); ++p) {
        if (instance.tasks[i].serving_time[p] <= Seconds(0.0)) continue;
        bool largest = sums[p] >= instance.budgets[p] * (1 - 1e-9);
        for (std::size_t j = 0; j < rates.size(); ++j) {
          const bool here = waits(j) && instance.tasks[j].serving_time[p] > Seconds(0.0);
          if (here && share(j) > share(i) * (1 + 1e-9) + 1e-12) largest = false;
        }
        bottleneck = bottleneck || largest;
      }
      EXPECT_TRUE(bottleneck);
    }
  }
  EXPECT_GT(short_tasks, 1000);
}

TEST(EqualShares, GiveEveryTaskThatLoadsTheSameSlotEvenOneWithoutAnEngine) {
  const std::vector<double> budgets = {0.9};
  TransitionTask keeps{.serving_time = {Seconds(0.01)},
                       .has_engine = true,
                       .ready = true,
                       .target = Fps(30),
                       .old_need = Fps(30)};
  TransitionTask small{.serving_time = {Seconds(0.01)},
                       .has_engine = true,
                       .ready = false,
                       .target = Fps(5),
                       .old_need = Fps(5)};
  TransitionTask large{.serving_time = {Seconds(0.05)},
                       .has_engine = true,
                       .ready = false,
                       .target = Fps(30),
                       .old_need = Fps(30)};
  TransitionTask fresh{.serving_time = {Seconds(0.0)},
                       .has_engine = false,
                       .ready = false,
                       .target = Fps(30),
                       .old_need = Fps(0)};
  const std::vector<TransitionTask> tasks = {keeps, small, large, fresh};
  const std::vector<Fps> equal = transition_rates(budgets, tasks, Shares::equal);
  EXPECT_NEAR(equal[1].value(), 5.0, 1e-12);
  EXPECT_NEAR(equal[2].value(), 0.2 / 0.05, 1e-9);  // a slot of (0.9 - 0.3) / 3
  const std::vector<Fps> fair = transition_rates(budgets, tasks, Shares::max_min);
  EXPECT_NEAR(fair[2].value(), 0.55 / 0.05, 1e-9);  // all that is left
}

TEST(Shares, AreReadBackAsTheyAreWritten) {
  for (const Shares shares : {Shares::max_min, Shares::equal})
    EXPECT_EQ(shares_from(to_string(shares)), shares);
  EXPECT_FALSE(shares_from("fair").has_value());
}

}  // namespace
}  // namespace saccade::scheduler
