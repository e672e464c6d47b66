#include "scheduler/formulation.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "scheduler/text.hpp"

namespace saccade::scheduler {
namespace {

constexpr std::size_t kLevels = 5;

// What remains for the choices of a limit of which `idle` is used already. The tolerance belongs to
// the whole amount: idle + used <= allowed (1 + tol) is used <= capacity (1 + tol) with this capacity.
double capacity_of(const Row& row) { return row.allowed - row.idle / (1.0 + ilp::kTolerance); }

bool switches(const Task& task, std::size_t variant) { return task.running && *task.running != variant; }

bool measured(const Choice& choice, bool (*known)(const VariantCost&)) {
  return std::all_of(choice.usable.begin(), choice.usable.end(),
                     [&](std::size_t variant) { return known(choice.costs[variant]); });
}
bool energy_measured(const Choice& choice) {
  return measured(choice, [](const VariantCost& cost) { return cost.energy.has_value(); });
}
bool memory_measured(const Choice& choice) {
  return measured(choice, [](const VariantCost& cost) { return cost.memory.has_value(); });
}

std::vector<double> total_or_each(const VariantCost& cost, bool each_processor) {
  if (!each_processor) return cost.power ? std::vector{cost.power->value()} : std::vector<double>{};
  std::vector<double> powers;
  for (const std::optional<Watts>& watts : cost.power_by_processor) {
    if (!watts) return {};
    powers.push_back(watts->value());
  }
  return powers;
}

pareto::Point point_of(const VariantCost& cost, bool each_processor) {
  pareto::Point point;
  point.accuracy = cost.accuracy;
  for (const Seconds time : cost.time) point.time.push_back(time.value());
  if (cost.energy) point.energy = cost.energy->value();
  if (cost.memory) point.memory = cost.memory->value();
  point.power = total_or_each(cost, each_processor);
  return point;
}

// Ranks of `variants` in the order in which ties are settled: the one that runs, higher accuracy, less
// energy, less memory, lower index.
std::vector<std::size_t> preference_of(const Task& task, const Choice& choice,
                                       const std::vector<std::size_t>& variants) {
  const bool by_energy = energy_measured(choice);
  const bool by_memory = memory_measured(choice);
  std::vector<std::size_t> order(variants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const VariantCost& left = choice.costs[variants[a]];
    const VariantCost& right = choice.costs[variants[b]];
    const bool left_stays = !switches(task, variants[a]);
    const bool right_stays = !switches(task, variants[b]);
    if (left_stays != right_stays) return left_stays;
    if (left.accuracy != right.accuracy) return left.accuracy > right.accuracy;
    if (by_energy && left.energy != right.energy) return *left.energy < *right.energy;
    if (by_memory && left.memory != right.memory) return *left.memory < *right.memory;
    return false;
  });
  std::vector<std::size_t> rank(variants.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return rank;
}

}  // namespace

std::string amount(Resource resource, double value) {
  switch (resource) {
    case Resource::time:
      return number(value) + " s/s";
    case Resource::energy:
      return number(value) + " J/s";
    case Resource::memory:
      return number(value / 1e6) + " MB";
    case Resource::power:
      return number(value) + " W";
  }
  return "";
}

double switch_penalty(const Snapshot& snapshot) {
  switch (snapshot.objective) {
    case Objective::max_accuracy:
      return snapshot.switch_penalty.max_accuracy;
    case Objective::min_energy:
      return snapshot.switch_penalty.min_energy;
    case Objective::min_memory:
      return snapshot.switch_penalty.min_memory;
  }
  return 0.0;
}

Formulation::Formulation(const Snapshot& snapshot) : snapshot_(snapshot) {
  filtered_.resize(snapshot.tasks.size());
  for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
    const Task& task = snapshot.tasks[i];
    if (!task.active()) continue;
    total_weight_ += task.weight;
    Choice choice{.task = i, .costs = variant_costs(snapshot, task), .usable = {}};
    filtered_[i] = filter_variants(snapshot, task, choice.costs);
    choice.usable = filtered_[i].kept;
    if (!choice.usable.empty()) choices_.push_back(std::move(choice));
  }
  for (const Processor& processor : snapshot.processors) {
    rows_.push_back({Resource::time, "time:" + processor.id.str(), processor.budget(), 0.0});
  }
  const double idle = snapshot.idle_power.value();
  if (const auto& limit = snapshot.limits.energy_per_second) {
    rows_.push_back({Resource::energy, "energy", limit->value(), idle});
  }
  if (const auto& limit = snapshot.limits.memory) {
    rows_.push_back({Resource::memory, "memory", limit->value(), 0.0});
  }
  if (snapshot.limits.peak_power && snapshot.processors.size() > 1) {
    joint_peak_ = Row{Resource::power, "power", snapshot.limits.peak_power->value(), idle};
  }
}

