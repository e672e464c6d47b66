#include "app/report/cut_explanation.hpp"

#include <algorithm>

#include "app/report/table.hpp"

namespace saccade::app {
namespace {

using profiles::Stage;
using profiles::Variant;

std::string in_ms(Seconds seconds) { return short_number(seconds.value() * 1e3) + " ms"; }

std::uint64_t bytes_of(const Stage& stage) {
  std::uint64_t bytes = 0;
  for (const profiles::StageTensor& tensor : stage.takes) {
    std::uint64_t numbers = 1;
    for (const std::int64_t side : tensor.shape) numbers *= static_cast<std::uint64_t>(side);
    using profiles::ElementType;
    const bool eight = tensor.type == ElementType::int64, two = tensor.type == ElementType::fp16;
    const bool one = tensor.type == ElementType::uint8 || tensor.type == ElementType::int8;
    bytes += numbers * (eight ? 8U : two ? 2U : one ? 1U : 4U);
  }
  return bytes;
}

std::string moved_text(const char* where, const std::optional<Seconds>& period, Seconds now) {
  if (!period) return std::string("it cannot lie one layer ") + where;
  const double change = *period / now - 1.0;
  std::string text = std::string("one layer ") + where + " frames would be " + in_ms(*period) + " apart";
  if (change > 0.0005) return text + " (" + short_percent(change) + " more)";
  if (change < -0.0005) return text + " (" + short_percent(-change) + " less)";
  return text + " as well";
}

}  // namespace

std::vector<std::string> cut_reasons(const Variant& variant) {
  if (variant.staging.empty()) return {};
  const auto& stages = variant.staging.stages;
  const auto binding = std::max_element(variant.frame_time.begin(), variant.frame_time.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  const Seconds period = binding->second;
  std::vector<std::string> reasons;
  std::string text = "`" + variant.id.str() + "` runs in " + std::to_string(stages.size()) +
                     " stages: processor `" + binding->first.str() + "` binds with " + in_ms(period) +
                     " a frame";
  for (const auto& [processor, time] : variant.frame_time) {
    if (processor != binding->first) text += ", `" + processor.str() + "` takes " + in_ms(time);
  }
  reasons.push_back(text + "; a frame alone takes " + in_ms(variant.staging.latency) + ".");
  for (std::size_t k = 1; k < stages.size(); ++k) {
    const Stage& stage = stages[k];
    const double share = stage.transfer / period;
    reasons.push_back(
        "It is cut before layer " + std::to_string(stage.first_layer) + ", where " +
        short_bytes(static_cast<double>(bytes_of(stage))) + " go from `" + stages[k - 1].places() + "` to `" +
        stage.places() + "` and cost " + in_ms(stage.transfer) + " (" + short_percent(share) +
        " of the time between two frames): " + moved_text("earlier", stage.period_if_earlier, period) + ", " +
        moved_text("later", stage.period_if_later, period) + ".");
  }
  return reasons;
}

std::vector<Sentence> explain_cuts(const scheduler::Snapshot& snapshot, const scheduler::Plan& plan) {
  std::vector<Sentence> sentences;
  const scheduler::Plan& runs = plan.fallback ? *plan.fallback : plan;
  std::vector<const Variant*> told;
  for (std::size_t i = 0; i < runs.tasks.size(); ++i) {
    if (!runs.tasks[i].variant) continue;
    const Variant& variant = snapshot.tasks[i].profiles->variants[*runs.tasks[i].variant];
    if (std::find(told.begin(), told.end(), &variant) != told.end()) continue;
    told.push_back(&variant);
    for (const std::string& reason : cut_reasons(variant))
      sentences.push_back({"cut", snapshot.tasks[i].id.str(), reason});
  }
  return sentences;
}

}  // namespace saccade::app
