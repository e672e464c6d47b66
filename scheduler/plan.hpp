// The result of a decision: for every task a variant and a granted rate, or off with a reason; and what is
// known about its quality. A Plan is a value, complete enough to be checked (plan_check.hpp), printed and
// executed without the policy that made it.
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

// optimal    the demand is met, value proven optimal (gap <= 1e-9)
// feasible   the demand is met, value with bound and gap (heuristics: neither)
// degraded   some demand is not met
// infeasible the limits conflict even with every rate at its floor (with Degrade::refuse: at the demand)
// unknown    stopped before any plan was found; nothing is proven
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
  std::vector<double> time_share;  // per processor
  std::optional<Bytes> memory;     // of the host; absent if any chosen variant lacks it
  // Likewise, per memory of a device (device_memories()). Contexts are included in both.
  std::vector<std::optional<Bytes>> device_memory;
  std::optional<Watts> energy_per_second;  // idle included
  std::optional<Watts> peak_power;         // idle included
  Fps lost{0.0};                           // sum of demand - granted
};

struct ClassLoss {  // what one priority class loses
  int priority = 0;
  double weight_off = 0.0;    // sum of weights of tasks that are off though demanded
  double weighted_fps = 0.0;  // sum of w * (f - g)
};

struct Binding {
  std::string resource;  // "time:<processor>" | "energy" | "memory" | "memory:<device memory>" | "power"
  double price = 0.0;    // LP dual, objective units per SI unit, an estimate
  // Degraded: weighted frames/s of the highest class with losses that one more SI unit would recover, an
  // estimate as well; absent if none.
  std::optional<double> frames = {};
};

struct Reason {      // why a task is off, lowered or held back, or which filter or floor was decisive
  std::string task;  // empty = the whole plan
  std::string what;
};

struct Relaxation {              // the smallest change of one limit or floor with which the demand fits
  std::string resource;          // as in Binding, "<floor>:<task>", "fps:<task>", or "combined"
  std::string what;              // a sentence with needed and allowed amounts
  bool proven = false;           // proven: no smaller change is enough
  bool enough = false;           // this change alone is enough; otherwise others are needed too
  std::optional<double> needed;  // SI; of a floor: the highest value that is enough
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
  // Made within the limits that tasks share (memory, energy, power), so that the run is held to them. The
  // heuristics look at none of those, whatever filters they apply to each variant.
  bool within_limits = false;
  Objective objective = Objective::max_accuracy;
  PlanStatus status = PlanStatus::unknown;
  std::optional<double> objective_value;  // natural sign: J/s or bytes when minimising
  std::optional<double> bound;
  std::optional<double> gap;
  std::vector<ClassLoss> loss;  // highest priority first; every class that has an active task
  // 0 = the loss is proven least; otherwise the gap of the first stage (from the highest class) that is not
  // proven; absent = nothing is proven.
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

// The plan to run: the plan itself, or its fallback if it is infeasible; null if there is neither.
[[nodiscard]] const Plan* runnable(const Plan& plan);

// A plan for the snapshot with every task off, before account().
[[nodiscard]] Plan blank_plan(const Snapshot& snapshot, const std::string& policy);

// Fills accuracy and time_share of every assignment, totals, loss and objective_value from (variant,
// granted). The snapshot must be valid and the plan must be one of its tasks. `cost_of`: lookup of costs
// that are known already; empty = they are computed.
using CostOf = std::function<const VariantCost&(std::size_t task, std::size_t variant)>;
void account(const Snapshot& snapshot, Plan& plan, const CostOf& cost_of = nullptr);

}  // namespace saccade::scheduler
