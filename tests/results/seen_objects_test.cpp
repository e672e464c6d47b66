// What is told of a classifier's answers: one object per region, in its place, with the score of its label.
#include "service/live/seen_objects.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace saccade::service {
namespace {

runtime::ServedTask task_of(profiles::Activation activation) {
  auto set = std::make_shared<profiles::ProfileSet>();
  set->labels = {"empty", "car"};
  set->interface.task = profiles::NetworkTask::classify;
  set->interface.decoder = profiles::ClassifyDecoder{"", activation};
  return {TaskId("gate"), set};
}

TEST(SeenObjects, RegionsOfAClassifierAreObjectsInPixelsOfTheFrame) {
  const runtime::ServedTask task = task_of(profiles::Activation::softmax);
  runtime::Picture picture;  // half as wide and as high as the source's frame
  picture.resize(100, 50);
  picture.frame_width = 200;
  picture.frame_height = 100;
  const std::vector<runtime::PixelBox> regions = {{0, 0, 50, 50}, {50, 0, 50, 50}};
  const vision::Objects none;
  const std::array classes = {0, 1};
  const std::array logits = {1.0F, 1.0F, -1.0F, std::log(3.0F) - 1.0F};
  vision::Objects objects(7);  // what lay there before
  take_objects({.task = task,
                .picture = &picture,
                .regions = regions,
                .objects = none,
                .classes = classes,
                .logits = logits},
               objects);
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0].label, 1);  // the best first
  EXPECT_EQ(objects[0].region, 1);
  EXPECT_FLOAT_EQ(objects[0].score, 0.75F);
  EXPECT_EQ(objects[0].box, (vision::Box{100.0F, 0.0F, 100.0F, 100.0F}));
  EXPECT_EQ(objects[1].region, 0);
  EXPECT_FLOAT_EQ(objects[1].score, 0.5F);
}

TEST(SeenObjects, ScoresAreMadeAsTheInterfaceSays) {
  const vision::Objects none;
  const std::array classes = {1};
  const std::array logits = {0.25F, 0.5F};
  vision::Objects objects;
  const auto score = [&](profiles::Activation activation) {
    const runtime::ServedTask task = task_of(activation);
    take_objects({.task = task, .objects = none, .classes = classes, .logits = logits}, objects);
    return objects.at(0).score;
  };
  EXPECT_FLOAT_EQ(score(profiles::Activation::none), 0.5F);
  EXPECT_FLOAT_EQ(score(profiles::Activation::sigmoid), 1.0F / (1.0F + std::exp(-0.5F)));
  EXPECT_FLOAT_EQ(score(profiles::Activation::softmax), 1.0F / (1.0F + std::exp(-0.25F)));
}

TEST(SeenObjects, ObjectsOfADetectorStayAsTheyAre) {
  const runtime::ServedTask task = task_of(profiles::Activation::softmax);
  const vision::Objects found = {{{1.0F, 2.0F, 3.0F, 4.0F}, 1, 0.9F, 2}};
  vision::Objects objects;
  take_objects({.task = task, .objects = found}, objects);
  EXPECT_EQ(objects, found);
}

}  // namespace
}  // namespace saccade::service
