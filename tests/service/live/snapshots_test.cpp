// References to pictures for those who look: only while somebody does, at most two a second per task, each
// with the result of its own frame.
#include "service/live/snapshots.hpp"

#include <gtest/gtest.h>

namespace saccade::service {
namespace {

TimePoint after(double seconds) { return TimePoint(to_duration(Seconds(seconds))); }

runtime::PicturePtr some_picture() {
  runtime::PicturePtr picture;
  runtime::renew(picture).resize(4, 2);
  return picture;
}

std::shared_ptr<const results::Result> result_for(const std::string& task, std::int64_t frame) {
  auto result = std::make_shared<results::Result>();
  result->task = task;
  result->frame = frame;
  return result;
}

std::int64_t shown(Snapshots& snapshots, const std::string& task, double at) {
  const auto taken = snapshots.look(task, after(at));
  return taken ? taken->result->frame : 0;
}

TEST(Snapshots, NothingIsHeldUntilSomebodyLooks) {
  Snapshots snapshots;
  const runtime::PicturePtr picture = some_picture();
  snapshots.offer("gate", 1, picture, after(0));
  snapshots.join(result_for("gate", 1), after(0));
  EXPECT_EQ(picture.use_count(), 1);
  EXPECT_EQ(shown(snapshots, "gate", 0.1), 0);
  snapshots.offer("gate", 2, picture, after(0.2));
  EXPECT_EQ(picture.use_count(), 2);
  snapshots.offer("yard", 3, picture, after(0.2));
  EXPECT_EQ(picture.use_count(), 2) << "nobody looks at that one";
  EXPECT_EQ(shown(snapshots, "gate", 0.25), 0) << "its result is still to come";
  snapshots.join(result_for("gate", 2), after(0.3));
  const auto taken = snapshots.look("gate", after(0.4));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->picture, picture);
  EXPECT_EQ(taken->result->frame, 2);
}

TEST(Snapshots, AtMostTwoASecondAndEachWithItsOwnResult) {
  Snapshots snapshots;
  EXPECT_EQ(shown(snapshots, "gate", 0), 0);
  for (int frame = 1; frame <= 5; ++frame) {
    const double at = 0.2 * frame;
    snapshots.offer("gate", frame, some_picture(), after(at));
    snapshots.join(result_for("gate", frame), after(at));
    const int expected = frame < 4 ? 1 : 4;  // at 0.2 and 0.8
    EXPECT_EQ(shown(snapshots, "gate", at), expected) << frame;
  }
  snapshots.offer("gate", 8, some_picture(), after(2));
  snapshots.join(result_for("gate", 7), after(2));  // that of frame 8 was overwritten
  EXPECT_EQ(shown(snapshots, "gate", 2), 4);
  snapshots.offer("gate", 9, some_picture(), after(2.5));
  snapshots.join(result_for("gate", 9), after(2.5));
  EXPECT_EQ(shown(snapshots, "gate", 2.5), 9);
}

TEST(Snapshots, AFrameIsDrawnOnceHoweverManyLook) {
  Snapshots::Drawn drawn;
  int made = 0;
  for (int i = 0; i < 3; ++i) {
    for (const bool boxes : {true, false}) {
      const std::string jpeg = drawn.jpeg(boxes, [&] {
        ++made;
        return std::string(boxes ? "boxes" : "plain");
      });
      EXPECT_EQ(jpeg, boxes ? "boxes" : "plain");
    }
  }
  EXPECT_EQ(made, 2);
}

TEST(Snapshots, WhatNobodyLooksAtAnyMoreIsLetGo) {
  Snapshots snapshots;
  EXPECT_EQ(shown(snapshots, "gate", 0), 0);
  const runtime::PicturePtr picture = some_picture();
  snapshots.offer("gate", 1, picture, after(1));
  snapshots.join(result_for("gate", 1), after(1));
  snapshots.offer("gate", 2, picture, after(2));
  EXPECT_EQ(picture.use_count(), 3);
  snapshots.offer("gate", 3, picture, after(10));
  EXPECT_EQ(picture.use_count(), 3) << "ten seconds after the last look nothing more is taken";
  snapshots.join(result_for("yard", 4), after(10));
  EXPECT_EQ(picture.use_count(), 1);
  EXPECT_EQ(shown(snapshots, "gate", 11), 0) << "what was seen long ago is not shown as the latest";
}

TEST(Snapshots, AnOldPictureIsNotTheLatest) {
  Snapshots snapshots;
  EXPECT_EQ(shown(snapshots, "gate", 0), 0);
  snapshots.offer("gate", 1, some_picture(), after(1));
  snapshots.join(result_for("gate", 1), after(1));
  EXPECT_EQ(shown(snapshots, "gate", 30), 0);
  snapshots.offer("gate", 2, nullptr, after(30));  // numbers, without a picture
  snapshots.join(result_for("gate", 2), after(30));
  EXPECT_EQ(shown(snapshots, "gate", 31), 0);
  snapshots.offer("gate", 3, some_picture(), after(31));
  snapshots.join(result_for("gate", 3), after(31));
  EXPECT_EQ(shown(snapshots, "gate", 32), 3);
  snapshots.forget("gate");
  EXPECT_EQ(shown(snapshots, "gate", 32), 0);
}

}  // namespace
}  // namespace saccade::service
