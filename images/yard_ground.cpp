#include "images/yard_ground.hpp"

#include "images/yard.hpp"

#include <array>

namespace saccade::images {
namespace {

void draw_building(Painter& painter, double left, double right, double top, double foot, Random& random) {
  const cv::Scalar wall = random_colour(random, 50, 200);
  painter.box(left, top, right, foot, wall);
  if (random.chance(0.3)) return;
  const cv::Scalar pane = shaded(wall, random.between(0.4, 1.3));
  const double pitch = random.between(10, 22);
  const double pane_width = pitch * random.between(0.35, 0.7);
  const double pane_height = random.between(5, 11);
  for (double y = top + 5; y + pane_height < foot - 3; y += pane_height * 2) {
    for (double x = left + 4; x + pane_width < right - 2; x += pitch) {
      painter.box(x, y, x + pane_width, y + pane_height, pane);
    }
  }
}

void draw_leaves(Painter& painter, double x, double y, double radius, Random& random) {
  const double green = random.between(50, 150);
  const double blue = green * random.between(0.4, 0.7);
  const double red = green * random.between(0.5, 0.9);
  const cv::Scalar leaf(blue, green, red);
  const int tufts = 3 + random.below(4);
  for (int tuft = 0; tuft < tufts; ++tuft) {
    const double tuft_x = x + radius * 0.6 * random.bell();
    const double tuft_y = y + radius * 0.6 * random.bell();
    const double tuft_radius = radius * random.between(0.5, 0.8);
    painter.disc(tuft_x, tuft_y, tuft_radius, shaded(leaf, random.between(0.7, 1.3)));
  }
}

void draw_skyline(Painter& painter, double width, double horizon, Random& random) {
  const int buildings = random.below(5);
  for (int at = 0; at < buildings; ++at) {
    const double left = random.between(-30, width);
    const double right = left + random.between(25, 110);
    draw_building(painter, left, right, horizon - random.between(8, 90), horizon + 1, random);
  }
  const int trees = random.below(4);
  for (int at = 0; at < trees; ++at) {
    const double x = random.between(0, width);
    const double radius = random.between(7, 24);
    painter.stroke(x, horizon - radius * 1.4, x, horizon + 1, radius * 0.2, {40, 60, 80});
    draw_leaves(painter, x, horizon - radius * 1.5, radius, random);
  }
}

void draw_floor(Painter& painter, double width, double horizon, Random& random) {
  const double grey = random.between(45, 175);
  cv::Scalar ground = cv::Scalar::all(grey) + random_colour(random, -25, 25);
  if (random.chance(0.2)) ground = {grey * 0.6, grey, grey * 0.75};  // grass
  painter.box(-1, horizon, width + 1, kYardUnits + 1, ground);
  const double depth = kYardUnits - horizon;
  const int patches = random.below(12);
  for (int at = 0; at < patches; ++at) {
    const double x = random.between(0, width);
    const double y = horizon + depth * random.unit();
    const double half = random.between(4, 40);
    const double high = half * random.between(0.12, 0.35);
    const double skew = half * random.between(-0.5, 0.5);
    const cv::Scalar tint = shaded(ground, random.between(0.65, 1.3));
    painter.polygon({{x - half, y},
                     {x - half * 0.4 + skew, y - high},
                     {x + half * 0.7 + skew, y - high},
                     {x + half, y},
                     {x + half * 0.3, y + high},
                     {x - half * 0.6, y + high}},
                    tint);
  }
  if (random.chance(0.5)) {  // lines of bays, or of a lane
    const cv::Scalar paint = shaded(cv::Scalar::all(grey + 60), random.between(0.9, 1.4));
    const int lines = 1 + random.below(6);
    const double from = random.between(-40, width);
    const double pitch = random.between(18, 50);
    const double top = horizon + depth * random.between(0.05, 0.4);
    const double bottom = top + depth * random.between(0.2, 0.6);
    const double splay = random.between(0.6, 1.8);
    for (int line = 0; line < lines; ++line) {
      const double x = from + pitch * line;
      painter.stroke(x, top, width / 2 + (x - width / 2) * splay, bottom, 1.8, paint);
    }
  }
}

// Clutter stands on (0, 0) and is about 1 along its larger side.
void post(Painter& painter, const cv::Scalar& colour, Random& random) {
  const double half = random.between(0.015, 0.05);
  painter.box(-half, -1.0, half, 0.0, colour);
  if (random.chance(0.4)) {
    const double foot = -random.between(0.70, 0.85);
    painter.box(-0.16, -1.0, 0.16, foot, random_colour(random, 20, 230));
  }
}

void crate(Painter& painter, const cv::Scalar& colour, Random& random) {
  const double half = random.between(0.3, 0.5);
  const double top = -random.between(0.4, 1.0);
  painter.box(-half, top, half, 0.0, colour);
  painter.polygon({{-half, top}, {half, top}, {half + 0.12, top - 0.1}, {-half + 0.12, top - 0.1}},
                  shaded(colour, 1.2));
  painter.stroke(-half, top * 0.5, half, top * 0.5, 0.05, shaded(colour, 0.6));
  if (random.chance(0.5)) painter.stroke(-half, 0.0, half, top, 0.05, shaded(colour, 0.6));
}

void barrel(Painter& painter, const cv::Scalar& colour, Random& random) {
  const double half = random.between(0.22, 0.34);
  painter.polygon({{-half, -0.92},
                   {-half * 0.6, -1.0},
                   {half * 0.6, -1.0},
                   {half, -0.92},
                   {half, -0.06},
                   {0, 0.0},
                   {-half, -0.06}},
                  colour);
  painter.box(-half, -0.68, half, -0.62, shaded(colour, 0.6));
  painter.box(-half, -0.36, half, -0.30, shaded(colour, 0.6));
}

void cone(Painter& painter, const cv::Scalar& colour, Random& random) {
  const cv::Scalar orange(20, random.between(60, 120), 240);
  painter.box(-0.34, -0.08, 0.34, 0.0, shaded(colour, 0.6));
  painter.polygon({{-0.24, -0.08}, {-0.04, -1.0}, {0.04, -1.0}, {0.24, -0.08}}, orange);
  painter.polygon({{-0.16, -0.40}, {-0.11, -0.64}, {0.11, -0.64}, {0.16, -0.40}}, {225, 225, 225});
}

void bush(Painter& painter, const cv::Scalar& /*colour*/, Random& random) {
  draw_leaves(painter, 0.0, -0.35, 0.42, random);
}

void fence(Painter& painter, const cv::Scalar& colour, Random& random) {
  const double high = random.between(0.25, 0.5);
  painter.box(-0.5, -high, 0.5, -high + 0.04, colour);
  painter.box(-0.5, -high * 0.5, 0.5, -high * 0.5 + 0.04, colour);
  const int bars = 4 + random.below(6);
  for (int bar = 0; bar <= bars; ++bar) {
    const double x = -0.5 + 1.0 * bar / bars;
    painter.box(x - 0.012, -high, x + 0.012, 0.0, colour);
  }
}

void pallets(Painter& painter, const cv::Scalar& /*colour*/, Random& random) {
  const int layers = 2 + random.below(5);
  const double wood = random.between(90, 190);
  for (int layer = 0; layer < layers; ++layer) {
    const double foot = -0.14 * layer;
    const double shift = 0.04 * random.bell();
    painter.box(shift - 0.5, foot - 0.12, shift + 0.5, foot - 0.08, {wood * 0.55, wood * 0.8, wood});
    painter.box(shift - 0.45, foot - 0.09, shift - 0.32, foot, {wood * 0.4, wood * 0.6, wood * 0.75});
    painter.box(shift + 0.32, foot - 0.09, shift + 0.45, foot, {wood * 0.4, wood * 0.6, wood * 0.75});
  }
}

// Much like a truck without a cab and wheels.
void container(Painter& painter, const cv::Scalar& colour, Random& random) {
  const double top = -random.between(0.34, 0.5);
  painter.box(-0.5, top, 0.5, -0.02, colour);
  const int ribs = 3 + random.below(8);
  for (int rib = 1; rib < ribs; ++rib) {
    const double x = -0.5 + 1.0 * rib / ribs;
    painter.box(x - 0.01, top + 0.02, x + 0.01, -0.04, shaded(colour, 0.75));
  }
}

// As high as a person, with a head of a kind.
void meter(Painter& painter, const cv::Scalar& colour, Random& random) {
  painter.box(-0.05, -0.75, 0.05, 0.0, shaded(colour, 0.7));
  if (random.chance(0.5)) {
    painter.disc(0.0, -0.86, 0.14, colour);
  } else {
    painter.box(-0.13, -1.0, 0.13, -0.62, colour);
  }
}

using DrawClutter = void (*)(Painter&, const cv::Scalar&, Random&);
constexpr std::array<DrawClutter, 9> kClutter{post,  crate,   barrel,    cone, bush,
                                              fence, pallets, container, meter};

}  // namespace

void draw_yard_ground(cv::Mat& bgr, double unit, double horizon, Random& random) {
  const cv::Scalar top = random_colour(random, 60, 245);
  const cv::Scalar bottom = random_colour(random, 60, 245);
  fill_blend(bgr, top, bottom);
  Pose units;
  units.scale_x = unit;
  units.scale_y = unit;
  Painter painter(bgr, units);
  const double width = bgr.cols / unit;
  draw_skyline(painter, width, horizon, random);
  draw_floor(painter, width, horizon, random);
}

void draw_yard_clutter(cv::Mat& bgr, Stencil& stencil, double x, double y, double size, Random& random) {
  Pose pose;
  pose.centre_x = x;
  pose.centre_y = y;
  pose.scale_x = size * (random.chance(0.5) ? 1.0 : -1.0);
  pose.scale_y = size;
  pose.rotation = 0.06 * random.bell();
  pose.slant = 0.15 * random.bell();
  const DrawClutter draw =
      kClutter[static_cast<std::size_t>(random.below(static_cast<int>(kClutter.size())))];
  const cv::Scalar colour = random_colour(random, 20, 220);
  Painter painter(bgr, pose, &stencil);
  draw(painter, colour, random);
}

}  // namespace saccade::images
