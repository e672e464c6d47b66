#pragma once

#include <cstdint>
#include <opencv2/core/mat.hpp>
#include <opencv2/core/types.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "images/image_generator.hpp"
#include "images/yard.hpp"

namespace saccade::images {

// The size that scenes have when none is asked for, and the limits of a side.
inline constexpr int kSceneSide = 224;
inline constexpr int kLeastSceneSide = 32;
inline constexpr int kMostSceneSide = 4096;

// CV_8UC3 in OpenCV's BGR order, and what can be seen in it, from the back to the front.
struct LabelledScene {
  cv::Mat bgr;
  std::vector<LabelledBox> boxes;
};

// Draws scenes with labelled boxes, as ImageGenerator draws labelled images: a scene is a pure function of
// (data set, seed, index, size), the splits are endless sequences that share no scene, and boxes and labels
// are the same in every build. Pixels may be rounded differently by other versions of OpenCV.
// A generator is a handle to an immutable table and may be used from several threads at once. Drawing runs on
// the calling thread and leaves OpenCV's global settings alone.
class SceneGenerator {
 public:
  // The data set of that name, or nothing when there is none.
  [[nodiscard]] static std::optional<SceneGenerator> find(std::string_view data_set);

  // The names of all data sets of scenes, in alphabetical order. No data set of images has the same name.
  [[nodiscard]] static std::vector<std::string> names();

  [[nodiscard]] std::string_view name() const noexcept;

  // The label names; LabelledBox::label indexes them. Lives as long as the process.
  [[nodiscard]] const std::vector<std::string>& labels() const noexcept;

  // `size` in pixels, sides within kLeastSceneSide .. kMostSceneSide.
  [[nodiscard]] LabelledScene make(std::uint64_t seed, std::uint64_t index,
                                   cv::Size size = {kSceneSide, kSceneSide}) const;
  [[nodiscard]] LabelledScene make(Split split, std::uint64_t index,
                                   cv::Size size = {kSceneSide, kSceneSide}) const {
    return make(seed_of(split), index, size);
  }

 private:
  SceneGenerator() = default;  // one data set so far: yard
};

}  // namespace saccade::images
