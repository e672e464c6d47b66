// Stages that variants of a task have in common: loaded once, alive as long as one of the variants is, and
// loaded again once they were stopped or fail. Engines are stand-ins; staged_shell_test.cpp has real ones.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/real/loader.hpp"
#include "tests/support/next_event.hpp"
#include "tests/support/run_fixture.hpp"
#include "tests/support/shell_trial.hpp"
#include "tests/support/stage_stand_ins.hpp"

namespace saccade::runtime {
namespace shared_stages_test {
namespace {

using test::in_two_stages;
using test::StageWitness;
using Counts = StageWitness::Counts;

enum : std::size_t { kStart, kSameStart, kStartElsewhere, kNoHash, kSameEnd, kSameStartWideEnd, kCopied };

profiles::ProfileSetPtr variants() {
  profiles::Variant copied = in_two_stages({"start", "end"}, {"cpu", "cpu1"});
  copied.staging.stages[0].copies = {ProcessorId("cpu2")};
  profiles::ProfileSet set = test::two_variants(2);
  set.variants = {in_two_stages({"start", "end"}, {"cpu", "cpu1"}),
                  in_two_stages({"start", "other"}, {"cpu", "cpu1"}),
                  in_two_stages({"start", "end"}, {"cpu1", "cpu"}),
                  in_two_stages({"start", "end"}, {"cpu", "cpu1"}, false),
                  in_two_stages({"beginning", "end"}, {"cpu", "cpu1"}),
                  in_two_stages({"start", "wide"}, {"cpu", "cpu1"}, true, 3),
                  copied};
  return std::make_shared<const profiles::ProfileSet>(std::move(set));
}

class SharedStages : public testing::Test {
 protected:
  void load(EngineKey engine, std::size_t variant, TaskIndex task = 0, std::vector<EngineKey> broken = {}) {
    loader_.load({engine, task, variant, 1, profiles_, 0, std::move(broken)}, TimePoint{});
    ASSERT_EQ(to_string(next<event::LoadFinished>().errors), "");
  }
  std::string warm(EngineKey engine) {  // empty: it is warm
    loader_.warm({engine, 2});
    const auto warm = next<event::WarmFinished>();
    EXPECT_EQ(warm.engine, engine);
    return to_string(warm.errors);
  }
  void load_and_warm(EngineKey engine, std::size_t variant, TaskIndex task = 0) {
    load(engine, variant, task);
    ASSERT_EQ(warm(engine), "");
  }
  void unload(EngineKey engine) {
    loader_.unload(engine);
    EXPECT_EQ(next<event::Unloaded>().engine, engine);
  }
  template <class Kind>
  Kind next() {
    return test::next_event<Kind>(*queue_);
  }
  bool infers(EngineKey engine, std::size_t stage) {
    Outputs outputs;
    return loader_.engine(engine, stage).infer(outputs).ok();
  }

