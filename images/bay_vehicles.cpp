#include "images/bay_vehicles.hpp"

namespace saccade::images {
namespace {

struct Body {
  cv::Scalar paint;
  cv::Scalar roof;
  cv::Scalar glass;
};

Body random_body(Random& random) {
  Body body;
  if (random.chance(0.5)) {
    body.paint = cv::Scalar::all(random.between(25, 235));
  } else {
    body.paint = random_colour(random, 20, 235);
  }
  body.roof = shaded(body.paint, random.between(1.05, 1.25));
  body.glass = cv::Scalar::all(random.between(15, 90));
  return body;
}

void lamps(Painter& painter, double half_width, double front) {
  painter.box(-half_width + 0.03, front, -half_width + 0.13, front + 0.06, {200, 240, 245});
  painter.box(half_width - 0.13, front, half_width - 0.03, front + 0.06, {200, 240, 245});
}

}  // namespace

Pose in_bay(const BayScene& scene, double x, double y, double turn, double height) {
  Pose pose = scene.bay;
  const cv::Point2d centre = scene.bay(x, y);
  pose.centre_x = centre.x + scene.lean.x * height;
  pose.centre_y = centre.y + scene.lean.y * height;
  pose.rotation += turn;
  return pose;
}

void draw_rounded(Painter& painter, double half_width, double front, double back, double cut,
                  const cv::Scalar& colour) {
  painter.polygon({{cut - half_width, front},
                   {half_width - cut, front},
                   {half_width, front + cut},
                   {half_width, back - cut},
                   {half_width - cut, back},
                   {cut - half_width, back},
                   {-half_width, back - cut},
                   {-half_width, front + cut}},
                  colour);
}

void draw_shadow(const BayScene& scene, const Place& place, double half_width, double front, double back) {
  Painter painter(*scene.bgr, in_bay(scene, place.x + 0.07, place.y + 0.05, place.turn, 0.0));
  draw_rounded(painter, half_width, front, back, 0.1, shaded(scene.ground, 0.45));
}

void draw_car(const BayScene& scene, const Place& place, Random& random) {
  const Body body = random_body(random);
  const double half = random.between(0.37, 0.43);
  const double front = -random.between(0.80, 0.92);
  const double back = random.between(0.78, 0.90);
  draw_shadow(scene, place, half, front, back);
  Painter low(*scene.bgr, in_bay(scene, place.x, place.y, place.turn, 0.4));
  draw_rounded(low, half, front, back, 0.13, body.paint);
  lamps(low, half, front);
  const double screen = front + random.between(0.40, 0.50);
  const double rear = back - random.between(0.12, 0.30);
  Painter high(*scene.bgr, in_bay(scene, place.x, place.y, place.turn, 0.8));
  draw_rounded(high, half - 0.05, screen, rear, 0.07, body.glass);
  Painter top(*scene.bgr, in_bay(scene, place.x, place.y, place.turn, 1.0));
  draw_rounded(top, half - 0.10, screen + 0.22, rear - 0.16, 0.06, body.roof);
}

void draw_van(const BayScene& scene, const Place& place, Random& random) {
  const Body body = random_body(random);
  const double half = random.between(0.41, 0.47);
  const double front = -random.between(0.92, 1.02);
  const double back = random.between(0.90, 1.02);
  draw_shadow(scene, place, half, front, back);
  Painter low(*scene.bgr, in_bay(scene, place.x, place.y, place.turn, 0.4));
  draw_rounded(low, half, front, back, 0.08, body.paint);
  lamps(low, half, front);
  Painter high(*scene.bgr, in_bay(scene, place.x, place.y, place.turn, 1.0));
  draw_rounded(high, half - 0.04, front + 0.18, front + 0.42, 0.05, body.glass);
  Painter top(*scene.bgr, in_bay(scene, place.x, place.y, place.turn, 1.6));
  draw_rounded(top, half - 0.03, front + 0.38, back, 0.03, body.roof);
  const int ribs = random.below(4);
  for (int rib = 0; rib < ribs; ++rib) {
    const double y = front + 0.62 + 0.30 * rib;
    top.stroke(-half + 0.08, y, half - 0.08, y, 0.05, shaded(body.roof, 0.82));
  }
}

void draw_pickup(const BayScene& scene, const Place& place, Random& random) {
  const Body body = random_body(random);
  const double half = random.between(0.39, 0.45);
  const double front = -random.between(0.86, 0.98);
  const double back = random.between(0.88, 1.00);
  draw_shadow(scene, place, half, front, back);
  Painter low(*scene.bgr, in_bay(scene, place.x, place.y, place.turn, 0.4));
  draw_rounded(low, half, front, back, 0.09, body.paint);
  lamps(low, half, front);
  low.box(-half + 0.07, 0.18, half - 0.07, back - 0.07, shaded(body.paint, 0.45));
  if (random.chance(0.4)) {
    const double load = random.between(0.28, 0.7);
    low.box(-half + 0.12, load, half - 0.12, load + 0.2, random_colour(random, 40, 220));
  }
  Painter high(*scene.bgr, in_bay(scene, place.x, place.y, place.turn, 0.8));
  draw_rounded(high, half - 0.05, front + 0.38, 0.16, 0.06, body.glass);
  Painter top(*scene.bgr, in_bay(scene, place.x, place.y, place.turn, 1.0));
  draw_rounded(top, half - 0.10, front + 0.56, 0.08, 0.04, body.roof);
}

void draw_motorcycle(const BayScene& scene, const Place& place, Random& random) {
  const Body body = random_body(random);
  const double length = random.between(0.42, 0.55);
  draw_shadow(scene, place, 0.12, -length, length);
  Painter low(*scene.bgr, in_bay(scene, place.x, place.y, place.turn, 0.3));
  low.stroke(0, -length, 0, -length + 0.30, 0.10, cv::Scalar::all(20));
  low.stroke(0, length - 0.32, 0, length, 0.12, cv::Scalar::all(20));
  draw_rounded(low, 0.12, -0.28, 0.12, 0.05, body.paint);
  draw_rounded(low, 0.10, 0.06, 0.40, 0.04, cv::Scalar::all(35));
  low.stroke(-0.27, -0.26, 0.27, -0.26, 0.07, body.glass);
  low.disc(0, -0.30, 0.08, body.roof);
}

void draw_trailer(const BayScene& scene, const Place& place, Random& random) {
  const Body body = random_body(random);
  const double half = random.between(0.34, 0.42);
  const double front = -random.between(0.42, 0.58);
  const double back = random.between(0.66, 0.86);
  draw_shadow(scene, place, half, front, back);
  Painter low(*scene.bgr, in_bay(scene, place.x, place.y, place.turn, 0.3));
  low.stroke(-0.2, front, 0, front - 0.38, 0.06, cv::Scalar::all(60));
  low.stroke(0.2, front, 0, front - 0.38, 0.06, cv::Scalar::all(60));
  low.box(-half - 0.09, 0.06, half + 0.09, 0.30, cv::Scalar::all(20));
  Painter high(*scene.bgr, in_bay(scene, place.x, place.y, place.turn, 0.6));
  high.box(-half, front, half, back, body.paint);
  high.box(-half + 0.06, front + 0.06, half - 0.06, back - 0.06,
           random.chance(0.5) ? shaded(body.paint, 0.5) : body.roof);
}

}  // namespace saccade::images
