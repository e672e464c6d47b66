#include "scheduler/heuristics.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "ilp/choice_problem.hpp"
#include "profiles/processor_kinds.hpp"
#include "scheduler/explain.hpp"
#include "scheduler/filter.hpp"
#include "scheduler/plan_check.hpp"
#include "scheduler/shares.hpp"

namespace saccade::scheduler {
namespace {

std::vector<double> budgets_of(const Snapshot& snapshot) {
  std::vector<double> budgets;
  for (const Processor& processor : snapshot.processors) budgets.push_back(processor.budget());
  return budgets;
}

// The snapshot with nothing left that filters a variant, but for what keeps it from running at all.
Snapshot without_filters(Snapshot snapshot) {
  for (Task& task : snapshot.tasks) {
    task.min_accuracy.reset();
    task.min_relative_accuracy.reset();
    task.max_frame_time.reset();
    task.max_latency.reset();
    task.max_power.reset();
    task.max_memory.reset();
  }
  snapshot.limits = {};
  snapshot.objective = Objective::max_accuracy;
  return snapshot;
}

// One variant per task and the shared-out rates.
void serve(const Snapshot& snapshot, PolicyKind kind, const std::vector<std::optional<std::size_t>>& variants,
           Plan& plan) {
  std::vector<std::size_t> tasks;
  std::vector<Load> loads;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    plan.tasks[i].variant.reset();
    plan.tasks[i].granted = Fps(0.0);
    if (!variants[i]) continue;
    tasks.push_back(i);
    const VariantCost cost = variant_cost(snapshot, snapshot.tasks[i], *variants[i]);
    loads.push_back({{cost.time.begin(), cost.time.end()}, snapshot.tasks[i].demand});
  }
  const std::vector<double> budgets = budgets_of(snapshot);
  std::vector<Fps> rates;
  switch (kind) {
    case PolicyKind::fair_fps:
      rates = fair_fps_rates(budgets, loads);
      break;
    case PolicyKind::fair_time:
      rates = fair_time_rates(budgets, loads, snapshot.heuristics.redistribute, equal_processors(snapshot));
      break;
    case PolicyKind::greedy:
      rates = greedy_rates(budgets, loads);
      break;
    case PolicyKind::transprecision:
      SACCADE_CHECK(false && "transprecision is no heuristic");
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (rates[i] <= Fps(0.0)) continue;
    plan.tasks[tasks[i]].variant = variants[tasks[i]];
    plan.tasks[tasks[i]].granted = rates[i];
  }
}

// Accounts the plan and says what kind it is.
void finish(const Snapshot& snapshot, Plan& plan) {
  account(snapshot, plan);
  const bool any_active = std::any_of(snapshot.tasks.begin(), snapshot.tasks.end(),
                                      [](const Task& task) { return task.active(); });
  if (!any_active) {
    plan.status = PlanStatus::optimal;
  } else {
    plan.status = plan.totals.lost > Fps(0.0) ? PlanStatus::degraded : PlanStatus::feasible;
  }
  for (const Violation& violation : check_plan(snapshot, plan)) {
    plan.violated_limits.push_back(violation.constraint);
  }
}

class Heuristic final : public Policy {
 public:
  explicit Heuristic(PolicyKind kind) : kind_(kind) {}
  [[nodiscard]] const char* name() const override { return to_string(kind_); }

  [[nodiscard]] Plan decide(const Snapshot& snapshot, const DecideLimits& /*limits*/) const override {
    Plan plan = blank_plan(snapshot, name());
    if (refuse_invalid(validate(snapshot), plan)) return plan;
    const Snapshot judged = snapshot.heuristics.within_limits ? snapshot : without_filters(snapshot);
    std::vector<Filtered> filtered(snapshot.tasks.size());
    std::vector<std::optional<std::size_t>> variants(snapshot.tasks.size());
    std::vector<std::vector<std::size_t>> usable(snapshot.tasks.size());
    for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
      const Task& task = judged.tasks[i];
      FilterTrace trace{
          .task = task.id, .all = task.profiles->variants.size(), .removed = {}, .considered = 0};
      if (task.active()) {
        const std::vector<VariantCost> costs = variant_costs(judged, task);
        filtered[i] = filter_variants(judged, task, costs);
        variants[i] = most_accurate(costs, filtered[i].kept);
        usable[i] = filtered[i].kept;
        trace.removed = count_removed(filtered[i]);
        trace.considered = variants[i] ? 1 : 0;
      }
      plan.considered.push_back(std::move(trace));
    }
    spread_over_processors(snapshot, usable, variants);
    plan.reasons = explain_off(judged, filtered);
    serve(snapshot, kind_, variants, plan);
    for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
      if (variants[i] && !plan.tasks[i].variant) {
        plan.reasons.push_back({plan.tasks[i].task.str(), "off: the tasks before it leave no time"});
      } else if (plan.tasks[i].granted < plan.tasks[i].demand && variants[i]) {
        plan.reasons.push_back({plan.tasks[i].task.str(), "lowered: no more time in its share"});
      }
    }
    finish(snapshot, plan);
    return plan;
  }

 private:
  PolicyKind kind_;
};

