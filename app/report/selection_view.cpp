#include "app/report/selection_view.hpp"

#include <algorithm>
#include <iterator>

namespace saccade::app {
namespace {

using pareto::ActiveMeasures;
using pareto::Selection;
using scheduler::VariantCost;

struct Measures {
  bool time = false;
  ActiveMeasures others;
};

Measures measures_of(Selection selection, const ActiveMeasures& active) {
  switch (selection) {
    case Selection::active:
      return {true, active};
    case Selection::time:
      return {true, {}};
    case Selection::memory:
      return {false, {.memory = true}};
    case Selection::energy:
      return {false, {.energy = true}};
    case Selection::time_memory:
      return {true, {.memory = true}};
    case Selection::time_energy:
      return {true, {.energy = true}};
    case Selection::none:
      break;
  }
  return {};
}

std::vector<std::string> names_of(const Measures& measures, Selection selection) {
  if (selection == Selection::none) return {};
  std::vector<std::string> names = {"accuracy"};
  if (measures.time) names.emplace_back("time");
  if (measures.others.memory) names.emplace_back("memory");
  if (measures.others.energy) names.emplace_back("energy");
  if (measures.others.power) names.emplace_back("power");
  return names;
}

// Absent unless the power on every processor is known.
ShortVector<double, 3> power_of(const VariantCost& cost) {
  ShortVector<double, 3> each;
  for (const auto& power : cost.power_by_processor) {
    if (!power) return {};
    each.push_back(power->value());
  }
  return each;
}

pareto::Point point_of(const VariantCost& cost) {
  pareto::Point point;
  point.accuracy = cost.accuracy;
  for (const Seconds time : cost.time) point.time.push_back(time.value());
  if (cost.energy) point.energy = cost.energy->value();
  if (cost.memory) point.memory = cost.memory->value();
  point.power = power_of(cost);
  return point;
}

bool lacks(const pareto::Point& point, const ActiveMeasures& measures) {
  return (measures.energy && !point.energy) || (measures.memory && !point.memory) ||
         (measures.power && point.power.empty());
}

// Among equals: less energy, less memory, where all variants have them.
pareto::Preference preference_among(const std::vector<VariantCost>& costs) {
  const bool by_energy =
      std::all_of(costs.begin(), costs.end(), [](const auto& c) { return c.energy.has_value(); });
  const bool by_memory =
      std::all_of(costs.begin(), costs.end(), [](const auto& c) { return c.memory.has_value(); });
  return [&costs, by_energy, by_memory](std::size_t a, std::size_t b) {
    if (by_energy && costs[a].energy != costs[b].energy) return *costs[a].energy < *costs[b].energy;
    return by_memory && *costs[a].memory < *costs[b].memory;
  };
}

}  // namespace

SetView view_selections(const profiles::ProfileSetPtr& set, const std::vector<Selection>& selections,
                        const ActiveMeasures& active, int regions) {
  scheduler::Snapshot snapshot;
  for (const ProcessorId& id : set->device.processors) snapshot.processors.push_back({.id = id});
  scheduler::Task task;
  task.profiles = set;
  task.regions = regions;

  SetView view;
  view.costs = scheduler::variant_costs(snapshot, task);
  std::vector<pareto::Point> points;
  for (const VariantCost& cost : view.costs) points.push_back(point_of(cost));
  const pareto::Preference preference = preference_among(view.costs);

  for (const Selection selection : selections) {
    const Measures measures = measures_of(selection, active);
    SelectionView seen;
    seen.selection = selection;
    seen.measures = names_of(measures, selection);
    seen.kept = pareto::select(selection, active, points, preference);
    std::copy_if(seen.kept.begin(), seen.kept.end(), std::back_inserter(seen.unmeasured),
                 [&](std::size_t variant) { return lacks(points[variant], measures.others); });
    seen.fastest = *std::min_element(seen.kept.begin(), seen.kept.end(), [&](std::size_t a, std::size_t b) {
      return view.costs[a].total_time() < view.costs[b].total_time();
    });
    seen.most_accurate = *std::max_element(
        seen.kept.begin(), seen.kept.end(),
        [&](std::size_t a, std::size_t b) { return view.costs[a].accuracy < view.costs[b].accuracy; });
    view.selections.push_back(std::move(seen));
  }
  return view;
}

}  // namespace saccade::app
