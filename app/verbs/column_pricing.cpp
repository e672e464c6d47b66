#include "app/verbs/column_pricing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "profiles/processor_kinds.hpp"
#include "scheduler/filter.hpp"

namespace saccade::app {
namespace {

using placement::Column;
using placement::Placement;
using scheduler::Priced;
using scheduler::TaskPrices;

constexpr std::size_t kMostRounds = 500;
constexpr std::size_t kMostStages = 64;  // of a variant (profiles/stage_io.cpp)
constexpr double kTolerance = 1e-7;      // of the bound: what the prices are good for

// Those that run what was measured on `kind`, as profiles::on_processors() has it.
std::vector<std::size_t> processors_of(const std::vector<profiles::KindOfProcessor>& processors,
                                       const ProcessorId& kind) {
  std::vector<std::size_t> found;
  for (std::size_t p = 0; p < processors.size(); ++p) {
    if (processors[p].kind == kind) found.push_back(p);
  }
  for (std::size_t p = 0; p < processors.size() && found.empty(); ++p) {
    if (processors[p].processor == kind) found.push_back(p);
  }
  return found;
}

std::vector<profiles::KindOfProcessor> kinds_of(const scheduler::Snapshot& snapshot) {
  std::vector<profiles::KindOfProcessor> kinds;
  for (const scheduler::Processor& processor : snapshot.processors)
    kinds.push_back({processor.id, processor.kind.str().empty() ? processor.id : processor.kind});
  return kinds;
}

// Processors of the layers that the configuration does not have.
Errors strangers(const PricingCase& problem) {
  Errors errors;
  for (const PricedNetwork& network : problem.networks) {
    for (const placement::Processor& processor : network.costs->chain().processors) {
      if (!processors_of(kinds_of(problem.snapshot), processor.id).empty()) continue;
      errors.push_back({problem.set.variants[network.whole].id.str(),
                        "its layers were measured on `" + processor.id.str() +
                            "`, which is none of the configuration's processors",
                        "add the processor to the configuration, or leave it out of the layer file"});
    }
  }
  return errors;
}

class Generation {
 public:
  explicit Generation(PricingCase problem)
      : case_(std::move(problem)), known_(case_.networks.size()), processors_(kinds_of(case_.snapshot)) {
    pricing_.added.resize(case_.networks.size());
    for (const std::size_t t : case_.tasks) {
      scheduler::Task& task = case_.snapshot.tasks[t];
      task.running.reset();
      task.excluded.clear();
    }
    case_.snapshot.selection = pareto::Selection::active;  // the others may leave out what is best
    for (std::size_t n = 0; n < case_.networks.size(); ++n) {
      for (const Column& column : case_.networks[n].columns) add(n, column);
    }
    renew();
  }

  Result<Pricing> run() {
    if (Errors errors = scheduler::validate(case_.snapshot); !errors.empty()) return errors;
    if (Errors errors = unservable(); !errors.empty()) return errors;
    pricing_.before = case_.decide(case_.snapshot);
    bool fits = scheduler::price_rows(case_.snapshot, Priced::objective, *case_.solver).has_value();
    if (!fits) fits = serve();
    if (fits) improve();
    if (!pricing_.bound) pricing_.closed = false;  // it was the number of served tasks that nothing raised
    pricing_.after = case_.decide(case_.snapshot);
    return std::move(pricing_);
  }

 private:
  // Tasks without a usable variant: the plan's rows, and so the bound, do not know them.
  [[nodiscard]] Errors unservable() const {
    Errors errors;
    for (const scheduler::Task& task : case_.snapshot.tasks) {
      if (!task.active()) continue;
      const auto costs = scheduler::variant_costs(case_.snapshot, task);
      if (!scheduler::filter_variants(case_.snapshot, task, costs).kept.empty()) continue;
      errors.push_back({task.id.str(), "no variant passes its limits: there is nothing to start from",
                        "raise its limits, or let `fps` be 0"});
    }
    return errors;
  }

  // False: the set has it already, or may not have it.
  bool add(std::size_t n, const Column& column) {
    const PricedNetwork& network = case_.networks[n];
    if (column.placement.size() > kMostStages) return false;
    if (std::find(known_[n].begin(), known_[n].end(), column.placement) != known_[n].end()) return false;
    known_[n].push_back(column.placement);
    const std::string id =
        case_.set.variants[network.whole].id.str() + "/" + std::to_string(known_[n].size());
    auto variant = network.variant(column, id);
    if (!variant) return false;
    case_.set.variants.push_back(*std::move(variant));
    return true;
  }

  // The tasks plan with what the set has now.
  void renew() {
    planned_ = std::make_shared<const profiles::ProfileSet>(profiles::on_processors(case_.set, processors_));
    for (const std::size_t t : case_.tasks) case_.snapshot.tasks[t].profiles = planned_;
  }