// How full the processors are while tasks are put on them one by one.
class Spreading {
 public:
  explicit Spreading(const Snapshot& snapshot)
      : snapshot_(snapshot), share_(snapshot.processors.size(), 0.0) {}

  void add(const Task& task, std::size_t variant) {
    const VariantCost cost = variant_cost(snapshot_, task, variant);
    for (std::size_t p = 0; p < share_.size(); ++p) share_[p] += cost.time[p] * task.demand;
  }

  // The first of the variants with which the fullest processor it uses stays least full.
  std::size_t place(const Task& task, const std::vector<std::size_t>& variants) {
    std::size_t best = variants.front();
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t variant : variants) {
      const VariantCost cost = variant_cost(snapshot_, task, variant);
      double fullest = 0.0;
      for (std::size_t p = 0; p < share_.size(); ++p) {
        if (cost.time[p] <= Seconds(0.0)) continue;
        fullest =
            std::max(fullest, (share_[p] + cost.time[p] * task.demand) / snapshot_.processors[p].budget());
      }
      if (fullest >= least) continue;
      least = fullest;
      best = variant;
    }
    add(task, best);
    return best;
  }

 private:
  const Snapshot& snapshot_;
  std::vector<double> share_;
};

bool is_floor(const Violation& violation) {
  return violation.constraint.starts_with("min_fps:") || violation.constraint.starts_with("min_time_share:");
}

std::optional<Plan> keep_running(const Snapshot& snapshot) {
  Plan plan = blank_plan(snapshot, "keep_running");
  bool any = false;
  for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
    const Task& task = snapshot.tasks[i];
    if (!task.active()) {
      plan.reasons.push_back(inactive(task));
      continue;
    }
    if (!task.running || task.running_rate <= Fps(0.0)) {
      plan.reasons.push_back({task.id.str(), "off: it does not run, and nothing new is started"});
      continue;
    }
    any = true;
    plan.tasks[i].variant = task.running;
    plan.tasks[i].granted = std::min(task.running_rate, task.demand);
  }
  if (!any) return std::nullopt;
  account(snapshot, plan);
  plan.status = plan.totals.lost > Fps(0.0) ? PlanStatus::degraded : PlanStatus::feasible;
  // A floor says how far degradation may go, not what may run; a raised demand does not end what runs.
  const std::vector<Violation> violations = check_plan(snapshot, plan);
  if (!std::all_of(violations.begin(), violations.end(), is_floor)) return std::nullopt;
  for (const Violation& violation : violations) plan.violated_limits.push_back(violation.constraint);
  plan.reasons.push_back({"", "what runs still obeys the limits and stays"});
  return plan;
}

// True when the variant would not break a limit over all tasks if it were the only one loaded.
bool fits_alone(const Snapshot& snapshot, const VariantCost& cost) {
  const auto within = [](Bytes context, Bytes used, Bytes limit) {
    return ilp::holds(context.value() + used.value(), limit.value());
  };
  if (snapshot.limits.memory && !within(host_context(snapshot), *cost.memory, *snapshot.limits.memory)) {
    return false;
  }
  const std::vector<DeviceMemory> memories = device_memories(snapshot);
  for (std::size_t m = 0; m < memories.size(); ++m) {
    const auto limit = snapshot.limits.memories.find(memories[m].name);
    if (limit == snapshot.limits.memories.end()) continue;
    if (!within(memories[m].context, *cost.device_memory[m], limit->second)) return false;
  }
  if (!snapshot.limits.peak_power || snapshot.processors.size() == 1) return true;
  double peak = snapshot.idle_power.value();
  for (const std::optional<Watts>& watts : cost.power_by_processor) peak += watts->value();
  return ilp::holds(peak, snapshot.limits.peak_power->value());
}

