#include "images/signs.hpp"

#include <array>
#include <initializer_list>
#include <opencv2/core.hpp>

#include "images/image_generator.hpp"
#include "images/scene.hpp"

namespace saccade::images {
namespace {

// The paints of one sign, faded alike. A sign's plate has about radius 1 around (0, 0); up is negative.
struct Paints {
  cv::Scalar red;
  cv::Scalar blue;
  cv::Scalar yellow;
  cv::Scalar green;
  cv::Scalar white;
  cv::Scalar black;
};

using Draw = void (*)(Painter&, const Paints&);

// Strokes from corner to corner, rounded where they meet.
void polyline(Painter& painter, std::initializer_list<cv::Point2d> corners, double width,
              const cv::Scalar& colour) {
  const cv::Point2d* from = nullptr;
  for (const auto& to : corners) {
    if (from != nullptr) {
      painter.stroke(from->x, from->y, to.x, to.y, width, colour);
      painter.disc(to.x, to.y, width / 2, colour);
    }
    from = &to;
  }
}

void arrow_head(Painter& painter, double x, double y, double to_x, double to_y, const cv::Scalar& colour) {
  const double side_x = (to_y - y) * 0.75;
  const double side_y = (x - to_x) * 0.75;
  painter.polygon({{to_x, to_y}, {x + side_x, y + side_y}, {x - side_x, y - side_y}}, colour);
}

void ban_plate(Painter& painter, const Paints& paints) {
  painter.disc(0, 0, 1.0, paints.red);
  painter.disc(0, 0, 0.76, paints.white);
}

void order_plate(Painter& painter, const Paints& paints) {
  painter.disc(0, 0, 1.0, paints.white);
  painter.disc(0, 0, 0.94, paints.blue);
}

void notice_plate(Painter& painter, const Paints& paints) {
  painter.box(-0.92, -0.92, 0.92, 0.92, paints.white);
  painter.box(-0.85, -0.85, 0.85, 0.85, paints.blue);
}

void warning_plate(Painter& painter, const Paints& paints) {
  painter.polygon({{0, -1.05}, {1.1, 0.85}, {-1.1, 0.85}}, paints.red);
  painter.polygon({{0, -0.66}, {0.76, 0.66}, {-0.76, 0.66}}, paints.white);
}

void walker(Painter& painter, double x, double y, double size, const cv::Scalar& colour) {
  painter.disc(x, y - 0.42 * size, 0.11 * size, colour);
  painter.stroke(x, y - 0.30 * size, x, y + 0.08 * size, 0.16 * size, colour);
  painter.stroke(x, y + 0.05 * size, x - 0.22 * size, y + 0.45 * size, 0.10 * size, colour);
  painter.stroke(x, y + 0.05 * size, x + 0.18 * size, y + 0.45 * size, 0.10 * size, colour);
  painter.stroke(x, y - 0.22 * size, x - 0.24 * size, y + 0.02 * size, 0.08 * size, colour);
  painter.stroke(x, y - 0.22 * size, x + 0.24 * size, y - 0.06 * size, 0.08 * size, colour);
}

void car_front(Painter& painter, double x, const cv::Scalar& colour) {
  painter.box(x - 0.22, -0.02, x + 0.22, 0.20, colour);
  painter.polygon({{x - 0.20, 0.0}, {x - 0.12, -0.20}, {x + 0.12, -0.20}, {x + 0.20, 0.0}}, colour);
  painter.box(x - 0.20, 0.18, x - 0.10, 0.29, colour);
  painter.box(x + 0.10, 0.18, x + 0.20, 0.29, colour);
}

// One digit in a box of 0.42 x 0.70 around (x, 0).
void digit(Painter& painter, char value, double x, const cv::Scalar& colour) {
  const auto line = [&](std::initializer_list<cv::Point2d> corners) {
    const cv::Point2d* from = nullptr;
    for (const auto& to : corners) {
      if (from != nullptr) {
        painter.stroke(x + (from->x - 0.5) * 0.42, (from->y - 0.5) * 0.70, x + (to.x - 0.5) * 0.42,
                       (to.y - 0.5) * 0.70, 0.13, colour);
      }
      painter.disc(x + (to.x - 0.5) * 0.42, (to.y - 0.5) * 0.70, 0.065, colour);
      from = &to;
    }
  };
  switch (value) {
    case '3':
      line({{0, 0.08}, {0.3, 0}, {0.75, 0}, {1, 0.24}, {0.75, 0.47}, {0.4, 0.47}});
      line({{0.75, 0.47}, {1, 0.75}, {0.75, 1}, {0.3, 1}, {0, 0.9}});
      break;
    case '5':
      line({{0.95, 0}, {0.1, 0}, {0.05, 0.45}, {0.65, 0.42}, {1, 0.68}, {0.7, 1}, {0.25, 1}, {0, 0.9}});
      break;
    case '6':
      line({{0.9, 0.06}, {0.6, 0}, {0.2, 0.2}, {0, 0.65}, {0.25, 1}, {0.75, 1}, {1, 0.74}, {0.75, 0.46}});
      line({{0.75, 0.46}, {0.3, 0.46}, {0.02, 0.66}});
      break;
    case '8':
      line({{0.5, 0.48}, {0.05, 0.24}, {0.3, 0}, {0.7, 0}, {0.95, 0.24}, {0.5, 0.48}});
      line({{0.5, 0.48}, {0, 0.76}, {0.3, 1}, {0.7, 1}, {1, 0.76}, {0.5, 0.48}});
      break;
    default:
      line({{0.3, 0}, {0.7, 0}, {1, 0.3}, {1, 0.7}, {0.7, 1}, {0.3, 1}, {0, 0.7}, {0, 0.3}, {0.3, 0}});
  }
}

template <char tens>
void limit(Painter& painter, const Paints& paints) {
  ban_plate(painter, paints);
  digit(painter, tens, -0.30, paints.black);
  digit(painter, '0', 0.30, paints.black);
}

template <int side>  // -1 to the left, 1 to the right
void turn(Painter& painter, const Paints& paints) {
  order_plate(painter, paints);
  polyline(painter, {{-0.25 * side, 0.62}, {-0.25 * side, -0.08}, {0.2 * side, -0.08}}, 0.22, paints.white);
  arrow_head(painter, 0.18 * side, -0.08, 0.68 * side, -0.08, paints.white);
}

template <int side>
void bend(Painter& painter, const Paints& paints) {
  warning_plate(painter, paints);
  polyline(painter, {{-0.16 * side, 0.56}, {-0.16 * side, 0.22}, {0.10 * side, 0.0}}, 0.15, paints.black);
  arrow_head(painter, 0.04 * side, 0.05, 0.26 * side, -0.14, paints.black);
}

void ahead_only(Painter& painter, const Paints& paints) {
  order_plate(painter, paints);
  painter.stroke(0, 0.66, 0, -0.1, 0.24, paints.white);
  arrow_head(painter, 0, -0.12, 0, -0.70, paints.white);
}

void closed(Painter& painter, const Paints& paints) { ban_plate(painter, paints); }

void crossroads(Painter& painter, const Paints& paints) {
  warning_plate(painter, paints);
  painter.stroke(0, -0.36, 0, 0.58, 0.20, paints.black);
  painter.stroke(-0.34, 0.22, 0.34, 0.22, 0.12, paints.black);
}

void danger(Painter& painter, const Paints& paints) {
  warning_plate(painter, paints);
  painter.polygon({{-0.10, -0.36}, {0.10, -0.36}, {0.06, 0.28}, {-0.06, 0.28}}, paints.black);
  painter.disc(0, 0.46, 0.10, paints.black);
}

void end_of_limit(Painter& painter, const Paints& paints) {
  painter.disc(0, 0, 1.0, paints.black);
  painter.disc(0, 0, 0.93, paints.white);
  for (const double shift : {-0.16, 0.0, 0.16}) {
    painter.stroke(-0.56 + shift, 0.56 + shift, 0.56 + shift, -0.56 + shift, 0.08, paints.black);
  }
}

void give_way(Painter& painter, const Paints& paints) {
  painter.polygon({{0, 1.05}, {1.1, -0.85}, {-1.1, -0.85}}, paints.red);
  painter.polygon({{0, 0.64}, {0.74, -0.64}, {-0.74, -0.64}}, paints.white);
}

void lights(Painter& painter, const Paints& paints) {
  warning_plate(painter, paints);
  painter.box(-0.18, -0.34, 0.18, 0.60, paints.black);
  painter.disc(0, -0.18, 0.13, paints.red);
  painter.disc(0, 0.13, 0.13, paints.yellow);
  painter.disc(0, 0.44, 0.13, paints.green);
}

void no_entry(Painter& painter, const Paints& paints) {
  painter.disc(0, 0, 1.0, paints.red);
  painter.box(-0.70, -0.17, 0.70, 0.17, paints.white);
}

void no_overtaking(Painter& painter, const Paints& paints) {
  ban_plate(painter, paints);
  car_front(painter, -0.30, paints.red);
  car_front(painter, 0.30, paints.black);
}

void no_stopping_ground(Painter& painter, const Paints& paints) {
  painter.disc(0, 0, 1.0, paints.red);
  painter.disc(0, 0, 0.80, paints.blue);
  painter.stroke(-0.60, -0.60, 0.60, 0.60, 0.20, paints.red);
}

void no_parking(Painter& painter, const Paints& paints) { no_stopping_ground(painter, paints); }

void no_stopping(Painter& painter, const Paints& paints) {
  no_stopping_ground(painter, paints);
  painter.stroke(-0.60, 0.60, 0.60, -0.60, 0.20, paints.red);
}

void no_trucks(Painter& painter, const Paints& paints) {
  ban_plate(painter, paints);
  painter.box(-0.50, -0.30, 0.12, 0.18, paints.black);
  painter.polygon({{0.16, 0.18}, {0.16, -0.16}, {0.36, -0.16}, {0.50, 0.04}, {0.50, 0.18}}, paints.black);
  painter.disc(-0.30, 0.24, 0.11, paints.black);
  painter.disc(0.32, 0.24, 0.11, paints.black);
}

void parking(Painter& painter, const Paints& paints) {
  notice_plate(painter, paints);
  painter.stroke(-0.28, -0.60, -0.28, 0.60, 0.22, paints.white);
  polyline(painter, {{-0.28, -0.49}, {0.12, -0.49}, {0.32, -0.25}, {0.12, 0.0}, {-0.28, 0.0}}, 0.20,
           paints.white);
}

void pedestrians(Painter& painter, const Paints& paints) {
  notice_plate(painter, paints);
  painter.polygon({{0, -0.78}, {0.78, 0.66}, {-0.78, 0.66}}, paints.white);
  walker(painter, 0, 0.12, 0.95, paints.black);
}

void priority(Painter& painter, const Paints& paints) {
  painter.polygon({{0, -1.05}, {1.05, 0}, {0, 1.05}, {-1.05, 0}}, paints.white);
  painter.polygon({{0, -0.74}, {0.74, 0}, {0, 0.74}, {-0.74, 0}}, paints.yellow);
}

void roadworks(Painter& painter, const Paints& paints) {
  warning_plate(painter, paints);
  painter.polygon({{0.04, 0.60}, {0.30, 0.28}, {0.56, 0.60}}, paints.black);
  walker(painter, -0.20, 0.18, 0.80, paints.black);
  painter.stroke(-0.34, 0.10, 0.22, 0.40, 0.07, paints.black);
}

void roundabout(Painter& painter, const Paints& paints) {
  order_plate(painter, paints);
  painter.ring(0, 0, 0.48, 0.17, paints.white);
  // Three gaps, and a head before each.
  constexpr std::array<std::array<double, 2>, 3> kSpokes{{{0.0, -1.0}, {0.866, 0.5}, {-0.866, 0.5}}};
  for (const auto& spoke : kSpokes) {
    painter.stroke(spoke[0] * 0.30, spoke[1] * 0.30, spoke[0] * 0.66, spoke[1] * 0.66, 0.26, paints.blue);
    const double x = spoke[0] * 0.48;
    const double y = spoke[1] * 0.48;
    arrow_head(painter, x + spoke[1] * 0.14, y - spoke[0] * 0.14, x - spoke[1] * 0.20, y + spoke[0] * 0.20,
               paints.white);
  }
}

void stop(Painter& painter, const Paints& paints) {
  const auto octagon = [&](double size, const cv::Scalar& colour) {
    const double half = size * 0.414;
    painter.polygon({{-half, -size},
                     {half, -size},
                     {size, -half},
                     {size, half},
                     {half, size},
                     {-half, size},
                     {-size, half},
                     {-size, -half}},
                    colour);
  };
  octagon(1.0, paints.white);
  octagon(0.93, paints.red);
  const double w = 0.11;
  polyline(painter,
           {{-0.50, -0.22}, {-0.72, -0.26}, {-0.74, -0.06}, {-0.54, 0.06}, {-0.54, 0.26}, {-0.76, 0.24}}, w,
           paints.white);
  painter.stroke(-0.44, -0.26, -0.08, -0.26, w, paints.white);
  painter.stroke(-0.26, -0.26, -0.26, 0.30, w, paints.white);
  polyline(painter, {{0.06, -0.26}, {0.28, -0.26}, {0.28, 0.26}, {0.06, 0.26}, {0.06, -0.26}}, w,
           paints.white);
  polyline(painter, {{0.48, 0.30}, {0.48, -0.26}, {0.70, -0.24}, {0.72, 0.0}, {0.50, 0.04}}, w, paints.white);
}

struct SignClass {
  const char* label;
  Draw draw;
};

constexpr std::array<SignClass, 26> kClasses{{{"ahead-only", ahead_only},
                                              {"bend-left", bend<-1>},
                                              {"bend-right", bend<1>},
                                              {"closed", closed},
                                              {"crossroads", crossroads},
                                              {"danger", danger},
                                              {"end-of-limit", end_of_limit},
                                              {"give-way", give_way},
                                              {"lights", lights},
                                              {"limit-30", limit<'3'>},
                                              {"limit-50", limit<'5'>},
                                              {"limit-60", limit<'6'>},
                                              {"limit-80", limit<'8'>},
                                              {"no-entry", no_entry},
                                              {"no-overtaking", no_overtaking},
                                              {"no-parking", no_parking},
                                              {"no-stopping", no_stopping},
                                              {"no-trucks", no_trucks},
                                              {"parking", parking},
                                              {"pedestrians", pedestrians},
                                              {"priority", priority},
                                              {"roadworks", roadworks},
                                              {"roundabout", roundabout},
                                              {"stop", stop},
                                              {"turn-left", turn<-1>},
                                              {"turn-right", turn<1>}}};

Paints weathered_paints(Random& random) {
  // Sun and dirt move every paint towards one grey.
  const double fade = random.between(0.0, 0.5);
  const cv::Scalar dirt = cv::Scalar::all(random.between(90, 170)) * fade;
  const auto faded = [&](const cv::Scalar& paint) { return paint * (1.0 - fade) + dirt; };
  return {faded({35, 30, 200}), faded({170, 85, 20}),   faded({30, 195, 245}),
          faded({70, 150, 30}), faded({240, 240, 240}), faded({25, 25, 25})};
}

void draw_street(cv::Mat& bgr, Random& random) {
  const cv::Scalar sky = random_colour(random, 90, 245);
  const cv::Scalar haze = random_colour(random, 90, 245);
  fill_blend(bgr, sky, haze);
  Painter painter(bgr, Pose{});
  const double side = kImageSide;
  const int buildings = random.below(3);
  for (int at = 0; at < buildings; ++at) {
    const double left = random.between(-10, side);
    const double width = random.between(10, 34);
    const double top = random.between(0, side);
    painter.box(left, top, left + width, side + 1, random_colour(random, 50, 210));
  }
  const int leaves = random.chance(0.6) ? 6 + random.below(14) : 0;
  const double crown_x = random.between(0, side);
  const double crown_y = random.between(0, side);
  for (int at = 0; at < leaves; ++at) {
    const double x = crown_x + 26.0 * random.bell();
    const double y = crown_y + 26.0 * random.bell();
    const double green = random.between(60, 150);
    const double radius = random.between(3, 9);
    painter.disc(x, y, radius, {green * 0.5, green, green * 0.6});
  }
  draw_clutter(bgr, random.below(5), random);
}

void draw_sign(cv::Mat& bgr, int label, Random& random) {
  draw_street(bgr, random);

  Pose pose;
  pose.centre_x = kImageSide * 0.5 + 8.0 * random.bell();
  pose.centre_y = kImageSide * 0.5 + 8.0 * random.bell();
  const double scale = random.between(11.0, 26.0);
  pose.scale_x = scale * random.between(0.65, 1.0);
  pose.scale_y = scale;
  pose.rotation = 0.45 * random.bell();
  pose.slant = 0.35 * random.bell();
  pose.perspective_x = 0.22 * random.bell();
  pose.perspective_y = 0.22 * random.bell();

  // Another sign above or below on the same post, partly out of the picture or behind this one.
  const Paints paints = weathered_paints(random);
  Painter painter(bgr, pose);
  const double post = random.between(60, 170);
  painter.box(-0.09, -0.5, 0.09, 6.0, cv::Scalar::all(post));
  const int other = random.below(static_cast<int>(kClasses.size()));
  const double away = random.between(1.9, 2.4);
  const double distance = random.chance(0.5) ? away : -away;
  if (random.chance(0.4)) {
    Pose second = pose;
    const cv::Point2d centre = pose(0.0, distance);
    second.centre_x = centre.x;
    second.centre_y = centre.y;
    Painter second_painter(bgr, second);
    kClasses[static_cast<std::size_t>(other)].draw(second_painter, paints);
  }
  kClasses[static_cast<std::size_t>(label)].draw(painter, paints);

  constexpr Degradation kDegradation{.occlusion_chance = 0.5,
                                     .occlusion_share = 0.20,
                                     .blur_chance = 0.5,
                                     .light_range = 0.6,
                                     .gain_low = 0.4,
                                     .gain_high = 1.2,
                                     .noise_low = 5.0,
                                     .noise_high = 44.0};
  degrade(bgr, kDegradation, random);
}

std::vector<std::string> class_labels() {
  std::vector<std::string> labels;
  for (const auto& sign : kClasses) labels.emplace_back(sign.label);
  return labels;
}

}  // namespace

const DataSet& signs() {
  static const DataSet data_set{"signs", class_labels(), &draw_sign};
  return data_set;
}

}  // namespace saccade::images
