#include "app/verbs/place_pricing.hpp"

#include <ostream>
#include <utility>

#include "app/report/table.hpp"
#include "config/config.hpp"
#include "config/moment.hpp"
#include "config/solvers.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {
namespace {

using nlohmann::ordered_json;
using placement::Column;
using scheduler::Objective;
using scheduler::Plan;

std::string value_in_unit(Objective objective, double value) {
  switch (objective) {
    case Objective::max_accuracy:
      return app::percent(value, 2);
    case Objective::min_energy:
      return short_number(value) + " J/s";
    case Objective::min_memory:
      return short_bytes(value);
  }
  return "";
}

ordered_json plan_json(const Plan& plan, const Pricing& pricing) {
  const auto number = [](const std::optional<double>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
  };
  return {{"status", to_string(plan.status)},
          {"value", number(plan.objective_value)},
          {"lost_fps", plan.totals.lost.value()},
          {"gap", number(gap_of(plan, pricing))}};
}

std::string count_of(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

}  // namespace

Result<PlacePricing> price_for(const std::string& configuration, const profiles::ProfileSet& set,
                               const std::vector<PlacedLayers>& layers,
                               const std::vector<std::vector<Column>>& columns) {
  auto config = config::read_config(configuration);
  if (!config) return config.errors();
  config::Moment moment;
  moment.run = std::move(config.value().run);
  moment.solver = config::make_solver(moment.run.solver);
  const auto prices = config::make_solver("glpk");

  PricingCase problem;
  problem.snapshot = moment.run.timeline.front().snapshot;
  for (std::size_t t = 0; t < problem.snapshot.tasks.size(); ++t) {
    const scheduler::Task& task = problem.snapshot.tasks[t];
    if (task.profiles->network == set.network) problem.tasks.push_back(t);
  }
  if (problem.tasks.empty()) {
    return Error{configuration, "none of its tasks plans with the network " + text::in_quotes(set.network),
                 "name the set in `profiles` of a task"};
  }
  problem.set = set;
  problem.solver = prices.get();
  problem.decide = [&moment](const scheduler::Snapshot& state) {
    return config::decide_once(moment, state).plan;
  };
  PlacePricing priced{configuration, problem.snapshot.objective, problem.tasks.size(), {}, {}, {}};
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const PlacedLayers& of = layers[k];
    problem.networks.push_back(
        {&of.costs, of.variant, columns[k],
         [&set, &of](const Column& column, const std::string& id) -> std::optional<profiles::Variant> {
           if (!is_new(set, of, column)) return std::nullopt;
           return planned_variant(set, of, column, id);
         }});
    priced.variants.push_back(set.variants[of.variant].id.str());
    priced.start_sets.push_back(columns[k].size());
  }
  auto pricing = price_columns(std::move(problem));
  if (!pricing) return pricing.errors();
  priced.pricing = std::move(pricing).value();
  return priced;
}

void print_pricing(const PlacePricing& priced, std::ostream& out) {
  const Pricing& pricing = priced.pricing;
  std::size_t start = 0, added = 0;
  for (const std::size_t count : priced.start_sets) start += count;
  for (const auto& columns : pricing.added) added += columns.size();
  out << '\n'
      << count_of(priced.tasks, "task") << " of " << priced.configuration << ", objective "
      << to_string(priced.objective) << ": " << count_of(added, "placement") << " added in "
      << count_of(pricing.rounds, "round") << " of pricing\n\n";
  constexpr auto kRight = Table::Align::right;
  Table table({{"placements", kRight},
               {"plan"},
               {"value", kRight},
               {"from the bound", kRight},
               {"lost fps", kRight}});
  for (const auto& [plan, count] : {std::pair(&pricing.before, start), {&pricing.after, start + added}}) {
    const auto gap = gap_of(*plan, pricing);
    table.add_row({std::to_string(count), to_string(plan->status),
                   plan->objective_value ? value_in_unit(priced.objective, *plan->objective_value) : "-",
                   gap ? app::percent(*gap, 3) : "-", short_number(plan->totals.lost.value())});
  }
  table.print(out);
  if (pricing.bound) {
    const bool most = priced.objective == Objective::max_accuracy;
    out << "With whatever placements, no plan of the whole demand is " << (most ? "above " : "below ")
        << value_in_unit(priced.objective, *pricing.bound)
        << (pricing.closed ? "." : "; limits exclude placements that this bound counts on.") << '\n';
  } else {
    out << "The whole demand does not fit";
    if (pricing.served) {
      out << ": with whatever placements, at most " << short_number(*pricing.served)
          << " tasks are served whole";
    }
    out << ".\n";
  }
}

ordered_json to_json(const PlacePricing& priced) {
  const Pricing& pricing = priced.pricing;
  ordered_json added = ordered_json::object();
  for (std::size_t k = 0; k < priced.variants.size(); ++k)
    added[priced.variants[k]] = {{"start_set", priced.start_sets[k]}, {"added", pricing.added[k].size()}};
  ordered_json json = {{"configuration", priced.configuration},
                       {"objective", to_string(priced.objective)},
                       {"tasks", priced.tasks},
                       {"rounds", pricing.rounds},
                       {"closed", pricing.closed},
                       {"bound", pricing.bound ? ordered_json(*pricing.bound) : ordered_json(nullptr)},
                       {"placements", std::move(added)},
                       {"start_set", plan_json(pricing.before, pricing)},
                       {"priced", plan_json(pricing.after, pricing)}};
  if (pricing.served) json["tasks_served_at_most"] = *pricing.served;
  return json;
}

}  // namespace saccade::app
