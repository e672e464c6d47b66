// A decision that is stopped: it ends soon wherever it is, counted in looks at the stop predicate instead of
// time, what comes back is honest, and what was found before is not lost.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "ilp/core_solver.hpp"
#include "scheduler/explain.hpp"
#include "scheduler/plan_check.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/relaxations.hpp"
#include "tests/scheduler/scene.hpp"

namespace saccade::scheduler::stopping_test {
namespace {

using test::Scene;

// After the stop every question that is still asked hears it; a small one looks some fifty times while it
// ends what a millisecond is enough for.
constexpr std::int64_t kFewLooks = 200;

// A thousand tasks, each with a profile set of its own; `load`: of the processor, at the quickest variants.
Snapshot crowd(double load) {
  constexpr std::size_t kTasks = 1000, kVariants = 12;
  Scene scene;
  scene.cpu();
  Snapshot& snapshot = scene.snapshot;
  snapshot.limits.memory = Bytes(kTasks * 20e6);
  for (std::size_t i = 0; i < kTasks; ++i) {
    profiles::ProfileSet set;
    for (std::size_t v = 0; v < kVariants; ++v) {
      profiles::Variant variant;
      variant.id = VariantId(std::to_string(v));
      variant.accuracy = 0.6 + 0.02 * static_cast<double>(v) + 1e-4 * static_cast<double>(i % 37);
      variant.frame_time[ProcessorId("cpu")] = Seconds(1e-4 * static_cast<double>(1 + v * v + i % 5));
      variant.memory = Bytes(1e6 * static_cast<double>(5 + 3 * v + i % 7));
      set.variants.push_back(std::move(variant));
    }
    Task task;
    task.id = TaskId("t" + std::to_string(i));
    task.profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
    task.priority = static_cast<int>(i % 3);
    task.min_accuracy = i % 10 == 0 ? std::optional(0.75) : std::nullopt;
    snapshot.tasks.push_back(std::move(task));
  }
  double quickest = 0.0;
  for (const Task& task : snapshot.tasks) {
    quickest += task.profiles->variants[task.min_accuracy ? 8 : 0].frame_time.begin()->second.value();
  }
  for (Task& task : snapshot.tasks) task.demand = Fps(load / quickest);
  return snapshot;
}

Plan decide(const Snapshot& snapshot, const std::function<bool()>& stop) {
  const ilp::CoreSolver solver;
  return make_policy(PolicyKind::transprecision, solver)->decide(snapshot, {.stop = stop});
}

struct StoppingTest : ::testing::TestWithParam<std::pair<double, Degrade>> {};

TEST_P(StoppingTest, EndsWithinFewLooksWhereverTheStopComes) {
  Snapshot snapshot = crowd(GetParam().first);
  snapshot.degrade = GetParam().second;
  std::int64_t whole = 0;
  static_cast<void>(decide(snapshot, [&whole] { return ++whole > 3'000; }));
  EXPECT_GT(whole, 3) << "it does not look often enough";
  std::int64_t reached = 0;
  for (std::int64_t stop_at = 1; stop_at <= std::min<std::int64_t>(whole, 3'000);
       stop_at = stop_at * 3 / 2 + 1) {
    SCOPED_TRACE("stopped at look " + std::to_string(stop_at));
    std::int64_t looks = 0;
    const Plan plan = decide(snapshot, [&looks, stop_at] { return ++looks >= stop_at; });
    EXPECT_LE(looks, stop_at + kFewLooks);
    reached += looks >= stop_at ? 1 : 0;
    const Plan* const runs = runnable(plan);
    if (runs == &plan) {
      EXPECT_TRUE(check_plan(snapshot, plan).empty());
      EXPECT_TRUE(plan.loss_gap == 0.0 || plan.status == PlanStatus::degraded);
    }
  }
  EXPECT_GT(reached, 0);
}

INSTANTIATE_TEST_SUITE_P(Crowds, StoppingTest,
                         ::testing::Values(std::pair{0.5, Degrade::exact}, std::pair{1.6, Degrade::exact},
                                           std::pair{1.6, Degrade::step}, std::pair{1.6, Degrade::refuse}));

// Its first answers are whole, later ones what a stopped solver owes: the start, if there is one.
class StoppedSolver final : public ilp::ChoiceSolver {
 public:
  explicit StoppedSolver(int calls) : left_(calls) {}
  [[nodiscard]] const char* name() const override { return "stopped"; }
  [[nodiscard]] ilp::ChoiceResult solve(const ilp::ChoiceProblem& problem,
                                        const ilp::SolveLimits& limits) const override {
    if (left_-- > 0) return ilp::CoreSolver().solve(problem, limits);
    ilp::ChoiceResult result;
    result.limit = ilp::Limit::stop;
    if (!limits.start || !ilp::feasible(problem, *limits.start)) return result;
    result.verdict = ilp::Verdict::feasible;
    result.picks = *limits.start;
    result.evaluation = ilp::evaluate(problem, result.picks);
    return result;
  }

 private:
  mutable int left_;
};

// Two tasks that may not both stay: first that is found out, then which of them can, then the best plan.
TEST(StoppedWhileHolding, WhichTasksStayIsNotForgotten) {
  Scene scene;
  scene.cpu();
  scene.snapshot.min_dwell = Seconds(5.0);
  for (const char* id : {"a", "b"}) {
    scene.task(id, 20).variant("small", 0.8, 5).variant("big", 0.9, 40);
    scene.last().running = 1;
    scene.last().since_switch = Seconds(1.0);
  }
  scene.task("c", 10).variant("v", 0.9, 5);
  const StoppedSolver solver(2);
  const Plan plan = make_policy(PolicyKind::transprecision, solver)->decide(scene.snapshot, {});
  ASSERT_EQ(runnable(plan), &plan);
  EXPECT_EQ(*plan.tasks[0].variant + *plan.tasks[1].variant, 1U);
}

TEST(FitWholeDemand, TellsFittingFromNotKnowing) {
  Scene scene;
  scene.cpu().task("gate", 10).variant("v", 0.9, 5);
  EXPECT_TRUE(fit_whole_demand(scene.snapshot, StoppedSolver(1), {})->empty());
  EXPECT_FALSE(fit_whole_demand(scene.snapshot, StoppedSolver(0), {}).has_value());
  scene.last().demand = Fps(1000.0);
  EXPECT_FALSE(fit_whole_demand(scene.snapshot, ilp::CoreSolver(), {})->empty());
}

}  // namespace
}  // namespace saccade::scheduler::stopping_test
