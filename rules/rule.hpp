// A rule: while its conditions are met, some tasks get other settings than the configuration's. Pure values.
// Units: minutes of a week, nanoseconds. Threads: plain values.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/quantity.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::rules {

// The settings of a task under a rule; absent ones are unchanged.
struct Settings {
  std::optional<Fps> fps = {};
  std::optional<double> weight = {};
  std::optional<int> priority = {};
  std::optional<Fps> min_fps = {};
  std::optional<double> min_accuracy = {};
  std::optional<double> min_relative_accuracy = {};
  std::optional<Seconds> max_frame_time = {};
  std::optional<Seconds> max_latency = {};
  bool operator==(const Settings&) const = default;
};

// The labels are present in a task's view, as defined in results/presence.hpp: once `frames` consecutive
// results show any of them, until `hold` has passed without one.
struct PresenceCondition {
  std::string task = {};                 // whose view; empty: of the task that the rule changes
  std::vector<std::string> labels = {};  // empty: any
  double min_score = 0.0;
  std::size_t frames = 2;
  Duration hold = std::chrono::seconds(5);
  bool operator==(const PresenceCondition&) const = default;
};

// How motion is measured: the share of a small grey picture that differs by more than `threshold` (of 255)
// from the running mean of the previous ones. The area in `mask` is excluded.
struct MotionMeasure {
  int threshold = 30;
  std::vector<std::array<int, 4>> mask = {};  // x, y, width, height in pixels of the source's frame
  bool operator==(const MotionMeasure&) const = default;
};

// Something moves in a task's view: from a sample that shows more than `share` until `hold` has passed
// without one. With `still` the opposite: nothing has moved for this long.
struct MotionCondition {
  std::string task = {};  // as in PresenceCondition
  MotionMeasure measure = {};
  double share = 0.002;
  Duration hold = std::chrono::seconds(5);
  std::optional<Duration> still = {};
  bool operator==(const MotionCondition&) const = default;
};

// From `from` until `to` of local time, `to` excluded; across midnight if `to` is before `from`, and a whole
// day if they are equal. A window belongs to the day on which it begins.
struct ClockWindow {
  int from = 0;  // minute of the day, 0 to 1439
  int to = 0;
  std::array<bool, 7> days = {true, true, true, true, true, true, true};  // Monday first
  bool operator==(const ClockWindow&) const = default;
};

struct Rule {
  std::string id;
  std::vector<std::string> tasks;  // tasks it changes; each has its own conditions and turns
  // All conditions given must be met; at least one is given.
  std::optional<PresenceCondition> presence = {};
  std::optional<MotionCondition> motion = {};
  std::optional<ClockWindow> clock = {};
  Settings set = {};
  bool operator==(const Rule&) const = default;
};

inline constexpr int kMinutesPerDay = 24 * 60;
inline constexpr int kMinutesPerWeek = 7 * kMinutesPerDay;

// `minute_of_week`: of local time, 0 on Monday at 00:00.
[[nodiscard]] bool covers(const ClockWindow& window, int minute_of_week);

// A description for logs and people: "person or car in gate, 22:00 to 06:00", "nothing moves in gate for 60
// s". `task`: the one that the rule changes.
[[nodiscard]] std::string conditions_of(const Rule& rule, const std::string& task);
// "fps 15, weight 3"
[[nodiscard]] std::string to_string(const Settings& settings);

}  // namespace saccade::rules
