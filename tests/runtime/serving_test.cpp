// The desk between capture threads, workers and the main loop, on one thread with a clock that moves
// only when told to: nothing here waits.
#include "runtime/real/serving.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "runtime/real/frame_threads.hpp"

namespace saccade::runtime {
namespace {

class NoEngine final : public Engine {
 public:
  Status infer(std::span<const float>, std::span<float>) override { return Done{}; }
  [[nodiscard]] int batch() const override { return 1; }
  [[nodiscard]] std::size_t classes() const override { return 1; }
};

class ServingTest : public testing::Test {
 protected:
  static constexpr EngineKey kEngine = 7;

  void start_at(Fps fps) {
    serving_.set_demand(0, fps);
    serving_.set_granted(0, fps);
    serving_.set_rate({0, fps, std::nullopt});
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
  Serving serving_{{{1.0}, 1, 2, {Duration(0)}}, false, clock_, queue_};
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
    sizes.push_back(frame.input.size());
    return true;
  }
  std::vector<std::size_t> sizes;
};

TEST_F(ServingTest, NoFrameTakesMemoryWhenMoreOfThemWaitThanEverBefore) {
  start_at(Fps(10));
  clock_.advance(std::chrono::seconds(1));
  serving_.stop_sources(clock_.now());
  TaskConfig config;
  config.regions = Grid{2, 3};
  NotingSource source;
  runtime::capture(0, 0, config, {.width = 8, .height = 4, .channels = 3}, source, serving_, queue_);
  const std::size_t whole = std::size_t{6} * 8 * 4 * 3;
  EXPECT_EQ(source.sizes, std::vector<std::size_t>(3, whole));  // what the gate holds and one more
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
  serving_.set_demand(0, Fps(20));
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

}  // namespace
}  // namespace saccade::runtime