  std::shared_ptr<StageWitness> witness_ = std::make_shared<StageWitness>();
  SteadyClock clock_;
  std::shared_ptr<MessageQueue> queue_ = std::make_shared<MessageQueue>(clock_);
  profiles::ProfileSetPtr profiles_ = variants();
  Loader loader_{std::make_shared<test::StandInStages>(witness_),
                 RuntimeOptions{},
                 {{ProcessorId("cpu"), {}, 1, "cpu"},
                  {ProcessorId("cpu1"), {}, 1, "cpu"},
                  {ProcessorId("cpu2"), {}, 1, "cpu"}},
                 std::make_shared<SteadyClock>(),
                 queue_};
};

TEST_F(SharedStages, AreLoadedAndWarmedUpOnceAndLiveAsLongAsAVariantHasThem) {
  load_and_warm(1, kStart);
  load_and_warm(2, kSameStart);
  EXPECT_EQ(&loader_.engine(1, 0), &loader_.engine(2, 0));
  EXPECT_NE(&loader_.engine(1, 1), &loader_.engine(2, 1));
  EXPECT_EQ(witness_->loaded, (Counts{{"start", 1}, {"end", 1}, {"other", 1}}));
  EXPECT_EQ(witness_->inferred, (Counts{{"start", 2}, {"end", 2}, {"other", 2}}))
      << "a worker may be using the start";
  unload(1);
  EXPECT_EQ(witness_->alive, (Counts{{"start", 1}, {"end", 0}, {"other", 1}}));
  load_and_warm(3, kStart);
  EXPECT_EQ(&loader_.engine(3, 0), &loader_.engine(2, 0)) << "also of one that did not load it";
  unload(2);
  unload(3);
  EXPECT_EQ(witness_->alive, (Counts{{"start", 0}, {"end", 0}, {"other", 0}}));
  load_and_warm(4, kStart);
  EXPECT_EQ(witness_->loaded["start"], 2) << "no variant had it any more";
}

TEST_F(SharedStages, CopiesOfAStageAreEnginesOfTheirOwnAndAllAreWarmedUp) {
  load_and_warm(1, kCopied);
  EXPECT_EQ(witness_->loaded, (Counts{{"start", 2}, {"end", 1}}));
  EXPECT_EQ(witness_->inferred, (Counts{{"start", 4}, {"end", 2}})) << "two rounds";
  EXPECT_NE(&loader_.engine(1, 0, 0), &loader_.engine(1, 0, 1));
  load_and_warm(2, kSameStart);
  EXPECT_EQ(&loader_.engine(1, 0, 0), &loader_.engine(2, 0)) << "on the same processor";
  EXPECT_EQ(loader_.sharing(1, 0, 0), std::vector<EngineKey>{2});
  EXPECT_TRUE(loader_.sharing(1, 0, 1).empty());
  unload(1);
  EXPECT_EQ(witness_->alive["start"], 1);
  unload(2);
  EXPECT_EQ(witness_->alive, (Counts{{"start", 0}, {"end", 0}, {"other", 0}}));
}

TEST_F(SharedStages, ACopyWhoseWarmUpFailsFailsTheVariant) {
  int starts = 0;
  witness_->before_inference = [&](const std::string& file) {
    return file == "start" && ++starts == 2 ? Status(Error{file, "out of order", ""}) : Status(Done{});
  };
  load(1, kCopied);
  EXPECT_NE(warm(1).find("out of order"), std::string::npos);
  EXPECT_EQ(starts, 2);
}

TEST_F(SharedStages, MayBeTheLastOfAVariantOrAll) {
  load_and_warm(1, kStart);
  load_and_warm(2, kSameEnd);
  EXPECT_EQ(&loader_.engine(1, 1), &loader_.engine(2, 1));
  load_and_warm(3, kStart);
  EXPECT_EQ(witness_->inferred, (Counts{{"start", 2}, {"end", 2}, {"beginning", 2}}));
}

TEST_F(SharedStages, AreNotSharedWithOtherTasksOtherProcessorsAndFilesWithoutAHash) {
  load_and_warm(1, kStart);
  load_and_warm(2, kStart, 1);
  load_and_warm(3, kStartElsewhere);
  EXPECT_EQ(witness_->loaded["start"], 3);
  load_and_warm(4, kNoHash);
  load_and_warm(5, kNoHash);
  EXPECT_EQ(witness_->loaded["start"], 5);
  for (EngineKey key = 1; key <= 5; ++key) EXPECT_TRUE(loader_.sharing(key, 0).empty()) << key;
}

TEST_F(SharedStages, NameTheVariantsThatHaveThem) {
  load_and_warm(1, kStart);
  load_and_warm(2, kSameStart);
  load(3, kSameEnd);  // not warm yet
  EXPECT_EQ(loader_.sharing(1, 0), (std::vector<EngineKey>{2}));
  EXPECT_EQ(loader_.sharing(2, 0), (std::vector<EngineKey>{1}));
  EXPECT_EQ(loader_.sharing(1, 1), (std::vector<EngineKey>{3}));
  EXPECT_TRUE(loader_.sharing(2, 1).empty());
}

TEST_F(SharedStages, MustGiveWhatTheNextStageTakes) {
  load_and_warm(1, kStart);
  load(2, kSameStartWideEnd);
  EXPECT_NE(warm(2).find("has another type or size than it should"), std::string::npos);
  EXPECT_EQ(witness_->inferred["start"], 2);
}

TEST_F(SharedStages, AreOfferedOnceTheirWarmUpHasSucceeded) {
  load(1, kStart);
  load(2, kStart);
  EXPECT_EQ(witness_->loaded["start"], 2) << "not before the warm-up";
  witness_->before_inference = [](const std::string& file) {
    return file == "end" ? Status(Error{"end", "does not run", ""}) : Status(Done{});
  };
  EXPECT_NE(warm(1), "");
  load(3, kSameStart);
  EXPECT_EQ(witness_->loaded["start"], 3) << "not after one that failed";
  EXPECT_EQ(warm(3), "");
  load(4, kSameStart);
  EXPECT_EQ(witness_->loaded["start"], 3);
}

TEST_F(SharedStages, AreLoadedAgainWhenTheirLastCallFailed) {
  load_and_warm(1, kStart);
  bool fails = true;
  witness_->before_inference = [&fails](const std::string&) {
    return fails ? Status(Error{"start", "the device is lost", ""}) : Status(Done{});
  };
  ASSERT_FALSE(infers(1, 0));
  ASSERT_TRUE(loader_.engine(1, 0).prepare(std::vector<float>(4)).ok()) << "of the next frame";
  load(2, kSameStart);
  EXPECT_EQ(witness_->loaded["start"], 2);
  EXPECT_NE(warm(2), "") << "its warm-up tests it";
  fails = false;
  ASSERT_TRUE(infers(1, 0));
  load_and_warm(3, kSameStart);
  EXPECT_EQ(witness_->loaded["start"], 2) << "one error alone says nothing for ever";
  EXPECT_EQ(&loader_.engine(3, 0), &loader_.engine(1, 0));
}

// What its stages give may be of no use although each of their calls succeeds.
TEST_F(SharedStages, AreLoadedAgainWhenAVariantThatHasThemIsBroken) {
  load_and_warm(1, kStart);
  load_and_warm(2, kSameEnd);
  load(3, kStart, 0, {1});
  EXPECT_EQ(witness_->loaded, (Counts{{"start", 2}, {"end", 2}, {"beginning", 1}}));
  EXPECT_EQ(warm(3), "");
  EXPECT_EQ(witness_->inferred["start"], 4) << "and tested";
  load_and_warm(4, kSameStart, 0);
  EXPECT_EQ(&loader_.engine(4, 0), &loader_.engine(3, 0)) << "the new one is shared again";
}

TEST_F(SharedStages, GiveInAWarmUpWhatTheyGaveInTheirOwn) {
  load_and_warm(1, kStart);
  load_and_warm(2, kSameStart);
  EXPECT_EQ(witness_->taken["other"], (std::vector<float>{0.0F, 1.0F})) << "not zeros: it may be a shape";
}

TEST_F(SharedStages, AreLoadedAgainAndNotUsedAnyMoreOnceTheyWereStopped) {
  load_and_warm(1, kStart);
  load_and_warm(2, kSameStart);
  loader_.engine(1, 0).stop();
  EXPECT_FALSE(infers(2, 0)) << "an inference may still be running in it";
  EXPECT_FALSE(loader_.engine(2, 0).prepare(std::vector<float>(4)).ok());
  EXPECT_EQ(witness_->inferred["start"], 2);
  load_and_warm(3, kSameStart);
  EXPECT_NE(&loader_.engine(3, 0), &loader_.engine(2, 0));
  EXPECT_TRUE(infers(3, 0));
}

TEST_F(SharedStages, ThatWereStoppedBeforeOrDuringAWarmUpFailIt) {
  load_and_warm(1, kStart);
  load(2, kSameStart);
  loader_.engine(1, 0).stop();
  EXPECT_NE(warm(2).find("was stopped"), std::string::npos);
  load_and_warm(3, kStart);
  load(4, kSameStart);
  witness_->before_inference = [this](const std::string& file) {
    if (file == "other") loader_.engine(3, 0).stop();
    return Status(Done{});
  };
  EXPECT_NE(warm(4).find("was stopped"), std::string::npos);
  EXPECT_TRUE(loader_.sharing(4, 0) == std::vector<EngineKey>{3});
}

// --- In a run -------------------------------------------------------------------------------------

// "whole" on one processor; "first" and "second", which is the better and the larger one, share their start.
RunConfig first_then_second() {
  profiles::ProfileSet set = test::two_variants(2);
  set.variants = {set.variants.front(), in_two_stages({"start", "end"}, {"cpu", "cpu1"}),
                  in_two_stages({"start", "other"}, {"cpu", "cpu1"})};
  const std::vector<std::string> names = {"whole", "first", "second"};
  for (std::size_t v = 0; v < names.size(); ++v) {
    set.variants[v].id = VariantId(names[v]);
    set.variants[v].accuracy = 0.7 + 0.1 * static_cast<double>(v);
    set.variants[v].memory = Bytes(static_cast<double>(v + 1) * 1e6);
  }
  const auto profiles = test::shared(std::move(set));
  RunConfig config = test::run_config({test::state_at(0.0, 1, 200.0, 2.5e6, profiles),
                                       test::state_at(0.02, 1, 200.0, test::kRoomy, profiles)});
  config.runtime.inference_timeout = Seconds(0.2);
  config.runtime.warm_cache = Bytes(test::kRoomy);
  return config;
}

// Inferences of the start wait from a moment on, until the end of the test.
struct Jam {
  std::mutex mutex;
  std::condition_variable changed;
  bool jams = false, over = false;
  int inside = 0;
  Status pass() {
    std::unique_lock lock(mutex);
    if (!jams) return Done{};
    jams = false;
    ++inside;
    changed.wait(lock, [&] { return over; });
    --inside;
    changed.notify_all();
    return Done{};
  }
  void begin() {
    const std::lock_guard lock(mutex);
    jams = true;
  }
  void end() {
    std::unique_lock lock(mutex);
    over = true;
    changed.notify_all();
    changed.wait(lock, [&] { return inside == 0; });
  }
};

TEST(SharedStagesInARun, WhenOneHangsEveryVariantThatHasItIsOutOfServiceBeforeItIsStopped) {
  const auto jam = std::make_shared<Jam>();
  const auto witness = std::make_shared<StageWitness>();
  test::Trial run(first_then_second());
  run.with_backend(std::make_shared<test::StandInStages>(witness));
  bool jammed = false;
  std::optional<bool> served_when_stopped;
  witness->before_inference = [jam](const std::string& file) {
    return file == "start" ? jam->pass() : Status(Done{});
  };
  witness->stops = [&](const std::string& file) {
    if (file == "start" && !served_when_stopped)
      served_when_stopped = run.shell().outline().tasks.at(0).variant.has_value();
  };
  run.when([&](test::Trial&, const action::Report& event) {
    if (event.event != EventKind::park || event.detail.find("first") != 0 || jammed) return;
    jammed = true;  // "second" serves, and "first" has no frame in it
    jam->begin();
  });
  std::optional<std::int64_t> before;
  run.watching([&before](test::Trial& self, const RunStatus& status) {
    if (self.count(EventKind::fault, "its worker is left behind") == 0) return;
    const std::int64_t processed = status.tasks[0].frames.processed;
    before = before.value_or(processed);
    if (processed >= *before + 10) self.stop();
  });
  const RunSummary summary = run.go();
  EXPECT_EQ(served_when_stopped, std::optional(false));
  EXPECT_EQ(run.count(EventKind::exclude, "first"), 1U);
  EXPECT_EQ(run.count(EventKind::exclude, "second"), 1U);
  EXPECT_EQ(run.count(EventKind::exclude, "does not return"), 2U);
  EXPECT_GE(run.count(EventKind::unload, "first"), 1U);
  EXPECT_EQ(run.count(EventKind::swap, "second -> first") + run.count(EventKind::swap, "nothing -> first"),
            1U)
      << "at the start";
  EXPECT_EQ(summary.tasks[0].dropped[static_cast<std::size_t>(DropReason::engine_error)], 1)
      << "the frame that hangs";
  EXPECT_EQ(summary.tasks[0].in_flight, 0);
  jam->end();
}

}  // namespace
}  // namespace shared_stages_test
}  // namespace saccade::runtime
