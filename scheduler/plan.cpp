#include "scheduler/plan.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace saccade::scheduler {
namespace {

// A total (or a maximum) that is unknown as soon as one part is.
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

// The sums over all tasks of a plan.
class Accounts {
 public:
  explicit Accounts(const Snapshot& snapshot)
      : snapshot_(snapshot), largest_power_(snapshot.processors.size()) {
    totals_.time_share.assign(snapshot.processors.size(), 0.0);
    for (const DeviceMemory& memory : device_memories(snapshot)) {
      device_memory_.emplace_back();
      device_memory_.back().add(memory.context);
    }
  }

  void add_demand(const Task& task, const Assignment& assignment) {
    weight_ += task.weight;
    ClassLoss& own = loss_[task.priority];
    own.priority = task.priority;
    own.weighted_fps += task.weight * (task.demand - assignment.granted).value();
    if (!assignment.variant) own.weight_off += task.weight;
    totals_.lost += task.demand - assignment.granted;
  }

  // Fills the assignment's figures.
  void add_serving(const Task& task, Assignment& assignment, const VariantCost& cost) {
    const std::size_t processors = snapshot_.processors.size();
    assignment.accuracy = cost.accuracy;
    assignment.relative_accuracy = cost.relative_accuracy;
    for (std::size_t p = 0; p < processors; ++p) {
      assignment.time_share[p] = cost.time[p] * assignment.granted;
      totals_.time_share[p] += assignment.time_share[p];
      largest_power_[p].raise(processors == 1 ? cost.power : cost.power_by_processor[p]);
    }
    memory_.add(cost.memory);
    for (std::size_t m = 0; m < device_memory_.size(); ++m) device_memory_[m].add(cost.device_memory[m]);
    energy_.add(cost.energy ? std::optional(*cost.energy * assignment.granted) : std::nullopt);
    accuracy_ += task.weight * (assignment.granted / task.demand) * cost.relative_accuracy;
  }

  [[nodiscard]] Totals totals() const {
    Totals totals = totals_;
    if (memory_.get()) totals.memory = host_context(snapshot_) + *memory_.get();
    for (const Known<Bytes>& memory : device_memory_) totals.device_memory.push_back(memory.get());
    if (energy_.get()) totals.energy_per_second = snapshot_.idle_power + *energy_.get();
    Known<Watts> peak;
    peak.add(snapshot_.idle_power);
    for (const Known<Watts>& watts : largest_power_) peak.add(watts.get());
    totals.peak_power = peak.get();
    return totals;
  }

  [[nodiscard]] std::vector<ClassLoss> losses() const {
    std::vector<ClassLoss> losses;
    for (const auto& [priority, own] : loss_) losses.push_back(own);
    return losses;
  }

  [[nodiscard]] std::optional<double> value(Objective objective) const {
    if (weight_ == 0.0) return std::nullopt;
    switch (objective) {
      case Objective::max_accuracy:
        return accuracy_ / weight_;
      case Objective::min_energy:
        return energy_.get() ? std::optional(energy_.get()->value()) : std::nullopt;
      case Objective::min_memory:
        return memory_.get() ? std::optional(memory_.get()->value()) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  const Snapshot& snapshot_;
  Totals totals_;
  Known<Bytes> memory_;
  std::vector<Known<Bytes>> device_memory_;  // contexts included
  Known<Watts> energy_;
  // Per processor; with a single processor the variant's own peak.
  std::vector<Known<Watts>> largest_power_;
  double weight_ = 0.0;
  double accuracy_ = 0.0;
  std::map<int, ClassLoss, std::greater<>> loss_;  // highest class first
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
  plan.tasks.reserve(snapshot.tasks.size());
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
  Accounts accounts(snapshot);
  for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
    const Task& task = snapshot.tasks[i];
    Assignment& assignment = plan.tasks[i];
    assignment.time_share.assign(snapshot.processors.size(), 0.0);
    assignment.accuracy = 0.0;
    assignment.relative_accuracy = 0.0;
    if (task.active()) accounts.add_demand(task, assignment);
    if (!assignment.variant) continue;
    if (cost_of) {
      accounts.add_serving(task, assignment, cost_of(i, *assignment.variant));
    } else {
      accounts.add_serving(task, assignment, variant_cost(snapshot, task, *assignment.variant));
    }
  }
  plan.totals = accounts.totals();
  plan.loss = accounts.losses();
  plan.objective_value = accounts.value(plan.objective);
}

}  // namespace saccade::scheduler
