#include "config/planner_config.hpp"

namespace saccade::config {
namespace {

// A planner pays its lease of 6 s every 2 s, and does not while it plans.
constexpr double kLongestPlan = 3.0;

Result<PlannerConfig> planner_of(const std::optional<text::JsonValue>& document,
                                 const std::filesystem::path& directory, text::JsonReport& report) {
  if (!document) return report.errors();
  PlannerConfig config;
  {
    text::ObjectReader top({&*document, ""}, report);
    if (const auto version = top.require("version")) {
      const bool known = (*version)->kind == text::JsonValue::Kind::number && (*version)->number == 1.0;
      if (!known)
        report.add(*version, "this program reads version 1 of the configuration", "write \"version\": 1");
    }
    if (const auto fleet = top.require("fleet"))
      config.fleet = read_fleet_of_planner(*fleet, directory, report);
    if (const auto api = top.find_given("api")) config.api = read_api(*api, directory, report);
    if (const auto solver = top.find("solver")) {
      text::ObjectReader(*solver, report)
          .quantity("deadline_seconds", config.plan_deadline, {0.0, true, kLongestPlan});
    }
    if (const auto node = top.find_given("node")) config.node = text::read_id(*node, report).value_or("");
  }
  if (!report.empty()) return report.errors();
  return config;
}

}  // namespace

Result<PlannerConfig> read_planner_config(const std::filesystem::path& path) {
  text::JsonReport report(path.string());
  const std::optional<text::JsonValue> document = text::read_json_file(path, report);
  return planner_of(document, path.parent_path(), report);
}

Result<PlannerConfig> parse_planner_config(std::string_view text, const std::string& name,
                                           const std::filesystem::path& directory) {
  text::JsonReport report(name);
  const std::optional<text::JsonValue> document = text::parse_json(text, report);
  return planner_of(document, directory, report);
}

}  // namespace saccade::config
