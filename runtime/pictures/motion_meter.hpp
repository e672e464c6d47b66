// How much moves in a task's pictures: the share of a small grey picture (at most 160 x 90) that differs from
// the running mean of those before it. The mean takes up a hundredth of each look at five looks a second, and
// more of each where looks are rarer, so that it follows a view at the same speed at any rate. A picture of
// which more than four fifths differ is another light: the mean starts over with it, and nothing moves.
// After Frigate's motion detection, without its contours.
// Units: pixels; masks in pixels of the source's frame. Threads: plain value, of the thread that looks.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "runtime/pictures/picture.hpp"

namespace saccade::runtime {

struct MotionSettings {
  int threshold = 30;          // grey levels of 255
  std::vector<PixelBox> mask;  // what lies in them does not count
  bool operator==(const MotionSettings&) const = default;
};

class MotionMeter {
 public:
  static constexpr int kWidth = 160;
  static constexpr int kHeight = 90;
  static constexpr double kFollow = 0.01;           // of a look
  static constexpr Duration kBetween{200'000'000};  // looks
  static constexpr int kLightThreshold = 30;
  static constexpr double kLight = 0.8;

  explicit MotionMeter(std::vector<MotionSettings> settings);
  ~MotionMeter();
  MotionMeter(const MotionMeter&) = delete;
  MotionMeter& operator=(const MotionMeter&) = delete;
  [[nodiscard]] const std::vector<MotionSettings>& settings() const { return settings_; }

  // Whether kBetween has passed since the last look, or nearly: ticks come a little early and late.
  [[nodiscard]] bool due(TimePoint now) const;
  // The share that moves, by each of the settings, of what its mask leaves; 0 for the first picture and the
  // first one of another size, with which the mean starts over.
  [[nodiscard]] std::vector<double> look(const Picture& picture, TimePoint now);

 private:
  struct View;  // what was seen so far

  std::vector<MotionSettings> settings_;
  std::unique_ptr<View> view_;
};

}  // namespace saccade::runtime
