// The oracle of this room: every selection of variants at given rates, by plain loops over the
// snapshot. It shares nothing with the filters, the choice problems or the solvers; what a variant
// costs it takes from the plan check's recomputed_cost.hpp.
//   allowed(task, v, g): every filter of the task, and g not below what min_time_share protects
//   fits(selection):     per processor sum t g <= U; idle + sum e g <= E; per memory, contexts once,
//                        sum m <= M; peak power
//   value(selection):    the objective, larger is better, less the penalty per switched task
// And every selection of (variant, rate) pairs, for what is lost when the demand does not fit:
//   rates(task):         f - k, min_fps and the rate at which min_time_share stops the step rule, none
//                        below the floors; 0 where the floors are 0
//   loss(selection):     per class from the highest: sum of w that are off, sum of w (f - g)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/recomputed_cost.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::test {

class BruteForce {
 public:
  explicit BruteForce(const scheduler::Snapshot& snapshot) : snapshot_(snapshot) {
    for (const scheduler::Task& task : snapshot.tasks) {
      std::vector<scheduler::RecomputedCost>& costs = costs_.emplace_back();
      for (std::size_t v = 0; v < task.profiles->variants.size(); ++v) {
        costs.push_back(recompute_cost(snapshot, task, v));
      }
      if (task.active()) weight_ += task.weight;
    }
  }

  // The best value at these rates (one per task of the snapshot), tasks at rate 0 and tasks without any
  // variant that passes their own filters being off; absent when nothing fits.
  [[nodiscard]] std::optional<double> best(const std::vector<double>& rates) {
    best_.reset();
    std::vector<Pick> picks;
    search(rates, 0, picks, false);
    return best_;
  }
  [[nodiscard]] bool fits(const std::vector<double>& rates) {
    best_.reset();
    std::vector<Pick> picks;
    search(rates, 0, picks, true);
    return best_.has_value();
  }

  struct Degraded {
    std::vector<double> loss;  // of the highest class first: weight off, weighted frames/s
    double value = 0.0;        // the best at this loss
  };
  // The lexicographically least loss and the best value at it; absent when nothing fits.
  [[nodiscard]] std::optional<Degraded> best_degraded() {
    degraded_.reset();
    std::vector<Pick> picks;
    search_degraded(0, picks);
    return degraded_;
  }

