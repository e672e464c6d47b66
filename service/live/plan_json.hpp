// Plans as JSON, in the names that other programs rely on, and back: the part of a printed plan that states
// what runs. Absent values are null.
// Threads: functions without state. Errors: of the reader, as for every document.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "scheduler/plan.hpp"

namespace saccade::service {

// A number, or null if there is none.
[[nodiscard]] inline nlohmann::ordered_json number(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}
template <class Tag>
[[nodiscard]] nlohmann::ordered_json number(const std::optional<Quantity<Tag>>& value) {
  return value ? nlohmann::ordered_json(value->value()) : nlohmann::ordered_json();
}

struct PlanJsonOptions {
  std::optional<Seconds> solve_time;
  bool considered = false;  // what each filter and the front removed
};

// Variants are printed by id, processors by name, as in the snapshot the plan was made for.
[[nodiscard]] nlohmann::ordered_json to_json(const scheduler::Snapshot& snapshot, const scheduler::Plan& plan,
                                             const PlanJsonOptions& options = {});

[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<scheduler::Relaxation>& relaxations);

// Copies the variants and rates of a printed plan (of its fallback, if it was infeasible) into the snapshot
// as the running state. Tasks that exist in only one of the two are left unchanged.
[[nodiscard]] Status apply_running(const std::filesystem::path& plan_file, scheduler::Snapshot& snapshot);

}  // namespace saccade::service
