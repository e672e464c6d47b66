#include "scheduler/formulation.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "pareto/front.hpp"
#include "scheduler/text.hpp"

namespace saccade::scheduler {
namespace {

bool switches(const Task& task, std::size_t variant) { return task.running && *task.running != variant; }

ShortVector<double, 3> total_or_each(const VariantCost& cost, bool each_processor) {
  ShortVector<double, 3> powers;
  if (!each_processor) {
    if (cost.power) powers.push_back(cost.power->value());
    return powers;
  }
  for (const std::optional<Watts>& watts : cost.power_by_processor) {
    if (!watts) return {};
    powers.push_back(watts->value());
  }
  return powers;
}

pareto::Point point_of(const VariantCost& cost) {
  pareto::Point point;
  point.accuracy = cost.accuracy;
  for (const Seconds time : cost.time) point.time.push_back(time.value());
  if (cost.energy) point.energy = cost.energy->value();
  if (cost.memory) point.memory = cost.memory->value();
  return point;
}

// The order in which ties between variants are settled: the one that runs, higher accuracy, less
// energy, less memory, lower index.
class Preferred {
 public:
  Preferred(const Task& task, const Choice& choice, const std::vector<std::size_t>& variants)
      : task_(task), choice_(choice), variants_(variants) {}

  bool operator()(std::size_t a, std::size_t b) const {
    const auto key = [this](std::size_t place) {
      const VariantCost& cost = choice_.costs[variants_[place]];
      return std::tuple(switches(task_, variants_[place]), -cost.accuracy,
                        choice_.energy_measured ? cost.energy->value() : 0.0,
                        choice_.memory_measured ? cost.memory->value() : 0.0, place);
    };
    return key(a) < key(b);
  }

