// Yard scenes: their boxes are what can be seen, and the same in every build.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <opencv2/core.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "images/image_generator.hpp"
#include "images/scene_generator.hpp"
#include "images/yard.hpp"
#include "images/yard_objects.hpp"

namespace saccade::images {
namespace {

constexpr std::array<Split, 4> kEverySplit{Split::train, Split::calibration, Split::held_out, Split::live};

SceneGenerator yard() { return SceneGenerator::find("yard").value(); }

std::vector<std::uint8_t> bytes_of(const cv::Mat& bgr) {
  EXPECT_TRUE(bgr.isContinuous());
  return {bgr.datastart, bgr.dataend};
}

YardPlan plan_number(std::uint64_t key, double width = kYardUnits) {
  Random random(mix(key));
  return plan_yard(width, random);
}

// The smallest rectangle with all values above `least`; empty when there is none.
cv::Rect part_above(const cv::Mat& values, int least) {
  cv::Rect part;
  for (int row = 0; row < values.rows; ++row) {
    for (int column = 0; column < values.cols; ++column) {
      if (values.at<int>(row, column) > least) part |= cv::Rect(column, row, 1, 1);
    }
  }
  return part;
}

TEST(SceneGenerator, ListsItsDataSetsApartFromThoseOfImages) {
  EXPECT_EQ(SceneGenerator::names(), std::vector<std::string>{"yard"});
  for (const std::string& name : SceneGenerator::names()) {
    EXPECT_EQ(SceneGenerator::find(name)->name(), name);
    EXPECT_FALSE(ImageGenerator::find(name).has_value()) << name;
  }
  EXPECT_FALSE(SceneGenerator::find("garden").has_value());
  EXPECT_EQ(yard().labels(), (std::vector<std::string>{"person", "cyclist", "car", "van", "truck", "dog"}));
}

TEST(Yard, ASceneFollowsFromSplitIndexAndSizeAlone) {
  constexpr std::uint64_t kCount = 60;
  const auto draw_all = [](bool backwards, std::vector<LabelledScene>& scenes) {
    scenes.resize(kCount);
    for (std::uint64_t at = 0; at < kCount; ++at) {
      const std::uint64_t index = backwards ? kCount - 1 - at : at;
      scenes[index] = yard().make(Split::live, index, {160, 120});
    }
  };
  std::vector<LabelledScene> first;
  std::vector<LabelledScene> second;
  std::thread one([&] { draw_all(false, first); });
  std::thread two([&] { draw_all(true, second); });
  one.join();
  two.join();
  for (std::uint64_t index = 0; index < kCount; ++index) {
    ASSERT_EQ(bytes_of(first[index].bgr), bytes_of(second[index].bgr)) << "index " << index;
    ASSERT_EQ(first[index].boxes, second[index].boxes) << "index " << index;
  }
}

TEST(Yard, NoSceneRepeatsWithinOrAcrossSplits) {
  std::set<std::vector<std::uint8_t>> seen;
  for (const Split split : kEverySplit) {
    for (std::uint64_t index = 0; index < 60; ++index) {
      EXPECT_TRUE(seen.insert(bytes_of(yard().make(split, index, {96, 96}).bgr)).second)
          << name_of(split) << " " << index;
    }
  }
}

TEST(Yard, LeavesTheSettingsOfOpenCvAlone) {
  const int threads = cv::getNumThreads();
  const std::uint64_t state = cv::theRNG().state;
  for (std::uint64_t index = 0; index < 20; ++index) (void)yard().make(Split::live, index);
  EXPECT_EQ(cv::getNumThreads(), threads);
  EXPECT_EQ(cv::theRNG().state, state);
}

TEST(Yard, BoxesLieInThePictureOfAnySize) {
  for (const cv::Size size : {cv::Size(32, 32), cv::Size(96, 96), cv::Size(224, 224), cv::Size(321, 183),
                              cv::Size(64, 400), cv::Size(640, 360)}) {
    for (std::uint64_t index = 0; index < 40; ++index) {
      const LabelledScene scene = yard().make(Split::held_out, index, size);
      ASSERT_EQ(scene.bgr.size(), size);
      ASSERT_EQ(scene.bgr.type(), CV_8UC3);
      EXPECT_LE(scene.boxes.size(), static_cast<std::size_t>(kMostYardObjects));
      for (const LabelledBox& box : scene.boxes) {
        EXPECT_GE(box.left, 0);
        EXPECT_GE(box.top, 0);
        EXPECT_GT(box.width, 0);
        EXPECT_GT(box.height, 0);
        EXPECT_LE(box.left + box.width, size.width);
        EXPECT_LE(box.top + box.height, size.height);
        EXPECT_GE(std::max(box.width, box.height), kLeastVisible * size.height / kYardUnits);
        EXPECT_GE(box.hidden, 0.0);
        EXPECT_LE(box.hidden, kMostHidden);
        EXPECT_GE(box.label, 0);
        EXPECT_LT(box.label, 6);
      }
    }
  }
}

// The boxes of a picture without one item, and where it differs from the whole picture.
struct Without {
  YardPicture rest;
  cv::Rect faint;   // where anything changed
  cv::Rect strong;  // where more than a third of the largest change is left
};

Without without_item(const YardPlan& plan, const YardPicture& whole, std::size_t item) {
  YardPlan fewer = plan;
  fewer.items.erase(fewer.items.begin() + static_cast<std::ptrdiff_t>(item));
  Without result{paint_yard(fewer, whole.bgr.size()), {}, {}};
  int largest = 0;
  cv::Mat change(whole.bgr.size(), CV_32SC1);
  for (int row = 0; row < change.rows; ++row) {
    for (int column = 0; column < change.cols; ++column) {
      int sum = 0;
      for (int channel = 0; channel < 3; ++channel) {
        sum += std::abs(whole.bgr.at<cv::Vec3b>(row, column)[channel] -
                        result.rest.bgr.at<cv::Vec3b>(row, column)[channel]);
      }
      change.at<int>(row, column) = sum;
      largest = std::max(largest, sum);
    }
  }
  result.faint = part_above(change, 0);
  result.strong = part_above(change, largest / 3);
  return result;
}

bool contains(const std::vector<LabelledBox>& boxes, const LabelledBox& box) {
  return std::find(boxes.begin(), boxes.end(), box) != boxes.end();
}

int farthest_side(const cv::Rect& one, const LabelledBox& other) {
  return std::max({std::abs(one.x - other.left), std::abs(one.y - other.top),
                   std::abs(one.br().x - other.left - other.width),
                   std::abs(one.br().y - other.top - other.height)});
}

// With and without a thing, a picture differs where the thing can be seen. Of things that nothing covers, all
// of the change is in the box, but for the fringe of blended edges. Of others some shines through the blended
// edges of what covers them, so only the stronger part of the change counts. And a thing may have the colour
// of what is behind it, so not every side of every box shows.
TEST(Yard, ABoxIsTheExtentOfWhatChangesWithoutItsThing) {
  int boxes = 0;
  int found = 0;
  int bare = 0;   // nothing covers them
  int exact = 0;  // of those: every side within a pixel of where the change ends
  for (std::uint64_t key = 0; key < 80; ++key) {
    const YardPlan plan = plan_number(key);
    const YardPicture whole = paint_yard(plan, {224, 224});
    boxes += static_cast<int>(whole.boxes.size());
    for (std::size_t at = 0; at < plan.items.size(); ++at) {
      const Without without = without_item(plan, whole, at);
      // Of the boxes with this label, the one that is missing now. Others may change: more of them shows.
      for (const LabelledBox& box : whole.boxes) {
        const cv::Rect grown(box.left - 1, box.top - 1, box.width + 2, box.height + 2);
        const cv::Rect& change = box.hidden > 0.0 ? without.strong : without.faint;
        if (box.label != plan.items[at].label || contains(without.rest.boxes, box)) continue;
        if ((change & grown) != change) continue;
        ++found;
        bare += box.hidden > 0.0 ? 0 : 1;
        exact += box.hidden == 0.0 && farthest_side(without.faint, box) <= 1 ? 1 : 0;
        break;
      }
    }
  }
  EXPECT_GT(boxes, 200);
  EXPECT_GE(found, boxes * 97 / 100) << boxes;
  EXPECT_LE(found, boxes);
  EXPECT_GT(bare, boxes / 4);
  EXPECT_GE(exact, bare * 95 / 100) << bare;
}

// The share that is hidden, from the boxes' own pixels: alone in the middle nothing is, behind a wall of
// others or beyond the border it is.
TEST(Yard, AThingAloneIsWholeAndOneBehindAnotherIsNot) {
  YardPlan plan = plan_number(1);
  plan.shadows.clear();
  plan.items = {{2, 112, 150, 50, 7}};
  const YardPicture alone = paint_yard(plan, {224, 224});
  ASSERT_EQ(alone.boxes.size(), 1U);
  EXPECT_EQ(alone.boxes[0].hidden, 0.0);
  EXPECT_EQ(alone.boxes[0].label, 2);
  // Half beyond the right border.
  plan.items = {{2, 224, 150, 50, 7}};
  const YardPicture cut = paint_yard(plan, {224, 224});
  ASSERT_EQ(cut.boxes.size(), 1U);
  EXPECT_NEAR(cut.boxes[0].hidden, 0.5, 0.2);
  EXPECT_EQ(cut.boxes[0].left + cut.boxes[0].width, 224);
  // Behind a truck more than twice its size.
  plan.items = {{5, 112, 150, 14, 7}, {4, 112, 156, 110, 9}};
  const YardPicture behind = paint_yard(plan, {224, 224});
  ASSERT_EQ(behind.boxes.size(), 1U);
  EXPECT_EQ(behind.boxes[0].label, 4);
}

// Of a partly hidden thing a sliver may show in the larger picture only, so a few sides differ.
TEST(Yard, ALargerPictureShowsTheSameScene) {
  int sides = 0;
  int same = 0;
  for (std::uint64_t key = 0; key < 40; ++key) {
    const YardPlan plan = plan_number(key);
    const YardPicture small = paint_yard(plan, {224, 224});
    const YardPicture large = paint_yard(plan, {672, 672});
    // Whether a thing at the limit of what is listed is listed may depend on the rounding.
    if (small.boxes.size() != large.boxes.size()) continue;
    for (std::size_t at = 0; at < small.boxes.size(); ++at) {
      const LabelledBox& one = small.boxes[at];
      const LabelledBox& other = large.boxes[at];
      EXPECT_EQ(one.label, other.label);
      const std::array<int, 4> apart{one.left * 3 - other.left, one.top * 3 - other.top,
                                     (one.left + one.width) * 3 - other.left - other.width,
                                     (one.top + one.height) * 3 - other.top - other.height};
      for (const int pixels : apart) same += std::abs(pixels) <= 4 ? 1 : 0;
      sides += 4;
    }
  }
  EXPECT_GT(sides, 300);
  EXPECT_GE(same, sides * 95 / 100) << sides;
}

// Labels uniform and 1 to 7 things, before some are hidden: five standard deviations.
TEST(Yard, PlansAreDistributedAsStated) {
  constexpr int kPlans = 3000;
  std::map<int, int> labels;
  std::map<std::size_t, int> counts;
  int things = 0;
  for (std::uint64_t key = 0; key < kPlans; ++key) {
    const YardPlan plan = plan_number(key);
    std::size_t count = 0;
    double before = 0.0;
    for (const YardItem& item : plan.items) {
      EXPECT_GE(item.y, before);  // from the back to the front
      before = item.y;
      EXPECT_GT(item.y, plan.horizon);
      EXPECT_LT(item.y, kYardUnits);
      if (item.label < 0) continue;
      const YardSizes sizes = yard_sizes(item.label);
      EXPECT_GE(item.size, sizes.least);
      EXPECT_LE(item.size, sizes.most);
      ++labels[item.label];
      ++count;
      ++things;
    }
    ++counts[count];
  }
  ASSERT_EQ(labels.size(), 6U);
  for (const auto& [label, count] : labels)
    EXPECT_NEAR(count, things / 6.0, 5 * std::sqrt(things / 6.0)) << label;
  ASSERT_EQ(counts.size(), 7U);
  EXPECT_EQ(counts.begin()->first, 1U);
  for (const auto& [count, plans] : counts)
    EXPECT_NEAR(plans, kPlans / 7.0, 5 * std::sqrt(kPlans / 7.0)) << count;
}

TEST(Yard, BoxesAreFromTenToAHundredAndTwentyUnits) {
  std::vector<int> sides;
  int hidden = 0;
  for (std::uint64_t index = 0; index < 400; ++index) {
    for (const LabelledBox& box : yard().make(Split::calibration, index).boxes) {
      sides.push_back(std::max(box.width, box.height));
      hidden += box.hidden > 0.1 ? 1 : 0;
    }
  }
  std::sort(sides.begin(), sides.end());
  EXPECT_LE(sides.back(), 120);
  EXPECT_NEAR(sides[sides.size() / 2], 31, 6);
  const auto small = std::lower_bound(sides.begin(), sides.end(), 10) - sides.begin();
  EXPECT_LT(static_cast<double>(small),
            0.05 * static_cast<double>(sides.size()));  // cut off or hidden in part
  EXPECT_GT(hidden, static_cast<int>(sides.size()) / 10);
  EXPECT_LT(hidden, static_cast<int>(sides.size()) / 2);
}

// The detector of the zoo learned these scenes. Labels and boxes must be the very same everywhere; pixels may
// be rounded differently by another compiler or OpenCV.
TEST(Yard, DrawsWhatTheZooLearned) {
  std::uint64_t boxes = 0xCBF29CE484222325ULL;
  int count = 0;
  double mean = 0.0;
  constexpr int kScenes = 64;
  for (std::uint64_t index = 0; index < kScenes; ++index) {
    const LabelledScene scene = yard().make(Split::held_out, index);
    for (const LabelledBox& box : scene.boxes) {
      for (const int value : {box.left, box.top, box.width, box.height, box.label}) {
        boxes = (boxes ^ static_cast<std::uint64_t>(value)) * 0x100000001B3U;
      }
      ++count;
    }
    const cv::Scalar means = cv::mean(scene.bgr);
    mean += (means[0] + means[1] + means[2]) / (3.0 * kScenes);
  }
  EXPECT_EQ(count, 233);
  EXPECT_EQ(boxes, 0xf9052bca912d3387ULL);
  EXPECT_NEAR(mean, 82.534, 0.02);
}

}  // namespace
}  // namespace saccade::images
