#include "scheduler/menus.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "pareto/front.hpp"

namespace saccade::scheduler {
namespace {

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

// What a variant takes of the memories that are limited, `places` of them; empty if one is not known.
ShortVector<double, 1> of_memories(const VariantCost& cost, const std::vector<std::size_t>& places) {
  ShortVector<double, 1> amounts;
  for (const std::size_t place : places) {
    if (!cost.device_memory[place]) return {};
    amounts.push_back(cost.device_memory[place]->value());
  }
  return amounts;
}

std::vector<std::size_t> limited_memories(const Snapshot& snapshot) {
  std::vector<std::size_t> limited;
  if (snapshot.limits.memories.empty()) return limited;
  const std::vector<DeviceMemory> memories = device_memories(snapshot);
  for (std::size_t m = 0; m < memories.size(); ++m) {
    if (snapshot.limits.memories.contains(memories[m].name)) limited.push_back(m);
  }
  return limited;
}

// `processor`: the only one that counts; absent: all.
void set_point(const VariantCost& cost, std::optional<std::size_t> processor, pareto::Point& point) {
  point.accuracy = cost.accuracy;
  point.time.clear();
  if (processor) {
    point.time.push_back(cost.time[*processor].value());
  } else {
    for (const Seconds time : cost.time) point.time.push_back(time.value());
  }
  point.energy.reset();
  if (cost.energy) point.energy = cost.energy->value();
  point.memory.reset();
  if (cost.memory) point.memory = cost.memory->value();
}

// The only processor that the variant uses.
std::optional<std::size_t> single_processor(const CostTable& costs, std::size_t variant,
                                            std::size_t processors) {
  std::optional<std::size_t> single;
  for (std::size_t p = 0; p < processors; ++p) {
    if (costs.time(variant, p) <= Seconds(0.0)) continue;
    if (single) return std::nullopt;
    single = p;
  }
  return single;
}

// The order in which ties between variants are settled: the one that runs, higher accuracy, less
// energy, less memory, lower index.
class Preferred {
 public:
  Preferred(const Task& task, const Choice& choice, const std::vector<std::size_t>& variants)
      : task_(task), choice_(choice), variants_(variants) {}

  bool operator()(std::size_t a, std::size_t b) const {
    const auto key = [this](std::size_t place) {
      const CostTable& costs = *choice_.costs;
      const std::size_t variant = variants_[place];
      return std::tuple(switches(task_, variant), -costs.accuracy(variant),
                        choice_.energy_measured ? costs.energy(variant).value() : 0.0,
                        choice_.memory_measured ? costs.memory(variant).value() : 0.0, place);
    };
    return key(a) < key(b);
  }

 private:
  const Task& task_;
  const Choice& choice_;
  const std::vector<std::size_t>& variants_;
};

bool contains(const std::vector<std::size_t>& ascending, std::size_t variant) {
  return std::binary_search(ascending.begin(), ascending.end(), variant);
}

// What variants cost is the same for both tasks.
bool same_costs(const Task& a, const Task& b) { return a.profiles == b.profiles && a.regions == b.regions; }

// The same variants pass the filters of both, and for the same reasons.
bool same_filters(const Task& a, const Task& b) {
  return a.excluded == b.excluded && a.min_accuracy == b.min_accuracy &&
         a.min_relative_accuracy == b.min_relative_accuracy && a.max_frame_time == b.max_frame_time &&
         a.max_latency == b.max_latency && (!a.max_latency || a.demand == b.demand) &&
         a.max_power == b.max_power && a.max_memory == b.max_memory;
}

}  // namespace

bool switches(const Task& task, std::size_t variant) { return task.running && *task.running != variant; }

bool has_joint_peak(const Snapshot& snapshot) {
  return snapshot.limits.peak_power && snapshot.processors.size() > 1;
}

Menus::Menus(const Snapshot& snapshot, Stop stop, bool check)
    : snapshot_(snapshot),
      check_(check),
      has_equal_processors_(!equal_processors(snapshot).empty()),
      places_(memory_places(snapshot)),
      limited_memories_(limited_memories(snapshot)) {
  filtered_.resize(snapshot.tasks.size());
  costs_of_.resize(snapshot.tasks.size());
  choices_.reserve(snapshot.tasks.size());
  std::unordered_map<const profiles::ProfileSet*, Alike> same_profiles;  // tasks so far
  SameCosts same_costs;
  same_profiles.reserve(snapshot.tasks.size());
  same_costs.reserve(snapshot.tasks.size());
  Points points;
  for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
    const Task& task = snapshot.tasks[i];
    if (!task.active()) continue;
    if (stop.after(task.profiles->variants.size())) {
      stopped_ = true;
      return;
    }
    Alike& others = same_profiles[task.profiles.get()];
    filter(i, others);
    if (!sound_) return;
    others.push_back(i);
    if (filtered_[i].kept.empty()) continue;
    if (stop.after(filtered_[i].kept.size())) {
      stopped_ = true;
      return;
    }
    add_choice(i);
    find_front(choices_.size() - 1, same_costs, points);
  }
}

