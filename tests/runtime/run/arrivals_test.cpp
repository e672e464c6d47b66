// Recorded arrivals: against counting them one by one, and in a simulated run.
#include "runtime/run/arrivals.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ilp/core_solver.hpp"
#include "runtime/simulation/simulated_shell.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::runtime {
namespace {

Duration ms(std::int64_t time) { return std::chrono::milliseconds(time); }

ReplaySource replay_of(std::vector<Duration> times, bool loop) {
  ReplaySource source;
  source.loop = loop;
  source.arrivals = std::make_shared<const std::vector<Duration>>(std::move(times));
  return source;
}

TEST(Arrivals, ATickTakesWhatCameSinceTheOneBefore) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Duration> times;
    for (int i = 0; i < 1 + static_cast<int>(random() % 20); ++i)
      times.push_back(ms(static_cast<int>(random() % 1000)));
    std::sort(times.begin(), times.end());
    const bool loop = round % 2 == 0;
    const ReplaySource source = replay_of(times, loop);
    Arrivals arrivals(source);
    // All that there will be in the time looked at.
    std::vector<Duration> all = times;
    while (loop && times.back() > Duration(0) && all.back() < ms(4000)) {
      const Duration begin = all.back();
      for (const Duration time : times) all.push_back(begin + time);
    }
    Duration before = ms(-1);
    for (Duration at = ms(0); at < ms(3000); at += ms(1 + static_cast<int>(random() % 150))) {
      const bool came =
          std::any_of(all.begin(), all.end(), [&](Duration time) { return time > before && time <= at; });
      ASSERT_EQ(arrivals.take(at), came) << "round " << round << " at " << at.count();
      before = at;
    }
  }
}

TEST(Arrivals, ARecordingThatDoesNotBeginAgainEnds) {
  Arrivals once(replay_of({ms(100), ms(200)}, false));
  EXPECT_TRUE(once.take(ms(200)));
  EXPECT_FALSE(once.ended(ms(200)));
  EXPECT_TRUE(once.ended(ms(201)));
  Arrivals again(replay_of({ms(100), ms(200)}, true));
  (void)again.take(ms(200));
  EXPECT_FALSE(again.ended(ms(1000)));
}

TEST(Arrivals, ASimulatedRunReceivesWhatArrived) {
  RunConfig config = test::run_config({test::state_at(
      0.0, 1, 20.0, 1e9, std::make_shared<const profiles::ProfileSet>(test::two_variants()))});
  std::vector<Duration> times;
  for (int i = 1; i <= 100; ++i) times.push_back(ms(190 * i));
  config.tasks[0].source = replay_of(times, false);
  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
  const auto shell = SimulatedShell::open(config, *policy, {}, {}).value();
  shell->begin();
  shell->run_until(std::chrono::seconds(10));
  const TaskFrames& frames = shell->desk().ledger().task(0);
  EXPECT_EQ(frames.received, 52) << "of 200 ticks";
  EXPECT_EQ(frames.demanded, 200);
  EXPECT_EQ(shell->finish().breach, std::nullopt);
}

}  // namespace
}  // namespace saccade::runtime
