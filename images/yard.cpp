#include "images/yard.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "base/check.hpp"
#include "images/scene.hpp"
#include "images/stencil.hpp"
#include "images/yard_ground.hpp"
#include "images/yard_objects.hpp"

namespace saccade::images {
namespace {

constexpr int kClutterLabel = -1;
// Units that a thing at the border may reach beyond it: more than the largest one's side.
constexpr double kMarginUnits = 150.0;
constexpr double kSmallest = 10.0;
constexpr double kLargest = 120.0;

// Where something of that size touches the ground: larger things tend to be nearer, and so lower.
double ground_of(double size, double horizon, Random& random) {
  const double nearness = std::log(size / kSmallest) / std::log(kLargest / kSmallest);
  const double share = std::clamp(0.75 * nearness + 0.35 * random.unit(), 0.02, 0.98);
  return horizon + (kYardUnits - horizon) * share;
}

YardItem random_object(const YardPlan& plan, Random& random) {
  YardItem item;
  item.label = random.below(static_cast<int>(yard_labels().size()));
  const YardSizes sizes = yard_sizes(item.label);
  item.size = sizes.least * std::exp(std::log(sizes.most / sizes.least) * random.unit());
  item.x = random.between(-0.02, 1.02) * plan.width;
  item.y = ground_of(item.size, plan.horizon, random);
  // Some crowd: partly in front of or behind what is there already.
  if (!plan.items.empty() && random.chance(0.3)) {
    const YardItem& other =
        plan.items[static_cast<std::size_t>(random.below(static_cast<int>(plan.items.size())))];
    item.x = other.x + 0.5 * (other.size + item.size) * random.bell();
  }
  item.key = random.bits();
  return item;
}

YardItem random_clutter(const YardPlan& plan, Random& random) {
  YardItem item;
  item.label = kClutterLabel;
  item.size = 8.0 * std::exp(std::log(10.0) * random.unit());
  item.x = random.unit() * plan.width;
  item.y = ground_of(item.size, plan.horizon, random);
  item.key = random.bits();
  return item;
}

void draw_shadow_of(cv::Mat& bgr, double unit, const YardItem& shadow) {
  Random random(shadow.key);
  Pose pose;
  pose.centre_x = shadow.x * unit;
  pose.centre_y = shadow.y * unit;
  pose.scale_x = shadow.size * unit;
  pose.scale_y = shadow.size * unit;
  const double far = random.between(-0.4, 0.4);
  Painter(bgr, pose).polygon({{-0.4, 0.02}, {-0.3 + far, -0.10}, {0.3 + far, -0.10}, {0.4, 0.02}},
                             cv::Scalar::all(random.between(20, 70)));
}

}  // namespace

YardPlan plan_yard(double width, Random& random) {
  YardPlan plan;
  plan.width = width;
  plan.horizon = random.between(30, 105);
  plan.backdrop = random.bits();
  plan.camera = random.bits();
  const int objects = 1 + random.below(kMostYardObjects);
  for (int at = 0; at < objects; ++at) plan.items.push_back(random_object(plan, random));
  for (const YardItem& item : plan.items) {
    YardItem shadow = item;
    shadow.key = mix(item.key);
    if (random.chance(0.7)) plan.shadows.push_back(shadow);
  }
  const int clutter = random.below(10);
  for (int at = 0; at < clutter; ++at) plan.items.push_back(random_clutter(plan, random));
  std::stable_sort(plan.items.begin(), plan.items.end(),
                   [](const YardItem& behind, const YardItem& before) { return behind.y < before.y; });
  return plan;
}

YardPicture paint_yard(const YardPlan& plan, cv::Size picture) {
  SACCADE_CHECK(std::min(picture.width, picture.height) >= 32 &&
                std::max(picture.width, picture.height) <= 4096);
  const double unit = picture.height / kYardUnits;
  YardPicture result;
  result.bgr.create(picture, CV_8UC3);
  Random backdrop(plan.backdrop);
  draw_yard_ground(result.bgr, unit, plan.horizon, backdrop);
  for (const YardItem& shadow : plan.shadows) draw_shadow_of(result.bgr, unit, shadow);

  Stencil stencil(picture, static_cast<int>(std::ceil(kMarginUnits * unit)));
  std::vector<int> whole(plan.items.size(), 0);  // pixels of each item, were it alone
  for (std::size_t at = 0; at < plan.items.size(); ++at) {
    const YardItem& item = plan.items[at];
    Random random(item.key);
    const YardPlace place{item.x * unit, item.y * unit, item.size * unit};
    if (item.label < 0) {
      stencil.begin(Stencil::kNothing);
      draw_yard_clutter(result.bgr, stencil, place.x, place.y, place.size, random);
      continue;
    }
    const auto id = static_cast<std::uint8_t>(at + 1);
    stencil.begin(id);
    draw_yard_object(result.bgr, &stencil, item.label, place, random);
    whole[at] = stencil.on_canvas(id).pixels;
  }
  for (std::size_t at = 0; at < plan.items.size(); ++at) {
    if (whole[at] == 0) continue;
    const Stencil::Extent seen = stencil.in_picture(static_cast<std::uint8_t>(at + 1));
    const double hidden = 1.0 - static_cast<double>(seen.pixels) / whole[at];
    if (hidden > kMostHidden || std::max(seen.box.width, seen.box.height) < kLeastVisible * unit) continue;
    result.boxes.push_back(
        {seen.box.x, seen.box.y, seen.box.width, seen.box.height, plan.items[at].label, hidden});
  }
  return result;
}

void spoil_yard(cv::Mat& bgr, std::uint64_t key) {
  Random random(key);
  const double unit = bgr.rows / kYardUnits;
  const bool moved = random.chance(0.5);
  const double reach = random.between(0.5, 2.0);  // units to either side
  const int length = 1 + 2 * static_cast<int>(std::lround(reach * unit));
  if (random.chance(0.35) && length > 1) {
    cv::Mat blurred;
    const cv::Size window = moved ? cv::Size(length, 1) : cv::Size(length, length);
    if (moved) {
      cv::blur(bgr, blurred, window, {-1, -1}, cv::BORDER_REPLICATE);
    } else {
      cv::GaussianBlur(bgr, blurred, window, 0, 0, cv::BORDER_REPLICATE);
    }
    bgr = blurred;
  }
  constexpr Degradation kYardLight{
      .light_range = 0.5, .gain_low = 0.35, .gain_high = 1.2, .noise_low = 4.0, .noise_high = 40.0};
  degrade(bgr, kYardLight, random);
}

}  // namespace saccade::images
