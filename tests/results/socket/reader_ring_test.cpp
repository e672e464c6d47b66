// One ring of results and readers that come, go and are slow.
#include "results/socket/reader_ring.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/results/deliveries.hpp"

namespace saccade::results {
namespace {

using deliveries::numbered;
using deliveries::unexplained;

// The frame that a reader gets; 0: none.
std::int64_t read_one(ReaderRing& ring, int reader) {
  const ReaderRing::Next next = ring.next(reader);
  if (!next.line) return 0;
  ring.got(reader, Duration(0));
  return next.line->result->frame;
}

TEST(ReaderRing, EveryReaderReadsWhatComesAfterItCame) {
  ReaderRing ring(8, 2);
  ring.take(numbered(1));  // nobody is there
  EXPECT_EQ(ring.account().dropped, 1);
  ASSERT_TRUE(ring.join(10));
  ring.take(numbered(2));
  ASSERT_TRUE(ring.join(11));
  EXPECT_FALSE(ring.join(12)) << "two at most";
  ring.take(numbered(3));
  EXPECT_EQ(read_one(ring, 11), 3);
  EXPECT_EQ(ring.account().sent, 1);
  EXPECT_EQ(ring.account().waiting, 1);
  EXPECT_EQ(read_one(ring, 10), 2);
  EXPECT_EQ(read_one(ring, 10), 3);
  EXPECT_EQ(read_one(ring, 10), 0);
  EXPECT_EQ(ring.account().sent, 2);
  EXPECT_TRUE(ring.is_settled());
  EXPECT_EQ(ring.account().readers, (Readers{2, 0}));
}

TEST(ReaderRing, ASlowReaderLearnsHowManyItLostAndHoldsUpNobody) {
  ReaderRing ring(4, 8);
  ASSERT_TRUE(ring.join(1));
  ASSERT_TRUE(ring.join(2));
  for (int frame = 1; frame <= 10; ++frame) {
    ring.take(numbered(frame));
    EXPECT_EQ(read_one(ring, 2), frame);
  }
  EXPECT_EQ(ring.account().sent, 10);
  EXPECT_EQ(ring.account().dropped, 0);
  const ReaderRing::Next next = ring.next(1);
  EXPECT_EQ(next.lost, 6);
  EXPECT_EQ(next.line->result->frame, 7);
  EXPECT_EQ(ring.account().readers, (Readers{2, 6}));
}

TEST(ReaderRing, WhatNobodyGotIsDroppedAndALineInHandIsFinished) {
  ReaderRing ring(2, 8);
  ASSERT_TRUE(ring.join(1));
  ring.take(numbered(1));
  const ReaderRing::Next first = ring.next(1);
  EXPECT_EQ(first.line->result->frame, 1);
  EXPECT_FALSE(ring.next(1).line) << "one at a time";
  for (int frame = 2; frame <= 5; ++frame) ring.take(numbered(frame));
  EXPECT_EQ(ring.account().dropped, 3);
  ring.got(1, Duration(0));
  EXPECT_EQ(ring.account().sent, 0) << "it was given up before";
  const ReaderRing::Next next = ring.next(1);
  EXPECT_EQ(next.lost, 2);
  EXPECT_EQ(next.line->result->frame, 4);
  ring.leave(1);
  EXPECT_EQ(ring.account().dropped, 5);
  EXPECT_TRUE(ring.is_settled());
}

// One reads all at once, another nothing: what is kept for the slow one is bounded by bytes, too.
TEST(ReaderRing, ASlowReaderOfLongLinesLosesTheOldestEarlier) {
  constexpr std::size_t kLong = 64UL * 1024;
  constexpr auto kFit = static_cast<std::int64_t>(ReaderRing::kMostBytes / kLong);
  ReaderRing ring(1000, 8);
  ASSERT_TRUE(ring.join(1));
  ASSERT_TRUE(ring.join(2));
  for (int frame = 1; frame <= 500; ++frame) {
    ring.take(numbered(frame));
    ASSERT_TRUE(ring.next(2).line);
    ring.written(2, kLong);
    ring.written(2, kLong);  // the same line
    ring.got(2, Duration(0));
  }
  EXPECT_EQ(ring.account().sent, 500);
  const ReaderRing::Next next = ring.next(1);
  EXPECT_EQ(next.lost, 500 - kFit);
  EXPECT_EQ(next.line->result->frame, 501 - kFit);
  ring.leave(1);
  EXPECT_TRUE(ring.is_settled());
  ring.take(numbered(501));
  ASSERT_TRUE(ring.next(2).line);
  ring.written(2, 2 * ReaderRing::kMostBytes);
  ring.got(2, Duration(0));
  EXPECT_EQ(ring.account().sent, 501) << "one line is kept, whatever it weighs";
}

TEST(ReaderRing, ALineInHandStaysWhenAReaderThatCameLaterGoes) {
  ReaderRing ring(8, 8);
  ASSERT_TRUE(ring.join(1));
  ring.take(numbered(1));
  ASSERT_TRUE(ring.next(1).line);
  ASSERT_TRUE(ring.join(2));
  ring.leave(2);
  EXPECT_EQ(ring.account().waiting, 1);
  ring.got(1, Duration(0));
  EXPECT_EQ(ring.account().sent, 1);
}

TEST(ReaderRing, AHundredThousandResultsAndNoneUnaccounted) {
  std::mt19937 dice(3);
  ReaderRing ring(16, 4);
  std::map<int, std::int64_t> seen;  // newest frame by reader
  std::map<int, bool> in_hand;
  for (int frame = 1; frame <= 100'000; ++frame) {
    ring.take(numbered(frame));
    const int reader = static_cast<int>(dice() % 6);
    switch (dice() % 8) {
      case 0:
        if (ring.join(reader)) {
          seen[reader] = frame;
          in_hand[reader] = false;
        }
        break;
      case 1:
        ring.leave(reader);
        seen.erase(reader);
        break;
      default:
        for (auto& [each, newest] : seen) {
          if (dice() % 2 == 0) continue;
          if (std::exchange(in_hand[each], false)) ring.got(each, Duration(0));
          const ReaderRing::Next next = ring.next(each);
          if (!next.line) continue;
          ASSERT_EQ(next.line->result->frame, newest + next.lost + 1) << "read or told as lost";
          newest = next.line->result->frame;
          in_hand[each] = true;
        }
    }
    ASSERT_EQ(unexplained(ring.account()), 0);
    ASSERT_LE(ring.account().waiting, 16);
  }
  EXPECT_GT(ring.account().sent, 0);
  EXPECT_GT(ring.account().dropped, 0);
  ring.give_up();
  EXPECT_EQ(ring.account().waiting, 0);
  EXPECT_EQ(unexplained(ring.account()), 0);
}

}  // namespace
}  // namespace saccade::results
