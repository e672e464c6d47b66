// Tasks that replace one another for as long as the run lasts leave nothing behind.
#include <gtest/gtest.h>

#include <unistd.h>
#include <fstream>

#include "ilp/core_solver.hpp"
#include "runtime/simulation/simulated_shell.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kLife = std::chrono::milliseconds(200);  // of each task

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double total = 0.0;
  double resident = 0.0;
  statm >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// One task that stays, and one that is the `i`-th of its kind; each with a profile set of its own.
RunConfig config_with(int i) {
  profiles::ProfileSet set = test::two_variants();
  set.network += std::to_string(i);
  TimelineState state =
      test::state_at(0.0, 2, 20.0, 100e6, std::make_shared<const profiles::ProfileSet>(set));
  static const auto stays = std::make_shared<const profiles::ProfileSet>(test::two_variants());
  state.snapshot.tasks[0].profiles = stays;
  state.snapshot.tasks[0].id = TaskId("stays");
  state.snapshot.tasks[1].id = TaskId("guest-" + std::to_string(i));
  return test::run_config({state});
}

struct Churn {
  explicit Churn(int replaced) {
    const ilp::CoreSolver solver;
    const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
    auto shell = SimulatedShell::open(config_with(0), *policy, {}, {}).value();
    shell->begin();
    Duration now{0};
    for (int i = 1; i <= replaced; ++i) {
      shell->run_until(now += kLife);
      const auto taken = shell->reconfigure(config_with(i));
      if (!taken.ok()) ADD_FAILURE() << to_string(taken.errors());
      if (i == replaced / 10) resident = resident_bytes();
      served += shell->desk().ledger().task_count() > 0 ? 1 : 0;
    }
    shell->run_until(now += kLife);
    indices = shell->desk().ledger().task_count();
    grown = resident_bytes() - resident;
    result = shell->finish();
  }

  double resident = 0.0;
  double grown = 0.0;
  std::size_t indices = 0;
  int served = 0;
  SimulationResult result;
};

TEST(Churn, TenThousandTasksOneAfterTheOtherLeaveNoMemoryBehind) {
  const Churn churn(10'000);
  EXPECT_EQ(churn.result.breach ? churn.result.breach->invariant + ": " + churn.result.breach->found : "",
            "");
  EXPECT_LE(churn.indices, 2 + 8 + 2U) << "the two that exist, the last removed, and what is being settled";
#ifndef SACCADE_SANITIZED  // it keeps the memory that was freed
  EXPECT_LE(churn.grown, 5e6);
#endif
}

TEST(Churn, TheSummaryCountsTheFramesOfTasksThatItNoLongerLists) {
  const Churn churn(50);
  const RunSummary& summary = churn.result.summary;
  EXPECT_EQ(summary.forgotten.tasks + static_cast<std::int64_t>(summary.tasks.size()), 52);
  std::int64_t guests = summary.forgotten.processed;
  for (const TaskSummary& task : summary.tasks) {
    if (task.id.str() != "stays") guests += task.processed;
  }
  // 51 of them for 0.2 s at 20 fps; each may miss its first frames while its engine loads.
  EXPECT_GE(guests, 51 * 2);
  EXPECT_LE(guests, 51 * 5);
  EXPECT_GT(summary.forgotten.processed, 0);
}

TEST(Churn, TheSameChangesGiveTheSameHash) { EXPECT_EQ(Churn(30).result.hash, Churn(30).result.hash); }

}  // namespace
}  // namespace saccade::runtime
