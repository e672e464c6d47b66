#include "scheduler/explain.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>

#include "scheduler/accuracy_floor.hpp"
#include "scheduler/latency.hpp"
#include "scheduler/text.hpp"

namespace saccade::scheduler {
namespace {

// The accuracy floor that would leave the task a variant, if giving up one is enough.
std::string floor_that_would_do(const Snapshot& snapshot, const Task& task) {
  const std::vector<VariantCost> costs = variant_costs(snapshot, task);
  for (const AccuracyFloor& floor : kAccuracyFloors) {
    if (!(task.*floor.field)) continue;
    Task relaxed = task;
    (relaxed.*floor.field).reset();
    std::optional<double> best;
    for (const std::size_t variant : filter_variants(snapshot, relaxed, costs).kept) {
      best = std::max(best.value_or(0.0), costs[variant].*floor.measure);
    }
    if (best) return "; " + std::string(floor.name) + " " + number(*best) + " would leave one";
  }
  return "";
}

// Not rounded down: a limit of so much is met.
std::string number_not_below(double value) {
  constexpr double kLastDigit = 5e-6;
  const std::string text = number(value);
  const bool enough = ilp::holds(value, std::strtod(text.c_str(), nullptr));
  return enough ? text : number(value * (1.0 + kLastDigit));
}

// Where the limit of latency alone leaves no variant.
std::string least_latency(const Snapshot& snapshot, const Task& task) {
  const std::optional<Seconds> least = unmet_latency(snapshot, task);
  if (!least) return "";
  return "; the least possible latency at " + number(task.demand.value()) + " frames/s is " +
         number_not_below(least->value()) + " s";
}

}  // namespace

bool refuse_invalid(const Errors& complaints, Plan& plan) {
  if (complaints.empty()) return false;
  plan.status = PlanStatus::infeasible;
  for (const Error& error : complaints) plan.reasons.push_back({"", "refused: " + to_string(error)});
  return true;
}

Reason inactive(const Task& task) { return {task.id.str(), "inactive: no frames are demanded"}; }

std::vector<Reason> explain_off(const Snapshot& snapshot, const std::vector<Filtered>& filtered) {
  std::vector<Reason> reasons;
  for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
    const Task& task = snapshot.tasks[i];
    if (!task.active()) {
      reasons.push_back(inactive(task));
    } else if (filtered[i].kept.empty()) {
      reasons.push_back(
          {task.id.str(), "off: no variant passes its limits (" + describe_removed(filtered[i]) + ")" +
                              floor_that_would_do(snapshot, task) + least_latency(snapshot, task)});
    }
  }
  return reasons;
}

std::vector<FilterTrace> trace_filters(const Menus& menus, const Rates& rates) {
  const Snapshot& snapshot = menus.snapshot();
  std::vector<FilterTrace> traces;
  traces.reserve(snapshot.tasks.size());
  for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
    traces.push_back({.task = snapshot.tasks[i].id,
                      .all = snapshot.tasks[i].profiles->variants.size(),
                      .removed = count_removed(menus.filtered()[i]),
                      .considered = 0});
  }
  for (std::size_t i = 0; i < menus.choices().size(); ++i) {
    const Choice& choice = menus.choices()[i];
    if (rates[i] <= Fps(0.0)) continue;
    const std::vector<std::size_t>* const front = menus.whole_front(choice, rates[i]);
    const std::size_t left = front != nullptr ? front->size() : menus.menu(choice, rates[i]).size();
    FilterTrace& trace = traces[choice.task];
    std::size_t below = 0;
    if (snapshot.tasks[choice.task].min_time_share > 0.0) {
      for (const std::size_t variant : choice.usable) {
        below += menus.above_time_floor(choice, variant, rates[i]) ? 0U : 1U;
      }
    }
    const std::size_t dominated = choice.usable.size() - below - left;
    if (below > 0) trace.removed.emplace_back("min_time_share", below);
    if (dominated > 0) {
      trace.removed.emplace_back("pareto:" + std::string(pareto::to_string(snapshot.selection)), dominated);
    }
    trace.considered = left;
  }
  return traces;
}

std::vector<std::string> culprits(const ProblemBuilder& builder, const Rates& rates) {
  // As least_use() of the problem at these rates, which is not built: this also explains plans made in a
  // hurry.
  const Menus& menus = builder.menus();
  std::vector<double> least(builder.rows().size(), 0.0);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (rates[i] <= Fps(0.0)) continue;
    const Choice& choice = menus.choices()[i];
    const std::vector<std::size_t> menu = menus.menu(choice, rates[i]);
    for (std::size_t row = 0; row < least.size(); ++row) {
      double smallest = std::numeric_limits<double>::infinity();
      for (const std::size_t variant : menu) {
        smallest = std::min(smallest, builder.use(choice, {variant, rates[i]}, row));
      }
      least[row] += smallest;
    }
  }
  std::vector<std::string> names;
  for (std::size_t row = 0; row < least.size(); ++row) {
    const Row& limit = builder.rows()[row];
    if (!ilp::holds(least[row], capacity_of(limit))) names.push_back(limit.name);
  }
  return names;
}

namespace {

// Whether another offer would fit in the place of one that is selected.
class Room {
 public:
  Room(const ProblemBuilder& builder, const Selection& selection)
      : builder_(builder), menus_(builder.menus()), selection_(selection), used_(builder.rows().size(), 0.0) {
    for (std::size_t row = 0; row < used_.size(); ++row) {
      for (std::size_t i = 0; i < selection.size(); ++i) {
        used_[row] += builder.use(menus_.choices()[i], selection[i], row);
      }
    }
    if (builder.joint_peak()) find_peaks();
  }

