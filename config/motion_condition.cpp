#include "config/motion_condition.hpp"

#include "config/source_config.hpp"

namespace saccade::config {
namespace {

constexpr double kLongestStillness = 86'400.0;
constexpr std::size_t kMostMasks = 64;

void read_mask(const text::JsonAt& at, rules::MotionMeasure& measure, text::JsonReport& report) {
  const std::vector<text::JsonAt> items = text::read_list(at, report);
  if (items.size() > kMostMasks) {
    report.add(at,
               "there are " + std::to_string(items.size()) + " boxes, at most " + std::to_string(kMostMasks) +
                   " are allowed",
               "one box may cover several");
    return;
  }
  for (const text::JsonAt& item : items) {
    if (const auto box = read_box(item, report)) measure.mask.push_back(*box);
  }
}

}  // namespace

std::optional<rules::MotionCondition> read_motion(
    text::ObjectReader& when,
    const std::function<std::optional<std::string>(const text::JsonAt&)>& read_task) {
  const auto motion = when.find("motion");
  const auto still = when.find("still_seconds");
  if (!motion && !still) return std::nullopt;
  rules::MotionCondition condition;
  if (still) {
    Seconds quiet{0.0};
    when.quantity("still_seconds", quiet, {0.0, true, kLongestStillness});
    condition.still = to_duration(quiet);
  }
  if (!motion) return condition;
  text::ObjectReader reader(*motion, when.report());
  if (const auto task = reader.find("task")) condition.task = read_task(*task).value_or("");
  reader.integer("threshold", condition.measure.threshold, 1, 254);
  reader.number("share", condition.share, {0.0, false, 0.8, "shares are of 1, not percent"});
  if (const auto mask = reader.find("mask")) read_mask(*mask, condition.measure, when.report());
  return condition;
}

}  // namespace saccade::config
