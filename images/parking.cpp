#include "images/parking.hpp"

#include <array>
#include <opencv2/core.hpp>

#include "images/bay_vehicles.hpp"
#include "images/image_generator.hpp"
#include "images/scene.hpp"

namespace saccade::images {
namespace {

// The bay: x from -kHalfWidth to kHalfWidth, y from -kHalfLength (its head) to kHalfLength (the
// lane). Things in it are described around (0, 0) of their own plane with the nose at negative y.
constexpr double kHalfWidth = 0.60;
constexpr double kHalfLength = 1.10;

// What is painted on a kept bay.
void wheelchair(Painter& painter, const cv::Scalar& colour) {
  painter.disc(-0.02, -0.24, 0.065, colour);
  painter.stroke(-0.02, -0.17, 0.0, 0.04, 0.08, colour);
  painter.stroke(0.0, 0.02, 0.15, 0.02, 0.07, colour);
  painter.stroke(0.15, 0.02, 0.22, 0.20, 0.07, colour);
  painter.ring(-0.02, 0.10, 0.16, 0.05, colour);
}

void bolt(Painter& painter, const cv::Scalar& colour) {
  painter.polygon({{0.08, -0.34}, {-0.18, 0.06}, {-0.01, 0.06}}, colour);
  painter.polygon({{0.01, -0.04}, {0.18, -0.04}, {-0.08, 0.36}}, colour);
}

void painted(const BayScene& scene, const cv::Scalar& paint, void (*symbol)(Painter&, const cv::Scalar&),
             Random& random) {
  // Tyres wear the paint off.
  const double worn = random.between(0.0, 0.45);
  const cv::Scalar colour = paint * (1.0 - worn) + scene.ground * worn;
  Painter ground(*scene.bgr, scene.bay);
  ground.box(-kHalfWidth + 0.05, -kHalfLength, kHalfWidth - 0.05, kHalfLength, colour);
  Painter mark(*scene.bgr, in_bay(scene, 0.0, random.between(-0.2, 0.5), 0.0, 0.0));
  symbol(mark, scene.line);
}

const cv::Scalar kBlue(190, 95, 25);
const cv::Scalar kGreen(75, 165, 55);

Place parked(Random& random) {
  Place place;
  place.x = 0.10 * random.bell();
  place.y = 0.12 * random.bell();
  place.turn = 0.14 * random.bell();
  if (random.chance(0.5)) place.turn += 3.14159265;
  return place;
}

using Draw = void (*)(const BayScene&, Random&);

template <Vehicle vehicle>
void occupied(const BayScene& scene, Random& random) {
  const Place place = parked(random);
  vehicle(scene, place, random);
}

void across(const BayScene& scene, Random& random) {
  // Over the line, or askew.
  Place place = parked(random);
  const double side = random.chance(0.5) ? 1.0 : -1.0;
  if (random.chance(0.6)) {
    place.x = side * random.between(0.38, 0.62);
  } else {
    place.turn += side * random.between(0.45, 0.8);
  }
  const int kind = random.below(3);
  if (kind == 0) {
    draw_van(scene, place, random);
  } else {
    draw_car(scene, place, random);
  }
}

void free_bay(const BayScene&, Random&) {}

void cone(const BayScene& scene, double x, double y) {
  Painter low(*scene.bgr, in_bay(scene, x, y, 0.0, 0.0));
  low.box(-0.12, -0.12, 0.12, 0.12, {20, 60, 190});
  Painter middle(*scene.bgr, in_bay(scene, x, y, 0.0, 0.25));
  middle.disc(0, 0, 0.09, {30, 95, 250});
  Painter ring(*scene.bgr, in_bay(scene, x, y, 0.0, 0.4));
  ring.disc(0, 0, 0.065, {235, 240, 240});
  Painter top(*scene.bgr, in_bay(scene, x, y, 0.0, 0.6));
  top.disc(0, 0, 0.04, {30, 95, 250});
}

void cones(const BayScene& scene, Random& random) {
  const int count = 2 + random.below(3);
  for (int at = 0; at < count; ++at) {
    const double x = random.between(-0.42, 0.42);
    const double y = random.between(-0.8, 0.9);
    cone(scene, x, y);
  }
}

void trolley(const BayScene& scene, Random& random) {
  Place place;
  place.x = random.between(-0.32, 0.32);
  place.y = random.between(-0.7, 0.7);
  place.turn = random.between(0.0, 6.28);
  draw_shadow(scene, place, 0.18, -0.3, 0.28);
  Painter low(*scene.bgr, in_bay(scene, place.x, place.y, place.turn, 0.5));
  const cv::Scalar wire = cv::Scalar::all(random.between(140, 220));
  low.polygon({{-0.14, -0.30}, {0.14, -0.30}, {0.19, 0.24}, {-0.19, 0.24}}, wire);
  low.polygon({{-0.10, -0.25}, {0.10, -0.25}, {0.14, 0.18}, {-0.14, 0.18}}, shaded(wire, 0.5));
  low.stroke(0, -0.25, 0, 0.2, 0.03, wire);
  low.stroke(-0.12, -0.04, 0.12, -0.04, 0.03, wire);
  low.stroke(-0.2, 0.31, 0.2, 0.31, 0.07, random_colour(random, 20, 220));
}

void person(const BayScene& scene, Random& random) {
  const double x = random.between(-0.4, 0.4);
  const double y = random.between(-0.7, 0.8);
  const double turn = random.between(0.0, 6.28);
  const cv::Scalar coat = random_colour(random, 20, 220);
  const cv::Scalar hair = random_colour(random, 15, 120);
  draw_shadow(scene, {x, y, turn}, 0.15, -0.1, 0.3);
  Painter low(*scene.bgr, in_bay(scene, x, y, turn, 0.5));
  low.stroke(-0.05, -0.12, -0.05, 0.04, 0.08, cv::Scalar::all(40));
  low.stroke(0.06, -0.02, 0.06, 0.14, 0.08, cv::Scalar::all(40));
  Painter middle(*scene.bgr, in_bay(scene, x, y, turn, 1.2));
  draw_rounded(middle, 0.20, -0.09, 0.10, 0.05, coat);
  Painter top(*scene.bgr, in_bay(scene, x, y, turn, 1.7));
  top.disc(0, 0, 0.08, hair);
}

void reserved_free(const BayScene& scene, Random& random) { painted(scene, kBlue, wheelchair, random); }

void reserved_car(const BayScene& scene, Random& random) {
  painted(scene, kBlue, wheelchair, random);
  occupied<draw_car>(scene, random);
}

void charger(const BayScene& scene) {
  Painter post(*scene.bgr, in_bay(scene, 0.34, -kHalfLength, 0.0, 0.5));
  post.box(-0.10, -0.10, 0.10, 0.10, {225, 225, 225});
  post.box(-0.05, -0.05, 0.05, 0.05, {60, 150, 40});
}

void charging_free(const BayScene& scene, Random& random) {
  painted(scene, kGreen, bolt, random);
  charger(scene);
}

void charging_car(const BayScene& scene, Random& random) {
  painted(scene, kGreen, bolt, random);
  occupied<draw_car>(scene, random);
  Painter cable(*scene.bgr, scene.bay);
  cable.stroke(0.34, -kHalfLength, 0.46, -0.8, 0.05, cv::Scalar::all(15));
  cable.stroke(0.46, -0.8, 0.34, -0.55, 0.05, cv::Scalar::all(15));
  charger(scene);
}

struct BayClass {
  const char* label;
  Draw draw;
};

constexpr std::array<BayClass, 14> kClasses{{{"across", across},
                                             {"car", occupied<draw_car>},
                                             {"charging-car", charging_car},
                                             {"charging-free", charging_free},
                                             {"cones", cones},
                                             {"free", free_bay},
                                             {"motorcycle", occupied<draw_motorcycle>},
                                             {"person", person},
                                             {"pickup", occupied<draw_pickup>},
                                             {"reserved-car", reserved_car},
                                             {"reserved-free", reserved_free},
                                             {"trailer", occupied<draw_trailer>},
                                             {"trolley", trolley},
                                             {"van", occupied<draw_van>}}};

void draw_ground(const BayScene& scene, Random& random) {
  cv::Mat& bgr = *scene.bgr;
  fill_blend(bgr, scene.ground, shaded(scene.ground, random.between(0.85, 1.15)));
  Painter flat(bgr, Pose{});
  const double side = kImageSide;
  const int patches = random.below(5);  // oil, repairs, puddles
  for (int at = 0; at < patches; ++at) {
    const double x = random.between(0, side);
    const double y = random.between(0, side);
    const double radius = random.between(2, 9);
    flat.disc(x, y, radius, shaded(scene.ground, random.between(0.65, 1.25)));
  }
  const int leaves = random.below(8);
  for (int at = 0; at < leaves; ++at) {
    const double x = random.between(0, side);
    const double y = random.between(0, side);
    const cv::Scalar colour = random_colour(random, 30, 200);
    flat.disc(x, y, random.between(0.6, 1.8), colour);
  }
}

void draw_lines(const BayScene& scene, double width) {
  Painter ground(*scene.bgr, scene.bay);
  for (const double x : {-3.0 * kHalfWidth, -kHalfWidth, kHalfWidth, 3.0 * kHalfWidth}) {
    ground.stroke(x, -kHalfLength, x, kHalfLength, width, scene.line);
  }
  ground.stroke(-3.0 * kHalfWidth, -kHalfLength, 3.0 * kHalfWidth, -kHalfLength, width, scene.line);
}

void draw_neighbours(const BayScene& scene, Random& random) {
  constexpr std::array<Vehicle, 4> kVehicles{draw_car, draw_car, draw_van, draw_pickup};
  for (const double side : {-1.0, 1.0}) {
    if (!random.chance(0.55)) continue;
    Place place = parked(random);
    place.x += side * 2.0 * kHalfWidth;
    kVehicles[static_cast<std::size_t>(random.below(kVehicles.size()))](scene, place, random);
  }
}

void draw_bay(cv::Mat& bgr, int label, Random& random) {
  BayScene scene;
  scene.bgr = &bgr;
  const double scale = random.between(17.0, 26.0);
  scene.bay.centre_x = kImageSide * 0.5 + 5.0 * random.bell();
  scene.bay.centre_y = kImageSide * 0.5 + 5.0 * random.bell();
  scene.bay.scale_x = scale * random.between(0.9, 1.1);
  scene.bay.scale_y = scale * random.between(0.75, 1.05);
  scene.bay.rotation = 0.5 * random.bell();
  scene.bay.slant = 0.35 * random.bell();
  scene.bay.perspective_x = 0.08 * random.bell();
  scene.bay.perspective_y = -0.10 + 0.08 * random.bell();
  scene.lean.x = 4.0 * random.bell();
  scene.lean.y = -random.between(0.0, 4.5);
  const double grey = random.between(60, 150);
  scene.ground = cv::Scalar::all(grey) + random_colour(random, -12, 12);
  const double fresh = random.between(0.35, 1.0);
  scene.line = scene.ground * (1.0 - fresh) + cv::Scalar(230, 235, 235) * fresh;

  draw_ground(scene, random);
  draw_lines(scene, random.between(0.05, 0.10));
  // The bay first or its neighbours first, as what leans over what differs.
  const bool neighbours_first = random.chance(0.5);
  if (neighbours_first) draw_neighbours(scene, random);
  kClasses[static_cast<std::size_t>(label)].draw(scene, random);
  if (!neighbours_first) draw_neighbours(scene, random);

  constexpr Degradation kDegradation{.occlusion_chance = 0.4,
                                     .occlusion_share = 0.18,
                                     .blur_chance = 0.5,
                                     .light_range = 0.7,
                                     .gain_low = 0.4,
                                     .gain_high = 1.2,
                                     .noise_low = 5.0,
                                     .noise_high = 42.0};
  degrade(bgr, kDegradation, random);
}

std::vector<std::string> class_labels() {
  std::vector<std::string> labels;
  for (const auto& bay : kClasses) labels.emplace_back(bay.label);
  return labels;
}

}  // namespace

const DataSet& parking() {
  static const DataSet data_set{"parking", class_labels(), &draw_bay};
  return data_set;
}

}  // namespace saccade::images