  [[nodiscard]] bool is_priced(std::size_t task) const {
    return case_.snapshot.tasks[task].regions == 1 &&
           std::find(case_.tasks.begin(), case_.tasks.end(), task) != case_.tasks.end();
  }

  // Prices by layer processor: the cheapest processor of its kind.
  [[nodiscard]] placement::PathWeights weights_of(const PricedNetwork& network,
                                                  const TaskPrices& prices) const {
    placement::PathWeights weights;
    for (const placement::Processor& processor : network.costs->chain().processors) {
      double least = std::numeric_limits<double>::infinity();
      for (const std::size_t p : processors_of(processors_, processor.id))
        least = std::min(least, prices.per_second[p]);
      weights.time.push_back(least);
    }
    if (network.costs->has_energy()) weights.energy = prices.per_joule;
    return weights;
  }

  // What a placement of the network is worth before its time and energy; absent: the task may not have it.
  [[nodiscard]] std::optional<double> value_of(const PricedNetwork& network, const TaskPrices& prices) const {
    const profiles::Variant& whole = case_.set.variants[network.whole];
    for (std::size_t v = 0; v < planned_->variants.size(); ++v) {
      if (profiles::measured_id(planned_->variants[v]) != whole.id) continue;
      if (!prices.value[v]) return std::nullopt;
      return *prices.value[v] - (whole.memory ? prices.per_byte * whole.memory->value() : 0.0);
    }
    return std::nullopt;
  }

  // One round; true: placements were added. `bound`: on every plan, with all placements there are.
  std::optional<bool> round(Priced priced, double& bound) {
    const auto prices = scheduler::price_rows(case_.snapshot, priced, *case_.solver);
    if (!prices) return std::nullopt;
    ++pricing_.rounds;
    const double tolerance = kTolerance * (std::abs(prices->bound()) + prices->capacities);
    double all = prices->bound();
    bool added = false;
    pricing_.closed = true;
    for (const TaskPrices& task : prices->tasks) {
      if (!is_priced(task.task)) continue;
      double more = 0.0;  // than the worth of the best variant that there is
      for (std::size_t n = 0; n < case_.networks.size(); ++n) {
        const PricedNetwork& network = case_.networks[n];
        const auto value = value_of(network, task);
        if (!value) continue;
        const auto found = placement::price(*network.costs, weights_of(network, task), *value - task.best);
        if (!found) continue;
        more = std::max(more, -found->reduced_cost);
        if (-found->reduced_cost <= tolerance) continue;
        pricing_.closed = false;
        if (!placement::complaints(*network.costs, found->placement).empty()) continue;
        const Column column{found->placement, placement::evaluate(*network.costs, found->placement)};
        if (!add(n, column)) continue;
        pricing_.added[n].push_back(column);
        added = true;
      }
      all += more;
    }
    if (added) renew();
    bound = std::min(bound, all);
    return added;
  }

  // Until all tasks can be served. False: they cannot.
  bool serve() {
    double most = std::numeric_limits<double>::infinity();
    while (pricing_.rounds < kMostRounds) {
      const auto added = round(Priced::serving, most);
      if (!added || !*added) break;
      if (scheduler::price_rows(case_.snapshot, Priced::objective, *case_.solver)) return true;
    }
    if (std::isfinite(most)) pricing_.served = most;
    return false;
  }

  void improve() {
    double bound = std::numeric_limits<double>::infinity();
    while (pricing_.rounds < kMostRounds) {
      const auto added = round(Priced::objective, bound);
      if (!added || !*added) break;
    }
    const bool maximised = case_.snapshot.objective == scheduler::Objective::max_accuracy;
    if (std::isfinite(bound)) pricing_.bound = maximised ? bound : -bound;
  }

  PricingCase case_;
  std::vector<std::vector<Placement>> known_;  // by network
  std::vector<profiles::KindOfProcessor> processors_;
  profiles::ProfileSetPtr planned_;
  Pricing pricing_;
};

}  // namespace

Result<Pricing> price_columns(PricingCase problem) {
  if (Errors errors = strangers(problem); !errors.empty()) return errors;
  return Generation(std::move(problem)).run();
}

std::optional<double> gap_of(const scheduler::Plan& plan, const Pricing& pricing) {
  if (!pricing.bound || !plan.objective_value || plan.totals.lost > Fps(0.0)) return std::nullopt;
  if (plan.status == scheduler::PlanStatus::infeasible || plan.status == scheduler::PlanStatus::unknown)
    return std::nullopt;
  const double smallest = 1e-9;
  return std::abs(*plan.objective_value - *pricing.bound) /
         std::max(std::abs(*plan.objective_value), smallest);
}

}  // namespace saccade::app
