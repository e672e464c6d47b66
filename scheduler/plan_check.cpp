#include "scheduler/plan_check.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "scheduler/recomputed_cost.hpp"
#include "scheduler/text.hpp"

namespace saccade::scheduler {
namespace {

constexpr double kTolerance = 1e-9;  // restated here on purpose: the check trusts no one's constants

bool within(double used, double allowed) { return used <= allowed * (1.0 + kTolerance); }
bool same(double a, double b) {
  return std::abs(a - b) <= kTolerance * std::max({std::abs(a), std::abs(b), 1e-9});
}

class Checker {
 public:
  Checker(const Snapshot& snapshot, const Plan& plan, CheckScope scope)
      : snapshot_(snapshot), plan_(plan), scope_(scope) {}

  std::vector<Violation> run() {
    if (!shape()) return std::move(violations_);
    if (plan_.status == PlanStatus::infeasible || plan_.status == PlanStatus::unknown) {
      nothing_runs();
      return std::move(violations_);
    }
    for (std::size_t i = 0; i < snapshot_.tasks.size(); ++i) {
      if (!assignment(snapshot_.tasks[i], plan_.tasks[i])) return std::move(violations_);
    }
    processor_time();
    if (scope_ == CheckScope::all) {
      for (const Serving& serving : serving_) {
        own_limits(serving);
        floors(serving);
      }
      device_limits();
    }
    figures();
    return std::move(violations_);
  }

 private:
  struct Serving {
    const Task* task;
    const Assignment* assignment;
    RecomputedCost cost;
  };

  void complain(std::string constraint, std::string what) {
    violations_.push_back({std::move(constraint), std::move(what)});
  }
  void at_most(const std::string& constraint, double used, double allowed) {
    if (!within(used, allowed)) complain(constraint, number(used) + " used, " + number(allowed) + " allowed");
  }

  bool shape() {
    if (plan_.tasks.size() != snapshot_.tasks.size()) {
      complain("plan", "has " + std::to_string(plan_.tasks.size()) + " tasks, the snapshot " +
                           std::to_string(snapshot_.tasks.size()));
      return false;
    }
    for (std::size_t i = 0; i < plan_.tasks.size(); ++i) {
      if (plan_.tasks[i].task != snapshot_.tasks[i].id) {
        complain("plan", quoted(plan_.tasks[i].task.str()) + " stands where " +
                             quoted(snapshot_.tasks[i].id.str()) + " belongs");
        return false;
      }
    }
    return true;
  }

  void nothing_runs() {
    for (const Assignment& assignment : plan_.tasks) {
      if (assignment.variant || assignment.granted.value() != 0.0) {
        complain("plan", std::string(to_string(plan_.status)) + ", yet " + quoted(assignment.task.str()) +
                             " is not off");
      }
    }
  }

  // False when the assignment makes no sense, so that nothing can be computed from it.
  bool assignment(const Task& task, const Assignment& assignment) {
    const std::string who = quoted(task.id.str());
    const double granted = assignment.granted.value();
    if (!std::isfinite(granted) || granted < 0.0) {
      complain("plan", who + " is granted " + number(granted) + " frames/s");
      return false;
    }
    if (granted > task.demand.value()) {
      complain("plan", who + " is granted " + number(granted) + " frames/s of " +
                           number(task.demand.value()) + " demanded");
    }
    if (assignment.demand != task.demand) complain("plan", who + " is planned for another demand");
    if (!assignment.variant) {
      if (granted > 0.0) complain("plan", who + " is off but granted frames");
      return true;
    }
    if (*assignment.variant >= task.profiles->variants.size()) {
      complain("plan", who + " is given variant " + std::to_string(*assignment.variant) + " of " +
                           std::to_string(task.profiles->variants.size()));
      return false;
    }
    if (!task.active()) complain("plan", who + " is inactive but has a variant");
    if (granted <= 0.0) complain("plan", who + " has a variant but no frames");
    if (!task.excluded.empty() && task.excluded[*assignment.variant]) {
      complain("excluded:" + task.id.str(), "the variant is excluded");
    }
    for (const auto& [processor, time] : task.profiles->variants[*assignment.variant].frame_time) {
      const auto& id = processor;
      if (std::none_of(snapshot_.processors.begin(), snapshot_.processors.end(),
                       [&](const Processor& candidate) { return candidate.id == id; })) {
        complain("processor:" + task.id.str(), "the variant needs " + quoted(id.str()));
      }
    }
    serving_.push_back({&task, &assignment, recompute_cost(snapshot_, task, *assignment.variant)});
    return true;
  }

  void processor_time() {
    for (std::size_t p = 0; p < snapshot_.processors.size(); ++p) {
      double used = 0.0;
      for (const Serving& serving : serving_) {
        used += serving.cost.seconds[p] * serving.assignment->granted.value();
      }
      const Processor& processor = snapshot_.processors[p];
      at_most("time:" + processor.id.str(), used, processor.capacity - processor.guard.value());
    }
  }