void Menus::add_choice(std::size_t task) {
  Choice& choice = choices_.emplace_back();
  choice.task = task;
  choice.costs = costs_of_[task];
  choice.usable = filtered_[task].kept;
  const CostTable& costs = *choice.costs;
  const auto each_usable = [&](auto has) {
    return std::all_of(choice.usable.begin(), choice.usable.end(), has);
  };
  choice.energy_measured =
      costs.all_have_energy() || each_usable([&](std::size_t variant) { return costs.has_energy(variant); });
  choice.memory_measured =
      costs.all_have_memory() || each_usable([&](std::size_t variant) { return costs.has_memory(variant); });
}

void Menus::filter(std::size_t task, const Alike& same_profiles) {
  const Task& own = snapshot_.tasks[task];
  // Unmeasured variants are reported with the task that needs the measure, hence never shared.
  const auto alike = [&](std::size_t other) {
    return same_costs(snapshot_.tasks[other], own) && same_filters(snapshot_.tasks[other], own) &&
           filtered_[other].unmeasured.empty();
  };
  const auto costed = [&](std::size_t other) { return same_costs(snapshot_.tasks[other], own); };
  const auto known = std::find_if(same_profiles.begin(), same_profiles.end(), costed);
  if (check_ && same_profiles.empty()) sound_ = scheduler::sound(snapshot_, own.profiles);
  if (!sound_) return;
  if (known == same_profiles.end()) {
    const bool whole = snapshot_.limits.peak_power || !snapshot_.limits.memories.empty();
    costs_.emplace_back(snapshot_, own, places_, whole);
  }
  costs_of_[task] = known == same_profiles.end() ? &costs_.back() : costs_of_[*known];
  const auto filtered = std::find_if(same_profiles.begin(), same_profiles.end(), alike);
  filtered_[task] = filtered == same_profiles.end() ? filter_variants(snapshot_, own, *costs_of_[task])
                                                    : filtered_[*filtered];
}

// While the costs of its variants are still in the cache.
void Menus::find_front(std::size_t i, SameCosts& same_costs, Points& points) {
  Choice& choice = choices_[i];
  const Task& task = snapshot_.tasks[choice.task];
  Alike& others = same_costs[choice.costs];
  const auto alike = [&](std::size_t other) {
    const Task& its = snapshot_.tasks[choices_[other].task];
    return its.running == task.running && same_filters(its, task);
  };
  const auto found = std::find_if(others.begin(), others.end(), alike);
  if (found != others.end()) {
    choice.front = choices_[*found].front;
  } else {
    choice.front = on_front(choice, choice.usable, points);
    others.push_back(i);
  }
}

Rates Menus::demanded() const {
  Rates rates;
  for (const Choice& choice : choices_) rates.push_back(snapshot_.tasks[choice.task].demand);
  return rates;
}

bool Menus::above_time_floor(const Choice& choice, std::size_t variant, Fps rate) const {
  const Task& task = snapshot_.tasks[choice.task];
  if (task.min_time_share == 0.0) return true;
  const Seconds time = choice.costs->total_time(variant);
  return ilp::holds(std::min(task.min_time_share, time * task.demand), time * rate);
}

Fps Menus::floor(const Choice& choice) const {
  const Task& task = snapshot_.tasks[choice.task];
  double by_time = task.demand.value();
  for (const std::size_t variant : choice.usable) {
    by_time = std::min(by_time, task.min_time_share / choice.costs->total_time(variant).value());
  }
  return Fps(std::max(by_time, std::min(task.min_fps, task.demand).value()));
}

// Variants on different processors do not dominate each other, whatever the selection compares: on equal ones
// that would choose the processor for the planner.
std::vector<std::size_t> Menus::on_front(const Choice& choice, const std::vector<std::size_t>& variants,
                                         Points& points) const {
  std::vector<std::vector<std::size_t>> by_processor(has_equal_processors_ ? snapshot_.processors.size() : 0);
  for (const std::size_t variant : variants) {
    if (by_processor.empty()) break;
    const std::optional<std::size_t> single =
        single_processor(*choice.costs, variant, snapshot_.processors.size());
    if (!single) return front_among(choice, variants, std::nullopt, points);
    by_processor[*single].push_back(variant);
  }
  if (by_processor.empty()) return front_among(choice, variants, std::nullopt, points);
  std::vector<std::size_t> front;
  for (std::size_t p = 0; p < by_processor.size(); ++p) {
    if (by_processor[p].empty()) continue;
    const std::vector<std::size_t> own = front_among(choice, by_processor[p], p, points);
    front.insert(front.end(), own.begin(), own.end());
  }
  std::sort(front.begin(), front.end());
  return front;
}

