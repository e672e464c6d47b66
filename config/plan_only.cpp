#include "config/plan_only.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

namespace saccade::config {
namespace {

bool has_model(const profiles::ProfileSet& set, const profiles::Variant& variant) {
  std::error_code failure;
  return !variant.model.empty() && std::filesystem::is_regular_file(set.directory / variant.model, failure);
}

}  // namespace

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
                                  [&](const profiles::Variant& v) { return has_model(set, v); });
    if (models_are_needed && !runs) {
      complain("no variant of " + set.network + " has a model file",
               "name model files in the profile set; the backend `simulated` needs none");
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