// The task to give up next: lowest class, in it the last of the configuration.
std::size_t next_to_give_up(const Snapshot& snapshot,
                            const std::vector<std::optional<std::size_t>>& variants) {
  std::optional<std::size_t> lowest;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (variants[i] && (!lowest || snapshot.tasks[i].priority <= snapshot.tasks[*lowest].priority))
      lowest = i;
  }
  return *lowest;
}

}  // namespace

std::optional<std::size_t> most_accurate(const std::vector<VariantCost>& costs,
                                         const std::vector<std::size_t>& variants) {
  std::optional<std::size_t> best;
  for (const std::size_t variant : variants) {
    const VariantCost& cost = costs[variant];
    if (!best || cost.accuracy > costs[*best].accuracy ||
        (cost.accuracy == costs[*best].accuracy && cost.total_time() < costs[*best].total_time())) {
      best = variant;
    }
  }
  return best;
}

void spread_over_processors(const Snapshot& snapshot, const std::vector<std::vector<std::size_t>>& usable,
                            std::vector<std::optional<std::size_t>>& variants) {
  Spreading spreading(snapshot);
  std::vector<std::pair<double, std::size_t>> movable;  // time share at full demand, task
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (!variants[i]) continue;
    const Task& task = snapshot.tasks[i];
    if (profiles::same_measured(*task.profiles, *variants[i]).size() == 1) {
      spreading.add(task, *variants[i]);
    } else {
      movable.emplace_back(-(variant_cost(snapshot, task, *variants[i]).total_time() * task.demand), i);
    }
  }
  std::stable_sort(movable.begin(), movable.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [share, i] : movable) {
    std::vector<std::size_t> same = profiles::same_measured(*snapshot.tasks[i].profiles, *variants[i]);
    std::erase_if(same, [&, &kept = usable[i]](std::size_t variant) {
      return std::find(kept.begin(), kept.end(), variant) == kept.end();
    });
    variants[i] = spreading.place(snapshot.tasks[i], same);
  }
}

std::unique_ptr<Policy> make_heuristic(PolicyKind kind) { return std::make_unique<Heuristic>(kind); }

Plan fallback_plan(const Snapshot& snapshot) {
  if (std::optional<Plan> kept = keep_running(snapshot)) return *std::move(kept);

  Plan plan = blank_plan(snapshot, to_string(PolicyKind::fair_time));
  std::vector<std::optional<std::size_t>> variants(snapshot.tasks.size());
  std::vector<std::vector<std::size_t>> usable(snapshot.tasks.size());
  std::size_t serving = 0;
  for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
    const Task& task = snapshot.tasks[i];
    if (!task.active()) {
      plan.reasons.push_back(inactive(task));
      continue;
    }
    const std::vector<VariantCost> costs = variant_costs(snapshot, task);
    std::vector<std::size_t> fitting = filter_variants(snapshot, task, costs).kept;
    std::erase_if(fitting, [&](std::size_t variant) { return !fits_alone(snapshot, costs[variant]); });
    variants[i] = most_accurate(costs, fitting);
    usable[i] = std::move(fitting);
    if (variants[i]) {
      ++serving;
    } else {
      plan.reasons.push_back({task.id.str(), "off: no variant fits the limits"});
    }
  }
  spread_over_processors(snapshot, usable, variants);
  const auto over_a_limit = [&] {
    const std::vector<Violation> violations = check_plan(snapshot, plan);
    return !std::all_of(violations.begin(), violations.end(), is_floor);
  };
  while (true) {
    serve(snapshot, PolicyKind::fair_time, variants, plan);
    account(snapshot, plan);
    plan.status = plan.totals.lost > Fps(0.0) ? PlanStatus::degraded : PlanStatus::feasible;
    if (serving == 0 || !over_a_limit()) break;
    const std::size_t given_up = next_to_give_up(snapshot, variants);
    variants[given_up].reset();
    --serving;
    plan.reasons.push_back(
        {snapshot.tasks[given_up].id.str(), "off: lowest class while the limits do not hold"});
  }
  for (const Violation& violation : check_plan(snapshot, plan)) {
    plan.violated_limits.push_back(violation.constraint);
  }
  return plan;
}

}  // namespace saccade::scheduler
