#include "config/plan_only.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "profiles/interface_io.hpp"

namespace saccade::config {
namespace {

bool is_file(const profiles::ProfileSet& set, const std::string& model) {
  std::error_code failure;
  return !model.empty() && std::filesystem::is_regular_file(set.directory / model, failure);
}

}  // namespace

bool has_models(const profiles::ProfileSet& set, const profiles::Variant& variant) {
  const std::vector<profiles::Stage>& stages = variant.staging.stages;
  if (stages.empty()) return is_file(set, variant.model);
  return std::all_of(stages.begin(), stages.end(),
                     [&](const profiles::Stage& stage) { return is_file(set, stage.model); });
}

Errors plan_only(std::span<const scheduler::Task> tasks, bool models_are_needed,
                 const text::JsonReport& report) {
  Errors found;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!tasks[i].profiles) continue;
    const profiles::ProfileSet& set = *tasks[i].profiles;
    const auto complain = [&](const std::string& why, const std::string& hint) {
      found.push_back({report.where(0, "/tasks/" + std::to_string(i) + "/profiles"),
                       "task " + text::in_quotes(tasks[i].id.str()) + " can be planned but not run: " + why,
                       hint});
    };
    const bool runs = std::any_of(set.variants.begin(), set.variants.end(),
                                  [&](const profiles::Variant& v) { return has_models(set, v); });
    if (models_are_needed && !runs) {
      complain("no variant of " + set.network + " has a model file",
               "name model files in the profile set; the backend `simulated` needs none");
    } else if (profiles::has_foreign_metric(set.interface)) {
      complain("the profile set of " + set.network + " has the metric " +
                   text::in_quotes(set.interface.metric) + " and no interface",
               "add the network's `interface`, with its metric, to the profile set");
    } else if (set.input.size() == 0 || set.labels.empty()) {
      const std::string missing = set.input.size() > 0 ? "labels"
                                  : set.labels.empty() ? "input and labels"
                                                       : "input";
      complain("the profile set of " + set.network + " does not say its " + missing,
               "add what is missing to the profile set");
    }
  }
  return found;
}

}  // namespace saccade::config
