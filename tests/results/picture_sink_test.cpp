// Pictures of what begins to be present: of the next frame of the task, once for each beginning.
#include "service/live/picture_sink.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace saccade::service {
namespace {

class PictureSinkTest : public testing::Test {
 protected:
  // A frame with its picture, as the worker and then the hub tell of it.
  void see(const std::string& task, std::int64_t frame) {
    clock_->advance(std::chrono::milliseconds(100));
    runtime::PicturePtr picture;
    runtime::Picture& fresh = runtime::renew(picture);
    fresh.resize(4, 2);
    fresh.frame_width = 4;
    fresh.frame_height = 2;
    pictures_->offer(task, frame, picture, clock_->now());
    auto result = std::make_shared<results::Result>();
    result->task = task;
    result->frame = frame;
    sink_.take(std::shared_ptr<const results::Result>(std::move(result)));
  }
  void begins(const std::string& task, const std::string& label, int count = 1) {
    sink_.take(results::PresenceChange{task, label, count});
  }
  [[nodiscard]] std::vector<std::string> take_published() { return std::exchange(published_, {}); }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  std::shared_ptr<Snapshots> pictures_ = std::make_shared<Snapshots>();
  std::vector<std::string> published_;
  PictureSink sink_{pictures_, clock_,
                    [this](const std::string& task, const std::function<std::string()>& draw) {
                      published_.push_back(draw().starts_with("\xff\xd8") ? task : "no JPEG of " + task);
                    }};
};

using Tasks = std::vector<std::string>;

TEST_F(PictureSinkTest, WhileNothingBeginsNothingIsKept) {
  for (int frame = 1; frame <= 5; ++frame) see("gate", frame);
  EXPECT_FALSE(pictures_->are_wanted());
  EXPECT_EQ(take_published(), Tasks{});
}

TEST_F(PictureSinkTest, WhatBeginsIsShownOnceByTheNextFrameOfItsTask) {
  begins("gate", "person");
  EXPECT_TRUE(pictures_->are_wanted());
  see("yard", 1);
  EXPECT_EQ(take_published(), Tasks{}) << "another task's";
  see("gate", 2);
  EXPECT_EQ(take_published(), Tasks{"gate"});
  EXPECT_FALSE(pictures_->are_wanted()) << "workers keep nothing any more";
  see("gate", 3);
  begins("gate", "person", 2);
  see("gate", 4);
  EXPECT_EQ(take_published(), Tasks{}) << "it was present before; only its count changed";
  begins("gate", "car");
  see("gate", 5);
  EXPECT_EQ(take_published(), Tasks{"gate"});
  begins("gate", "person", 0);
  see("gate", 6);
  EXPECT_EQ(take_published(), Tasks{}) << "an end shows nothing";
  begins("gate", "person");
  see("gate", 7);
  EXPECT_EQ(take_published(), Tasks{"gate"});
}

TEST_F(PictureSinkTest, ATaskThatGoesIsForgotten) {
  begins("gate", "person");
  sink_.task_is_gone("gate");
  EXPECT_FALSE(pictures_->are_wanted());
  see("gate", 1);
  EXPECT_EQ(take_published(), Tasks{});
}

}  // namespace
}  // namespace saccade::service
