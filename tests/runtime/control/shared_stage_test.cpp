// An inference that hangs in a stage that several variants of a task share, or fails in one that they may
// share: no frame gets into that stage again.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/control/controller.hpp"
#include "tests/support/milliseconds.hpp"
#include "tests/support/scenes.hpp"
#include "tests/support/simulated_run.hpp"

namespace saccade::test {
namespace shared_stage_test {
namespace {

using namespace runtime;

// Three variants, of which the first two share a stage. The plan is the variant that is named, or the first
// that is not excluded after it.
class SharedStage : public testing::Test {
 protected:
  static RuntimeOptions options() {
    RuntimeOptions options;
    options.warm_cache = Bytes(100e6);
    return options;
  }
  static profiles::ProfileSetPtr variants() {
    return network({{"one", 0.95, 4.0, 10.0, 20.0}, {"two", 0.9, 4.0, 10.0, 20.0}, {"three", 0.8, 4.0}});
  }
  SharedStage() {
    run_.planner = [this](const scheduler::Snapshot& snapshot) {
      const std::vector<bool>& excluded = snapshot.tasks.front().excluded;
      std::size_t variant = named_;
      while (variant < excluded.size() && excluded[variant]) ++variant;
      return scripted(snapshot, {variant});
    };
  }
  void name(double when, std::size_t variant) {
    run_.at(at_ms(when), [this, variant] { named_ = variant; });
    run_.change(at_ms(when), with_demand(base_, 0, 20.0 + when * 1e-6));
  }
  [[nodiscard]] std::optional<std::size_t> serving() const { return run_.controller().serving(0); }
  [[nodiscard]] Bytes reserved() const { return run_.controller().reserved(); }

