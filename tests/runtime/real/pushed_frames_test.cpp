// Frames that clients send: what the frame desk lets in, what it counts, and what the desk between threads
// answers. On one thread with a clock that moves only when told to.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "runtime/real/serving.hpp"
#include "tests/support/no_engine.hpp"

namespace saccade::runtime {
namespace {

using test::NoEngine;

class PushedFrames : public testing::Test {
 protected:
  static constexpr EngineKey kEngine = 7;

  PushedFrames() { set_pushed(true); }
  void set_pushed(bool pushed) {
    serving_.with_desk([&](FrameDesk& desk, TimePoint now) { desk.set_pushed(0, pushed, now); });
  }
  void start_at(Fps demand, Fps granted) {
    serving_.with_desk([&](FrameDesk& desk, TimePoint now) {
      desk.set_demand(0, demand, now);
      desk.set_granted(0, granted, now);
      desk.set_rate({0, granted, std::nullopt}, now);
    });
    serving_.swap({0, kEngine, 0, std::nullopt}, ServingEngine{&engine_, kEngine, 3, Duration(0)});
    serving_.start(clock_.now());
  }
  void start_at(Fps fps) { start_at(fps, fps); }
  PushVerdict push() {
    Frame frame;
    frame.input = {1.0F};
    return serving_.push(0, frame, [this](FrameAnswer answer) { answers_.push_back(std::move(answer)); });
  }
  std::optional<Serving::Job> take() { return serving_.next_job(0); }
  void finish(const Serving::Job& job, const Status& status = Done{}) {
    clock_.advance(std::chrono::milliseconds(1));
    serving_.finished(0, job, std::chrono::microseconds(300), status, {}, {.logits = {4.0F, 5.0F}});
  }
  void serve() {
    const auto job = take();
    ASSERT_TRUE(job);
    finish(*job);
  }
  [[nodiscard]] TaskFrames frames() const {
    TaskFrames frames = serving_.view().tasks.front().frames;
    EXPECT_EQ(frames.received, frames.processed + frames.dropped_total() + frames.in_flight);
    return frames;
  }
  [[nodiscard]] std::vector<DropReason> reasons() const {
    std::vector<DropReason> reasons;
    for (const FrameAnswer& answer : answers_) reasons.push_back(answer.dropped.value());
    return reasons;
  }

