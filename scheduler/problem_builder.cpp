#include "scheduler/problem_builder.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <limits>

#include "pareto/front.hpp"
#include "scheduler/text.hpp"

namespace saccade::scheduler {

std::string amount(Resource resource, double value) {
  switch (resource) {
    case Resource::time:
      return number(value) + " s/s";
    case Resource::energy:
      return number(value) + " J/s";
    case Resource::memory:
    case Resource::device_memory:
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

ProblemBuilder::ProblemBuilder(const Menus& menus) : menus_(menus), snapshot_(menus.snapshot()) {
  for (const Task& task : snapshot_.tasks) {
    if (task.active()) total_weight_ += task.weight;
  }
  for (const Processor& processor : snapshot_.processors) {
    rows_.push_back({Resource::time, "time:" + processor.id.str(), processor.budget(), 0.0});
  }
  for (const std::vector<std::size_t>& processors : equal_processors(snapshot_)) {
    std::vector<ilp::EqualRow>& rows = equal_rows_.emplace_back();
    for (const std::size_t p : processors) rows.push_back({p, snapshot_.processors[p].correction});
  }
  const double idle = snapshot_.idle_power.value();
  if (const auto& limit = snapshot_.limits.energy_per_second) {
    rows_.push_back({Resource::energy, "energy", limit->value(), idle});
  }
  if (const auto& limit = snapshot_.limits.memory) {
    rows_.push_back({Resource::memory, "memory", limit->value(), host_context(snapshot_).value()});
  }
  add_device_memories();
  if (has_joint_peak(snapshot_)) {
    joint_peak_ = Row{Resource::power, "power", snapshot_.limits.peak_power->value(), idle};
  }
  const auto in_tables = [](const Row& row) { return row.resource != Resource::device_memory; };
  may_be_flat_ = !joint_peak_ && equal_rows_.empty() && std::all_of(rows_.begin(), rows_.end(), in_tables);
}

void ProblemBuilder::add_device_memories() {
  if (snapshot_.limits.memories.empty()) return;
  const std::vector<DeviceMemory> memories = device_memories(snapshot_);
  for (std::size_t m = 0; m < memories.size(); ++m) {
    const auto limit = snapshot_.limits.memories.find(memories[m].name);
    if (limit == snapshot_.limits.memories.end()) continue;
    rows_.push_back({Resource::device_memory, "memory:" + memories[m].name, limit->second.value(),
                     memories[m].context.value(), m});
  }
}

namespace {

void add_offers(const std::vector<std::size_t>& variants, Fps rate, std::vector<Offer>& offers) {
  offers.reserve(variants.size());
  for (const std::size_t variant : variants) offers.push_back({variant, rate});
}

}  // namespace

Offers offers_at(const Menu& menu, const Rates& rates) {
  Offers offers(menu.size());
  for (std::size_t i = 0; i < menu.size(); ++i) {
    if (rates[i] <= Fps(0.0)) {
      offers[i].push_back({});
    } else {
      add_offers(menu[i], rates[i], offers[i]);
    }
  }
  return offers;
}

Offers offers_at(const Menus& menus, const Rates& rates) {
  Offers offers(rates.size());
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const Choice& choice = menus.choices()[i];
    if (rates[i] <= Fps(0.0)) {
      offers[i].push_back({});
    } else if (const std::vector<std::size_t>* front = menus.whole_front(choice, rates[i])) {
      add_offers(*front, rates[i], offers[i]);
    } else {
      add_offers(menus.menu(choice, rates[i]), rates[i], offers[i]);
    }
  }
  return offers;
}

std::vector<std::size_t> ProblemBuilder::leanest(const Choice& choice,
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

Menu ProblemBuilder::leanest(const Menu& menu) const {
  Menu lean;
  for (std::size_t i = 0; i < menu.size(); ++i) lean.push_back(leanest(menus_.choices()[i], menu[i]));
  return lean;
}

double ProblemBuilder::value(const Choice& choice, const Offer& offer) const {
  return offer.off() ? 0.0 : value_of(choice, offer);
}

inline double ProblemBuilder::value_of(const Choice& choice, const Offer& offer) const {
  const Task& task = snapshot_.tasks[choice.task];
  const CostTable& costs = *choice.costs;
  double value = 0.0;
  switch (snapshot_.objective) {
    case Objective::max_accuracy:
      value =
          task.weight * costs.relative_accuracy(offer.variant) * (offer.rate / task.demand) / total_weight_;
      break;
    case Objective::min_energy:
      value = -(costs.energy(offer.variant) * offer.rate).value();
      break;
    case Objective::min_memory:
      value = -costs.memory(offer.variant).value();
      break;
  }
  return switches(task, offer.variant) ? value - switch_penalty(snapshot_) : value;
}

void ProblemBuilder::add_levels(const Choice& choice, const Offer& offer, Levels& levels) const {
  if (offer.off()) {
    levels.assign(kLevels, 0.0);
    return;
  }
  const Task& task = snapshot_.tasks[choice.task];
  const CostTable& costs = *choice.costs;
  levels.push_back(value_of(choice, offer));
  levels.push_back(switches(task, offer.variant) ? -1.0 : 0.0);
  levels.push_back(task.weight * costs.relative_accuracy(offer.variant));
  levels.push_back(choice.energy_measured ? -(costs.energy(offer.variant) * offer.rate).value() : 0.0);
  levels.push_back(choice.memory_measured ? -costs.memory(offer.variant).value() : 0.0);
}

double ProblemBuilder::use(const Choice& choice, const Offer& offer, std::size_t row) const {
  return offer.off() ? 0.0 : use_of(choice, offer, row);
}

inline double ProblemBuilder::use_of(const Choice& choice, const Offer& offer, std::size_t row) const {
  const CostTable& costs = *choice.costs;
  switch (rows_[row].resource) {
    case Resource::time:
      return costs.time(offer.variant, row) * offer.rate;  // the rows of the processors come first
    case Resource::energy:
      return (costs.energy(offer.variant) * offer.rate).value();
    case Resource::memory:
      return costs.memory(offer.variant).value();
    case Resource::device_memory:
      return costs.of(offer.variant).device_memory[rows_[row].memory]->value();
    case Resource::power:
      break;  // no row
  }
  return 0.0;
}

void ProblemBuilder::put(const Choice& choice, const Offer& offer, ilp::Option& option) const {
  if (offer.off()) {
    option.use.assign(rows_.size(), 0.0);
    if (joint_peak_) option.peak.assign(snapshot_.processors.size(), 0.0);
    return;
  }
  for (std::size_t row = 0; row < rows_.size(); ++row) option.use.push_back(use_of(choice, offer, row));
  if (!joint_peak_) return;
  const VariantCost cost = choice.costs->of(offer.variant);
  for (const std::optional<Watts>& watts : cost.power_by_processor) option.peak.push_back(watts->value());
}

ilp::Option ProblemBuilder::option(const Choice& choice, const Offer& offer) const {
  ilp::Option option;
  put(choice, offer, option);
  return option;
}

ilp::ChoiceProblem ProblemBuilder::feasibility(const Offers& offers) const {
  return assemble(offers, 1, [](const Choice&, const Offer&, Levels& levels) { levels.push_back(0.0); });
}

ilp::ChoiceProblem ProblemBuilder::problem(const Offers& offers) const {
  return assemble(offers, kLevels, [this](const Choice& choice, const Offer& offer, Levels& levels) {
    add_levels(choice, offer, levels);
  });
}

ilp::ChoiceProblem ProblemBuilder::frame(std::size_t level_count) const {
  ilp::ChoiceProblem problem;
  problem.level_count = level_count;
  for (const Row& row : rows_) problem.capacities.push_back(capacity_of(row));
  if (joint_peak_) {
    problem.peak_count = snapshot_.processors.size();
    problem.peak_capacity = capacity_of(*joint_peak_);
  }
  problem.equal_rows = equal_rows_;
  return problem;
}

// There may be a hundred thousand options: each is filled where it stands, and at once.
template <class AddLevels>
ilp::ChoiceProblem ProblemBuilder::assemble(const Offers& offers, std::size_t level_count,
                                            AddLevels add) const {
  ilp::ChoiceProblem problem = frame(level_count);
  problem.groups.resize(menus_.choices().size());
  for (std::size_t i = 0; i < menus_.choices().size(); ++i) {
    problem.groups[i].options.reserve(offers[i].size());
    for (const Offer& offer : offers[i]) {
      ilp::Option& option = problem.groups[i].options.emplace_back();
      put(menus_.choices()[i], offer, option);
      add(menus_.choices()[i], offer, option.levels);
    }
  }
  return problem;
}

ilp::FlatProblem ProblemBuilder::flat(const Offers& offers, const ilp::ChoiceProblem& frame) const {
  ilp::FlatProblem flat;
  flat.problem = &frame;
  flat.rows = rows_.size();
  std::size_t count = 0;
  for (const std::vector<Offer>& own : offers) count += own.size();
  flat.first.reserve(offers.size() + 1);
  flat.value.reserve(count);
  flat.use.reserve(count * flat.rows);
  for (std::size_t i = 0; i < offers.size(); ++i) {
    constexpr std::size_t kAhead = 2;  // choices
    if (i + kAhead < offers.size()) menus_.choices()[i + kAhead].costs->prefetch_rows();
    flat.first.push_back(static_cast<std::uint32_t>(flat.value.size()));
    add_flat(menus_.choices()[i], offers[i], flat);
  }
  flat.first.push_back(static_cast<std::uint32_t>(flat.value.size()));
  flat.option_of = [this, &offers](std::size_t group, std::size_t index) {
    const Choice& choice = menus_.choices()[group];
    ilp::Option option = this->option(choice, offers[group][index]);
    add_levels(choice, offers[group][index], option.levels);
    return option;
  };
  return flat;
}

ShortVector<ProblemBuilder::Amount, 5> ProblemBuilder::amounts_in(const CostTable& costs) const {
  ShortVector<Amount, 5> amounts;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].resource == Resource::time) {
      const CostTable::Times& times = costs.time_on(row);  // the rows of the processors come first
      amounts.push_back({times.column, times.factor, true});
    } else {
      const bool energy = rows_[row].resource == Resource::energy;
      amounts.push_back({energy ? CostTable::kEnergy : CostTable::kMemory, 1.0, energy});
    }
  }
  return amounts;
}

