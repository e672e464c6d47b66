#include "images/yard_objects.hpp"

#include <array>
#include <cstddef>

namespace saccade::images {
namespace {

// The colours of one thing. The far side of a vehicle wears the same ones in the shade.
struct Dress {
  cv::Scalar body;
  cv::Scalar trim;
  cv::Scalar glass;
  cv::Scalar dark;
  cv::Scalar skin;
};

Dress random_dress(Random& random) {
  Dress dress;
  // Half of all paint is some grey, as in real yards.
  if (random.chance(0.5)) {
    dress.body = cv::Scalar::all(random.between(20, 240));
  } else {
    dress.body = random_colour(random, 20, 240);
  }
  dress.trim = random_colour(random, 20, 230);
  const double glass = random.between(20, 170);
  dress.glass = {glass * 1.1, glass, glass * 0.9};
  dress.dark = cv::Scalar::all(random.between(10, 70));
  const double skin = random.between(0.35, 1.0);
  dress.skin = {150 * skin, 185 * skin, 230 * skin};
  return dress;
}

Dress in_the_shade(Dress dress) {
  for (cv::Scalar* paint : {&dress.body, &dress.trim, &dress.glass, &dress.dark}) {
    *paint = shaded(*paint, 0.6);
  }
  return dress;
}

void head(Painter& painter, const Dress& dress, double x, double y, double radius, Random& random) {
  painter.disc(x, y, radius, dress.skin);
  const int cover = random.below(3);
  if (cover == 0) return;
  const cv::Scalar& colour = cover == 1 ? dress.dark : dress.trim;  // hair, or a helmet
  painter.polygon({{x - radius, y - radius * 0.1},
                   {x - radius * 0.8, y - radius * 0.9},
                   {x, y - radius * 1.15},
                   {x + radius * 0.8, y - radius * 0.9},
                   {x + radius, y - radius * 0.1}},
                  colour);
}

void draw_person(Painter& painter, const Dress& dress, Random& random) {
  const double stride = random.between(0.01, 0.16);
  const double shoulder = random.between(0.10, 0.15);
  const double hip = -random.between(0.44, 0.50);
  const double swing = random.between(-0.10, 0.14);
  const double lean = 0.06 * random.bell();
  const cv::Scalar sleeve = shaded(dress.body, 0.8);
  painter.stroke(-shoulder + lean, -0.79, -shoulder - swing, hip, 0.07, sleeve);
  painter.stroke(-0.05, hip, -0.04 - stride, -0.01, 0.11, shaded(dress.trim, 0.85));
  painter.stroke(0.05, hip, 0.04 + stride, -0.01, 0.11, dress.trim);
  if (random.chance(0.25)) {  // a rucksack
    const double side = random.chance(0.5) ? 1.0 : -1.0;
    painter.box(side * shoulder * 0.5, -0.80, side * (shoulder + 0.10), -0.52, dress.dark);
  }
  painter.polygon({{-shoulder + lean, -0.82},
                   {shoulder + lean, -0.82},
                   {shoulder * 0.9, hip - 0.02},
                   {-shoulder * 0.9, hip - 0.02}},
                  dress.body);
  if (random.chance(0.25)) {  // a vest with a stripe
    painter.polygon({{-shoulder + lean, -0.80},
                     {shoulder + lean, -0.80},
                     {shoulder * 0.9, -0.55},
                     {-shoulder * 0.9, -0.55}},
                    {40, 220, 235});
    painter.box(-shoulder * 0.9, -0.68, shoulder * 0.9, -0.64, {215, 215, 215});
  }
  painter.stroke(shoulder + lean, -0.79, shoulder + swing, hip, 0.07, sleeve);
  if (random.chance(0.15)) painter.box(-0.16, -0.70, 0.16, -0.50, {70, 115, 150});  // carries a box
  head(painter, dress, lean * 1.3, -0.91, 0.085, random);
}

void draw_cyclist_from_side(Painter& painter, const Dress& dress, Random& random) {
  const double wheel = random.between(0.17, 0.21);
  const double saddle_y = -random.between(0.42, 0.50);
  const double pedal_x = random.between(-0.08, 0.08);
  painter.ring(-0.29, -wheel, wheel, 0.035, dress.dark);
  painter.ring(0.29, -wheel, wheel, 0.035, dress.dark);
  painter.stroke(-0.29, -wheel, -0.12, saddle_y, 0.035, dress.trim);
  painter.stroke(-0.29, -wheel, 0.0, -wheel, 0.035, dress.trim);
  painter.stroke(0.0, -wheel, 0.22, saddle_y + 0.04, 0.035, dress.trim);
  painter.stroke(-0.12, saddle_y, 0.22, saddle_y + 0.02, 0.035, dress.trim);
  painter.stroke(0.29, -wheel, 0.21, saddle_y - 0.05, 0.035, dress.trim);
  const double bend = random.between(0.02, 0.22);  // how far the rider leans forward
  const double neck_y = -random.between(0.78, 0.84);
  painter.stroke(-0.12, saddle_y, 0.02 + pedal_x, saddle_y + 0.17, 0.09, dress.dark);
  painter.stroke(0.02 + pedal_x, saddle_y + 0.17, pedal_x, -0.08, 0.08, dress.dark);
  painter.stroke(-0.11, saddle_y, -0.10 + bend, neck_y, 0.17, dress.body);
  painter.stroke(-0.08 + bend, neck_y + 0.06, 0.23, saddle_y - 0.05, 0.06, shaded(dress.body, 0.8));
  head(painter, dress, -0.06 + bend, -0.91, 0.08, random);
}

void draw_cyclist_from_front(Painter& painter, const Dress& dress, Random& random) {
  const double knees = random.between(0.07, 0.12);
  painter.box(-0.025, -0.40, 0.025, 0.0, dress.dark);
  painter.stroke(-0.05, -0.46, -knees, -random.between(0.10, 0.30), 0.09, dress.dark);
  painter.stroke(0.05, -0.46, knees, -random.between(0.10, 0.30), 0.09, dress.dark);
  const double shoulder = random.between(0.11, 0.14);
  painter.polygon({{-shoulder, -0.82}, {shoulder, -0.82}, {0.10, -0.44}, {-0.10, -0.44}}, dress.body);
  painter.stroke(-shoulder, -0.79, -0.19, -0.52, 0.06, shaded(dress.body, 0.8));
  painter.stroke(shoulder, -0.79, 0.19, -0.52, 0.06, shaded(dress.body, 0.8));
  painter.stroke(-0.22, -0.52, 0.22, -0.52, 0.035, dress.trim);
  head(painter, dress, 0.0, -0.91, 0.08, random);
}

void draw_wheel(Painter& painter, const Dress& dress, double x, double radius) {
  painter.disc(x, -radius, radius, dress.dark);
  painter.disc(x, -radius, radius * 0.5, cv::Scalar::all(dress.dark[0] + 90));
}

void draw_car_from_side(Painter& painter, const Dress& dress, Random& random) {
  const double roof = -random.between(0.31, 0.38);
  const double belt = roof * random.between(0.58, 0.66);
  const double rear = -random.between(0.30, 0.46);  // hatchback to saloon
  const double front = random.between(0.08, 0.18);
  const double nose = random.between(0.20, 0.30);
  painter.polygon({{-0.49, -0.08},
                   {-0.48, belt},
                   {rear, belt},
                   {rear + 0.10, roof},
                   {front, roof},
                   {nose, belt},
                   {0.46, belt + 0.05},
                   {0.49, -0.08}},
                  dress.body);
  const double middle = (rear + front) / 2 + 0.05;
  painter.polygon({{rear + 0.05, belt}, {rear + 0.12, roof + 0.03}, {middle, roof + 0.03}, {middle, belt}},
                  dress.glass);
  painter.polygon(
      {{middle + 0.02, belt}, {middle + 0.02, roof + 0.03}, {front - 0.02, roof + 0.03}, {nose - 0.04, belt}},
      dress.glass);
  const double radius = random.between(0.075, 0.095);
  draw_wheel(painter, dress, -0.29, radius);
  draw_wheel(painter, dress, 0.30, radius);
}

void draw_van_from_side(Painter& painter, const Dress& dress, Random& random) {
  const double roof = -random.between(0.38, 0.46);
  const double belt = roof * 0.55;
  const double screen = random.between(0.26, 0.32);
  painter.polygon({{-0.49, -0.07},
                   {-0.49, roof},
                   {screen - 0.06, roof},
                   {screen + 0.07, belt},
                   {0.47, belt + 0.05},
                   {0.49, -0.07}},
                  dress.body);
  painter.polygon({{0.08, belt}, {0.08, roof + 0.04}, {screen - 0.07, roof + 0.04}, {screen + 0.03, belt}},
                  dress.glass);
  if (random.chance(0.35)) painter.box(-0.44, roof + 0.04, 0.05, belt, dress.glass);
  if (random.chance(0.4)) painter.box(-0.49, belt + 0.04, 0.46, belt + 0.08, dress.trim);
  const double radius = random.between(0.07, 0.085);
  draw_wheel(painter, dress, -0.30, radius);
  draw_wheel(painter, dress, 0.31, radius);
}

void draw_truck_from_side(Painter& painter, const Dress& dress, Random& random) {
  const double cab_roof = -random.between(0.32, 0.40);
  const double load = -random.between(0.36, 0.46);
  const double gap = random.between(0.21, 0.25);
  painter.box(-0.49, -0.13, 0.47, -0.08, dress.dark);
  const int kind = random.below(4);
  if (kind == 0) {  // flat, with sides
    painter.box(-0.49, -0.20, gap - 0.01, -0.12, dress.trim);
    if (random.chance(0.6)) painter.box(-0.40, load * 0.8, 0.05, -0.20, shaded(dress.trim, 0.7));
  } else if (kind == 1) {  // tank
    painter.polygon({{-0.49, load * 0.6},
                     {-0.46, load},
                     {gap - 0.04, load},
                     {gap - 0.01, load * 0.6},
                     {gap - 0.04, -0.12},
                     {-0.46, -0.12}},
                    dress.trim);
  } else {  // box
    painter.box(-0.49, load, gap - 0.01, -0.12, dress.trim);
    if (random.chance(0.4)) painter.box(-0.40, load + 0.08, 0.10, load + 0.17, dress.glass);
  }
  painter.polygon({{gap, -0.08}, {gap, cab_roof}, {0.42, cab_roof}, {0.49, cab_roof * 0.5}, {0.49, -0.08}},
                  dress.body);
  painter.polygon(
      {{0.33, cab_roof * 0.55}, {0.33, cab_roof + 0.03}, {0.41, cab_roof + 0.03}, {0.47, cab_roof * 0.55}},
      dress.glass);
  const double radius = random.between(0.06, 0.075);
  draw_wheel(painter, dress, -0.38, radius);
  if (random.chance(0.6)) draw_wheel(painter, dress, -0.22, radius);
  draw_wheel(painter, dress, 0.36, radius);
}

// A road vehicle from before or behind: `width` to 1 high, or 1 wide and `height` high.
void draw_front(Painter& painter, const Dress& dress, double half, double top, bool tapered, Random& random) {
  const double belt = top * random.between(0.52, 0.62);
  const double roof_half = tapered ? half * random.between(0.72, 0.82) : half * random.between(0.92, 1.0);
  painter.box(-half * 0.92, -0.14, -half * 0.55, 0.0, dress.dark);
  painter.box(half * 0.55, -0.14, half * 0.92, 0.0, dress.dark);
  painter.polygon(
      {{-half, -0.07}, {-half, belt}, {-roof_half, top}, {roof_half, top}, {half, belt}, {half, -0.07}},
      dress.body);
  const bool behind = random.chance(0.5);
  if (!behind || random.chance(0.5)) {
    painter.polygon({{-half * 0.88, belt},
                     {-roof_half * 0.88, top * 0.93},
                     {roof_half * 0.88, top * 0.93},
                     {half * 0.88, belt}},
                    dress.glass);
  }
  const cv::Scalar lamp = behind ? cv::Scalar(40, 40, 200) : cv::Scalar(200, 235, 240);
  painter.box(-half * 0.95, belt * 0.75, -half * 0.62, belt * 0.52, lamp);
  painter.box(half * 0.62, belt * 0.75, half * 0.95, belt * 0.52, lamp);
  painter.box(-half * 0.3, belt * 0.42, half * 0.3, belt * 0.25, cv::Scalar::all(210));
}

void draw_car_from_front(Painter& painter, const Dress& dress, Random& random) {
  const double top = -random.between(0.76, 0.90);
  draw_front(painter, dress, 0.5, top, true, random);
}

void draw_van_from_front(Painter& painter, const Dress& dress, Random& random) {
  const double half = random.between(0.40, 0.46);
  draw_front(painter, dress, half, -1.0, false, random);
}

void draw_truck_from_front(Painter& painter, const Dress& dress, Random& random) {
  const double half = random.between(0.34, 0.40);
  const double cab = -random.between(0.66, 0.80);
  if (random.chance(0.7)) painter.box(-half * 1.05, -1.0, half * 1.05, -0.12, dress.trim);
  draw_front(painter, dress, half, cab, false, random);
}

void draw_dog(Painter& painter, const Dress& dress, Random& random) {
  const double back = -random.between(0.50, 0.60);
  const double belly = back + random.between(0.20, 0.28);
  const double step = random.between(0.0, 0.10);
  const double nose_y = back - random.between(-0.08, 0.16);
  cv::Scalar coat = dress.body;
  if (random.chance(0.6)) {  // brown
    const double brown = random.between(40, 190);
    coat = {brown * 0.45, brown * 0.7, brown};
  }
  const cv::Scalar far_coat = shaded(coat, 0.65);
  painter.stroke(-0.24, belly, -0.26 + step, 0.0, 0.07, far_coat);
  painter.stroke(0.16, belly, 0.18 - step, 0.0, 0.07, far_coat);
  painter.stroke(-0.30, belly, -0.30 - step, 0.0, 0.08, coat);
  painter.stroke(0.20, belly, 0.21 + step, 0.0, 0.08, coat);
  painter.polygon({{-0.36, back + 0.03}, {-0.28, back}, {0.24, back}, {0.28, belly}, {-0.34, belly - 0.03}},
                  coat);
  const double tail_x = -random.between(0.40, 0.50);
  const double tail_y = back - random.between(-0.12, 0.18);
  painter.stroke(-0.33, back + 0.05, tail_x, tail_y, 0.05, coat);
  painter.stroke(0.20, back + 0.08, 0.34, nose_y, 0.14, coat);
  painter.disc(0.35, nose_y, 0.09, coat);
  painter.stroke(0.36, nose_y + 0.02, 0.48, nose_y + 0.05, 0.08, coat);
  painter.polygon({{0.27, nose_y - 0.04}, {0.31, nose_y - 0.15}, {0.36, nose_y - 0.06}}, far_coat);
}

using Draw = void (*)(Painter&, const Dress&, Random&);

struct YardClass {
  const char* label;
  Draw from_side;
  Draw from_front;  // absent: drawn from the side only
  YardSizes sizes;
  bool deep;  // has a far side
};

constexpr std::array<YardClass, 6> kYardClasses{{
    {"person", draw_person, nullptr, {12, 100}, false},
    {"cyclist", draw_cyclist_from_side, draw_cyclist_from_front, {13, 105}, false},
    {"car", draw_car_from_side, draw_car_from_front, {14, 110}, true},
    {"van", draw_van_from_side, draw_van_from_front, {16, 115}, true},
    {"truck", draw_truck_from_side, draw_truck_from_front, {20, 115}, true},
    {"dog", draw_dog, nullptr, {11, 60}, false},
}};

}  // namespace

const std::vector<std::string>& yard_labels() {
  static const std::vector<std::string> labels = [] {
    std::vector<std::string> names;
    for (const YardClass& kind : kYardClasses) names.emplace_back(kind.label);
    return names;
  }();
  return labels;
}

YardSizes yard_sizes(int label) { return kYardClasses[static_cast<std::size_t>(label)].sizes; }

void draw_yard_object(cv::Mat& bgr, Stencil* stencil, int label, const YardPlace& place, Random& random) {
  const YardClass& kind = kYardClasses[static_cast<std::size_t>(label)];
  const Dress dress = random_dress(random);
  const bool front = kind.from_front != nullptr && random.chance(0.3);
  Pose pose;
  pose.centre_x = place.x;
  pose.centre_y = place.y;
  const double narrow = kind.deep && !front ? random.between(0.72, 1.0) : random.between(0.88, 1.0);
  pose.scale_x = place.size * narrow * (random.chance(0.5) ? 1.0 : -1.0);
  pose.scale_y = place.size * random.between(0.92, 1.0);
  // Seen from the side, a vehicle is longer than high; from the front about as long as before.
  if (kind.deep && front) {
    pose.scale_x *= 0.7;
    pose.scale_y *= 0.7;
  }
  pose.rotation = 0.10 * random.bell();
  pose.slant = 0.12 * random.bell();
  pose.perspective_x = 0.15 * random.bell();
  const Draw draw = front ? kind.from_front : kind.from_side;
  if (kind.deep && !front) {
    // The far side in the shade, shifted into the picture, then the near side. Both repeat the same draws.
    Pose far_side = pose;
    far_side.centre_x += place.size * (1.0 - narrow) * (random.chance(0.5) ? 0.5 : -0.5);
    far_side.centre_y -= place.size * (1.0 - narrow) * 0.22;
    Random repeated = random;
    Painter far_painter(bgr, far_side, stencil);
    draw(far_painter, in_the_shade(dress), repeated);
  }
  Painter painter(bgr, pose, stencil);
  draw(painter, dress, random);
}

}  // namespace saccade::images
