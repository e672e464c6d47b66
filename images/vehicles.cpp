#include "images/vehicles.hpp"

#include <array>
#include <opencv2/core.hpp>

#include "images/image_generator.hpp"
#include "images/scene.hpp"

namespace saccade::images {
namespace {

// What the silhouettes share: the paints of one vehicle. Vehicles drive to the right (the pose may
// mirror them), x runs from about -1 to 1, the road is y = 0 and up is negative.
struct Livery {
  cv::Scalar body;
  cv::Scalar trim;  // a second body colour: stripes, loads, cabs
  cv::Scalar glass;
  cv::Scalar tyre;
  cv::Scalar rim;
};

using Draw = void (*)(Painter&, const Livery&, Random&);

void wheel(Painter& painter, const Livery& livery, double x, double radius) {
  painter.disc(x, -radius, radius, livery.tyre);
  painter.disc(x, -radius, radius * 0.5, livery.rim);
}

// The body of a passenger car from bumper to bumper; `roof` is its height.
void car_body(Painter& painter, const Livery& livery, Random& random, double roof) {
  const double belt = -roof * random.between(0.56, 0.64);
  const double nose = random.between(0.42, 0.60);   // where the windscreen starts
  const double tail = -random.between(0.50, 0.85);  // where the rear window ends
  const double front_roof = nose - random.between(0.20, 0.32);
  const double rear_roof = tail + random.between(0.06, 0.28);
  painter.polygon({{-0.88, -0.14},
                   {-0.88, belt + 0.03},
                   {tail, belt},
                   {rear_roof, -roof},
                   {front_roof, -roof},
                   {nose, belt},
                   {0.84, belt + 0.07},
                   {0.9, -0.14}},
                  livery.body);
  const double middle = (rear_roof + front_roof) / 2;
  const double top = -roof + 0.05;
  painter.polygon({{tail + 0.10, belt}, {rear_roof + 0.05, top}, {middle - 0.02, top}, {middle - 0.02, belt}},
                  livery.glass);
  painter.polygon(
      {{middle + 0.02, belt}, {middle + 0.02, top}, {front_roof - 0.04, top}, {nose - 0.08, belt}},
      livery.glass);
  wheel(painter, livery, -0.54, random.between(0.15, 0.19));
  wheel(painter, livery, 0.56, random.between(0.15, 0.19));
}

void bicycle(Painter& painter, const Livery& livery, Random& random) {
  const double radius = random.between(0.36, 0.44);
  const double rear = -0.52;
  const double front = 0.52;
  const double hub = -radius;
  painter.ring(rear, hub, radius, 0.07, livery.tyre);
  painter.ring(front, hub, radius, 0.07, livery.tyre);
  const double saddle = -radius - random.between(0.42, 0.56);
  const double bars = saddle - random.between(0.0, 0.12);
  painter.stroke(rear, hub, -0.22, saddle + 0.1, 0.07, livery.body);
  painter.stroke(rear, hub, -0.04, hub + 0.04, 0.07, livery.body);
  painter.stroke(-0.04, hub + 0.04, -0.24, saddle, 0.07, livery.body);
  painter.stroke(-0.04, hub + 0.04, 0.36, bars + 0.22, 0.07, livery.body);
  painter.stroke(-0.21, saddle + 0.14, 0.36, bars + 0.18, 0.07, livery.body);
  painter.stroke(front, hub, 0.32, bars, 0.07, livery.body);
  painter.stroke(0.32, bars, 0.46, bars - 0.03, 0.07, livery.tyre);
  painter.stroke(-0.36, saddle, -0.12, saddle, 0.09, livery.tyre);
}

void bus(Painter& painter, const Livery& livery, Random& random) {
  const double roof = random.between(0.62, 0.78);
  painter.box(-1.0, -roof, 1.0, -0.12, livery.body);
  painter.box(-1.0, -0.30, 1.0, -random.between(0.22, 0.26), livery.trim);
  const int windows = 5 + random.below(3);
  const double pitch = 1.7 / windows;
  for (int at = 0; at < windows; ++at) {
    const double left = -0.94 + pitch * at;
    painter.box(left, -roof + 0.08, left + pitch * 0.82, -roof + 0.32, livery.glass);
  }
  painter.box(0.80, -roof + 0.08, 0.97, -0.2, livery.glass);  // front door
  wheel(painter, livery, -0.58, 0.14);
  wheel(painter, livery, 0.60, 0.14);
}

void car(Painter& painter, const Livery& livery, Random& random) {
  car_body(painter, livery, random, random.between(0.56, 0.68));
}

void excavator(Painter& painter, const Livery& livery, Random& random) {
  painter.box(-0.75, -0.26, 0.35, -0.02, livery.tyre);  // tracks
  painter.disc(-0.75, -0.14, 0.12, livery.tyre);
  painter.disc(0.35, -0.14, 0.12, livery.tyre);
  painter.box(-0.85, -0.58, 0.2, -0.28, livery.body);
  painter.box(-0.20, -0.98, 0.22, -0.32, livery.body);
  painter.box(-0.12, -0.92, 0.18, -0.60, livery.glass);
  const double knee_x = random.between(0.50, 0.66);
  const double knee_y = -random.between(0.98, 1.18);
  const double hand_x = random.between(0.86, 0.98);
  const double hand_y = -random.between(0.30, 0.62);
  painter.stroke(0.2, -0.42, knee_x, knee_y, 0.13, livery.body);
  painter.stroke(knee_x, knee_y, hand_x, hand_y, 0.10, livery.body);
  painter.polygon({{hand_x - 0.16, hand_y},
                   {hand_x + 0.06, hand_y - 0.04},
                   {hand_x + 0.04, hand_y + 0.24},
                   {hand_x - 0.18, hand_y + 0.18}},
                  livery.tyre);
}

void motorcycle(Painter& painter, const Livery& livery, Random& random) {
  const double radius = random.between(0.28, 0.34);
  painter.disc(-0.58, -radius, radius, livery.tyre);
  painter.disc(-0.58, -radius, radius * 0.55, livery.rim);
  painter.disc(0.60, -radius, radius, livery.tyre);
  painter.disc(0.60, -radius, radius * 0.55, livery.rim);
  const double seat = -random.between(0.62, 0.72);
  painter.polygon({{-0.32, -0.24}, {-0.26, -0.52}, {0.30, -0.54}, {0.24, -0.22}}, livery.rim);
  painter.polygon({{-0.82, seat - 0.02}, {-0.20, seat + 0.08}, {-0.16, seat + 0.2}, {-0.60, seat + 0.2}},
                  livery.tyre);
  painter.polygon({{-0.22, seat + 0.16}, {-0.12, seat - 0.12}, {0.30, seat - 0.14}, {0.40, seat + 0.12}},
                  livery.body);
  painter.stroke(0.60, -radius, 0.34, seat - 0.24, 0.08, livery.rim);
  painter.stroke(0.34, seat - 0.24, 0.14, seat - 0.30, 0.07, livery.tyre);
  painter.stroke(-0.7, -0.2, -0.05, -0.16, 0.09, livery.rim);  // exhaust
}

void pickup(Painter& painter, const Livery& livery, Random& random) {
  const double roof = random.between(0.60, 0.72);
  const double belt = -roof * 0.60;
  const double cab_rear = -random.between(0.10, 0.28);
  painter.polygon({{-0.96, -0.14},
                   {-0.96, belt},
                   {cab_rear, belt},
                   {cab_rear + 0.03, -roof},
                   {0.28, -roof},
                   {0.46, belt},
                   {0.92, belt + 0.07},
                   {0.94, -0.14}},
                  livery.body);
  painter.polygon(
      {{cab_rear + 0.07, belt}, {cab_rear + 0.09, -roof + 0.05}, {0.25, -roof + 0.05}, {0.38, belt}},
      livery.glass);
  painter.box(-0.92, belt, cab_rear - 0.03, belt + 0.06, shaded(livery.body, 0.5));
  if (random.chance(0.35)) painter.box(-0.8, belt - 0.12, cab_rear - 0.1, belt, livery.trim);
  wheel(painter, livery, -0.58, random.between(0.17, 0.20));
  wheel(painter, livery, 0.60, random.between(0.17, 0.20));
}

// The cab that trucks and tankers share, at the right end.
void truck_cab(Painter& painter, const Livery& livery, double roof) {
  painter.polygon({{0.56, -0.14}, {0.56, -roof}, {0.86, -roof}, {0.98, -roof * 0.5}, {1.0, -0.14}},
                  livery.body);
  painter.polygon({{0.68, -roof * 0.55}, {0.68, -roof + 0.06}, {0.84, -roof + 0.06}, {0.92, -roof * 0.55}},
                  livery.glass);
  wheel(painter, livery, 0.76, 0.14);
}

void tanker(Painter& painter, const Livery& livery, Random& random) {
  painter.box(-1.0, -0.24, 0.9, -0.16, shaded(livery.tyre, 1.4));
  const double top = -random.between(0.62, 0.74);
  const double middle = (top - 0.24) / 2;
  painter.polygon({{-0.98, middle},
                   {-0.95, top + 0.08},
                   {-0.86, top},
                   {0.36, top},
                   {0.46, top + 0.08},
                   {0.49, middle},
                   {0.46, -0.30},
                   {0.36, -0.22},
                   {-0.86, -0.22},
                   {-0.95, -0.30}},
                  livery.trim);
  painter.box(-0.92, middle - 0.10, 0.42, middle - 0.04, shaded(livery.trim, 1.35));
  painter.box(-0.35, top - 0.05, -0.15, top, livery.tyre);  // hatch
  truck_cab(painter, livery, random.between(0.56, 0.68));
  wheel(painter, livery, -0.72, 0.13);
  wheel(painter, livery, -0.42, 0.13);
}

void taxi(Painter& painter, const Livery& livery, Random& random) {
  const double roof = random.between(0.56, 0.68);
  const double sign = random.between(-0.16, 0.08);
  painter.box(sign - 0.20, -roof - 0.20, sign + 0.20, -roof + 0.02, {60, 230, 255});
  painter.box(sign - 0.12, -roof - 0.13, sign + 0.12, -roof - 0.06, {20, 20, 20});
  car_body(painter, livery, random, roof);
  for (int square = 0; square < 6; ++square) {  // chequered stripe along the doors
    const double left = -0.36 + 0.12 * square;
    const double shade = square % 2 == 0 ? 240.0 : 15.0;
    painter.box(left, -0.30, left + 0.12, -0.20, cv::Scalar::all(shade));
  }
}

void tractor(Painter& painter, const Livery& livery, Random& random) {
  const double large = random.between(0.36, 0.44);
  painter.polygon({{-0.3, -0.34}, {-0.3, -0.64}, {0.80, -0.58}, {0.84, -0.28}}, livery.body);
  painter.polygon({{-0.62, -0.55}, {-0.52, -1.12}, {0.02, -1.12}, {0.10, -0.55}}, livery.body);
  painter.polygon({{-0.50, -0.62}, {-0.44, -1.04}, {-0.04, -1.04}, {0.02, -0.62}}, livery.glass);
  painter.stroke(0.5, -0.58, 0.5, -random.between(0.84, 1.0), 0.07, livery.tyre);
  painter.disc(-0.42, -large, large, livery.tyre);
  painter.disc(-0.42, -large, large * 0.5, livery.trim);
  painter.disc(0.62, -0.22, 0.22, livery.tyre);
  painter.disc(0.62, -0.22, 0.11, livery.trim);
}

void trailer(Painter& painter, const Livery& livery, Random& random) {
  const double roof = random.between(0.66, 0.82);
  painter.box(-0.98, -roof, 0.78, -0.20, livery.trim);
  painter.box(-0.98, -0.26, 0.78, -0.20, shaded(livery.trim, 0.6));
  painter.stroke(0.78, -0.20, 1.02, -0.20, 0.06, livery.tyre);  // draw bar
  painter.stroke(0.62, -0.20, 0.62, 0.0, 0.06, livery.tyre);    // landing leg
  wheel(painter, livery, -0.66, 0.14);
  wheel(painter, livery, -0.34, 0.14);
}

void truck(Painter& painter, const Livery& livery, Random& random) {
  const double roof = random.between(0.72, 0.90);
  painter.box(-1.0, -0.24, 0.9, -0.16, shaded(livery.tyre, 1.4));
  painter.box(-1.0, -roof, 0.5, -0.24, livery.trim);
  truck_cab(painter, livery, random.between(0.56, 0.68));
  wheel(painter, livery, -0.72, 0.14);
  wheel(painter, livery, random.chance(0.5) ? -0.42 : 0.30, 0.14);
}

void van(Painter& painter, const Livery& livery, Random& random) {
  const double roof = random.between(0.68, 0.82);
  const double belt = -roof * 0.55;
  const double screen = random.between(0.52, 0.62);
  painter.polygon({{-0.9, -0.14},
                   {-0.9, -roof},
                   {screen - 0.12, -roof},
                   {screen + 0.10, belt},
                   {0.88, belt + 0.10},
                   {0.9, -0.14}},
                  livery.body);
  painter.polygon({{0.18, belt}, {0.18, -roof + 0.07}, {screen - 0.12, -roof + 0.07}, {screen + 0.04, belt}},
                  livery.glass);
  if (random.chance(0.4)) painter.box(-0.80, -roof + 0.07, 0.10, belt, livery.glass);
  if (random.chance(0.4)) painter.box(-0.9, belt + 0.08, 0.84, belt + 0.16, livery.trim);
  wheel(painter, livery, -0.56, 0.16);
  wheel(painter, livery, 0.58, 0.16);
}

struct VehicleClass {
  const char* label;
  Draw draw;
  double half_length;  // typical half length in pixels before the random scale
};

constexpr std::array<VehicleClass, 12> kClasses{{{"bicycle", bicycle, 20},
                                                 {"bus", bus, 28},
                                                 {"car", car, 25},
                                                 {"excavator", excavator, 24},
                                                 {"motorcycle", motorcycle, 22},
                                                 {"pickup", pickup, 26},
                                                 {"tanker", tanker, 28},
                                                 {"taxi", taxi, 25},
                                                 {"tractor", tractor, 23},
                                                 {"trailer", trailer, 27},
                                                 {"truck", truck, 28},
                                                 {"van", van, 26}}};

void draw_background(cv::Mat& bgr, double horizon, Random& random) {
  const cv::Scalar sky = random_colour(random, 70, 240);
  const cv::Scalar far_sky = random_colour(random, 70, 240);
  fill_blend(bgr, sky, far_sky);
  Painter painter(bgr, Pose{});
  const double side = kImageSide;
  const int buildings = random.below(4);
  for (int at = 0; at < buildings; ++at) {
    const double left = random.between(-10, side);
    const double width = random.between(8, 28);
    const double top = horizon - random.between(6, 34);
    painter.box(left, top, left + width, horizon, random_colour(random, 40, 200));
  }
  const double grey = random.between(50, 150);
  painter.box(-1, horizon, side + 1, side + 1, cv::Scalar(grey, grey, grey) + random_colour(random, -20, 20));
  if (random.chance(0.5)) {
    const double lane = random.between(horizon + 4, side);
    const double paint = random.between(160, 240);
    const double width = random.between(1, 2.5);
    const double drop = random.between(-4, 4);
    painter.stroke(-2, lane, side + 2, lane + drop, width, cv::Scalar::all(paint));
  }
  draw_clutter(bgr, random.below(5), random);
}

void draw_vehicle(cv::Mat& bgr, int label, Random& random) {
  const auto& vehicle = kClasses[static_cast<std::size_t>(label)];
  const double scale = vehicle.half_length * random.between(0.70, 1.12);
  const double road = kImageSide * 0.5 + scale * 0.4 + 6.0 * random.bell();
  draw_background(bgr, road - random.between(0.0, 0.5) * scale, random);

  Pose pose;
  pose.centre_x = kImageSide * 0.5 + 8.0 * random.bell();
  pose.centre_y = road;
  const double foreshortening = random.between(0.65, 1.0);
  pose.scale_x = scale * foreshortening * (random.chance(0.5) ? 1.0 : -1.0);
  pose.scale_y = scale * random.between(0.9, 1.15);
  pose.rotation = 0.3 * random.bell();
  pose.slant = 0.25 * random.bell();
  pose.perspective_x = 0.3 * random.bell();

  Livery livery;
  livery.body = random_colour(random, 25, 245);
  livery.trim = random_colour(random, 25, 245);
  const double glass = random.between(20, 200);
  livery.glass = {glass * 1.1, glass, glass * 0.9};
  livery.tyre = cv::Scalar::all(random.between(10, 60));
  livery.rim = cv::Scalar::all(random.between(90, 220));

  // Shadow, then the far side in the shade, shifted into the picture, then the near side: a little
  // depth without a third dimension. Both sides repeat the same draws.
  Painter(bgr, pose).box(-0.95, -0.04, 0.95, 0.07, cv::Scalar::all(random.between(15, 50)));
  const double depth = 1.0 - foreshortening;
  Pose far_side = pose;
  far_side.centre_x += scale * depth * (random.chance(0.5) ? 0.6 : -0.6);
  far_side.centre_y -= scale * depth * 0.35;
  Livery shade = livery;
  for (cv::Scalar* paint : {&shade.body, &shade.trim, &shade.glass, &shade.rim}) {
    *paint = shaded(*paint, 0.62);
  }
  Random repeated = random;
  Painter far_painter(bgr, far_side);
  vehicle.draw(far_painter, shade, repeated);
  Painter near_painter(bgr, pose);
  vehicle.draw(near_painter, livery, random);

  constexpr Degradation kDegradation{.occlusion_chance = 0.5,
                                     .occlusion_share = 0.20,
                                     .blur_chance = 0.5,
                                     .light_range = 0.5,
                                     .gain_low = 0.5,
                                     .gain_high = 1.2,
                                     .noise_low = 5.0,
                                     .noise_high = 34.0};
  degrade(bgr, kDegradation, random);
}

std::vector<std::string> class_labels() {
  std::vector<std::string> labels;
  for (const auto& vehicle : kClasses) labels.emplace_back(vehicle.label);
  return labels;
}

}  // namespace

const DataSet& vehicles() {
  static const DataSet data_set{"vehicles", class_labels(), &draw_vehicle};
  return data_set;
}

}  // namespace saccade::images
