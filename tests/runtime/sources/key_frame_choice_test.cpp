#include "runtime/sources/key_frame_choice.hpp"

#include <gtest/gtest.h>

namespace saccade::runtime {
namespace {

// Key frames every two seconds, from 0 on; `from` and `to` count them. How many say "alone".
int alone_within(KeyFrameChoice& choice, int from, int to) {
  int alone = 0;
  for (int i = from; i < to; ++i) alone += choice.key_frame(TimePoint(std::chrono::seconds(2) * i)) ? 1 : 0;
  return alone;
}

TEST(KeyFrameChoice, KeyFramesDoWhileTheyComeAsOftenAsPicturesAreTaken) {
  KeyFrameChoice choice(StreamDecode::needed);
  EXPECT_EQ(alone_within(choice, 0, 5), 0) << "nobody said how often pictures are taken";
  choice.taken_every(std::chrono::seconds(2));
  EXPECT_EQ(alone_within(choice, 5, 10), 5);
  choice.taken_every(std::chrono::milliseconds(1900));
  EXPECT_EQ(alone_within(choice, 10, 15), 5) << "jitter of a tick";
  choice.taken_every(std::chrono::milliseconds(1700));
  EXPECT_TRUE(choice.alone()) << "the others need the last key frame's followers";
  EXPECT_EQ(alone_within(choice, 15, 20), 0);
  choice.taken_every(std::chrono::milliseconds(1900));
  EXPECT_EQ(alone_within(choice, 20, 25), 0) << "not back for jitter either";
  choice.taken_every(std::chrono::seconds(30));
  EXPECT_EQ(alone_within(choice, 25, 30), 5);
  choice.begin();
  EXPECT_FALSE(choice.alone()) << "of a new connection, all until its key frames are known";
  EXPECT_EQ(alone_within(choice, 30, 31), 0);
  EXPECT_EQ(alone_within(choice, 31, 33), 2);
}

TEST(KeyFrameChoice, WhatIsFixedStays) {
  for (const StreamDecode decode : {StreamDecode::all, StreamDecode::key}) {
    KeyFrameChoice choice(decode);
    const bool alone = decode == StreamDecode::key;
    EXPECT_EQ(choice.alone(), alone);
    for (const int interval : {1, 100, 10'000}) {
      choice.taken_every(std::chrono::milliseconds(interval));
      EXPECT_EQ(alone_within(choice, 0, 4), alone ? 4 : 0);
    }
  }
}

}  // namespace
}  // namespace saccade::runtime
