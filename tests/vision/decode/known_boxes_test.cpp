// Known boxes, encoded as every family's network would give them, are found where they are: in every
// placement, at the borders of the frame and in the padding.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/vision/decode/made_outputs.hpp"
#include "vision/decode/decoder.hpp"

namespace saccade::vision::test {
namespace {

using profiles::Align;
using profiles::Resize;

struct Scene {
  profiles::PictureInput input;
  PixelSize frame;
  Box region;
};

std::vector<Scene> scenes() {
  std::vector<Scene> all;
  const std::vector<std::pair<PixelSize, Box>> frames = {
      {{640, 480}, {0, 0, 640, 480}},         // enlarged or as it is
      {{1920, 1080}, {0, 0, 1920, 1080}},     // reduced, wide
      {{333, 517}, {0, 0, 333, 517}},         // tall, odd
      {{1280, 720}, {301, 77, 405, 399}},     // a region in the middle
      {{1280, 720}, {1000, 500, 280, 220}}};  // a region in the corner
  for (const auto& [frame, region] : frames) {
    for (const PixelSize size : {PixelSize{416, 416}, PixelSize{320, 192}}) {
      for (const auto& [resize, align] :
           {std::pair{Resize::stretch, Align::center}, std::pair{Resize::letterbox, Align::center},
            std::pair{Resize::letterbox, Align::top_left}, std::pair{Resize::cover, Align::center}}) {
        Scene scene{{}, frame, region};
        scene.input.width = size.width;
        scene.input.height = size.height;
        scene.input.resize = resize;
        scene.input.align = align;
        all.push_back(scene);
      }
    }
  }
  return all;
}

// Boxes in cells of a grid over the input, each far enough from the others; those of the outer cells reach
// beyond the input's border, where the picture may end or padding lie.
std::vector<Known> boxes_over(const profiles::PictureInput& input, int labels, Random& random) {
  std::vector<Known> known;
  const double step = 64;
  for (double y = step / 2; y < input.height; y += step) {
    for (double x = step / 2; x < input.width; x += step) {
      Known box{};
      box.left = x - uniform(random, 10, 31);
      box.right = x + uniform(random, 10, 31);
      box.top = y - uniform(random, 10, 31);
      box.bottom = y + uniform(random, 10, 31);
      if (x <= step / 2) box.left -= 40;
      if (y <= step / 2) box.top -= 40;
      if (x >= input.width - step / 2) box.right += 40;
      if (y >= input.height - step / 2) box.bottom += 40;
      box.label = whole(random, 0, labels - 1);
      box.score = uniform(random, 0.3, 0.99);
      known.push_back(box);
    }
  }
  return known;
}

Objects expected(const std::vector<Known>& known, const Scene& scene) {
  const Map map = map_of(scene.input, scene.region);
  Objects objects;
  for (const Known& box : known) {
    const auto on = [](const Axis& axis, double value, int size) {
      return std::fmin(std::fmax((value - axis.offset) / axis.scale, 0.0), size);
    };
    const double left = on(map.x, box.left, scene.frame.width);
    const double right = on(map.x, box.right, scene.frame.width);
    const double top = on(map.y, box.top, scene.frame.height);
    const double bottom = on(map.y, box.bottom, scene.frame.height);
    if (right <= left || bottom <= top) continue;
    objects.push_back({{static_cast<float>(left), static_cast<float>(top), static_cast<float>(right - left),
                        static_cast<float>(bottom - top)},
                       box.label,
                       static_cast<float>(box.score),
                       3});
  }
  return objects;
}

double distance(const Object& a, const Object& b) {
  const double left = std::abs(a.box.x - b.box.x);
  const double top = std::abs(a.box.y - b.box.y);
  const double right = std::abs(a.box.x + a.box.width - b.box.x - b.box.width);
  const double bottom = std::abs(a.box.y + a.box.height - b.box.y - b.box.height);
  return std::max({left, top, right, bottom});
}

void expect_found(const Objects& wanted, const Objects& found) {
  EXPECT_EQ(found.size(), wanted.size());
  for (const Object& object : wanted) {
    double nearest = 1e9;
    Object match;
    for (const Object& candidate : found) {
      if (distance(object, candidate) < nearest) {
        nearest = distance(object, candidate);
        match = candidate;
      }
    }
    EXPECT_LT(nearest, 0.1) << object.box.x << ' ' << object.box.y;  // 0.5 is asked for
    EXPECT_EQ(match.label, object.label);
    EXPECT_NEAR(match.score, object.score, 1e-4);
    EXPECT_EQ(match.region, object.region);
  }
}

class KnownBoxes : public testing::TestWithParam<Family> {};

TEST_P(KnownBoxes, AreFoundInEveryPlacement) {
  Random random(20261123);
  std::size_t boxes = 0;
  for (const Scene& scene : scenes()) {
    for (const int labels : {1, 2, 80}) {
      SCOPED_TRACE(testing::Message() << "resize " << static_cast<int>(scene.input.resize) << " align "
                                      << static_cast<int>(scene.input.align) << " input " << scene.input.width
                                      << " frame " << scene.frame.width << " labels " << labels);
      const std::vector<Known> known = boxes_over(scene.input, labels, random);
      const Made made = make_outputs(GetParam(), scene.input, labels, known, 200, random);
      auto decoder =
          Decoder::make(made.interface, made.labels, {scene.input.width, scene.input.height}, made.ports());
      ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
      Objects found;
      const Decoded decoded =
          decoder.value().decode(made.views(), place(scene.input, scene.region, scene.frame, 3), found);
      EXPECT_EQ(decoded.fault, Fault::none);
      EXPECT_EQ(decoded.bad_rows, 0U);
      const Objects wanted = expected(known, scene);
      expect_found(wanted, found);
      boxes += wanted.size();
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(boxes, 2000U);
}

TEST_P(KnownBoxes, AreFoundWithoutKnowingThePorts) {
  Random random(7);
  const Scene scene = scenes().front();
  const std::vector<Known> known = boxes_over(scene.input, 5, random);
  const Made made = make_outputs(GetParam(), scene.input, 5, known, 100, random);
  profiles::ModelInterface interface = made.interface;
  if (auto* detr = std::get_if<profiles::DetrDecoder>(&interface.decoder); detr && detr->logits.empty()) {
    detr->labels = "labels";  // without ports, these have to be named
    detr->boxes = "boxes";
    detr->scores = "scores";
  }
  auto decoder = Decoder::make(interface, made.labels, {scene.input.width, scene.input.height}, {});
  ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
  Objects found;
  EXPECT_EQ(
      decoder.value().decode(made.views(), place(scene.input, scene.region, scene.frame, 3), found).fault,
      Fault::none);
  expect_found(expected(known, scene), found);
}

// Several regions in one batch: outputs with a leading dimension, of which each decode reads its own part.
TEST_P(KnownBoxes, AreFoundInEveryPictureOfABatch) {
  Random random(11);
  const Scene scene = scenes().front();
  std::vector<std::vector<Known>> known;
  Made batch;
  for (std::int64_t picture = 0; picture < 3; ++picture) {
    known.push_back(boxes_over(scene.input, 5, random));
    Random same(13);  // the same number of extra columns
    Made made = make_outputs(GetParam(), scene.input, 5, known.back(), 100, same);
    if (picture == 0) {
      batch = std::move(made);
      continue;
    }
    for (std::size_t i = 0; i < batch.outputs.size(); ++i) {
      std::visit(
          [&](auto& all) {
            const auto& more = std::get<std::decay_t<decltype(all)>>(made.outputs[i].numbers);
            all.insert(all.end(), more.begin(), more.end());
          },
          batch.outputs[i].numbers);
      batch.outputs[i].shape[0] = picture + 1;
    }
  }
  auto decoder =
      Decoder::make(batch.interface, batch.labels, {scene.input.width, scene.input.height}, batch.ports());
  ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
  const Placement placement = place(scene.input, scene.region, scene.frame, 3);
  for (std::size_t picture = 0; picture < 3; ++picture) {
    Objects found;
    EXPECT_EQ(decoder.value().decode(batch.views(), placement, found, picture).fault, Fault::none);
    expect_found(expected(known[picture], scene), found);
  }
  Objects none;
  EXPECT_EQ(decoder.value().decode(batch.views(), placement, none, 3).fault, Fault::outputs);
  EXPECT_TRUE(none.empty());
}

INSTANTIATE_TEST_SUITE_P(Families, KnownBoxes, testing::ValuesIn(kFamilies),
                         [](const auto& family) { return name_of(family.param); });

}  // namespace
}  // namespace saccade::vision::test
