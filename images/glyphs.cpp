#include "images/glyphs.hpp"

#include <array>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string_view>

#include "images/image_generator.hpp"
#include "images/scene.hpp"

namespace saccade::images {
namespace {

constexpr std::string_view kCharacters = "0123456789ABCDEFGHJKLMNPRSTUVWXYZ";

// The plate as drawn flat: three character cells wide, the asked one in the middle.
constexpr int kFlatWidth = 112;
constexpr int kFlatHeight = 64;
constexpr double kCharacterHeight = 42.0;  // capital height on the flat plate, in pixels

struct PlateColours {
  cv::Scalar plate;
  cv::Scalar ink;
};

PlateColours plate_colours(Random& random) {
  static const std::array<PlateColours, 8> kPlates{{
      {{235, 235, 235}, {25, 25, 25}},   // white
      {{60, 205, 245}, {20, 20, 20}},    // yellow
      {{150, 70, 25}, {240, 240, 240}},  // blue
      {{80, 130, 30}, {235, 240, 235}},  // green
      {{30, 30, 30}, {225, 225, 225}},   // black
      {{40, 40, 175}, {240, 240, 240}},  // red
      {{215, 235, 225}, {60, 110, 20}},  // green on white
      {{225, 225, 240}, {50, 40, 170}},  // red on white
  }};
  const auto& chosen = kPlates[static_cast<std::size_t>(random.below(kPlates.size()))];
  // Dirt and fading: the two colours move towards each other.
  const double fade = random.between(0.0, 0.4);
  const cv::Scalar middle = (chosen.plate + chosen.ink) * 0.5;
  return {chosen.plate * (1.0 - fade) + middle * fade, chosen.ink * (1.0 - fade) + middle * fade};
}

int random_font(Random& random) {
  constexpr std::array<int, 6> kFonts{cv::FONT_HERSHEY_SIMPLEX, cv::FONT_HERSHEY_SIMPLEX,
                                      cv::FONT_HERSHEY_DUPLEX,  cv::FONT_HERSHEY_COMPLEX,
                                      cv::FONT_HERSHEY_TRIPLEX, cv::FONT_HERSHEY_PLAIN};
  return kFonts[static_cast<std::size_t>(random.below(kFonts.size()))];
}

// One character centred at x on the flat ink mask.
void put_character(cv::Mat& ink, char character, int x, int font, int thickness) {
  const char text[] = {character, '\0'};
  int base_line = 0;
  // Every Hershey font reports the same height for every character, so the capitals line up.
  const cv::Size unscaled = cv::getTextSize(text, font, 1.0, 1, &base_line);
  const double scale = kCharacterHeight / unscaled.height;
  const cv::Size size = cv::getTextSize(text, font, scale, 1, &base_line);
  const cv::Point origin(x - size.width / 2, (kFlatHeight + size.height) / 2);
  cv::putText(ink, text, origin, font, scale, cv::Scalar::all(255), thickness, cv::LINE_8);
}

cv::Mat flat_ink(int label, Random& random) {
  cv::Mat ink(kFlatHeight, kFlatWidth, CV_8UC1, cv::Scalar::all(0));
  const int font = random_font(random);
  const int thickness = 2 + random.below(6);
  const int pitch = 34 + random.below(8);
  put_character(ink, kCharacters[static_cast<std::size_t>(label)], kFlatWidth / 2, font, thickness);
  for (const int side : {-1, 1}) {
    const int neighbour = random.below(static_cast<int>(kCharacters.size()));
    if (!random.chance(0.75)) continue;
    put_character(ink, kCharacters[static_cast<std::size_t>(neighbour)], kFlatWidth / 2 + side * pitch, font,
                  thickness);
  }
  return ink;
}

// Puts the ink colour where the warped mask says so.
void blend_ink(cv::Mat& bgr, const cv::Mat& mask, const cv::Scalar& ink) {
  const std::array<int, 3> colour{static_cast<int>(ink[0]), static_cast<int>(ink[1]),
                                  static_cast<int>(ink[2])};
  for (int row = 0; row < bgr.rows; ++row) {
    auto* pixel = bgr.ptr<unsigned char>(row);
    const auto* cover = mask.ptr<unsigned char>(row);
    for (int column = 0; column < bgr.cols; ++column, pixel += 3) {
      const int weight = cover[column];
      if (weight == 0) continue;
      for (std::size_t channel = 0; channel < colour.size(); ++channel) {
        const int old = pixel[channel];
        pixel[channel] = static_cast<unsigned char>(old + (colour[channel] - old) * weight / 255);
      }
    }
  }
}

Pose plate_pose(Random& random) {
  Pose pose;
  pose.centre_x = kImageSide * 0.5 + 4.0 * random.bell();
  pose.centre_y = kImageSide * 0.5 + 4.0 * random.bell();
  const double scale = random.between(0.50, 1.08);
  pose.scale_x = scale * random.between(0.75, 1.1);
  pose.scale_y = scale;
  pose.rotation = 0.6 * random.bell();
  pose.slant = 0.55 * random.bell();
  pose.perspective_x = 0.007 * random.bell();
  pose.perspective_y = 0.007 * random.bell();
  return pose;
}

void draw_glyph(cv::Mat& bgr, int label, Random& random) {
  const cv::Scalar top = random_colour(random, 20, 220);
  const cv::Scalar bottom = random_colour(random, 20, 220);
  fill_blend(bgr, top, bottom);
  draw_clutter(bgr, 2 + random.below(5), random);

  const PlateColours colours = plate_colours(random);
  const Pose pose = plate_pose(random);
  const double left = -random.between(24.0, 54.0);
  const double right = random.between(24.0, 54.0);
  const double half_height = random.between(25.0, 31.0);
  Painter plate(bgr, pose);
  plate.box(left - 2, -half_height - 2, right + 2, half_height + 2, shaded(colours.ink, 0.9));
  plate.box(left, -half_height, right, half_height, colours.plate);

  const cv::Mat flat = flat_ink(label, random);
  const float half_width = kFlatWidth / 2.0F;
  const float half = kFlatHeight / 2.0F;
  const std::array<cv::Point2f, 4> from{
      {{0.0F, 0.0F}, {kFlatWidth, 0.0F}, {kFlatWidth, kFlatHeight}, {0.0F, kFlatHeight}}};
  const std::array<cv::Point2f, 4> to{
      {cv::Point2f(pose(-half_width, -half)), cv::Point2f(pose(half_width, -half)),
       cv::Point2f(pose(half_width, half)), cv::Point2f(pose(-half_width, half))}};
  const cv::Mat warp = cv::getPerspectiveTransform(from.data(), to.data());
  cv::Mat mask;
  cv::warpPerspective(flat, mask, warp, bgr.size(), cv::INTER_LINEAR);
  blend_ink(bgr, mask, colours.ink);

  constexpr Degradation kDegradation{.occlusion_chance = 0.5,
                                     .occlusion_share = 0.22,
                                     .blur_chance = 0.55,
                                     .light_range = 0.6,
                                     .gain_low = 0.45,
                                     .gain_high = 1.2,
                                     .noise_low = 4.0,
                                     .noise_high = 44.0};
  degrade(bgr, kDegradation, random);
}

std::vector<std::string> labels_of(std::string_view characters) {
  std::vector<std::string> labels;
  for (const char character : characters) labels.emplace_back(1, character);
  return labels;
}

}  // namespace

const DataSet& glyphs() {
  static const DataSet data_set{"glyphs", labels_of(kCharacters), &draw_glyph};
  return data_set;
}

}  // namespace saccade::images