std::vector<std::size_t> Menus::front_among(const Choice& choice, const std::vector<std::size_t>& variants,
                                            std::optional<std::size_t> processor, Points& points) const {
  const Task& task = snapshot_.tasks[choice.task];
  const Limits& limits = snapshot_.limits;
  const pareto::ActiveMeasures active{
      .energy = limits.energy_per_second || snapshot_.objective == Objective::min_energy,
      .memory = limits.memory || task.max_memory || snapshot_.objective == Objective::min_memory,
      .power = limits.peak_power || task.max_power,
      .device_memory = !limited_memories_.empty(),
  };
  const bool plain = snapshot_.selection == pareto::Selection::active && !active.power &&
                     !active.device_memory && (!active.energy || choice.energy_measured) &&
                     (!active.memory || choice.memory_measured);
  if (plain && !processor && variants.size() == choice.costs->size()) {
    const std::vector<std::size_t>* known = choice.costs->known_front(active.energy, active.memory);
    // What runs is kept, and preferred among equal ones: if it is on the front, that changes nothing.
    const bool as_known = known != nullptr && (!task.running || contains(*known, *task.running));
    if (as_known) return *known;
  }
  if (plain) return plain_front(choice, variants, processor, active.energy, active.memory, points.costs);
  std::vector<std::size_t> keep;
  points.all.resize(variants.size());
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const VariantCost cost = choice.costs->of(variants[i]);
    pareto::Point& point = points.all[i];
    set_point(cost, processor, point);
    if (active.power) point.power = total_or_each(cost, has_joint_peak(snapshot_));
    point.device_memory = of_memories(cost, limited_memories_);
    if (task.running == variants[i]) keep.push_back(i);
  }
  std::vector<std::size_t> kept =
      pareto::select(snapshot_.selection, active, points.all, Preferred(task, choice, variants), keep);
  for (std::size_t& place : kept) place = variants[place];
  return kept;
}

std::vector<std::size_t> Menus::plain_front(const Choice& choice, const std::vector<std::size_t>& variants,
                                            std::optional<std::size_t> processor, bool energy, bool memory,
                                            std::vector<double>& costs) const {
  const Task& task = snapshot_.tasks[choice.task];
  const CostTable& table = *choice.costs;
  const std::size_t first = processor.value_or(0);
  const std::size_t end = processor ? *processor + 1 : snapshot_.processors.size();
  const std::size_t columns = 1 + (end - first) + (energy ? 1 : 0) + (memory ? 1 : 0);
  std::vector<std::size_t> keep;
  costs.resize(variants.size() * columns);
  double* cost = costs.data();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const std::size_t variant = variants[i];
    *cost++ = -table.accuracy(variant);
    for (std::size_t p = first; p < end; ++p) *cost++ = table.time(variant, p).value();
    if (energy) *cost++ = table.energy(variant).value();
    if (memory) *cost++ = table.memory(variant).value();
    if (task.running == variant) keep.push_back(i);
  }
  const Preferred preferred(task, choice, variants);
  std::vector<std::size_t> kept = pareto::front(costs, variants.size(), columns, std::cref(preferred), keep);
  for (std::size_t& place : kept) place = variants[place];
  return kept;
}

std::vector<std::size_t> Menus::menu(const Choice& choice, Fps rate) const {
  if (rate <= Fps(0.0)) return {};
  if (const std::vector<std::size_t>* front = whole_front(choice, rate))
    return *front;  // no floor keeps one out
  std::vector<std::size_t> left;
  for (const std::size_t variant : choice.usable) {
    if (above_time_floor(choice, variant, rate)) left.push_back(variant);
  }
  Points points;
  return on_front(choice, left, points);
}

Menu Menus::menu(const Rates& rates) const {
  Menu menu;
  for (std::size_t i = 0; i < choices_.size(); ++i) menu.push_back(this->menu(choices_[i], rates[i]));
  return menu;
}

bool Menus::menu_depends_on_rates() const {
  return std::any_of(choices_.begin(), choices_.end(),
                     [&](const Choice& choice) { return snapshot_.tasks[choice.task].min_time_share > 0.0; });
}

Menu Menus::widest_menu() const {
  Menu menu;
  for (const Choice& choice : choices_) {
    // Below a time floor variants drop out and those they dominate come back.
    const bool depends_on_rate = snapshot_.tasks[choice.task].min_time_share > 0.0;
    menu.push_back(depends_on_rate ? choice.usable : choice.front);
  }
  return menu;
}

}  // namespace saccade::scheduler