 private:
  const Task& task_;
  const Choice& choice_;
  const std::vector<std::size_t>& variants_;
};

// What variants cost is the same for both tasks.
bool same_costs(const Task& a, const Task& b) { return a.profiles == b.profiles && a.regions == b.regions; }

// The same variants pass the filters of both, and for the same reasons.
bool same_filters(const Task& a, const Task& b) {
  return a.excluded == b.excluded && a.min_accuracy == b.min_accuracy &&
         a.min_relative_accuracy == b.min_relative_accuracy && a.max_frame_time == b.max_frame_time &&
         a.max_power == b.max_power && a.max_memory == b.max_memory;
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

// What remains for the choices of a limit of which `idle` is used already. The tolerance belongs to
// the whole amount: idle + used <= allowed (1 + tol) is used <= capacity (1 + tol) with this capacity.
double capacity_of(const Row& row) { return row.allowed - row.idle / (1.0 + ilp::kTolerance); }

Formulation::Formulation(const Snapshot& snapshot, Stop stop) : snapshot_(snapshot) {
  filtered_.resize(snapshot.tasks.size());
  costs_of_.resize(snapshot.tasks.size());
  choices_.reserve(snapshot.tasks.size());
  std::unordered_map<const profiles::ProfileSet*, std::vector<std::size_t>> same_profiles;  // tasks so far
  for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
    const Task& task = snapshot.tasks[i];
    if (!task.active()) continue;
    if (stop.after(task.profiles->variants.size())) {
      stopped_ = true;
      return;
    }
    total_weight_ += task.weight;
    std::vector<std::size_t>& others = same_profiles[task.profiles.get()];
    filter(i, others);
    others.push_back(i);
    if (filtered_[i].kept.empty()) continue;
    Choice& choice = choices_.emplace_back();
    choice.task = i;
    choice.costs = costs_of_[i];
    choice.usable = filtered_[i].kept;
    const auto measured = [&](auto measure) {
      return std::all_of(choice.usable.begin(), choice.usable.end(),
                         [&](std::size_t variant) { return (choice.costs[variant].*measure).has_value(); });
    };
    choice.energy_measured = measured(&VariantCost::energy);
    choice.memory_measured = measured(&VariantCost::memory);
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
  find_fronts(stop);
}

void Formulation::filter(std::size_t task, const std::vector<std::size_t>& same_profiles) {
  const Task& own = snapshot_.tasks[task];
  // Unmeasured variants are told with the task that needs the measure.
  const auto alike = [&](std::size_t other) {
    return same_costs(snapshot_.tasks[other], own) && same_filters(snapshot_.tasks[other], own) &&
           filtered_[other].unmeasured.empty();
  };
  const auto costed = [&](std::size_t other) { return same_costs(snapshot_.tasks[other], own); };
  const auto known = std::find_if(same_profiles.begin(), same_profiles.end(), costed);
  if (known == same_profiles.end()) costs_.push_back(variant_costs(snapshot_, own));
  costs_of_[task] = known == same_profiles.end() ? costs_.back() : costs_of_[*known];
  const auto filtered = std::find_if(same_profiles.begin(), same_profiles.end(), alike);
  filtered_[task] = filtered == same_profiles.end() ? filter_variants(snapshot_, own, costs_of_[task])
                                                    : filtered_[*filtered];
}

void Formulation::find_fronts(Stop& stop) {
  std::unordered_map<const VariantCost*, std::vector<std::size_t>> same_costs;  // choices so far
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    Choice& choice = choices_[i];
    if (stop.after(choice.usable.size())) {
      stopped_ = true;
      return;
    }
    const Task& task = snapshot_.tasks[choice.task];
    std::vector<std::size_t>& others = same_costs[choice.costs.data()];
    const auto alike = [&](std::size_t other) {
      const Task& its = snapshot_.tasks[choices_[other].task];
      return its.running == task.running && same_filters(its, task);
    };
    const auto found = std::find_if(others.begin(), others.end(), alike);
    if (found != others.end()) {
      choice.front = choices_[*found].front;
    } else {
      choice.front = on_front(choice, choice.usable);
      others.push_back(i);
    }
  }
}

Rates Formulation::demanded() const {
  Rates rates;
  for (const Choice& choice : choices_) rates.push_back(snapshot_.tasks[choice.task].demand);
  return rates;
}

bool Formulation::above_time_floor(const Choice& choice, std::size_t variant, Fps rate) const {
  const Task& task = snapshot_.tasks[choice.task];
  if (task.min_time_share == 0.0) return true;
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
  points.reserve(variants.size());
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const VariantCost& cost = choice.costs[variants[i]];
    points.push_back(point_of(cost));
    if (active.power) points.back().power = total_or_each(cost, joint_peak_.has_value());
    if (task.running == variants[i]) keep.push_back(i);
  }
  std::vector<std::size_t> kept;
  for (const std::size_t i :
       pareto::select(snapshot_.selection, active, points, Preferred(task, choice, variants), keep)) {
    kept.push_back(variants[i]);
  }
  return kept;
}

std::vector<std::size_t> Formulation::menu(const Choice& choice, Fps rate) const {
  if (rate <= Fps(0.0)) return {};
  const Task& task = snapshot_.tasks[choice.task];
  if (task.min_time_share == 0.0 || rate >= task.demand) return choice.front;  // no floor keeps one out
  std::vector<std::size_t> left;
  for (const std::size_t variant : choice.usable) {
    if (above_time_floor(choice, variant, rate)) left.push_back(variant);
  }
  return on_front(choice, left);
}

Menu Formulation::menu(const Rates& rates) const {
  Menu menu;
  for (std::size_t i = 0; i < choices_.size(); ++i) menu.push_back(this->menu(choices_[i], rates[i]));
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
    menu.push_back(depends_on_rate ? choice.usable : choice.front);
  }
  return menu;
}

std::vector<std::size_t> Formulation::leanest(const Choice& choice,
                                              const std::vector<std::size_t>& variants) const {
  if (variants.size() < 2) return variants;
  const ilp::Option first = option(choice, {variants.front(), Fps(1.0)});
  const auto columns = static_cast<Eigen::Index>(first.use.size() + first.peak.size());
  Eigen::MatrixXd needs(static_cast<Eigen::Index>(variants.size()), columns);
  for (Eigen::Index i = 0; i < needs.rows(); ++i) {
    const ilp::Option needed = option(choice, {variants[static_cast<std::size_t>(i)], Fps(1.0)});
    Eigen::Index column = 0;
    for (const double amount : needed.use) needs(i, column++) = amount;
    for (const double amount : needed.peak) needs(i, column++) = amount;
  }
  std::vector<std::size_t> kept;
  for (const std::size_t i : pareto::front(needs)) kept.push_back(variants[i]);
  return kept;
}

Menu Formulation::leanest(const Menu& menu) const {
  Menu lean;
  for (std::size_t i = 0; i < menu.size(); ++i) lean.push_back(leanest(choices_[i], menu[i]));
  return lean;
}

Offers Formulation::offers(const Menu& menu, const Rates& rates) {
  Offers offers(menu.size());
  for (std::size_t i = 0; i < menu.size(); ++i) {
    if (rates[i] <= Fps(0.0)) {
      offers[i].push_back({});
    } else {
      offers[i].reserve(menu[i].size());
      for (const std::size_t variant : menu[i]) offers[i].push_back({variant, rates[i]});
    }
  }
  return offers;
}

