// A lost source: its task is planned for as if it were not demanded, and is back without a load. And tasks
// that are removed while engines are being loaded. The camera falls silent; the frame desk detects that
// after a second and the second of two polls, 100 ms apart.
#include <gtest/gtest.h>

#include "tests/support/simulated_run.hpp"

namespace saccade::test::source_loss_test {
namespace {

using namespace runtime;

// Room for one large network of two.
scheduler::Snapshot two_cameras(std::optional<double> memory_mb = std::nullopt) {
  const auto variants = network({{"small", 0.8, 10.0, 5, 20}, {"large", 0.95, 30.0, 10, 20}});
  return scene({camera("a", 20, variants), camera("b", 20, variants)}, 1.0, memory_mb);
}

TEST(SourceLoss, ItsBudgetGoesToTheOthersAndItIsBackWithoutALoad) {
  SimulatedRun run(two_cameras());
  run.run_until(at_ms(1000));
  const TaskIndex small = run.controller().serving(0) == 0U ? 0 : 1;
  const TaskIndex large = 1 - small;
  ASSERT_EQ(run.controller().serving(large), 1U);
  bool delivers = false;
  run.camera_delivers = [&](TaskIndex task) { return task != large || delivers; };
  run.run_until(at_ms(2500));  // its last frame came at 950 ms: it is lost at 2100 ms
  EXPECT_EQ(run.controller().serving(large), std::nullopt);
  EXPECT_EQ(run.controller().serving(small), 1U) << "it has the processor for itself";
  EXPECT_EQ(run.controller().plan()->tasks[large].granted, Fps(0.0));
  EXPECT_EQ(run.reports("park"), 2U - 1U) << "kept for its source, though there is no warm cache";

  const std::size_t loads = run.loads();
  delivers = true;
  run.run_until(at_ms(2535));  // with its next frame, at 2500 or 2525 ms
  EXPECT_EQ(run.loads(), loads + 1) << "the other one's small network";
  run.run_until(at_ms(3000));
  EXPECT_EQ(run.controller().serving(large).value_or(9) + run.controller().serving(small).value_or(9), 1U);
  EXPECT_EQ(run.loads(), loads + 1);
  EXPECT_EQ(run.controller().reserved(), Bytes(15e6)) << "nothing is left over";
}

TEST(SourceLoss, AnEngineThatWaitsMakesWayWhenItsMemoryIsNeeded) {
  SimulatedRun run(two_cameras(16.0));  // one large and one small
  run.run_until(at_ms(1000));
  const TaskIndex large = run.controller().serving(0) == 1U ? 0 : 1;
  run.camera_delivers = [&](TaskIndex task) { return task != large; };
  run.run_until(at_ms(3000));
  EXPECT_EQ(run.controller().serving(1 - large), 1U);
  EXPECT_EQ(run.controller().reserved(), Bytes(10e6));
}

TEST(SourceLoss, NobodyPlansWithoutATaskThatIsNotDemanded) {
  scheduler::Snapshot off = two_cameras();
  off.tasks[0].demand = Fps(0.0);
  SimulatedRun run(off);
  run.run_until(at_ms(1000));
  const std::size_t solves = run.solves();
  run.send(at_ms(1000), event::SourceLost{0});  // it was lost before its demand went
  run.run_until(at_ms(2000));
  EXPECT_EQ(run.solves(), solves);
  run.change(at_ms(2000), two_cameras());
  run.run_until(at_ms(3000));
  EXPECT_TRUE(run.controller().serving(0).has_value());
}

TEST(Removal, TakesTheEngineOutAtOnceWithoutAPlan) {
  SimulatedRun run(two_cameras());
  run.run_until(at_ms(1000));
  run.solver_gives_nothing = [] { return true; };
  run.remove(at_ms(1000), 0);
  run.run_until(at_ms(1100));
  EXPECT_EQ(run.controller().serving(0), std::nullopt);
  EXPECT_TRUE(run.controller().serving(1).has_value());
}

TEST(Removal, InTheMiddleOfATransitionEndsItAndLeavesNothingBehind) {
  for (double when = 1001.0; when < 1080.0; when += 3.0) {
    RuntimeOptions options;
    options.warm_cache = Bytes(100e6);
    SimulatedRun run(two_cameras(), options);
    scheduler::Snapshot lean = two_cameras();
    lean.objective = scheduler::Objective::min_memory;
    run.change(at_ms(1000), lean);
    run.remove(at_ms(when), 1);
    run.run_until(at_ms(3000));
    EXPECT_TRUE(run.controller().settled()) << when;
    EXPECT_EQ(run.controller().serving(1), std::nullopt) << when;
    EXPECT_LE(run.controller().reserved(), Bytes(15e6)) << when << ": what was parked for it is gone";
  }
}

}  // namespace
}  // namespace saccade::test::source_loss_test