// The numbers of value_of() and use_of(), with what the offers have in common computed once.
void ProblemBuilder::add_flat(const Choice& choice, const std::vector<Offer>& offers,
                              ilp::FlatProblem& flat) const {
  const Task& task = snapshot_.tasks[choice.task];
  const CostTable& costs = *choice.costs;
  const double penalty = switch_penalty(snapshot_), weight = task.weight, total_weight = total_weight_;
  const Objective objective = snapshot_.objective;
  const ShortVector<Amount, 5> amounts = amounts_in(costs);
  Fps rate{0.0};
  double share = 0.0;  // of the demand
  for (const Offer& offer : offers) {
    if (offer.off()) {
      flat.value.push_back(0.0);
      flat.use.insert(flat.use.end(), amounts.size(), 0.0);
      continue;
    }
    if (offer.rate != rate) {
      rate = offer.rate;
      share = rate / task.demand;
    }
    const double* const figures = costs.row(offer.variant);
    double value = 0.0;
    switch (objective) {
      case Objective::max_accuracy:
        value = weight * figures[CostTable::kRelative] * share / total_weight;
        break;
      case Objective::min_energy:
        value = -(figures[CostTable::kEnergy] * rate.value());
        break;
      case Objective::min_memory:
        value = -figures[CostTable::kMemory];
        break;
    }
    flat.value.push_back(switches(task, offer.variant) ? value - penalty : value);
    for (const Amount& each : amounts) {
      const double amount = figures[each.column] * each.factor;
      flat.use.push_back(each.per_frame ? amount * rate.value() : amount);
    }
  }
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
