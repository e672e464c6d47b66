// What every Sink owes the service, with its real other side. To hold a sink to it, derive its other side
// from SinkPartner and write in one test file of the room
//   INSTANTIATE_TEST_SUITE_P(File, SinkSuite, ::testing::Values(&make_file_partner));
// where make_file_partner() returns a std::unique_ptr<SinkPartner>.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "tests/results/deliveries.hpp"

namespace saccade::results {

// The other side of a sink: a disk, a broker, a receiver, a reader. It is away at first.
class SinkPartner {
 public:
  virtual ~SinkPartner() = default;
  virtual std::unique_ptr<Sink> make_sink(std::size_t queue) = 0;
  virtual void come() = 0;  // returns when it can be reached
  virtual void go() = 0;    // without a word
  // It is reached but takes nothing, until resume(). False: it has no such state.
  virtual bool pause() { return false; }
  virtual void resume() {}
};

class SinkSuite : public testing::TestWithParam<std::unique_ptr<SinkPartner> (*)()> {
 protected:
  // Results until one more is sent. False: none ever was.
  [[nodiscard]] bool delivers(Sink& sink) {
    const std::int64_t before = sink.account().sent;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (sink.account().sent <= before) {
      if (std::chrono::steady_clock::now() > end) return false;
      if (sink.account().waiting < 4) sink.take(deliveries::numbered(++frame_));
      std::this_thread::yield();
    }
    return true;
  }
  void take(Sink& sink, int count) {
    for (int i = 0; i < count; ++i) sink.take(deliveries::numbered(++frame_));
  }
  std::unique_ptr<SinkPartner> partner_ = GetParam()();
  std::int64_t frame_ = 0;
};

TEST_P(SinkSuite, AllThatIsTakenIsSentWhileTheQueueHolds) {
  partner_->come();
  const auto sink = partner_->make_sink(1000);
  ASSERT_TRUE(delivers(*sink));
  ASSERT_TRUE(deliveries::until(*sink, [](const SinkAccount& account) { return account.waiting == 0; }));
  const SinkAccount before = sink->account();
  take(*sink, 500);
  EXPECT_EQ(sink->account().taken, before.taken + 500) << "in the account at once";
  EXPECT_TRUE(deliveries::until(
      *sink, [&](const SinkAccount& account) { return account.sent == before.sent + 500; }));
  EXPECT_EQ(sink->account().failed, 0);
  EXPECT_EQ(sink->account().dropped, before.dropped);
  EXPECT_TRUE(sink->account().connected);
  EXPECT_EQ(sink->account().fault, "");
}

TEST_P(SinkSuite, AnAbsentOtherSideCostsResultsAndNothingElse) {
  const auto sink = partner_->make_sink(16);
  take(*sink, 5000);
  const SinkAccount account = sink->account();
  EXPECT_EQ(account.taken, 5000);
  EXPECT_EQ(account.sent, 0);
  EXPECT_EQ(deliveries::unexplained(account), 0);
  EXPECT_LE(account.waiting, 16 + 16) << "the queue, and what is in hand";
  partner_->come();
  EXPECT_TRUE(delivers(*sink)) << "it came";
  EXPECT_EQ(sink->account().fault, "");
}

TEST_P(SinkSuite, TheAccountHoldsAtEveryLookWhileTheOtherSideComesAndGoes) {
  partner_->come();
  const auto sink = partner_->make_sink(16);
  std::atomic<bool> over{false};
  std::int64_t unexplained = 0;
  std::int64_t looks = 0;
  std::thread looker([&] {
    while (!over || looks == 0) {
      const SinkAccount account = sink->account();
      unexplained += deliveries::unexplained(account) == 0 ? 0 : 1;
      unexplained += account.waiting < 0 ? 1 : 0;
      ++looks;
    }
  });
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(delivers(*sink));
    take(*sink, 2000);
    partner_->go();
    take(*sink, 2000);
    partner_->come();
  }
  EXPECT_TRUE(delivers(*sink));
  over = true;
  looker.join();
  EXPECT_EQ(unexplained, 0) << "of " << looks;
}

TEST_P(SinkSuite, OneThatTakesNothingHoldsUpNeitherResultsNorTheEnd) {
  partner_->come();
  auto sink = partner_->make_sink(16);
  ASSERT_TRUE(delivers(*sink));
  if (partner_->pause()) {
    take(*sink, 50'000);
    const SinkAccount account = sink->account();
    EXPECT_EQ(account.taken, frame_);
    EXPECT_EQ(deliveries::unexplained(account), 0);
    EXPECT_GT(account.dropped, 0);
  }
  sink.reset();  // returns: the test's program would be ended
  partner_->resume();
}

TEST_P(SinkSuite, StatesAreTakenAtAnyTime) {
  const auto sink = partner_->make_sink(16);
  sink->task_is_there("gate");
  sink->take(PresenceChange{"gate", "person", 1});
  sink->tell(TaskState{"gate", true, 5, 5, 4.5, "n-320", 0.4, 1});
  partner_->come();
  EXPECT_TRUE(delivers(*sink));
  sink->take(PresenceChange{"gate", "person", 0});
  sink->task_is_gone("gate");
  EXPECT_EQ(deliveries::unexplained(sink->account()), 0);
}

}  // namespace saccade::results
