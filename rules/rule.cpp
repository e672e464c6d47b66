#include "rules/rule.hpp"

#include <cstdio>

namespace saccade::rules {
namespace {

std::string time_of_day(int minute) {
  char text[16];
  std::snprintf(text, sizeof text, "%02d:%02d", minute / 60 % 24, minute % 60);
  return text;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

void join(const std::string& more, std::string& text) { text += (text.empty() ? "" : ", ") + more; }

}  // namespace

bool covers(const ClockWindow& window, int minute_of_week) {
  const int day = minute_of_week / kMinutesPerDay % 7;
  const int minute = minute_of_week % kMinutesPerDay;
  const auto on = [&](int d) { return window.days[static_cast<std::size_t>((d + 7) % 7)]; };
  if (window.from < window.to) return on(day) && minute >= window.from && minute < window.to;
  return (on(day) && minute >= window.from) || (on(day - 1) && minute < window.to);
}

std::string conditions_of(const Rule& rule, const std::string& task) {
  std::string text;
  if (rule.presence) {
    std::string labels;
    for (const std::string& label : rule.presence->labels) labels += (labels.empty() ? "" : " or ") + label;
    const std::string& of = rule.presence->task.empty() ? task : rule.presence->task;
    join((labels.empty() ? "anything" : labels) + " in " + of, text);
  }
  if (rule.motion) {
    const std::string& of = rule.motion->task.empty() ? task : rule.motion->task;
    join(rule.motion->still ? "nothing moves in " + of + " for " +
                                  short_number(to_seconds(*rule.motion->still).value()) + " s"
                            : "motion in " + of,
         text);
  }
  if (rule.clock) join(time_of_day(rule.clock->from) + " to " + time_of_day(rule.clock->to), text);
  return text;
}

std::string to_string(const Settings& settings) {
  std::string text;
  if (settings.fps) join("fps " + short_number(settings.fps->value()), text);
  if (settings.weight) join("weight " + short_number(*settings.weight), text);
  if (settings.priority) join("priority " + std::to_string(*settings.priority), text);
  if (settings.min_fps) join("min_fps " + short_number(settings.min_fps->value()), text);
  if (settings.min_accuracy) join("min_accuracy " + short_number(*settings.min_accuracy), text);
  if (settings.min_relative_accuracy)
    join("min_relative_accuracy " + short_number(*settings.min_relative_accuracy), text);
  if (settings.max_frame_time)
    join("max_frame_time_seconds " + short_number(settings.max_frame_time->value()), text);
  if (settings.max_latency) join("max_latency_seconds " + short_number(settings.max_latency->value()), text);
  return text;
}

}  // namespace saccade::rules
