// What was decided: for every task a variant and a granted rate, or off with a reason; and what is
// known about how good that is. A Plan is a value, complete enough to be checked (plan_check.hpp),
// printed and carried out without its snapshot's policy.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "base/quantity.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::scheduler {

// optimal    nothing lowered, value proven (gap <= 1e-9)
// feasible   nothing lowered, value with bound and gap (heuristics: none)
// degraded   demand was lost
// infeasible with every rate at its floor the limits still conflict (or degrade is refuse)
// unknown    the deadline passed, no plan, nothing proven
enum class PlanStatus { optimal, feasible, degraded, infeasible, unknown };
[[nodiscard]] const char* to_string(PlanStatus status);

struct Assignment {
  TaskId task;
  std::optional<std::size_t> variant;  // index into the task's profile set; absent = off
  Fps demand{0.0};
  Fps granted{0.0};       // [g] <= demand
  double accuracy = 0.0;  // of the variant
  double relative_accuracy = 0.0;
  std::vector<double> time_share;  // per processor of the snapshot: t_p * g
};

struct Totals {
  std::vector<double> time_share;          // per processor
  std::optional<Bytes> memory;             // absent when any chosen variant's is
  std::optional<Watts> energy_per_second;  // idle included
  std::optional<Watts> peak_power;         // idle included
  Fps lost{0.0};                           // sum of demand - granted
};

struct ClassLoss {  // what one priority class gives up
  int priority = 0;
  double weight_off = 0.0;    // sum of weights of tasks that are off though demanded
  double weighted_fps = 0.0;  // sum of w * (f - g)
};

struct Binding {
  std::string resource;  // "time:<processor>" | "energy" | "memory" | "power"
  double price = 0.0;    // LP dual, objective units per SI unit, an estimate
  // Degraded: weighted frames/s of the highest class that loses any which one SI unit more would give
  // back, an estimate as well; absent when none.
  std::optional<double> frames = {};
};

struct Reason {      // why a task is off, lowered or held back; why a filter or floor decided
  std::string task;  // empty = the whole plan
  std::string what;
};

struct Relaxation {              // the smallest change of one limit or floor that would make the demand fit
  std::string resource;          // as in Binding, "<floor>:<task>", "fps:<task>", or "combined"
  std::string what;              // a sentence with needed and allowed amounts
  bool proven = false;           // less (a higher floor) is proven not to do
  bool enough = false;           // this change alone would do; otherwise it is needed among others
  std::optional<double> needed;  // SI; of a floor: the highest value that would do
  std::optional<double> allowed;
};

// How many variants each step left, per task (for --variants-considered).
struct FilterTrace {
  TaskId task;
  std::size_t all = 0;
  std::vector<std::pair<std::string, std::size_t>> removed;  // filter or front -> how many
  std::size_t considered = 0;
};

struct Plan {
  std::uint64_t generation = 0;
  std::string policy;
  Objective objective = Objective::max_accuracy;
  PlanStatus status = PlanStatus::unknown;
  std::optional<double> objective_value;  // natural sign: J/s or bytes when minimising
  std::optional<double> bound;
  std::optional<double> gap;
  std::vector<ClassLoss> loss;  // highest priority first; every class that has an active task
  // 0 = proven least loss; else the gap of the first stage (from the highest class) that is not proven;
  // absent = nothing proven.
  std::optional<double> loss_gap;
  std::vector<Assignment> tasks;  // configuration order; all off when infeasible
  Totals totals;
  std::vector<Binding> binding;
  std::vector<std::string>
      violated_limits;  // heuristics: "memory", "energy", "power", "min_accuracy:<task>", ...
  std::vector<Reason> reasons;
  std::vector<Relaxation> relaxations;
  std::vector<FilterTrace> considered;
  std::int64_t solver_calls = 0;
  std::shared_ptr<const Plan> fallback;  // infeasible: what runs instead; null otherwise
};

// The plan that is to run: the plan itself, or its fallback when it is infeasible; null when there
// is neither.
[[nodiscard]] const Plan* runnable(const Plan& plan);

// A plan of the snapshot with every task off and nothing accounted yet.
[[nodiscard]] Plan blank_plan(const Snapshot& snapshot, const std::string& policy);

// Fills accuracy and time_share of every assignment, totals, loss and objective_value from (variant,
// granted). The snapshot must be valid and the plan of its tasks. `cost_of`: where the costs of a task's
// variant are known already; empty = they are computed.
using CostOf = std::function<const VariantCost&(std::size_t task, std::size_t variant)>;
void account(const Snapshot& snapshot, Plan& plan, const CostOf& cost_of = nullptr);

}  // namespace saccade::scheduler