  [[nodiscard]] bool fits_instead(std::size_t i, const Offer& offer) const {
    const Choice& choice = menus_.choices()[i];
    for (std::size_t row = 0; row < used_.size(); ++row) {
      const double used =
          used_[row] - builder_.use(choice, selection_[i], row) + builder_.use(choice, offer, row);
      if (!ilp::holds(used, capacity_of(builder_.rows()[row]))) return false;
    }
    return !builder_.joint_peak() || ilp::holds(peak_with(i, offer), capacity_of(*builder_.joint_peak()));
  }

 private:
  // What is largest on one processor, whose it is, and what is largest without that one.
  struct Peak {
    double largest = 0.0, second = 0.0;
    std::size_t choice = 0;
  };

  [[nodiscard]] double power(std::size_t i, const Offer& offer, std::size_t processor) const {
    return menus_.choices()[i].costs->of(offer.variant).power_by_processor[processor]->value();
  }

  void find_peaks() {
    peaks_.resize(menus_.snapshot().processors.size());
    for (std::size_t i = 0; i < selection_.size(); ++i) {
      if (selection_[i].off()) continue;
      for (std::size_t p = 0; p < peaks_.size(); ++p) {
        Peak& peak = peaks_[p];
        const double watts = power(i, selection_[i], p);
        if (watts > peak.largest) {
          peak = {watts, peak.largest, i};
        } else {
          peak.second = std::max(peak.second, watts);
        }
      }
    }
  }

  [[nodiscard]] double peak_with(std::size_t i, const Offer& offer) const {
    double total = 0.0;
    for (std::size_t p = 0; p < peaks_.size(); ++p) {
      const double others = peaks_[p].choice == i ? peaks_[p].second : peaks_[p].largest;
      total += offer.off() ? others : std::max(others, power(i, offer, p));
    }
    return total;
  }

  const ProblemBuilder& builder_;
  const Menus& menus_;
  const Selection& selection_;
  std::vector<double> used_;  // per row
  std::vector<Peak> peaks_;   // per processor; empty without a joint peak
};

// True when the variant has every measure of the tables that rows and levels look at.
bool comparable(const CostTable& costs, std::size_t variant, std::size_t usable) {
  return (costs.has_energy(variant) || !costs.has_energy(usable)) &&
         (costs.has_memory(variant) || !costs.has_memory(usable));
}
// Likewise of the measures that are not in the tables.
bool wholly_comparable(const VariantCost& cost, const VariantCost& usable) {
  const auto power_known = [](const VariantCost& of) {
    return std::all_of(of.power_by_processor.begin(), of.power_by_processor.end(),
                       [](const std::optional<Watts>& watts) { return watts.has_value(); });
  };
  const auto device_memory_known = [](const VariantCost& of) {
    return std::all_of(of.device_memory.begin(), of.device_memory.end(),
                       [](const std::optional<Bytes>& bytes) { return bytes.has_value(); });
  };
  return (device_memory_known(cost) || !device_memory_known(usable)) &&
         (power_known(cost) || !power_known(usable));
}

}  // namespace

std::vector<Reason> explain_filters(const ProblemBuilder& builder, const Selection& selection,
                                    const Solve& solve) {
  const Menus& menus = builder.menus();
  const bool any_removed =
      std::any_of(menus.choices().begin(), menus.choices().end(),
                  [&](const Choice& choice) { return !menus.filtered()[choice.task].removed.empty(); });
  if (!any_removed) return {};
  const Room room(builder, selection);
  double total = 0.0;
  for (std::size_t i = 0; i < selection.size(); ++i) {
    total += builder.value(menus.choices()[i], selection[i]);
  }
  std::vector<Reason> reasons;
  for (std::size_t i = 0; i < selection.size(); ++i) {
    const Choice& choice = menus.choices()[i];
    const std::vector<Removed>& all_removed = menus.filtered()[choice.task].removed;
    if (selection[i].off() || all_removed.empty()) continue;
    if (solve.stopped(all_removed.size())) {
      reasons.push_back({"", "no time was left to look at what every filter keeps out"});
      break;
    }
    const Task& task = menus.snapshot().tasks[choice.task];
    const double kept = builder.value(choice, selection[i]);
    std::set<Filter> told;
    for (const Removed& removed : all_removed) {
      const bool cannot_run = removed.filter == Filter::excluded || removed.filter == Filter::processor;
      const Offer other{removed.variant, selection[i].rate};
      if (cannot_run || told.contains(removed.filter) ||
          !comparable(*choice.costs, removed.variant, choice.usable.front()) ||
          !menus.above_time_floor(choice, removed.variant, other.rate)) {
        continue;
      }
      const double gained = builder.value(choice, other) - kept;
      if (gained <= 0.0 || ilp::equal_value(total + gained, total) ||
          !wholly_comparable(choice.costs->of(removed.variant), choice.costs->of(choice.usable.front())) ||
          !room.fits_instead(i, other)) {
        continue;
      }
      told.insert(removed.filter);
      reasons.push_back({task.id.str(), std::string(to_string(removed.filter)) + " keeps out " +
                                            quoted(task.profiles->variants[removed.variant].id.str()) +
                                            ", which would fit and be better"});
    }
  }
  return reasons;
}

}  // namespace saccade::scheduler