  // What the step rule never goes below.
  [[nodiscard]] double floor_of(std::size_t i) const {
    const scheduler::Task& task = snapshot_.tasks[i];
    double by_time = std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < costs_[i].size(); ++v) {
      if (!usable(i, v)) continue;
      by_time = std::min(by_time,
                         std::min(task.min_time_share / costs_[i][v].total_seconds(), task.demand.value()));
    }
    if (std::isinf(by_time)) return 0.0;
    return std::max(by_time, std::min(task.min_fps.value(), task.demand.value()));
  }

  // Passes the filters of its task, whatever the rate.
  [[nodiscard]] bool usable(std::size_t task_index, std::size_t v) const {
    const scheduler::Task& task = snapshot_.tasks[task_index];
    const scheduler::RecomputedCost& cost = costs_[task_index][v];
    const auto at_most = [](double a, double b) { return a <= b * (1 + 1e-9); };
    if (!task.excluded.empty() && task.excluded[v]) return false;
    for (const auto& [id, time] : task.profiles->variants[v].frame_time) {
      bool known = false;
      for (const scheduler::Processor& processor : snapshot_.processors) known = known || processor.id == id;
      if (!known) return false;
    }
    if (task.min_accuracy && !at_most(*task.min_accuracy, cost.accuracy)) return false;
    if (task.min_relative_accuracy &&
        !at_most(*task.min_relative_accuracy * cost.best_accuracy, cost.accuracy)) {
      return false;
    }
    if (task.max_frame_time && !at_most(cost.total_seconds(), task.max_frame_time->value())) return false;
    if (task.max_latency && !at_most(cost.latency, task.max_latency->value())) return false;
    if (task.max_power && !at_most(*cost.watts, task.max_power->value())) return false;
    if (task.max_memory && !at_most(*cost.bytes, task.max_memory->value())) return false;
    const auto& peak = snapshot_.limits.peak_power;
    return !(peak && snapshot_.processors.size() == 1) ||
           at_most(snapshot_.idle_power.value() + *cost.watts, peak->value());
  }
  [[nodiscard]] bool has_usable(std::size_t task) const {
    for (std::size_t v = 0; v < costs_[task].size(); ++v) {
      if (usable(task, v)) return true;
    }
    return false;
  }
  // Usable, and min_time_share does not forbid so low a rate.
  [[nodiscard]] bool allowed(std::size_t task, std::size_t v, double rate) const {
    const scheduler::Task& t = snapshot_.tasks[task];
    const double time = costs_[task][v].total_seconds();
    return usable(task, v) && std::min(t.min_time_share, time * t.demand.value()) <= time * rate * (1 + 1e-9);
  }

 private:
  struct Pick {
    std::size_t task;
    std::size_t variant;
    double rate;
  };

  void search(const std::vector<double>& rates, std::size_t task, std::vector<Pick>& picks, bool any) {
    if (any && best_) return;
    if (task == snapshot_.tasks.size()) {
      const double value = value_of(picks);
      if (!best_ || value > *best_) best_ = value;
      return;
    }
    if (rates[task] <= 0.0 || !has_usable(task)) {
      search(rates, task + 1, picks, any);
      return;
    }
    for (std::size_t v = 0; v < costs_[task].size(); ++v) {
      if (!allowed(task, v, rates[task])) continue;
      picks.push_back({task, v, rates[task]});
      if (holds_limits(picks)) search(rates, task + 1, picks, any);  // limits only ever fill up
      picks.pop_back();
    }
  }

  [[nodiscard]] std::set<double, std::greater<>> rates_of(std::size_t i) const {
    const scheduler::Task& task = snapshot_.tasks[i];
    const double demand = task.demand.value();
    const double floor = floor_of(i);
    std::set<double, std::greater<>> rates = {floor, std::max(floor, std::min(task.min_fps.value(), demand))};
    for (double rate = demand; rate >= floor; rate -= 1.0) rates.insert(rate);
    return rates;
  }

  void search_degraded(std::size_t i, std::vector<Pick>& picks) {
    if (i == snapshot_.tasks.size()) {
      keep_if_better({loss_of(picks), value_of(picks)});
      return;
    }
    if (!snapshot_.tasks[i].active() || !has_usable(i)) {
      search_degraded(i + 1, picks);
      return;
    }
    for (const double rate : rates_of(i)) {
      if (rate <= 0.0) {
        search_degraded(i + 1, picks);
        continue;
      }
      for (std::size_t v = 0; v < costs_[i].size(); ++v) {
        if (!allowed(i, v, rate)) continue;
        picks.push_back({i, v, rate});
        if (holds_limits(picks)) search_degraded(i + 1, picks);
        picks.pop_back();
      }
    }
  }

  [[nodiscard]] std::vector<double> loss_of(const std::vector<Pick>& picks) const {
    std::map<int, std::pair<double, double>, std::greater<>> by_class;
    for (const scheduler::Task& task : snapshot_.tasks) {
      if (!task.active()) continue;
      auto& [off, frames] = by_class[task.priority];
      off += task.weight;
      frames += task.weight * task.demand.value();
    }
    for (const Pick& pick : picks) {
      const scheduler::Task& task = snapshot_.tasks[pick.task];
      auto& [off, frames] = by_class[task.priority];
      off -= task.weight;
      frames -= task.weight * pick.rate;
    }
    std::vector<double> loss;
    for (const auto& [priority, own] : by_class) loss.insert(loss.end(), {own.first, own.second});
    return loss;
  }

  void keep_if_better(const Degraded& other) {
    if (degraded_) {
      for (std::size_t k = 0; k < other.loss.size(); ++k) {
        const double room = 1e-9 * std::max(1.0, std::abs(other.loss[k]));
        if (other.loss[k] > degraded_->loss[k] + room) return;
        if (other.loss[k] < degraded_->loss[k] - room) {
          degraded_ = other;
          return;
        }
      }
      if (other.value <= degraded_->value) return;
    }
    degraded_ = other;
  }

  [[nodiscard]] bool holds_limits(const std::vector<Pick>& picks) const {
    const auto at_most = [](double a, double b) { return a <= b * (1 + 1e-9); };
    double peak = snapshot_.idle_power.value();
    for (std::size_t p = 0; p < snapshot_.processors.size(); ++p) {
      double used = 0.0;
      double largest = 0.0;
      for (const Pick& pick : picks) {
        const auto& cost = costs_[pick.task][pick.variant];
        used += cost.seconds[p] * pick.rate;
        largest = std::max(largest, cost.watts_on[p].value_or(0.0));
      }
      if (!at_most(used, snapshot_.processors[p].capacity - snapshot_.processors[p].guard.value()))
        return false;
      peak += largest;
    }
    double memory = host_contexts();
    double energy = snapshot_.idle_power.value();
    for (const Pick& pick : picks) {
      const auto& cost = costs_[pick.task][pick.variant];
      memory += cost.bytes.value_or(0.0);
      energy += cost.joules.value_or(0.0) * pick.rate;
    }
    const scheduler::Limits& limits = snapshot_.limits;
    if (limits.memory && !at_most(memory, limits.memory->value())) return false;
    for (const auto& [name, limit] : limits.memories) {
      if (!at_most(device_bytes(name, picks), limit.value())) return false;
    }
    if (limits.energy_per_second && !at_most(energy, limits.energy_per_second->value())) return false;
    return !limits.peak_power || snapshot_.processors.size() == 1 ||
           at_most(peak, limits.peak_power->value());
  }

  // Once per memory, whoever shares it.
  [[nodiscard]] double host_contexts() const {
    double sum = 0.0;
    std::map<std::string, double> largest;
    for (const scheduler::Processor& processor : snapshot_.processors) {
      double& known = largest[processor.memory.empty() ? "/" + processor.id.str() : processor.memory];
      known = std::max(known, processor.context.value());
    }
    for (const auto& [memory, bytes] : largest) sum += bytes;
    return sum;
  }
  [[nodiscard]] double device_bytes(const std::string& memory, const std::vector<Pick>& picks) const {
    double context = 0.0;
    double sum = 0.0;
    for (const scheduler::Processor& processor : snapshot_.processors) {
      if (processor.memory == memory) context = std::max(context, processor.device_context.value());
    }
    for (const Pick& pick : picks) {
      const profiles::Variant& variant = snapshot_.tasks[pick.task].profiles->variants[pick.variant];
      bool there = false;
      for (const scheduler::Processor& processor : snapshot_.processors)
        there = there || (processor.memory == memory && variant.frame_time.contains(processor.id));
      if (there) sum += variant.device_memory->value();
    }
    return context + sum;
  }

  [[nodiscard]] double value_of(const std::vector<Pick>& picks) const {
    double value = 0.0;
    for (const Pick& pick : picks) {
      const scheduler::Task& task = snapshot_.tasks[pick.task];
      const auto& cost = costs_[pick.task][pick.variant];
      const double switched = task.running && *task.running != pick.variant ? 1.0 : 0.0;
      switch (snapshot_.objective) {
        case scheduler::Objective::max_accuracy:
          value += task.weight * pick.rate / task.demand.value() * cost.relative_accuracy / weight_ -
                   switched * snapshot_.switch_penalty.max_accuracy;
          break;
        case scheduler::Objective::min_energy:
          value -= *cost.joules * pick.rate + switched * snapshot_.switch_penalty.min_energy;
          break;
        case scheduler::Objective::min_memory:
          value -= *cost.bytes + switched * snapshot_.switch_penalty.min_memory;
          break;
      }
    }
    return value;
  }

  const scheduler::Snapshot& snapshot_;
  std::vector<std::vector<scheduler::RecomputedCost>> costs_;
  double weight_ = 0.0;
  std::optional<double> best_;
  std::optional<Degraded> degraded_;
};

}  // namespace saccade::test