  void own_limits(const Serving& serving) {
    const Task& task = *serving.task;
    const RecomputedCost& cost = serving.cost;
    const auto name = [&](const char* filter) { return filter + (":" + task.id.str()); };
    const auto bounded = [&](const char* filter, std::optional<double> value, double limit) {
      if (value) {
        at_most(name(filter), *value, limit);
      } else {
        complain(name(filter), "was not measured");
      }
    };
    if (task.min_accuracy && !within(*task.min_accuracy, cost.accuracy)) {
      complain(name("min_accuracy"), number(cost.accuracy) + " is below " + number(*task.min_accuracy));
    }
    const double best = cost.best_accuracy;
    if (task.min_relative_accuracy && !within(*task.min_relative_accuracy * best, cost.accuracy)) {
      complain(
          name("min_relative_accuracy"),
          number(cost.accuracy) + " is below " + number(*task.min_relative_accuracy) + " of " + number(best));
    }
    if (task.max_frame_time) {
      at_most(name("max_frame_time"), cost.total_seconds(), task.max_frame_time->value());
    }
    if (task.max_latency) at_most(name("max_latency"), cost.latency, task.max_latency->value());
    if (task.max_power) bounded("max_power", cost.watts, task.max_power->value());
    if (task.max_memory) bounded("max_memory", cost.bytes, task.max_memory->value());
  }

  void floors(const Serving& serving) {
    const Task& task = *serving.task;
    const double granted = serving.assignment->granted.value();
    const double least = std::min(task.min_fps.value(), task.demand.value());
    if (!within(least, granted)) {
      complain("min_fps:" + task.id.str(), number(granted) + " frames/s are below " + number(least));
    }
    const double frame_time = serving.cost.total_seconds();
    const double least_share = std::min(task.min_time_share, frame_time * task.demand.value());
    if (!within(least_share, frame_time * granted)) {
      complain("min_time_share:" + task.id.str(),
               number(frame_time * granted) + " s/s are below " + number(least_share));
    }
  }

  // A total over the serving variants, unknown when one of them lacks the measure.
  struct Total {
    double value = 0.0;
    bool known = true;
    void add(std::optional<double> amount, double times = 1.0) {
      known = known && amount;
      value += amount.value_or(0.0) * times;
    }
  };
  [[nodiscard]] Total memory() const {
    Total total;
    std::map<std::string, double> contexts;  // of devices; the host's own are added as they are
    for (const Processor& processor : snapshot_.processors) {
      const double bytes = processor.context.value();
      if (processor.memory.empty()) total.value += bytes;
      contexts[processor.memory] = std::max(contexts[processor.memory], bytes);
    }
    contexts.erase("");
    for (const auto& [name, bytes] : contexts) total.value += bytes;
    for (const Serving& serving : serving_) total.add(serving.cost.bytes);
    return total;
  }
  // Of one memory of a device: a variant takes its share when any of its processors names it.
  [[nodiscard]] Total device_memory(const std::string& name) const {
    Total total;
    for (const Processor& processor : snapshot_.processors) {
      if (processor.memory == name) total.value = std::max(total.value, processor.device_context.value());
    }
    for (const Serving& serving : serving_) {
      const auto& times = serving.task->profiles->variants[*serving.assignment->variant].frame_time;
      const bool there =
          std::any_of(snapshot_.processors.begin(), snapshot_.processors.end(),
                      [&](const Processor& each) { return each.memory == name && times.contains(each.id); });
      if (there) total.add(serving.cost.device_bytes);
    }
    return total;
  }
  // In the order in which processors name them.
  [[nodiscard]] std::vector<std::string> memory_names() const {
    std::vector<std::string> names;
    for (const Processor& processor : snapshot_.processors) {
      const bool fresh = std::find(names.begin(), names.end(), processor.memory) == names.end();
      if (!processor.memory.empty() && fresh) names.push_back(processor.memory);
    }
    return names;
  }
  [[nodiscard]] Total energy() const {
    Total total{.value = snapshot_.idle_power.value()};
    for (const Serving& serving : serving_) {
      total.add(serving.cost.joules, serving.assignment->granted.value());
    }
    return total;
  }
  // All processors may be busy at once, each with the hungriest of its variants.
  [[nodiscard]] Total peak() const {
    Total total{.value = snapshot_.idle_power.value()};
    for (std::size_t p = 0; p < snapshot_.processors.size(); ++p) {
      double largest = 0.0;
      for (const Serving& serving : serving_) {
        const std::optional<double>& watts =
            snapshot_.processors.size() == 1 ? serving.cost.watts : serving.cost.watts_on[p];
        total.known = total.known && watts;
        largest = std::max(largest, watts.value_or(0.0));
      }
      total.value += largest;
    }
    return total;
  }

  template <class Q>
  void device_limit(const std::string& constraint, const Total& used, const std::optional<Q>& allowed) {
    if (!allowed) return;
    at_most(constraint, used.value, allowed->value());
    if (!used.known) complain(constraint, "is limited but was not measured for every chosen variant");
  }
  void device_limits() {
    device_limit("memory", memory(), snapshot_.limits.memory);
    for (const auto& [name, limit] : snapshot_.limits.memories) {
      device_limit("memory:" + name, device_memory(name), std::optional(limit));
    }
    device_limit("energy", energy(), snapshot_.limits.energy_per_second);
    device_limit("power", peak(), snapshot_.limits.peak_power);
  }