Rates Formulation::demanded() const {
  Rates rates;
  for (const Choice& choice : choices_) rates.push_back(snapshot_.tasks[choice.task].demand);
  return rates;
}

bool Formulation::above_time_floor(const Choice& choice, std::size_t variant, Fps rate) const {
  const Task& task = snapshot_.tasks[choice.task];
  const Seconds time = choice.costs[variant].total_time();
  return ilp::holds(std::min(task.min_time_share, time * task.demand), time * rate);
}

Fps Formulation::floor(const Choice& choice) const {
  const Task& task = snapshot_.tasks[choice.task];
  double by_time = task.demand.value();
  for (const std::size_t variant : choice.usable) {
    by_time = std::min(by_time, task.min_time_share / choice.costs[variant].total_time().value());
  }
  return Fps(std::max(by_time, std::min(task.min_fps, task.demand).value()));
}

std::vector<std::size_t> Formulation::on_front(const Choice& choice,
                                               const std::vector<std::size_t>& variants) const {
  const Task& task = snapshot_.tasks[choice.task];
  const Limits& limits = snapshot_.limits;
  const pareto::ActiveMeasures active{
      .energy = limits.energy_per_second || snapshot_.objective == Objective::min_energy,
      .memory = limits.memory || task.max_memory || snapshot_.objective == Objective::min_memory,
      .power = limits.peak_power || task.max_power,
  };
  std::vector<pareto::Point> points;
  std::vector<std::size_t> keep;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    points.push_back(point_of(choice.costs[variants[i]], joint_peak_.has_value()));
    if (task.running == variants[i]) keep.push_back(i);
  }
  std::vector<std::size_t> kept;
  for (const std::size_t i :
       pareto::select(snapshot_.selection, active, points, preference_of(task, choice, variants), keep)) {
    kept.push_back(variants[i]);
  }
  return kept;
}

Menu Formulation::menu(const Rates& rates) const {
  Menu menu;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    std::vector<std::size_t> left;
    if (rates[i] <= Fps(0.0)) {
      menu.emplace_back();
      continue;
    }
    for (const std::size_t variant : choices_[i].usable) {
      if (above_time_floor(choices_[i], variant, rates[i])) left.push_back(variant);
    }
    menu.push_back(on_front(choices_[i], left));
  }
  return menu;
}

bool Formulation::menu_depends_on_rates() const {
  return std::any_of(choices_.begin(), choices_.end(),
                     [&](const Choice& choice) { return snapshot_.tasks[choice.task].min_time_share > 0.0; });
}

Menu Formulation::widest_menu() const {
  Menu menu;
  for (const Choice& choice : choices_) {
    // Below a time floor variants drop out and those they dominate come back.
    const bool depends_on_rate = snapshot_.tasks[choice.task].min_time_share > 0.0;
    menu.push_back(depends_on_rate ? choice.usable : on_front(choice, choice.usable));
  }
  return menu;
}

