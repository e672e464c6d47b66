// Measures motion in a task's pictures: the share of a small grey picture (at most 160 x 90) that differs
// from the running mean of the previous ones. At five samples per second, each contributes a hundredth to the
// mean, and more if samples are rarer, so that the mean adapts at the same speed at any rate. If more than
// four fifths of a picture differ, the light has changed: the mean is reset to it, and nothing counts as
// moving. After Frigate's motion detection, without its contours.
// Units: pixels; masks in pixels of the source's frame. Threads: plain value, of the sampling thread.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "runtime/pictures/picture.hpp"

namespace saccade::runtime {

struct MotionSettings {
  int threshold = 30;          // grey levels of 255
  std::vector<PixelBox> mask;  // excluded boxes
  bool operator==(const MotionSettings&) const = default;
};

class MotionMeter {
 public:
  static constexpr int kWidth = 160;
  static constexpr int kHeight = 90;
  static constexpr double kFollow = 0.01;           // per sample
  static constexpr Duration kBetween{200'000'000};  // samples
  static constexpr int kLightThreshold = 30;
  static constexpr double kLight = 0.8;

  explicit MotionMeter(std::vector<MotionSettings> settings);
  ~MotionMeter();
  MotionMeter(const MotionMeter&) = delete;
  MotionMeter& operator=(const MotionMeter&) = delete;
  [[nodiscard]] const std::vector<MotionSettings>& settings() const { return settings_; }

  // Whether kBetween has nearly or fully passed since the last sample: ticks come slightly early or late.
  [[nodiscard]] bool due(TimePoint now) const;
  // The moving share, for each of the settings, of the area outside its mask; 0 for the first picture and the
  // first one of another size, to which the mean is reset.
  [[nodiscard]] std::vector<double> look(const Picture& picture, TimePoint now);

 private:
  struct View;  // state of the previous samples

  std::vector<MotionSettings> settings_;
  std::unique_ptr<View> view_;
};

}  // namespace saccade::runtime