double Formulation::value(const Choice& choice, const Offer& offer) const {
  if (offer.off()) return 0.0;
  const Task& task = snapshot_.tasks[choice.task];
  const VariantCost& cost = choice.costs[offer.variant];
  double value = 0.0;
  switch (snapshot_.objective) {
    case Objective::max_accuracy:
      value = task.weight * cost.relative_accuracy * (offer.rate / task.demand) / total_weight_;
      break;
    case Objective::min_energy:
      value = -(*cost.energy * offer.rate).value();
      break;
    case Objective::min_memory:
      value = -cost.memory->value();
      break;
  }
  return switches(task, offer.variant) ? value - switch_penalty(snapshot_) : value;
}

Formulation::Levels Formulation::levels(const Choice& choice, const Offer& offer) const {
  if (offer.off()) return {0.0, 0.0, 0.0, 0.0, 0.0};
  const Task& task = snapshot_.tasks[choice.task];
  const VariantCost& cost = choice.costs[offer.variant];
  return {value(choice, offer), switches(task, offer.variant) ? -1.0 : 0.0,
          task.weight * cost.relative_accuracy,
          choice.energy_measured ? -(*cost.energy * offer.rate).value() : 0.0,
          choice.memory_measured ? -cost.memory->value() : 0.0};
}

double Formulation::use(const Choice& choice, const Offer& offer, std::size_t row) const {
  if (offer.off()) return 0.0;
  const VariantCost& cost = choice.costs[offer.variant];
  switch (rows_[row].resource) {
    case Resource::time:
      return cost.time[row] * offer.rate;  // the rows of the processors come first
    case Resource::energy:
      return (*cost.energy * offer.rate).value();
    case Resource::memory:
      return cost.memory->value();
    case Resource::power:
      break;  // no row
  }
  return 0.0;
}

void Formulation::put(const Choice& choice, const Offer& offer, ilp::Option& option) const {
  if (offer.off()) {
    option.use.assign(rows_.size(), 0.0);
    if (joint_peak_) option.peak.assign(snapshot_.processors.size(), 0.0);
    return;
  }
  for (std::size_t row = 0; row < rows_.size(); ++row) option.use.push_back(use(choice, offer, row));
  if (!joint_peak_) return;
  for (const std::optional<Watts>& watts : choice.costs[offer.variant].power_by_processor) {
    option.peak.push_back(watts->value());
  }
}

ilp::Option Formulation::option(const Choice& choice, const Offer& offer) const {
  ilp::Option option;
  put(choice, offer, option);
  return option;
}

ilp::ChoiceProblem Formulation::feasibility(const Offers& offers) const {
  return assemble(offers, 1, [](const Choice&, const Offer&) { return Levels{0.0}; });
}

ilp::ChoiceProblem Formulation::problem(const Offers& offers) const {
  return assemble(offers, kLevels,
                  [this](const Choice& choice, const Offer& offer) { return levels(choice, offer); });
}

// There may be a hundred thousand options: each is filled where it stands, and at once.
template <class LevelsOf>
ilp::ChoiceProblem Formulation::assemble(const Offers& offers, std::size_t level_count,
                                         LevelsOf levels_of) const {
  ilp::ChoiceProblem problem;
  problem.level_count = level_count;
  for (const Row& row : rows_) problem.capacities.push_back(capacity_of(row));
  if (joint_peak_) {
    problem.peak_count = snapshot_.processors.size();
    problem.peak_capacity = capacity_of(*joint_peak_);
  }
  problem.groups.resize(choices_.size());
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    problem.groups[i].options.reserve(offers[i].size());
    for (const Offer& offer : offers[i]) {
      ilp::Option& option = problem.groups[i].options.emplace_back();
      put(choices_[i], offer, option);
      option.levels = levels_of(choices_[i], offer);
    }
  }
  return problem;
}

Selection taken(const Offers& offers, const ilp::Picks& picks) {
  Selection selection;
  for (std::size_t i = 0; i < picks.size(); ++i) selection.push_back(offers[i][picks[i]]);
  return selection;
}

std::optional<ilp::Picks> picks_of(const Selection& selection, const Offers& offers) {
  ilp::Picks picks;
  for (std::size_t i = 0; i < selection.size(); ++i) {
    const Offer& wanted = selection[i];
    const auto found = std::find_if(offers[i].begin(), offers[i].end(), [&](const Offer& offer) {
      return offer.rate == wanted.rate && (offer.off() || offer.variant == wanted.variant);
    });
    if (found == offers[i].end()) return std::nullopt;
    picks.push_back(static_cast<std::size_t>(found - offers[i].begin()));
  }
  return picks;
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