  const scheduler::Snapshot base_ = scene({camera("a", 20, variants())});
  std::size_t named_ = 0;
  SimulatedRun run_{base_, options()};
};

TEST_F(SharedStage, ThatHangsCostsTheParkedVariantToo) {
  name(1000, 1);
  run_.run_until(at_ms(2000));
  ASSERT_EQ(serving(), 1U);
  ASSERT_EQ(reserved(), Bytes(20e6)) << "the first is parked";
  const std::size_t solves = run_.solves();
  named_ = 0;
  run_.send(at_ms(2000), event::InferenceHangs{2, {1}});
  run_.run_until(at_ms(2001));
  EXPECT_EQ(serving(), std::nullopt);
  EXPECT_EQ(run_.reports("exclude", "one for 250 ms"), 1U);
  EXPECT_EQ(run_.reports("exclude", "two for 250 ms"), 1U);
  EXPECT_EQ(run_.reports("exclude", "does not return"), 2U);
  run_.run_until(at_ms(2100));
  EXPECT_EQ(run_.solves(), solves + 1) << "one plan knows of both";
  EXPECT_EQ(run_.reports("unload", "one"), 1U);
  EXPECT_EQ(serving(), 2U);
  EXPECT_EQ(run_.loads(), 3U);
  run_.run_until(at_ms(4000));
  EXPECT_EQ(serving(), 0U);
  EXPECT_EQ(run_.loads(), 4U) << "loaded again, not taken from the cache";
  EXPECT_EQ(run_.dropped(0, DropReason::engine_error), 0);
  run_.shut_down();
}

TEST_F(SharedStage, ThatHangsInTheVariantThatWasLeftCostsTheOneThatServes) {
  bool slow = false;  // the last frame of the old engine takes two seconds
  run_.slowness = [&](TaskIndex) { return slow && serving() == 0U ? 500.0 : 1.0; };
  run_.at(at_ms(940), [&slow] { slow = true; });
  name(1000, 1);
  run_.run_until(at_ms(1200));
  ASSERT_EQ(serving(), 1U);
  ASSERT_EQ(run_.reports("park"), 0U) << "the first still has a frame";
  run_.send(at_ms(1200), event::InferenceHangs{1, {2}});
  run_.run_until(at_ms(1201));
  EXPECT_EQ(serving(), std::nullopt) << "the next frame would walk into the stopped stage";
  EXPECT_EQ(run_.reports("exclude", "does not return"), 2U);
  run_.run_until(at_ms(1300));
  EXPECT_EQ(serving(), 2U);
  run_.shut_down();
}

TEST_F(SharedStage, ThatHangsCostsAVariantThatIsLoadingOnce) {
  for (const double when : {1010.0, 1022.5}) {  // it loads from 1002 to 1022 ms, then it warms up
    SCOPED_TRACE(when);
    SimulatedRun run(base_, options());
    std::size_t named = 0;
    run.planner = [&](const scheduler::Snapshot& snapshot) {
      const auto& excluded = snapshot.tasks.front().excluded;
      return scripted(snapshot, {named == 1 && excluded[0] ? 2 : named});
    };
    run.at(at_ms(1000), [&named] { named = 1; });
    run.change(at_ms(1000), with_demand(base_, 0, 21.0));
    run.send(at_ms(when), event::InferenceHangs{1, {2}});
    run.run_until(at_ms(1200));
    EXPECT_EQ(run.reports("exclude", "two"), 1U);
    EXPECT_EQ(run.reports("swap", "two"), 0U);
    EXPECT_EQ(run.reports("unload", "two"), 1U);
    EXPECT_EQ(run.controller().serving(0), 2U);
    EXPECT_EQ(run.controller().reserved(), Bytes(10e6));
    EXPECT_EQ(run.controller().switch_totals()->failed, 1);
    run.shut_down();
  }
}

TEST_F(SharedStage, ThatHangsCostsALoadThatTimesOutLaterTwoExclusions) {
  run_.load_fate = [](TaskIndex, std::size_t variant) {
    return variant == 1 ? LoadFate::hangs : LoadFate::good;
  };
  name(1000, 1);
  run_.send(at_ms(1010), event::InferenceHangs{1, {2}});
  run_.run_until(at_ms(1500));
  ASSERT_EQ(run_.reports("exclude", "two for 250 ms"), 1U);
  run_.run_until(TimePoint(to_duration(options().load_timeout)) + ms(1500));
  EXPECT_EQ(run_.reports("exclude", "two for 500 ms: its load timed out"), 1U) << "the first one had ended";
  run_.shut_down();
}

TEST_F(SharedStage, ThatHangsCostsAVariantThatIsHeldForItsSource) {
  bool delivers = true;
  run_.camera_delivers = [&delivers](TaskIndex) { return delivers; };
  run_.at(at_ms(1000), [&delivers] { delivers = false; });
  run_.run_until(at_ms(20'000));
  ASSERT_EQ(serving(), std::nullopt);
  ASSERT_EQ(reserved(), Bytes(10e6));
  run_.send(at_ms(20'000), event::InferenceHangs{77, {1}});  // 77 is not known any more
  run_.run_until(at_ms(20'100));
  EXPECT_EQ(reserved(), Bytes(0.0));
  EXPECT_EQ(run_.reports("exclude", "one"), 1U);
  run_.shut_down();
}

TEST_F(SharedStage, ThatHangsCostsAVariantThatServesThoughItIsExcludedAlready) {
  run_.frame_fails = [](TaskIndex, std::size_t variant) { return variant == 0; };
  run_.load_fate = [](TaskIndex, std::size_t variant) {
    return variant == 0 ? LoadFate::good : LoadFate::hangs;
  };
  run_.run_until(at_ms(1000));
  ASSERT_EQ(run_.reports("exclude", "in a row failed"), 1U);
  ASSERT_EQ(serving(), 0U) << "no other one is ready";
  run_.send(at_ms(1000), event::InferenceHangs{1});
  run_.run_until(at_ms(1001));
  EXPECT_EQ(serving(), std::nullopt);
  EXPECT_EQ(run_.reports("exclude"), 1U) << "not a second time";
  run_.shut_down();
}

TEST_F(SharedStage, ThatHangsLeavesOutWhatIsEqualToAVariantThatHasIt) {
  auto set = std::make_shared<profiles::ProfileSet>(*network({{"one", 0.95, 4.0, 10.0, 20.0},
                                                              {"two@a", 0.9, 4.0, 10.0, 20.0},
                                                              {"two@b", 0.9, 4.0, 10.0, 20.0},
                                                              {"three", 0.8, 4.0}}));
  set->variants[1].measured_as = set->variants[2].measured_as = VariantId("two");
  const scheduler::Snapshot base = scene({camera("a", 20, set)});
  SimulatedRun run(base, options());
  run.planner = [this](const scheduler::Snapshot& snapshot) {
    std::size_t variant = named_;
    while (variant < 3 && snapshot.tasks.front().excluded[variant]) ++variant;
    return scripted(snapshot, {variant});
  };
  run.at(at_ms(1000), [this] { named_ = 1; });
  run.change(at_ms(1000), with_demand(base, 0, 21.0));
  run.run_until(at_ms(2000));
  ASSERT_EQ(run.controller().serving(0), 1U);
  run.send(at_ms(2000), event::InferenceHangs{1, {2}});
  run.run_until(at_ms(2100));
  EXPECT_EQ(run.reports("exclude", "two@a"), 1U);
  EXPECT_EQ(run.controller().serving(0), 2U) << "on other processors, without the stage that hangs";
  run.shut_down();
}

// --- Inferences that fail -------------------------------------------------------------------------

profiles::ProfileSetPtr in_stages(const std::vector<std::vector<std::string>>& hashes) {
  std::vector<V> names;
  for (std::size_t v = 0; v < hashes.size(); ++v) names.push_back({"variant-" + std::to_string(v)});
  auto set = std::make_shared<profiles::ProfileSet>(*network(names));
  for (std::size_t v = 0; v < hashes.size(); ++v) {
    profiles::Variant& variant = set->variants[v];
    variant.frame_time = {{ProcessorId("cpu"), Seconds(1e-3)}, {ProcessorId("gpu"), Seconds(1e-3)}};
    variant.staging.latency = Seconds(2e-3);
    variant.staging.max_fps = Fps(1000.0);
    for (const std::string& hash : hashes[v]) {
      profiles::Stage& stage = variant.staging.stages.emplace_back();
      stage.kind = ProcessorId(variant.staging.stages.size() % 2 == 1 ? "cpu" : "gpu");
      stage.sha256 = hash;
      stage.frame_time = Seconds(1e-3);
    }
  }
  return set;
}

// A camera on two processors. The plan is the variant that is named, or the last one while that is excluded.
struct StagedRun {
  explicit StagedRun(const std::vector<std::vector<std::string>>& hashes) : base(on_two(in_stages(hashes))) {
    run.planner = [this, last = hashes.size() - 1](const scheduler::Snapshot& snapshot) {
      return scripted(snapshot, {snapshot.tasks.front().excluded[named] ? last : named});
    };
  }
  static scheduler::Snapshot on_two(const profiles::ProfileSetPtr& set) {
    scheduler::Snapshot snapshot = scene({camera("a", 20, set)});
    snapshot.processors.push_back(snapshot.processors.front());
    snapshot.processors.back().id = ProcessorId("gpu");
    return snapshot;
  }
  static RuntimeOptions options() {
    RuntimeOptions options;
    options.warm_cache = Bytes(100e6);
    return options;
  }
  void name(double when, std::size_t variant) {
    run.at(at_ms(when), [this, variant] { named = variant; });
    run.change(at_ms(when), with_demand(base, 0, 20.0 + static_cast<double>(variant)));
  }

  const scheduler::Snapshot base;
  std::size_t named = 0;
  SimulatedRun run{base, options()};
};

// Which of the two parked variants are unloaded when the third one fails.
TEST(SharedStageThatFails, CostsParkedVariantsThatMayHaveIt) {
  StagedRun staged({{"start", "a"}, {"other", "b"}, {"start", "c"}, {"fallback", "d"}});
  SimulatedRun& run = staged.run;
  staged.name(1000, 1);
  staged.name(2000, 2);
  run.run_until(at_ms(3000));
  ASSERT_EQ(run.controller().serving(0), 2U);
  ASSERT_EQ(run.reports("park"), 2U);
  bool broken = true;
  run.frame_fails = [&broken](TaskIndex, std::size_t variant) { return broken && variant == 2; };
  run.run_until(at_ms(3450));
  EXPECT_EQ(run.reports("exclude", "in a row failed"), 1U);
  EXPECT_EQ(run.reports("unload", "variant-0"), 1U) << "it may have the start that fails";
  EXPECT_EQ(run.reports("unload", "variant-1"), 0U);
  broken = false;
  run.shut_down();
}

TEST(SharedStageThatFails, CostsAnEngineThatStillDrains) {
  StagedRun staged({{"start", "a"}, {"start", "b"}, {"fallback", "c"}});
  SimulatedRun& run = staged.run;
  run.run_until(at_ms(1000));
  ASSERT_EQ(run.controller().serving(0), 0U);
  staged.name(1000, 1);
  // The last frame of the old engine takes long.
  run.slowness = [&run](TaskIndex) { return run.controller().serving(0) == 0U ? 500.0 : 1.0; };
  run.run_until(at_ms(1200));
  ASSERT_EQ(run.controller().serving(0), 1U);
  ASSERT_EQ(run.reports("park"), 0U) << "the first is draining";
  for (int i = 0; i < 5; ++i) run.send(at_ms(1200), event::InferenceEnded{2, {Error{"start", "fails", ""}}});
  run.run_until(at_ms(4000));
  EXPECT_EQ(run.reports("exclude", "in a row failed"), 1U);
  EXPECT_EQ(run.reports("park", "variant-0"), 0U);
  EXPECT_EQ(run.reports("unload", "variant-0"), 1U);
  run.shut_down();
}

// It serves until another one is ready, and the loader is told of it: none of its stages is shared any more.
TEST(SharedStageThatFails, IsNamedToTheLoader) {
  Controller controller{{}};
  std::vector<action::Load> loads;
  const auto answer = [&loads](const Action& action, std::deque<Event>& events) {
    if (const auto* solve = std::get_if<action::Solve>(&action)) {
      const std::size_t variant = solve->snapshot.tasks.front().excluded[0] ? 1 : 0;
      events.push_back(event::PlanReady{scripted(solve->snapshot, {variant}), Duration(0)});
    } else if (const auto* load = std::get_if<action::Load>(&action)) {
      loads.push_back(*load);
      if (loads.size() == 1) events.push_back(event::LoadFinished{load->engine, {}, Duration(0)});
    } else if (const auto* warm = std::get_if<action::Warm>(&action)) {
      events.push_back(event::WarmFinished{warm->engine, {}, Duration(0)});
    }
  };
  const auto tell = [&](double when, Event first) {
    std::deque<Event> events{std::move(first)};
    for (; !events.empty(); events.pop_front()) {
      for (const Action& action : controller.on(events.front(), at_ms(when))) answer(action, events);
    }
  };
  tell(0, event::Change{scene({camera("a", 20, network({{"one", 0.9, 4.0}, {"two", 0.8, 4.0}}))}), {}});
  ASSERT_EQ(controller.serving(0), 0U);
  const event::InferenceEnded failed{loads.front().engine, {Error{"one", "fails", ""}}};
  for (int i = 0; i < 5; ++i) tell(1000, failed);
  tell(2000, event::Tick{});
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_EQ(controller.serving(0), 0U);
  EXPECT_TRUE(loads[0].broken.empty());
  EXPECT_EQ(loads[1].broken, std::vector<EngineKey>{loads[0].engine});
}

}  // namespace
}  // namespace shared_stage_test
}  // namespace saccade::test
