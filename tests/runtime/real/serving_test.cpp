// The desk between capture threads, workers and the main loop, on one thread with a clock that moves
// only when told to: nothing here waits.
#include "runtime/real/serving.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "runtime/control/exclusions.hpp"
#include "runtime/real/frame_threads.hpp"
#include "runtime/sources/told_reasons.hpp"
#include "tests/support/no_engine.hpp"

namespace saccade::runtime {
namespace {

using test::NoEngine;

class ServingTest : public testing::Test {
 protected:
  static constexpr EngineKey kEngine = 7;

  void start_at(Fps fps) {
    serving_.with_desk([&](FrameDesk& desk, TimePoint now) {
      desk.set_demand(0, fps, now);
      desk.set_granted(0, fps, now);
      desk.set_rate({0, fps, std::nullopt}, now);
    });
    serving_.swap({0, kEngine, 0, std::nullopt}, ServingEngine{&engine_, kEngine, 0, Duration(0)});
    serving_.start(clock_.now());
  }
  // Captures every tick that is due, and returns how many there were.
  int capture(int most) {
    int captured = 0;
    for (; captured < most; ++captured) {
      const auto tick = serving_.next_tick(0, 0);
      if (!tick) break;
      serving_.captured(0, *tick, true);
    }
    return captured;
  }
  void serve(const Status& status) {
    const auto job = serving_.next_job(0);
    ASSERT_TRUE(job);
    clock_.advance(std::chrono::milliseconds(1));
    serving_.finished(0, *job, std::chrono::milliseconds(1), status, {});
  }
  bool drained() {
    bool any = false;
    while (const auto message = queue_.take(clock_.now())) {
      const auto* event = std::get_if<Event>(&message->what);
      any = any || (event && std::holds_alternative<event::Drained>(*event));
    }
    return any;
  }
  int told_inferences() {
    int told = 0;
    while (const auto message = queue_.take(clock_.now())) {
      const auto* event = std::get_if<Event>(&message->what);
      if (event && std::holds_alternative<event::InferenceEnded>(*event)) ++told;
    }
    return told;
  }

  ManualClock clock_;
  MessageQueue queue_{clock_};
  NoEngine engine_;
  Serving serving_{{{1.0}, 1, 2, {Duration(0)}, Exclusions::kTrusted}, false, clock_, queue_};
};

TEST_F(ServingTest, TicksThatALateCaptureThreadMissedStillCountAsDemanded) {
  start_at(Fps(10));
  clock_.advance(std::chrono::seconds(2));  // nobody came for the ticks 0, 0.1, ... 2.0
  serving_.stop_sources(clock_.now());      // the tick at 2.0 is outside the run
  EXPECT_EQ(capture(100), 3);               // what the gate holds and one more
  const TaskFrames frames = serving_.view().tasks.front().frames;
  EXPECT_EQ(frames.demanded, 20);
  EXPECT_EQ(frames.received, 3);
}

// Notes how large the frames' memory is that it is given.
class NotingSource final : public FrameSource {
 public:
  [[nodiscard]] bool next(Duration, Frame& frame) override {
    sizes.push_back(frame.picture->pixels.capacity());
    return true;
  }
  [[nodiscard]] std::size_t frame_bytes() const override { return 5000; }
  std::vector<std::size_t> sizes;
};

TEST_F(ServingTest, NoFrameTakesMemoryWhenMoreOfThemWaitThanEverBefore) {
  start_at(Fps(10));
  clock_.advance(std::chrono::seconds(1));
  serving_.stop_sources(clock_.now());
  NotingSource source;
  runtime::capture(0, 0, {}, source, serving_, queue_);
  EXPECT_EQ(source.sizes,
            std::vector<std::size_t>(3, source.frame_bytes()));  // what the gate holds and one more
}

// In a trouble, or none, at each tick in turn.
class TroubledSource final : public FrameSource {
 public:
  explicit TroubledSource(std::vector<std::string> troubles) : troubles_(std::move(troubles)) {}
  std::function<void()> each = [] {};
  [[nodiscard]] bool next(Duration, Frame&) override {
    each();
    ++next_;
    return false;
  }
  [[nodiscard]] std::optional<std::string> fault() const override {
    const std::string& trouble = troubles_.at(next_ - 1);
    return trouble.empty() ? std::nullopt : std::optional(trouble);
  }
  [[nodiscard]] bool is_over() const { return next_ + 1 == troubles_.size(); }