  // What the plan says about itself.
  void figures() {
    std::vector<double> shares(snapshot_.processors.size(), 0.0);
    for (const Serving& serving : serving_) {
      const Assignment& assignment = *serving.assignment;
      if (assignment.time_share.size() != shares.size()) {
        complain("plan", quoted(assignment.task.str()) + " has no time share per processor");
        return;
      }
      for (std::size_t p = 0; p < shares.size(); ++p) {
        const double share = serving.cost.seconds[p] * assignment.granted.value();
        shares[p] += share;
        if (!same(assignment.time_share[p], share)) {
          complain("plan", quoted(assignment.task.str()) + " reports a time share of " +
                               number(assignment.time_share[p]) + " instead of " + number(share));
        }
      }
    }
    double lost = 0.0;
    for (const Assignment& assignment : plan_.tasks) lost += (assignment.demand - assignment.granted).value();
    reported("lost frames/s", plan_.totals.lost.value(), lost);
    if (plan_.totals.time_share.size() != shares.size()) {
      complain("plan", "has no total time per processor");
    } else {
      for (std::size_t p = 0; p < shares.size(); ++p) {
        reported("total time share", plan_.totals.time_share[p], shares[p]);
      }
    }
    reported("total memory", plan_.totals.memory, memory());
    device_memories_reported();
    reported("total energy", plan_.totals.energy_per_second, energy());
    reported("peak power", plan_.totals.peak_power, peak());
    losses();
    objective();
    if ((plan_.status == PlanStatus::optimal || plan_.status == PlanStatus::feasible) && lost > 0.0) {
      complain("plan", "says " + std::string(to_string(plan_.status)) + " but loses demand");
    }
    if (plan_.status == PlanStatus::degraded && lost <= 0.0)
      complain("plan", "says degraded but loses nothing");
  }

  void device_memories_reported() {
    const std::vector<std::string> names = memory_names();
    if (plan_.totals.device_memory.size() != names.size()) {
      complain("plan", "has no total of every memory of a device");
      return;
    }
    for (std::size_t m = 0; m < names.size(); ++m) {
      reported("total of memory " + names[m], plan_.totals.device_memory[m], device_memory(names[m]));
    }
  }

  void reported(const std::string& what, double said, double is) {
    if (!same(said, is)) {
      complain("plan", "reports " + number(said) + " as " + what + " instead of " + number(is));
    }
  }

  template <class Q>
  void reported(const std::string& what, const std::optional<Q>& said, const Total& is) {
    if (said.has_value() != is.known) {
      complain("plan", "reports " + what + (is.known ? " as unknown" : " though it was not measured"));
    } else if (said) {
      reported(what, said->value(), is.value);
    }
  }

  void losses() {
    std::map<int, std::pair<double, double>> expected;  // class: weight off, weighted frames/s
    for (std::size_t i = 0; i < snapshot_.tasks.size(); ++i) {
      const Task& task = snapshot_.tasks[i];
      if (task.demand.value() <= 0.0) continue;
      auto& [weight_off, weighted_fps] = expected[task.priority];
      if (!plan_.tasks[i].variant) weight_off += task.weight;
      weighted_fps += task.weight * (task.demand.value() - plan_.tasks[i].granted.value());
    }
    if (plan_.loss.size() != expected.size())
      complain("plan", "has not one loss per class with an active task");
    for (const ClassLoss& loss : plan_.loss) {
      const auto& [weight_off, weighted_fps] = expected[loss.priority];
      reported("weight that is off", loss.weight_off, weight_off);
      reported("weighted loss", loss.weighted_fps, weighted_fps);
    }
  }

  void objective() {
    double weight = 0.0;
    for (const Task& task : snapshot_.tasks) {
      if (task.demand.value() > 0.0) weight += task.weight;
    }
    double value = 0.0;
    bool known = weight > 0.0;
    for (const Serving& serving : serving_) {
      const double granted = serving.assignment->granted.value();
      switch (snapshot_.objective) {
        case Objective::max_accuracy:
          value += serving.task->weight * granted / serving.task->demand.value() *
                   serving.cost.relative_accuracy / weight;
          break;
        case Objective::min_energy:
          known = known && serving.cost.joules;
          value += serving.cost.joules.value_or(0.0) * granted;
          break;
        case Objective::min_memory:
          known = known && serving.cost.bytes;
          value += serving.cost.bytes.value_or(0.0);
          break;
      }
    }
    if (plan_.objective != snapshot_.objective || plan_.objective_value.has_value() != known) {
      complain("plan", "reports a value of another objective");
    } else if (known) {
      reported("objective value", *plan_.objective_value, value);
    }
  }

  const Snapshot& snapshot_;
  const Plan& plan_;
  const CheckScope scope_;
  std::vector<Serving> serving_;
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> check_plan(const Snapshot& snapshot, const Plan& plan, CheckScope scope) {
  return Checker(snapshot, plan, scope).run();
}

}  // namespace saccade::scheduler
