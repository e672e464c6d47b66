#include "images/defects.hpp"

#include <array>
#include <opencv2/core.hpp>

#include "images/image_generator.hpp"
#include "images/scene.hpp"

namespace saccade::images {
namespace {

// One cover plate: x from -1 to 1, y from -kHalfHeight to kHalfHeight, seen from above.
constexpr double kHalfHeight = 0.72;

struct Plate {
  Pose pose;
  cv::Scalar metal;
  cv::Scalar edge;
  cv::Scalar hole;
  cv::Scalar label;
  cv::Scalar ink;
  bool face_up = true;
  bool printed = true;
  double print_turn = 0.0;  // of the label on the plate, radians
  double print_x = 0.0;
  double print_y = 0.0;
  int missing_hole = -1;  // 0 .. 3
};

void outline(Painter& painter, double inset, const cv::Scalar& colour) {
  const double x = 1.0 - inset;
  const double y = kHalfHeight - inset;
  const double cut = 0.12;
  painter.polygon({{cut - x, -y},
                   {x - cut, -y},
                   {x, cut - y},
                   {x, y - cut},
                   {x - cut, y},
                   {cut - x, y},
                   {-x, y - cut},
                   {-x, cut - y}},
                  colour);
}

// The plane of something on the plate, shifted and turned in it.
Pose on_plate(const Pose& plate, double x, double y, double turn) {
  Pose pose = plate;
  const cv::Point2d centre = plate(x, y);
  pose.centre_x = centre.x;
  pose.centre_y = centre.y;
  pose.rotation += turn;
  return pose;
}

void draw_plate(cv::Mat& bgr, const Plate& plate, Random& random) {
  Pose shadow = plate.pose;
  shadow.centre_x += random.between(0.5, 3.0);
  shadow.centre_y += random.between(0.5, 3.0);
  Painter shadow_painter(bgr, shadow);
  outline(shadow_painter, 0.0, shaded(plate.hole, 0.6));
  Painter painter(bgr, plate.pose);
  outline(painter, 0.0, plate.edge);
  outline(painter, 0.05, plate.metal);
  // The lamp in the metal.
  const double gloss = random.between(-0.7, 0.7);
  const double gloss_width = random.between(0.1, 0.5);
  const cv::Scalar glossy = shaded(plate.metal, random.between(1.02, 1.18));
  painter.polygon({{gloss - 0.1, -kHalfHeight + 0.05},
                   {gloss - 0.1 + gloss_width, -kHalfHeight + 0.05},
                   {gloss - 0.3 + gloss_width, kHalfHeight - 0.05},
                   {gloss - 0.3, kHalfHeight - 0.05}},
                  glossy);
  if (!plate.face_up) {  // ribs, and a frame
    const cv::Scalar rib = shaded(plate.metal, 0.78);
    painter.stroke(-0.85, -0.55, 0.85, 0.55, 0.12, rib);
    painter.stroke(-0.85, 0.55, 0.85, -0.55, 0.12, rib);
  }
  for (int hole = 0; hole < 4; ++hole) {
    if (hole == plate.missing_hole) continue;
    const double x = hole % 2 == 0 ? -0.78 : 0.78;
    const double y = hole < 2 ? -0.49 : 0.49;
    painter.disc(x, y, 0.14, plate.edge);
    painter.disc(x, y, 0.11, plate.hole);
  }
  if (!plate.face_up || !plate.printed) return;
  Painter print(bgr, on_plate(plate.pose, plate.print_x, plate.print_y, plate.print_turn));
  print.box(-0.44, -0.27, 0.44, 0.27, plate.label);
  double bar = -0.38;
  while (bar < 0.34) {
    const double width = random.between(0.03, 0.09);
    print.box(bar, -0.21, bar + width, 0.07, plate.ink);
    bar += width + random.between(0.03, 0.08);
  }
  print.box(-0.38, 0.13, random.between(0.0, 0.38), 0.20, plate.ink);
}

// A place on the metal, free of print and holes.
cv::Point2d bare_place(Random& random) {
  const double along = random.between(-0.5, 0.5);
  const double across = random.between(0.0, 1.0);
  const double side = random.chance(0.5) ? 1.0 : -1.0;
  if (random.chance(0.5)) return {along, side * (0.38 + 0.20 * across)};
  return {side * (0.56 + 0.20 * across), along * 0.5};
}

// Lighter or darker than the metal, clearly.
cv::Scalar contrasting(const cv::Scalar& metal, Random& random) {
  const double strength = random.between(0.45, 0.7);
  const double bright = (metal[0] + metal[1] + metal[2]) / 3;
  const bool darker = bright > 140.0;
  return darker ? shaded(metal, 1.0 - strength)
                : metal * (1.0 - strength) + cv::Scalar::all(255.0 * strength);
}

using Draw = void (*)(cv::Mat&, Plate&, Random&);

void good(cv::Mat& bgr, Plate& plate, Random& random) { draw_plate(bgr, plate, random); }

void empty(cv::Mat& bgr, Plate& plate, Random& random) {
  // What lies about: a screw, swarf, a drop of oil.
  if (random.chance(0.5)) return;
  Painter painter(bgr, plate.pose);
  const cv::Point2d at = bare_place(random);
  const double length = random.between(0.1, 0.35);
  painter.stroke(at.x, at.y, at.x + length, at.y + length * 0.4, 0.08, plate.metal);
}

void burr(cv::Mat& bgr, Plate& plate, Random& random) {
  draw_plate(bgr, plate, random);
  // Teeth of torn metal along one edge.
  Painter painter(bgr, plate.pose);
  const double side = random.chance(0.5) ? 1.0 : -1.0;
  const double start = random.between(-0.8, 0.1);
  const int teeth = 3 + random.below(4);
  for (int tooth = 0; tooth < teeth; ++tooth) {
    const double x = start + 0.18 * tooth;
    const double length = random.between(0.22, 0.36);
    const double tip = x + random.between(-0.06, 0.06);
    painter.polygon({{x - 0.10, side * (kHalfHeight - 0.05)},
                     {tip, side * (kHalfHeight + length)},
                     {x + 0.10, side * (kHalfHeight - 0.05)}},
                    plate.metal);
  }
}

void chipped(cv::Mat& bgr, Plate& plate, Random& random) {
  draw_plate(bgr, plate, random);
  Painter painter(bgr, plate.pose);
  const double side = random.chance(0.5) ? 1.0 : -1.0;
  const double x = random.between(-0.55, 0.55);
  const double width = random.between(0.20, 0.32);
  const double depth = random.between(0.22, 0.36);
  const double lean = random.between(-0.08, 0.08);
  painter.polygon({{x - width, side * (kHalfHeight + 0.04)},
                   {x - width * 0.5 + lean, side * (kHalfHeight - depth)},
                   {x + width * 0.3, side * (kHalfHeight - depth * 0.8)},
                   {x + width, side * (kHalfHeight + 0.04)}},
                  plate.hole);
}

void crack(cv::Mat& bgr, Plate& plate, Random& random) {
  draw_plate(bgr, plate, random);
  Painter painter(bgr, plate.pose);
  const double side = random.chance(0.5) ? 1.0 : -1.0;
  double x = random.between(-0.8, 0.8);
  double y = side * kHalfHeight;
  const int steps = 4 + random.below(3);
  for (int step = 0; step < steps; ++step) {
    const double to_x = x + random.between(-0.20, 0.20);
    const double to_y = y - side * random.between(0.10, 0.20);
    painter.stroke(x, y, to_x, to_y, 0.09 - 0.008 * step, shaded(plate.hole, 0.7));
    x = to_x;
    y = to_y;
  }
}

void dent(cv::Mat& bgr, Plate& plate, Random& random) {
  draw_plate(bgr, plate, random);
  Painter painter(bgr, plate.pose);
  const cv::Point2d at = bare_place(random);
  const double radius = random.between(0.15, 0.23);
  const double deep = random.between(0.35, 0.55);
  painter.disc(at.x, at.y, radius, shaded(plate.metal, deep));
  painter.disc(at.x + radius * 0.25, at.y + radius * 0.25, radius * 0.75, shaded(plate.metal, 1.0));
  painter.disc(at.x + radius * 0.45, at.y + radius * 0.45, radius * 0.45,
               plate.metal * 0.5 + cv::Scalar::all(125));
}

void two(cv::Mat& bgr, Plate& plate, Random& random) {
  Plate below = plate;
  const double x = random.between(-0.5, 0.5);
  const double away = random.between(0.35, 0.7);
  const double y = random.chance(0.5) ? away : -away;
  below.pose = on_plate(plate.pose, x, y, random.between(-0.8, 0.8));
  draw_plate(bgr, below, random);
  draw_plate(bgr, plate, random);
}

void folded(cv::Mat& bgr, Plate& plate, Random& random) {
  draw_plate(bgr, plate, random);
  // A corner is turned over: the belt shows, and the back of the flap.
  Painter painter(bgr, plate.pose);
  const double side_x = random.chance(0.5) ? 1.0 : -1.0;
  const double side_y = random.chance(0.5) ? 1.0 : -1.0;
  const double along = random.between(0.42, 0.60);
  const double across = random.between(0.42, 0.60);
  const double x = side_x * 1.02;
  const double y = side_y * (kHalfHeight + 0.02);
  painter.polygon({{x, y}, {x - side_x * along, y}, {x, y - side_y * across}}, plate.hole);
  painter.polygon({{x - side_x * along, y},
                   {x, y - side_y * across},
                   {x - side_x * along * 0.95, y - side_y * across * 0.95}},
                  shaded(plate.metal, 0.6));
}

void hole_missing(cv::Mat& bgr, Plate& plate, Random& random) {
  plate.missing_hole = random.below(4);
  draw_plate(bgr, plate, random);
}

void misprint(cv::Mat& bgr, Plate& plate, Random& random) {
  const double turn = random.between(0.3, 0.8);
  plate.print_turn = random.chance(0.5) ? turn : -turn;
  plate.print_x = random.between(-0.25, 0.25);
  plate.print_y = random.between(-0.12, 0.12);
  draw_plate(bgr, plate, random);
}

void scratch(cv::Mat& bgr, Plate& plate, Random& random) {
  draw_plate(bgr, plate, random);
  Painter painter(bgr, plate.pose);
  const cv::Scalar colour = contrasting(plate.metal, random);
  const int count = 1 + random.below(3);
  const double x = random.between(-0.6, 0.6);
  const double y = random.between(-0.35, 0.35);
  const double run = random.between(0.35, 0.6);
  const double rise = random.between(-0.35, 0.35);
  for (int at = 0; at < count; ++at) {
    const double shift = 0.12 * at;
    const double slack = random.between(-0.05, 0.05);
    painter.stroke(x - run, y - rise + shift, x + run, y + rise + shift + slack, 0.06, colour);
  }
}

void stain(cv::Mat& bgr, Plate& plate, Random& random) {
  draw_plate(bgr, plate, random);
  Painter painter(bgr, plate.pose);
  const double red = random.between(60, 130);
  const cv::Scalar oil(red * 0.3, red * 0.6, red);
  const double x = random.between(-0.55, 0.55);
  const double y = random.between(-0.35, 0.35);
  const int blobs = 3 + random.below(4);
  for (int at = 0; at < blobs; ++at) {
    const double blob_x = x + 0.25 * random.bell();
    const double blob_y = y + 0.25 * random.bell();
    painter.disc(blob_x, blob_y, random.between(0.10, 0.20), oil);
  }
}

void unprinted(cv::Mat& bgr, Plate& plate, Random& random) {
  plate.printed = false;
  draw_plate(bgr, plate, random);
}

void upside_down(cv::Mat& bgr, Plate& plate, Random& random) {
  plate.face_up = false;
  draw_plate(bgr, plate, random);
}

struct DefectClass {
  const char* label;
  Draw draw;
};

constexpr std::array<DefectClass, 14> kClasses{{{"burr", burr},
                                                {"chipped", chipped},
                                                {"crack", crack},
                                                {"dent", dent},
                                                {"empty", empty},
                                                {"folded", folded},
                                                {"good", good},
                                                {"hole-missing", hole_missing},
                                                {"misprint", misprint},
                                                {"scratch", scratch},
                                                {"stain", stain},
                                                {"two", two},
                                                {"unprinted", unprinted},
                                                {"upside-down", upside_down}}};

// The belt runs from left to right: its joints, its worn lanes, and crumbs on it.
cv::Scalar draw_belt(cv::Mat& bgr, Random& random) {
  const double grey = random.between(25, 110);
  const cv::Scalar tint = random_colour(random, -14, 24);
  cv::Scalar belt = cv::Scalar::all(grey) + tint;
  const cv::Scalar far_side = shaded(belt, random.between(0.8, 1.2));
  fill_blend(bgr, belt, far_side);
  Painter painter(bgr, Pose{});
  const double side = kImageSide;
  const int lanes = random.below(4);
  for (int at = 0; at < lanes; ++at) {
    const double y = random.between(0, side);
    const double width = random.between(1, 5);
    painter.stroke(-2, y, side + 2, y, width, shaded(belt, random.between(0.7, 1.35)));
  }
  if (random.chance(0.3)) {
    const double x = random.between(0, side);
    painter.stroke(x, -2, x, side + 2, random.between(1, 3), shaded(belt, 0.6));
  }
  if (random.chance(0.3)) {  // the rail beside the belt
    const double y = random.chance(0.5) ? 0.0 : side - random.between(2, 7);
    const cv::Scalar colour = random_colour(random, 60, 200);
    painter.box(-1, y - 1, side + 1, y + random.between(3, 8), colour);
  }
  const int crumbs = random.below(6);
  for (int at = 0; at < crumbs; ++at) {
    const double x = random.between(0, side);
    const double y = random.between(0, side);
    const cv::Scalar colour = random_colour(random, 20, 220);
    painter.disc(x, y, random.between(0.5, 1.6), colour);
  }
  return belt;
}

void draw_conveyor(cv::Mat& bgr, int label, Random& random) {
  const cv::Scalar belt = draw_belt(bgr, random);

  Plate plate;
  plate.pose.centre_x = kImageSide * 0.5 + 6.0 * random.bell();
  plate.pose.centre_y = kImageSide * 0.5 + 6.0 * random.bell();
  const double scale = random.between(19.0, 27.0);
  plate.pose.scale_x = scale;
  plate.pose.scale_y = scale * random.between(0.8, 1.1);
  plate.pose.rotation = 0.6 * random.bell();
  plate.pose.slant = 0.2 * random.bell();
  plate.pose.perspective_x = 0.12 * random.bell();
  plate.pose.perspective_y = 0.12 * random.bell();

  const double bright = random.between(120, 215);
  plate.metal = cv::Scalar::all(bright) + random_colour(random, -30, 30);
  plate.edge = shaded(plate.metal, random.between(0.68, 0.85));
  plate.hole = shaded(belt, 0.7);
  const double paper = random.between(200, 250);
  plate.label = random.chance(0.5) ? cv::Scalar::all(paper) : random_colour(random, 30, 230);
  const double label_bright = (plate.label[0] + plate.label[1] + plate.label[2]) / 3;
  plate.ink = cv::Scalar::all(label_bright > 120 ? 25 : 235);

  kClasses[static_cast<std::size_t>(label)].draw(bgr, plate, random);

  constexpr Degradation kDegradation{.occlusion_chance = 0.2,
                                     .occlusion_share = 0.16,
                                     .blur_chance = 0.3,
                                     .light_range = 0.5,
                                     .gain_low = 0.55,
                                     .gain_high = 1.2,
                                     .noise_low = 4.0,
                                     .noise_high = 26.0};
  degrade(bgr, kDegradation, random);
}

std::vector<std::string> class_labels() {
  std::vector<std::string> labels;
  for (const auto& defect : kClasses) labels.emplace_back(defect.label);
  return labels;
}

}  // namespace

const DataSet& defects() {
  static const DataSet data_set{"defects", class_labels(), &draw_conveyor};
  return data_set;
}

}  // namespace saccade::images
