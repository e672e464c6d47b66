#include "scheduler/plan.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace saccade::scheduler {
namespace {

// A total (or a largest) that is unknown as soon as one part is.
template <class Q>
class Known {
 public:
  void add(const std::optional<Q>& part) {
    if (part) {
      value_ += *part;
    } else {
      known_ = false;
    }
  }
  void raise(const std::optional<Q>& part) {
    if (part) {
      value_ = std::max(value_, *part);
    } else {
      known_ = false;
    }
  }
  [[nodiscard]] std::optional<Q> get() const { return known_ ? std::optional(value_) : std::nullopt; }

 private:
  Q value_{0.0};
  bool known_ = true;
};

}  // namespace

const char* to_string(PlanStatus status) {
  switch (status) {
    case PlanStatus::optimal:
      return "optimal";
    case PlanStatus::feasible:
      return "feasible";
    case PlanStatus::degraded:
      return "degraded";
    case PlanStatus::infeasible:
      return "infeasible";
    case PlanStatus::unknown:
      return "unknown";
  }
  return "";
}

const Plan* runnable(const Plan& plan) {
  switch (plan.status) {
    case PlanStatus::optimal:
    case PlanStatus::feasible:
    case PlanStatus::degraded:
      return &plan;
    case PlanStatus::infeasible:
      return plan.fallback.get();
    case PlanStatus::unknown:
      return nullptr;
  }
  return nullptr;
}

Plan blank_plan(const Snapshot& snapshot, const std::string& policy) {
  Plan plan;
  plan.generation = snapshot.generation;
  plan.policy = policy;
  plan.objective = snapshot.objective;
  for (const Task& task : snapshot.tasks) {
    Assignment assignment;
    assignment.task = task.id;
    assignment.demand = task.demand;
    assignment.time_share.assign(snapshot.processors.size(), 0.0);
    plan.tasks.push_back(std::move(assignment));
  }
  plan.totals.time_share.assign(snapshot.processors.size(), 0.0);
  return plan;
}

void account(const Snapshot& snapshot, Plan& plan, const CostOf& cost_of) {
  const std::size_t processors = snapshot.processors.size();
  Totals totals;
  totals.time_share.assign(processors, 0.0);
  Known<Bytes> memory;
  Known<Watts> energy;
  // The largest power on each processor; with one processor the variant's own peak is that.
  std::vector<Known<Watts>> largest(processors);
  double weight = 0.0;
  double accuracy = 0.0;
  std::map<int, ClassLoss, std::greater<>> loss;

  for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
    const Task& task = snapshot.tasks[i];
    Assignment& assignment = plan.tasks[i];
    assignment.time_share.assign(processors, 0.0);
    assignment.accuracy = 0.0;
    assignment.relative_accuracy = 0.0;
    if (task.active()) {
      weight += task.weight;
      ClassLoss& own = loss[task.priority];
      own.priority = task.priority;
      own.weighted_fps += task.weight * (task.demand - assignment.granted).value();
      if (!assignment.variant) own.weight_off += task.weight;
      totals.lost += task.demand - assignment.granted;
    }
    if (!assignment.variant) continue;
    VariantCost computed;
    if (!cost_of) computed = variant_cost(snapshot, task, *assignment.variant);
    const VariantCost& cost = cost_of ? cost_of(i, *assignment.variant) : computed;
    assignment.accuracy = cost.accuracy;
    assignment.relative_accuracy = cost.relative_accuracy;
    for (std::size_t p = 0; p < processors; ++p) {
      assignment.time_share[p] = cost.time[p] * assignment.granted;
      totals.time_share[p] += assignment.time_share[p];
      largest[p].raise(processors == 1 ? cost.power : cost.power_by_processor[p]);
    }
    memory.add(cost.memory);
    energy.add(cost.energy ? std::optional(*cost.energy * assignment.granted) : std::nullopt);
    accuracy += task.weight * (assignment.granted / task.demand) * cost.relative_accuracy;
  }

  totals.memory = memory.get();
  if (energy.get()) totals.energy_per_second = snapshot.idle_power + *energy.get();
  Known<Watts> peak;
  peak.add(snapshot.idle_power);
  for (const Known<Watts>& watts : largest) peak.add(watts.get());
  totals.peak_power = peak.get();
  plan.totals = std::move(totals);
  plan.loss.clear();
  for (const auto& [priority, own] : loss) plan.loss.push_back(own);

  plan.objective_value.reset();
  if (weight == 0.0) return;
  switch (plan.objective) {
    case Objective::max_accuracy:
      plan.objective_value = accuracy / weight;
      break;
    case Objective::min_energy:
      if (energy.get()) plan.objective_value = energy.get()->value();
      break;
    case Objective::min_memory:
      if (memory.get()) plan.objective_value = memory.get()->value();
      break;
  }
}

}  // namespace saccade::scheduler