 private:
  const std::vector<std::string> troubles_;
  std::size_t next_ = 0;
};

TEST_F(ServingTest, EveryReasonOfAnOutageIsInTheStatusAndOnceInTheLog) {
  start_at(Fps(10));
  TroubledSource source({"", "ended", "refuses", "refuses", "(401)", "refuses", "(401)", "", "refuses", ""});
  std::vector<std::string> shown;  // before each tick
  source.each = [&] {
    shown.push_back(serving_.view().tasks.front().trouble);
    if (source.is_over()) serving_.stop_sources(clock_.now());
    clock_.advance(std::chrono::milliseconds(100));
  };
  runtime::capture(0, 0, {}, source, serving_, queue_);
  EXPECT_EQ(shown, (std::vector<std::string>{"", "", "ended", "refuses", "refuses", "(401)", "refuses",
                                             "(401)", "", "refuses"}));
  std::vector<std::string> told;
  while (const auto message = queue_.take(clock_.now())) {
    if (const auto* report = std::get_if<action::Report>(&message->what))
      told.push_back(report->event == EventKind::source_back ? "back" : report->detail);
  }
  EXPECT_EQ(told, (std::vector<std::string>{"ended", "refuses", "(401)", "back", "refuses", "back"}));
}

TEST(ToldReasons, AnOutageOfEverChangingReasonsFillsNoLog) {
  ToldReasons told;
  int news = 0;
  for (int i = 0; i < 1000; ++i) news += told.is_new(std::to_string(i)) ? 1 : 0;
  EXPECT_EQ(news, static_cast<int>(ToldReasons::kMost));
  told.outage_ended();
  EXPECT_TRUE(told.is_new("0"));
}

TEST_F(ServingTest, ACaptureThatIsClosedSaysNothingOfTheNextOnesSource) {
  const int first = serving_.open_capture(0);
  serving_.set_connected(0, first, false);
  EXPECT_FALSE(serving_.view().tasks.front().connected);
  const int second = serving_.open_capture(0);
  serving_.set_connected(0, first, false);  // its camera could not be opened, and it tells so late
  EXPECT_TRUE(serving_.view().tasks.front().connected);
  serving_.set_connected(0, second, false);
  EXPECT_FALSE(serving_.view().tasks.front().connected);
}

TEST_F(ServingTest, AChangeOfDemandForgetsNoTickThatHasPassed) {
  start_at(Fps(10));
  EXPECT_EQ(capture(1), 1);                        // the tick at 0
  clock_.advance(std::chrono::milliseconds(150));  // the one at 0.1 has passed
  serving_.with_desk([&](FrameDesk& desk, TimePoint now) { desk.set_demand(0, Fps(20), now); });
  serving_.stop_sources(clock_.now());
  EXPECT_EQ(capture(100), 1);
  EXPECT_EQ(serving_.view().tasks.front().frames.demanded, 2);
}

TEST_F(ServingTest, TellsEnoughGoodFramesForAnEngineToBeTrustedAgain) {
  start_at(Fps(100));
  const auto serve_frames = [&](int frames, const Status& status) {
    for (int i = 0; i < frames; ++i) {
      clock_.advance(std::chrono::milliseconds(10));
      ASSERT_EQ(capture(1), 1);
      serve(status);
    }
  };
  serve_frames(150, Done{});
  EXPECT_EQ(told_inferences(), Exclusions::kTrusted);  // and not one for every frame of a long life
  serve_frames(1, Error{"engine", "fails", ""});
  serve_frames(150, Done{});
  EXPECT_EQ(told_inferences(), 1 + Exclusions::kTrusted);
}

TEST_F(ServingTest, AProcessorGoesOnWithoutAnInferenceThatDoesNotReturn) {
  start_at(Fps(10));
  ASSERT_EQ(capture(1), 1);
  const auto hung = serving_.next_job(0);
  ASSERT_TRUE(hung);
  clock_.advance(std::chrono::milliseconds(1999));
  EXPECT_TRUE(serving_.hanging(clock_.now()).empty());
  clock_.advance(std::chrono::milliseconds(1));
  EXPECT_TRUE(serving_.hanging(clock_.now()).empty()) << "seen once";
  const auto hanging = serving_.hanging(clock_.now());
  ASSERT_EQ(hanging.size(), 1U);
  EXPECT_EQ(hanging[0].start.engine, kEngine);
  EXPECT_EQ(hanging[0].due, InferenceWatch::Due::stop);

  serving_.swap({0, std::nullopt, 0, kEngine}, std::nullopt);  // as the controller asks
  auto engine = std::make_shared<NoEngine>();
  const std::weak_ptr<Engine> kept = engine;
  EXPECT_EQ(serving_.leave_behind(0, hanging[0].start, std::move(engine), DropReason::engine_error), 1);
  EXPECT_FALSE(serving_.next_job(0, 0)) << "the worker that hangs is none any more";
  EXPECT_EQ(serving_.view().tasks[0].frames.in_flight, 0);
  EXPECT_EQ(serving_.view().tasks[0].frames.dropped[static_cast<std::size_t>(DropReason::engine_error)], 1);
  EXPECT_EQ(serving_.outline({}).processors[0].left_behind, 1U);
  EXPECT_FALSE(drained()) << "an inference still uses it";

  NoEngine other;
  serving_.swap({0, kEngine + 1, 0, std::nullopt}, ServingEngine{&other, kEngine + 1, 0, Duration(0)});
  ASSERT_EQ(capture(1), 1);
  const auto next = serving_.next_job(0, 1);
  ASSERT_TRUE(next) << "its successor takes frames";
  EXPECT_TRUE(serving_.returned(0, *next));
  serving_.finished(0, *next, std::chrono::milliseconds(1), Done{}, {});

  EXPECT_FALSE(kept.expired());
  EXPECT_FALSE(serving_.returned(0, *hung)) << "too late";
  EXPECT_TRUE(kept.expired());
  EXPECT_TRUE(drained()) << "now it may be destroyed";
  EXPECT_EQ(serving_.outline({}).processors[0].left_behind, 0U);
  EXPECT_EQ(serving_.view().tasks[0].frames.processed, 1);
}

// The main loop looks, and only then acts.
TEST_F(ServingTest, AnInferenceThatReturnsAfterAllTakesNoWorkerWithIt) {
  start_at(Fps(10));
  ASSERT_EQ(capture(1), 1);
  const auto slow = serving_.next_job(0);
  ASSERT_TRUE(slow);
  clock_.advance(std::chrono::seconds(2));
  static_cast<void>(serving_.hanging(clock_.now()));
  ASSERT_EQ(serving_.hanging(clock_.now()).size(), 1U);
  clock_.advance(InferenceWatch::kGrace);
  const auto hanging = serving_.hanging(clock_.now());
  ASSERT_EQ(hanging.size(), 1U);
  ASSERT_EQ(hanging[0].due, InferenceWatch::Due::leave_behind);

  serving_.finished(0, *slow, std::chrono::seconds(2), Done{}, {});
  EXPECT_FALSE(serving_.leave_behind(0, hanging[0].start, nullptr, DropReason::engine_error))
      << "no second worker is to be started";
  ASSERT_EQ(capture(1), 1);
  const auto next = serving_.next_job(0);
  ASSERT_TRUE(next);
  EXPECT_FALSE(serving_.leave_behind(0, hanging[0].start, nullptr, DropReason::engine_error))
      << "the next one does not hang";
  EXPECT_TRUE(serving_.returned(0, *next));
  serving_.finished(0, *next, std::chrono::milliseconds(1), Done{}, {});
  EXPECT_EQ(serving_.view().tasks[0].frames.processed, 2);
  EXPECT_EQ(serving_.outline({}).processors[0].left_behind, 0U);
}

TEST_F(ServingTest, AWorkerThatHoldsAJobIsLetGoWhenWorkersStop) {
  serving_.wait_until(0, clock_.now());  // over already
  std::thread worker([&] { serving_.wait_until(0, clock_.now() + std::chrono::hours(1)); });
  serving_.stop_workers();
  worker.join();
}

}  // namespace
}  // namespace saccade::runtime