std::vector<double> Formulation::levels(const Choice& choice, std::size_t variant, Fps rate) const {
  const Task& task = snapshot_.tasks[choice.task];
  const VariantCost& cost = choice.costs[variant];
  const double switched = switches(task, variant) ? 1.0 : 0.0;
  const double relative = task.weight * cost.relative_accuracy;
  double value = 0.0;
  switch (snapshot_.objective) {
    case Objective::max_accuracy:
      value = relative * (rate / task.demand) / total_weight_;
      break;
    case Objective::min_energy:
      value = -(*cost.energy * rate).value();
      break;
    case Objective::min_memory:
      value = -cost.memory->value();
      break;
  }
  return {value - switch_penalty(snapshot_) * switched, -switched, relative,
          energy_measured(choice) ? -(*cost.energy * rate).value() : 0.0,
          memory_measured(choice) ? -cost.memory->value() : 0.0};
}

ilp::Option Formulation::option(const Choice& choice, std::size_t variant, Fps rate) const {
  const VariantCost& cost = choice.costs[variant];
  ilp::Option option;
  for (const Seconds time : cost.time) option.use.push_back(time * rate);
  if (snapshot_.limits.energy_per_second) option.use.push_back((*cost.energy * rate).value());
  if (snapshot_.limits.memory) option.use.push_back(cost.memory->value());
  if (joint_peak_) {
    for (const std::optional<Watts>& watts : cost.power_by_processor) option.peak.push_back(watts->value());
  }
  return option;
}

ilp::Option Formulation::off() const {
  ilp::Option option;
  option.use.assign(rows_.size(), 0.0);
  if (joint_peak_) option.peak.assign(snapshot_.processors.size(), 0.0);
  return option;
}

ilp::ChoiceProblem Formulation::feasibility(const Menu& menu, const Rates& rates) const {
  ilp::ChoiceProblem problem;
  for (const Row& row : rows_) problem.capacities.push_back(capacity_of(row));
  if (joint_peak_) {
    problem.peak_count = snapshot_.processors.size();
    problem.peak_capacity = capacity_of(*joint_peak_);
  }
  problem.level_count = 1;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    ilp::Group group;
    if (rates[i] <= Fps(0.0)) {
      group.options.push_back(off());
    } else {
      for (const std::size_t variant : menu[i]) {
        group.options.push_back(option(choices_[i], variant, rates[i]));
      }
    }
    for (ilp::Option& option : group.options) option.levels = {0.0};
    problem.groups.push_back(std::move(group));
  }
  return problem;
}

ilp::ChoiceProblem Formulation::problem(const Menu& menu, const Rates& rates) const {
  ilp::ChoiceProblem problem = feasibility(menu, rates);
  problem.level_count = kLevels;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    std::vector<ilp::Option>& options = problem.groups[i].options;
    for (std::size_t j = 0; j < options.size(); ++j) {
      options[j].levels = rates[i] <= Fps(0.0) ? std::vector<double>(kLevels, 0.0)
                                               : levels(choices_[i], menu[i][j], rates[i]);
    }
  }
  return problem;
}

std::vector<double> least_use(const ilp::ChoiceProblem& problem) {
  std::vector<double> least(problem.capacities.size(), 0.0);
  for (const ilp::Group& group : problem.groups) {
    for (std::size_t row = 0; row < least.size(); ++row) {
      double smallest = std::numeric_limits<double>::infinity();
      for (const ilp::Option& option : group.options) smallest = std::min(smallest, option.use[row]);
      least[row] += smallest;
    }
  }
  return least;
}

bool refuted(const ilp::ChoiceProblem& problem) {
  const bool empty_group = std::any_of(problem.groups.begin(), problem.groups.end(),
                                       [](const ilp::Group& group) { return group.options.empty(); });
  if (empty_group) return true;
  const std::vector<double> least = least_use(problem);
  for (std::size_t row = 0; row < least.size(); ++row) {
    if (!ilp::holds(least[row], problem.capacities[row])) return true;
  }
  return false;
}

}  // namespace saccade::scheduler
