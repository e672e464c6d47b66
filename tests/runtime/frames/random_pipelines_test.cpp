// Frames that pass several stages, some of them with copies: random routes, times, errors and switches.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "runtime/frames/dispatcher.hpp"
#include "tests/support/milliseconds.hpp"

namespace saccade::runtime {
namespace {

using test::at_ms;
using test::ms;

// On three processors; every step is checked against accounts that are kept here.
class RandomPipelines {
 public:
  explicit RandomPipelines(std::uint64_t seed) : random_(seed) {
    for (TaskIndex task = 0; task < kTasks; ++task) {
      dispatcher_.set_demand(task, Fps(1000.0));
      dispatcher_.set_rate(task, Fps(1e9), std::nullopt, at_ms(0));
      switch_route(task);
    }
  }

  void run() {
    for (int step = 0; step < 3000 && !testing::Test::HasFailure(); ++step) {
      now_ += 0.1;
      const std::uint64_t what = random_() % 10;
      if (what < 4) offer(random_() % kTasks);
      if (what == 4 && random_() % 8 == 0) switch_route(random_() % kTasks);
      if (what > 4) end(random_() % kProcessors);
      for (ProcessorIndex p = 0; p < kProcessors; ++p) begin(p);
    }
    for (const Drop& drop : dispatcher_.drop_all(DropReason::shutdown, at_ms(now_))) note(drop);
    for (ProcessorIndex p = 0; p < kProcessors; ++p) end(p);
    EXPECT_TRUE(dispatcher_.idle());
    for (const auto& [frame, ends] : ends_) EXPECT_EQ(ends, 1) << "frame " << frame;
    EXPECT_GT(through_, 100);
    EXPECT_GT(in_copies_, 10);
  }

 private:
  static constexpr std::size_t kTasks = 3, kProcessors = 3;
  struct Engine {
    std::vector<StagePlaces> stages;
    std::size_t most = 1;
    std::size_t entered = 0;
  };
  // In any order, without those of the stage before.
  StagePlaces places_after(const StagePlaces& before, bool copies) {
    StagePlaces places;
    for (ProcessorIndex p = 0; p < kProcessors; ++p) {
      if (std::find(before.begin(), before.end(), p) == before.end()) places.push_back(p);
    }
    std::shuffle(places.begin(), places.end(), random_);
    places.resize(copies && places.size() > 1 && random_() % 2 == 0 ? 2 : 1);
    return places;
  }

  // From one whole network to another frames may overtake.
  void switch_route(TaskIndex task) {
    const bool whole_runs = std::any_of(running_.begin(), running_.end(), [&](const auto& running) {
      const Start& start = running.second;
      return start.task == task && engines_.at(start.engine).stages.size() == 1;
    });
    const bool whole = !whole_runs && random_() % 3 == 0;
    Engine engine{{places_after({}, !whole)}, 1 + random_() % 4};
    for (std::size_t more = whole ? 0 : 1 + random_() % 3; more > 0; --more)
      engine.stages.push_back(places_after(engine.stages.back(), more > 1));
    engines_[++key_] = engine;
    route_[task] = key_;
    const std::vector<StagePlaces> stages = whole ? std::vector<StagePlaces>() : engine.stages;
    const Route route{engine.stages[0][0], key_, stages, engine.most};
    for (const Drop& drop : dispatcher_.set_route(task, route)) note(drop);
  }

  void offer(TaskIndex task) {
    ends_[++number_] = 0;
    const auto drop =
        dispatcher_.offer(task, number_, at_ms(now_), ms(1.0 + static_cast<double>(random_() % 20)));
    if (drop) note(*drop);
  }

  void begin(ProcessorIndex processor) {
    const auto start = dispatcher_.next(processor, at_ms(now_));
    if (!start) return;
    EXPECT_FALSE(running_.contains(processor));
    Engine& engine = engines_.at(start->engine);
    ASSERT_LT(start->stage, engine.stages.size());
    if (start->stage == 0) turns_[start->frame] = engine.entered++;
    const StagePlaces& places = engine.stages[start->stage];
    EXPECT_EQ(start->copy, turns_.at(start->frame) % places.size()) << "in turn";
    EXPECT_EQ(places.at(start->copy), processor);
    in_copies_ += places.size() > 1 ? 1 : 0;
    EXPECT_EQ(start->last, start->stage + 1 == engine.stages.size());
    const bool first = !passed_.contains(start->frame);
    EXPECT_EQ(start->stage, first ? 0 : passed_.at(start->frame).second) << "one after the other";
    if (first) {
      EXPECT_EQ(start->engine, route_[start->task]);
      if (engine.stages.size() > 1) {
        EXPECT_LT(under_way_[start->task].size(), engine.most);
        under_way_[start->task].insert(start->frame);
      }
      passed_[start->frame] = {start->engine, 0};
    }
    EXPECT_EQ(start->engine, passed_.at(start->frame).first) << "it stays with its engine";
    running_[processor] = *start;
  }

  void end(ProcessorIndex processor) {
    const auto found = running_.find(processor);
    if (found == running_.end()) return;
    const Start start = found->second;
    running_.erase(found);
    const bool fails = random_() % 20 == 0;
    if (start.last || fails) {
      dispatcher_.finished(processor, at_ms(now_));
      ++ends_[start.frame];
      under_way_[start.task].erase(start.frame);
      if (fails) return;
      ++through_;
      EXPECT_GT(start.frame, latest_[start.task]) << "results leave in the order of frames";
      latest_[start.task] = start.frame;
      return;
    }
    ++passed_.at(start.frame).second;
    if (const auto drop = dispatcher_.hand_on(processor, at_ms(now_), {})) note(*drop);
  }

  void note(const Drop& drop) {
    ++ends_[drop.frame];
    under_way_[drop.task].erase(drop.frame);
  }

  std::mt19937_64 random_;
  Dispatcher dispatcher_{{1.0, 1.0, 1.0}, kTasks, 2};
  double now_ = 0.0;
  EngineKey key_ = 0;
  FrameNumber number_ = 0;
  int through_ = 0;
  int in_copies_ = 0;
  std::map<FrameNumber, std::size_t> turns_;
  std::map<EngineKey, Engine> engines_;
  std::map<TaskIndex, EngineKey> route_;
  std::map<ProcessorIndex, Start> running_;
  std::map<FrameNumber, int> ends_;
  std::map<FrameNumber, std::pair<EngineKey, std::size_t>> passed_;  // its engine, stages behind it
  std::map<TaskIndex, std::set<FrameNumber>> under_way_;
  std::map<TaskIndex, FrameNumber> latest_;
};

TEST(RandomPipelines, EveryFrameEndsOnceInItsOrderThroughItsStages) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomPipelines(seed).run();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace saccade::runtime
