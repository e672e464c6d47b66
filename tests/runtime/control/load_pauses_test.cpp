// Pauses between loads on a device: kept while something serves there, by loads of that device alone, and by
// none where nothing is disturbed. The simulation's invariants hold every load to them as well.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "tests/support/simulated_run.hpp"

namespace saccade::test {
namespace {

using namespace runtime;

constexpr double kPause = 0.25;

profiles::ProfileSetPtr on(const std::string& processor) {
  profiles::ProfileSet set = *network(
      {{"large", 0.95, 20.0, 20.0, 20.0, 0.0, processor}, {"small", 0.80, 4.0, 20.0, 10.0, 0.0, processor}});
  if (processor != "cpu") {
    for (profiles::Variant& variant : set.variants) variant.device_memory = Bytes(100e6);
  }
  set.device.processors = {ProcessorId("cpu"), ProcessorId("gpu"), ProcessorId("gpu-second")};
  return std::make_shared<const profiles::ProfileSet>(std::move(set));
}

// "cpu", and "gpu" and "gpu-second" on one card.
scheduler::Snapshot with_card(std::vector<scheduler::Task> tasks) {
  scheduler::Snapshot snapshot = scene(std::move(tasks));
  for (const char* name : {"gpu", "gpu-second"}) {
    snapshot.processors.push_back(snapshot.processors.front());
    snapshot.processors.back().id = ProcessorId(name);
    snapshot.processors.back().memory = "gpu0";
  }
  return snapshot;
}

struct Paused {
  explicit Paused(const scheduler::Snapshot& first, const std::vector<double>& pauses = {0.0, kPause, 0.0},
                  const std::vector<std::size_t>& standbys = {})
      : run(first, {}, scheduler::PolicyKind::transprecision, standbys, pauses) {
    run.load_fate = [this](TaskIndex task, auto) {
      loaded.push_back(task);
      return LoadFate::good;
    };
  }
  [[nodiscard]] std::size_t loads() const { return run.loads(); }
  [[nodiscard]] double apart(std::size_t earlier, std::size_t later) const {  // seconds
    return to_seconds(run.load_begins().at(later) - run.load_begins().at(earlier)).value();
  }
  SimulatedRun run;
  std::vector<TaskIndex> loaded;  // which task each load was for
};

TEST(LoadPauses, TheNextLoadOnADeviceBeginsThatLongAfterTheEndOfTheLastOne) {
  Paused paused(
      with_card({camera("a", 10, on("gpu")), camera("b", 10, on("gpu")), camera("c", 10, on("gpu-second"))}));
  paused.run.run_until(at_ms(2000));
  ASSERT_EQ(paused.loads(), 3U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GE(paused.apart(i, i + 1), kPause) << "processors that share a memory share the pause";
    EXPECT_LT(paused.apart(i, i + 1), kPause + 0.03) << "and it is no longer than that";
  }
  EXPECT_TRUE(paused.run.controller().settled());
  paused.run.shut_down();
}

TEST(LoadPauses, WithoutOneLoadsFollowEachOther) {
  Paused none(with_card({camera("a", 10, on("gpu")), camera("b", 10, on("gpu"))}), {0.0, 0.0, 0.0});
  none.run.run_until(at_ms(2000));
  ASSERT_EQ(none.loads(), 2U);
  EXPECT_LT(none.apart(0, 1), 0.03);
  none.run.shut_down();
}

TEST(LoadPauses, LoadsOfTheHostDoNotPause) {
  Paused paused(with_card({camera("a", 10, on("cpu")), camera("b", 10, on("cpu"))}),
                {kPause, kPause, kPause});
  paused.run.run_until(at_ms(2000));
  ASSERT_EQ(paused.loads(), 2U);
  EXPECT_LT(paused.apart(0, 1), 0.03) << "a pause is of a device";
  paused.run.shut_down();
}

TEST(LoadPauses, ThePauseOfOneDeviceHoldsBackNoLoadOfAnother) {
  scheduler::Snapshot two =
      with_card({camera("a", 10, on("gpu")), camera("b", 10, on("gpu")), camera("c", 10, on("gpu-second")),
                 camera("d", 10, on("gpu-second")), camera("e", 10, on("cpu"))});
  two.processors.back().memory = "gpu1";
  Paused paused(two, {0.0, kPause, kPause});
  paused.run.run_until(at_ms(2000));
  ASSERT_EQ(paused.loaded, (std::vector<TaskIndex>{0, 2, 4, 1, 3}));
  EXPECT_LT(paused.apart(0, 2), kPause);
  EXPECT_GE(paused.apart(0, 3), kPause) << "its own";
  EXPECT_GE(paused.apart(1, 4), kPause) << "its own";
  EXPECT_LT(paused.apart(0, 4), 2 * kPause) << "both at the same time";
  paused.run.shut_down();
}

profiles::ProfileSetPtr loaded_in(double seconds, const std::string& processor) {
  profiles::ProfileSet set = *on(processor);
  for (profiles::Variant& variant : set.variants) variant.load_time = Seconds(seconds);
  return std::make_shared<const profiles::ProfileSet>(std::move(set));
}

TEST(LoadPauses, ALessUrgentLoadUsesThePauseOfAMoreUrgentOneIfItIsOverByThen) {
  const auto tasks_with = [](double seconds) {
    return with_card({camera("a", 10, on("gpu"), 1), camera("b", 10, on("gpu"), 1),
                      camera("c", 10, loaded_in(seconds, "cpu"))});
  };
  Paused brief(tasks_with(kPause / 2));
  brief.run.run_until(at_ms(2000));
  ASSERT_EQ(brief.loaded, (std::vector<TaskIndex>{0, 2, 1}));
  EXPECT_LT(brief.apart(0, 2), kPause + 0.03) << "and delays it by nothing";
  brief.run.shut_down();
  Paused lengthy(tasks_with(2 * kPause));
  lengthy.run.run_until(at_ms(2000));
  EXPECT_EQ(lengthy.loaded, (std::vector<TaskIndex>{0, 1, 2}));
  lengthy.run.shut_down();
}

TEST(LoadPauses, WhereNothingServesNoLoadPauses) {
  Paused paused(with_card({camera("a", 10, on("gpu"))}));
  int failures = 1;
  paused.run.load_fate = [&](auto, auto) { return failures-- > 0 ? LoadFate::fails : LoadFate::good; };
  paused.run.run_until(at_ms(2000));
  ASSERT_GE(paused.loads(), 2U);
  EXPECT_LT(paused.apart(0, 1), kPause) << "the other variant, for a task that loses every frame";
  paused.run.shut_down();
}

TEST(LoadPauses, AFailedLoadIsFollowedByThePauseAsWell) {
  Paused paused(with_card({camera("a", 10, on("gpu"), 1), camera("b", 10, on("gpu"))}));
  paused.run.load_fate = [](TaskIndex task, auto) { return task == 1 ? LoadFate::fails : LoadFate::good; };
  paused.run.run_until(at_ms(3000));
  ASSERT_GE(paused.loads(), 3U);
  for (std::size_t i = 0; i + 1 < paused.loads(); ++i) EXPECT_GE(paused.apart(i, i + 1), kPause);
  paused.run.shut_down();
}

TEST(LoadPauses, AnExchangeLosesNoFrameForIt) {
  const auto base = with_card({camera("a", 10, on("gpu")), camera("b", 10, on("gpu"))});
  auto small = base;
  for (scheduler::Task& task : small.tasks) task.max_frame_time = Seconds(0.01);
  Paused paused(base);
  paused.run.run_until(at_ms(1000));
  const std::int64_t before = paused.run.frames(0).dropped_total() + paused.run.frames(1).dropped_total();
  paused.run.change(at_ms(1000), small);
  paused.run.run_until(at_ms(3000));
  EXPECT_EQ(paused.run.controller().serving(0), 1U);
  EXPECT_EQ(paused.run.controller().serving(1), 1U);
  ASSERT_EQ(paused.loads(), 4U);
  EXPECT_GE(paused.apart(2, 3), kPause);
  EXPECT_EQ(paused.run.frames(0).dropped_total() + paused.run.frames(1).dropped_total(), before)
      << "the old engines serve until then";
  paused.run.shut_down();
}

TEST(LoadPauses, SpareEnginesWaitForItToo) {
  Paused paused(with_card({camera("a", 10, on("gpu")), camera("spare", 0, on("gpu"))}), {0.0, kPause, 0.0},
                {1});
  paused.run.run_until(at_ms(2000));
  ASSERT_EQ(paused.loads(), 2U);
  EXPECT_GE(paused.apart(0, 1), kPause);
  EXPECT_TRUE(paused.run.controller().spare(1));
  paused.run.shut_down();
}

}  // namespace
}  // namespace saccade::test