  ManualClock clock_;
  MessageQueue queue_{clock_};
  NoEngine engine_;
  std::vector<FrameAnswer> answers_;
  Serving serving_{{{1.0}, 1, 2, {Duration(0)}}, false, clock_, queue_};
};

TEST_F(PushedFrames, AFrameIsDueAtReceiptAndAnsweredWhenItEnds) {
  start_at(Fps(10));
  clock_.advance(std::chrono::milliseconds(7));
  EXPECT_EQ(push(), PushVerdict::accepted);
  EXPECT_TRUE(answers_.empty());
  const auto job = take();
  ASSERT_TRUE(job);
  EXPECT_TRUE(job->awaited);
  EXPECT_EQ(job->start.due, clock_.now());
  EXPECT_EQ(job->picture, nullptr);
  EXPECT_EQ(std::vector<float>(job->input.begin(), job->input.end()), std::vector<float>{1.0F});
  finish(*job);
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_FALSE(answers_[0].dropped);
  EXPECT_EQ(answers_[0].logits, (std::vector<float>{4.0F, 5.0F}));
  EXPECT_EQ(answers_[0].variant, 3U);
  EXPECT_EQ(answers_[0].latency, std::chrono::milliseconds(1));
  EXPECT_EQ(answers_[0].inference, std::chrono::microseconds(300));
  EXPECT_EQ(frames().inference.count(), 1);
  EXPECT_NEAR(frames().inference.sum().value(), 300e-6, 1e-12);
}

TEST_F(PushedFrames, AFullGateRefusesTheNewestAndKeepsThoseThatWait) {
  start_at(Fps(1000));
  EXPECT_EQ(push(), PushVerdict::accepted);
  const auto running = take();  // does not wait any more
  ASSERT_TRUE(running);
  clock_.advance(std::chrono::milliseconds(2));
  EXPECT_EQ(push(), PushVerdict::accepted);
  EXPECT_EQ(push(), PushVerdict::accepted);
  EXPECT_EQ(push(), PushVerdict::full);
  EXPECT_EQ(push(), PushVerdict::full);
  EXPECT_EQ(frames().received, 3);
  EXPECT_EQ(frames().rejected, 2);
  EXPECT_EQ(frames().in_flight, 3);
  finish(*running);
  serve();
  serve();
  EXPECT_EQ(answers_.size(), 3U);
  EXPECT_EQ(frames().processed, 3);
  EXPECT_EQ(push(), PushVerdict::accepted) << "there is room again";
}

TEST_F(PushedFrames, AboveTheGrantedRateAFrameIsTakenAndDropped) {
  start_at(Fps(10), Fps(5));
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(push(), PushVerdict::accepted);
    if (frames().in_flight > 0) serve();
    clock_.advance(std::chrono::milliseconds(49));  // with the millisecond of serving: 20 a second
  }
  const TaskFrames books = frames();
  EXPECT_EQ(books.received, 20);
  EXPECT_EQ(books.rejected, 0);
  EXPECT_EQ(books.dropped[static_cast<std::size_t>(DropReason::over_quota)], 20 - books.processed);
  EXPECT_NEAR(static_cast<double>(books.processed), 5.0 * 20 * 0.05, 2.0);
  EXPECT_NEAR(static_cast<double>(books.demanded), 10.0 * 20 * 0.05, 2.0) << "no more than is demanded";
  EXPECT_LE(books.granted, books.processed + 1);
  EXPECT_EQ(answers_.size(), 20U);
}

TEST_F(PushedFrames, ASilentClientDemandsNothingAndIsNoLostSource) {
  start_at(Fps(10));
  for (int i = 0; i < 300; ++i) {
    clock_.advance(std::chrono::milliseconds(100));
    EXPECT_TRUE(serving_.lost_sources(clock_.now()).empty());
  }
  EXPECT_EQ(frames().demanded, 0);
  EXPECT_TRUE(serving_.view().tasks.front().connected);
}

TEST_F(PushedFrames, WhoIsDroppedIsTold) {
  start_at(Fps(1000));
  EXPECT_EQ(push(), PushVerdict::accepted);
  const auto job = take();
  ASSERT_TRUE(job);
  finish(*job, Error{"engine", "fails", ""});
  EXPECT_EQ(push(), PushVerdict::accepted);
  serving_.swap({0, std::nullopt, 0, kEngine}, std::nullopt);  // waits, and its engine is taken away
  EXPECT_EQ(push(), PushVerdict::accepted);                    // comes when there is none
  serving_.with_desk([&](FrameDesk& desk, TimePoint now) { desk.set_demand(0, Fps(0), now); });
  EXPECT_EQ(push(), PushVerdict::accepted);
  EXPECT_EQ(reasons(), (std::vector<DropReason>{DropReason::engine_error, DropReason::no_engine,
                                                DropReason::no_engine, DropReason::inactive}));
  EXPECT_EQ(frames().in_flight, 0);
}

TEST_F(PushedFrames, TheEndAnswersThoseThatWaitAndTakesNoMore) {
  EXPECT_EQ(push(), PushVerdict::starting);
  start_at(Fps(1000));
  EXPECT_EQ(push(), PushVerdict::accepted);
  EXPECT_EQ(push(), PushVerdict::accepted);
  serving_.stop_sources(clock_.now());
  EXPECT_EQ(push(), PushVerdict::ending);
  serving_.finish_frames(Duration(0));
  EXPECT_EQ(reasons(), (std::vector<DropReason>{DropReason::shutdown, DropReason::shutdown}));
  EXPECT_EQ(frames().received, 2);
}

TEST_F(PushedFrames, ATaskWithASourceTakesNone) {
  start_at(Fps(10));
  set_pushed(false);
  EXPECT_EQ(push(), PushVerdict::not_pushed);
  EXPECT_EQ(frames().received, 0);
}

TEST_F(PushedFrames, ALostCameraIsNoneOnceItsFramesArePushed) {
  set_pushed(false);
  start_at(Fps(10));
  std::vector<TaskIndex> lost;
  while (lost.empty()) {
    clock_.advance(std::chrono::milliseconds(500));
    lost = serving_.lost_sources(clock_.now());
  }
  EXPECT_FALSE(serving_.view().tasks.front().connected);
  set_pushed(true);
  EXPECT_TRUE(serving_.view().tasks.front().connected);
  bool back = false;
  while (const auto message = queue_.take(clock_.now())) {
    const auto* event = std::get_if<Event>(&message->what);
    back = back || (event != nullptr && std::holds_alternative<event::SourceBack>(*event));
  }
  EXPECT_TRUE(back) << "so that it is planned for again";
}

TEST_F(PushedFrames, ACaptureThatEndsLateBringsNothingIntoTheGate) {
  set_pushed(false);
  start_at(Fps(10));
  const int capture = serving_.open_capture(0);
  const auto tick = serving_.next_tick(0, capture);
  ASSERT_TRUE(tick);
  serving_.close_capture(0);
  set_pushed(true);
  serving_.captured(0, *tick, true);
  EXPECT_EQ(frames().received, 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(push(), PushVerdict::accepted);
}

}  // namespace
}  // namespace saccade::runtime
