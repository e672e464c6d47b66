#pragma once

#include <opencv2/core/mat.hpp>
#include <opencv2/core/types.hpp>

#include "images/random.hpp"
#include "images/scene.hpp"

namespace saccade::images {

// A parking bay seen by the mast camera, and what can be parked in it. The bay's plane has its centre at (0,
// 0) and its head at negative y. Objects are described around (0, 0) of their own plane with the nose at
// negative y, 1 being about half the length of a car.
struct BayScene {
  cv::Mat* bgr = nullptr;
  Pose bay;
  cv::Point2d lean;  // how far a roof is displaced from its wheels, in pixels
  cv::Scalar ground;
  cv::Scalar line;
};

// Where a vehicle stands.
struct Place {
  double x = 0.0;
  double y = 0.0;
  double turn = 0.0;
};

// The plane of an object in the bay: shifted, rotated, and `height` of the lean above the ground.
[[nodiscard]] Pose in_bay(const BayScene& scene, double x, double y, double turn, double height);

// A box whose corners are cut by `cut`.
void draw_rounded(Painter& painter, double half_width, double front, double back, double cut,
                  const cv::Scalar& colour);

// The shadow of such a box.
void draw_shadow(const BayScene& scene, const Place& place, double half_width, double front, double back);

// Vehicles with random proportions and paint.
using Vehicle = void (*)(const BayScene&, const Place&, Random&);
void draw_car(const BayScene& scene, const Place& place, Random& random);
void draw_van(const BayScene& scene, const Place& place, Random& random);
void draw_pickup(const BayScene& scene, const Place& place, Random& random);
void draw_motorcycle(const BayScene& scene, const Place& place, Random& random);
void draw_trailer(const BayScene& scene, const Place& place, Random& random);

}  // namespace saccade::images
