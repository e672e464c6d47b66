#include "scheduler/explain.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "ilp/choice_solver.hpp"
#include "scheduler/text.hpp"

namespace saccade::scheduler {
namespace {

using FloorOf = std::optional<double> Task::*;

struct AccuracyFloor {
  const char* name;
  FloorOf field;
  double VariantCost::*measure;
};
constexpr AccuracyFloor kAccuracyFloors[] = {
    {"min_accuracy", &Task::min_accuracy, &VariantCost::accuracy},
    {"min_relative_accuracy", &Task::min_relative_accuracy, &VariantCost::relative_accuracy},
};

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

std::string needed_of_allowed(const Row& row, double needed) {
  return amount(row.resource, needed) + " needed, " + amount(row.resource, row.allowed) + " allowed";
}

double largest_total(const ilp::ChoiceProblem& problem, std::size_t row) {
  double total = 0.0;
  for (const ilp::Group& group : problem.groups) {
    double largest = 0.0;
    for (const ilp::Option& option : group.options) largest = std::max(largest, option.use[row]);
    total += largest;
  }
  return total;
}

template <class Value>
void set_single_level(ilp::ChoiceProblem& problem, Value value) {
  problem.level_count = 1;
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    for (std::size_t option = 0; option < problem.groups[group].options.size(); ++option) {
      problem.groups[group].options[option].levels = {value(group, option)};
    }
  }
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
      reasons.push_back({task.id.str(), "off: no variant passes its limits (" +
                                            describe_removed(filtered[i]) + ")" +
                                            floor_that_would_do(snapshot, task)});
    }
  }
  return reasons;
}

std::vector<FilterTrace> trace_filters(const Formulation& formulation, const Menu& menu, const Rates& rates) {
  const Snapshot& snapshot = formulation.snapshot();
  std::vector<FilterTrace> traces;
  traces.reserve(snapshot.tasks.size());
  for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
    traces.push_back({.task = snapshot.tasks[i].id,
                      .all = snapshot.tasks[i].profiles->variants.size(),
                      .removed = count_removed(formulation.filtered()[i]),
                      .considered = 0});
  }
  for (std::size_t i = 0; i < formulation.choices().size(); ++i) {
    const Choice& choice = formulation.choices()[i];
    if (rates[i] <= Fps(0.0)) continue;
    FilterTrace& trace = traces[choice.task];
    const auto below = static_cast<std::size_t>(std::count_if(
        choice.usable.begin(), choice.usable.end(),
        [&](std::size_t variant) { return !formulation.above_time_floor(choice, variant, rates[i]); }));
    const std::size_t dominated = choice.usable.size() - below - menu[i].size();
    if (below > 0) trace.removed.emplace_back("min_time_share", below);
    if (dominated > 0) {
      trace.removed.emplace_back("pareto:" + std::string(pareto::to_string(snapshot.selection)), dominated);
    }
    trace.considered = menu[i].size();
  }
  return traces;
}

std::vector<std::string> culprits(const Formulation& formulation, const Rates& rates) {
  const ilp::ChoiceProblem problem =
      formulation.feasibility(Formulation::offers(formulation.menu(rates), rates));
  const std::vector<double> least = least_use(problem);
  std::vector<std::string> names;
  for (std::size_t row = 0; row < least.size(); ++row) {
    if (!ilp::holds(least[row], problem.capacities[row])) names.push_back(formulation.rows()[row].name);
  }
  return names;
}

namespace {

// Whether another offer would fit in the place of one that is selected.
class Room {
 public:
  Room(const Formulation& formulation, const Selection& selection)
      : formulation_(formulation), selection_(selection), used_(formulation.rows().size(), 0.0) {
    for (std::size_t row = 0; row < used_.size(); ++row) {
      for (std::size_t i = 0; i < selection.size(); ++i) {
        used_[row] += formulation.use(formulation.choices()[i], selection[i], row);
      }
    }
    if (formulation.joint_peak()) find_peaks();
  }

  [[nodiscard]] bool fits_instead(std::size_t i, const Offer& offer) const {
    const Choice& choice = formulation_.choices()[i];
    for (std::size_t row = 0; row < used_.size(); ++row) {
      const double used =
          used_[row] - formulation_.use(choice, selection_[i], row) + formulation_.use(choice, offer, row);
      if (!ilp::holds(used, capacity_of(formulation_.rows()[row]))) return false;
    }
    return !formulation_.joint_peak() ||
           ilp::holds(peak_with(i, offer), capacity_of(*formulation_.joint_peak()));
  }

 private:
  // What is largest on one processor, whose it is, and what is largest without that one.
  struct Peak {
    double largest = 0.0, second = 0.0;
    std::size_t choice = 0;
  };

  [[nodiscard]] double power(std::size_t i, const Offer& offer, std::size_t processor) const {
    return formulation_.choices()[i].costs[offer.variant].power_by_processor[processor]->value();
  }

  void find_peaks() {
    peaks_.resize(formulation_.snapshot().processors.size());
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

  const Formulation& formulation_;
  const Selection& selection_;
  std::vector<double> used_;  // per row
  std::vector<Peak> peaks_;   // per processor; empty without a joint peak
};

// True when the variant has every measure that rows and levels look at.
bool comparable(const VariantCost& cost, const VariantCost& usable) {
  const auto power_known = [](const VariantCost& of) {
    return std::all_of(of.power_by_processor.begin(), of.power_by_processor.end(),
                       [](const std::optional<Watts>& watts) { return watts.has_value(); });
  };
  return (cost.energy || !usable.energy) && (cost.memory || !usable.memory) &&
         (power_known(cost) || !power_known(usable));
}

}  // namespace

std::vector<Reason> explain_filters(const Formulation& formulation, const Selection& selection,
                                    const Solve& solve) {
  const Room room(formulation, selection);
  double total = 0.0;
  for (std::size_t i = 0; i < selection.size(); ++i) {
    total += formulation.value(formulation.choices()[i], selection[i]);
  }
  std::vector<Reason> reasons;
  for (std::size_t i = 0; i < selection.size(); ++i) {
    const Choice& choice = formulation.choices()[i];
    const std::vector<Removed>& all_removed = formulation.filtered()[choice.task].removed;
    if (selection[i].off() || all_removed.empty()) continue;
    if (solve.stopped(all_removed.size())) {
      reasons.push_back({"", "no time was left to look at what every filter keeps out"});
      break;
    }
    const Task& task = formulation.snapshot().tasks[choice.task];
    const double kept = formulation.value(choice, selection[i]);
    std::set<Filter> told;
    for (const Removed& removed : all_removed) {
      const bool cannot_run = removed.filter == Filter::excluded || removed.filter == Filter::processor;
      const Offer other{removed.variant, selection[i].rate};
      if (cannot_run || told.contains(removed.filter) ||
          !comparable(choice.costs[removed.variant], choice.costs[choice.usable.front()]) ||
          !formulation.above_time_floor(choice, removed.variant, other.rate)) {
        continue;
      }
      const double gained = formulation.value(choice, other) - kept;
      if (gained <= 0.0 || ilp::equal_value(total + gained, total) || !room.fits_instead(i, other)) continue;
      told.insert(removed.filter);
      reasons.push_back({task.id.str(), std::string(to_string(removed.filter)) + " keeps out " +
                                            quoted(task.profiles->variants[removed.variant].id.str()) +
                                            ", which would fit and be better"});
    }
  }
  return reasons;
}

namespace {

constexpr std::size_t kMostRelaxedTasks = 20;  // beyond, only limits are asked about: a solve per task
constexpr double kMostRates = 1000.0;          // of one task

class RelaxationSearch {
 public:
  RelaxationSearch(const Formulation& formulation, const Rates& rates, const Solve& solve)
      : formulation_(formulation),
        rates_(rates),
        solve_(solve),
        base_(formulation.feasibility(Formulation::offers(formulation.menu(rates), rates))),
        all_considered_(!formulation.menu_depends_on_rates() || rates == formulation.demanded()) {}

  std::vector<Relaxation> run() {
    const std::vector<double> least =
        least_use(formulation_.feasibility(Formulation::offers(formulation_.widest_menu(), rates_)));
    for (std::size_t row = 0; row < least.size() && !stopped(); ++row) relax_row(row, least[row]);
    if (formulation_.joint_peak() && !stopped()) relax_peak(*formulation_.joint_peak());
    const std::size_t tasks = formulation_.choices().size();
    for (std::size_t i = 0; i < tasks && tasks <= kMostRelaxedTasks && !stopped(); ++i) {
      for (const AccuracyFloor& floor : kAccuracyFloors) relax_floor(i, floor);
      relax_rate(i);
      relax_time_share(i);
    }
    if (!one_is_enough_) {
      Relaxation combined;
      combined.resource = "combined";
      combined.what = "no single limit or floor was found that is enough by itself";
      found_.push_back(std::move(combined));
    }
    return std::move(found_);
  }

 private:
  // Asked before a question over all offers.
  [[nodiscard]] bool stopped() const {
    std::size_t offers = 0;
    for (const ilp::Group& group : base_.groups) offers += group.options.size();
    return solve_.stopped(offers);
  }

  void relax_row(std::size_t index, double least) {
    const Row& row = formulation_.rows()[index];
    ilp::ChoiceProblem problem = base_;
    problem.capacities[index] = largest_total(problem, index);
    set_single_level(problem, [&](std::size_t group, std::size_t option) {
      return -base_.groups[group].options[option].use[index];
    });
    const ilp::ChoiceResult result = solve_(problem, {});
    if (!result.picks.empty()) {
      const double needed = row.idle + result.evaluation.used[index];
      enough(row.name, needed_of_allowed(row, needed), proven(result), needed, row.allowed);
    } else if (!ilp::holds(least, base_.capacities[index])) {
      found_.push_back({.resource = row.name,
                        .what = "at least " + needed_of_allowed(row, row.idle + least) + "; not enough alone",
                        .proven = true,
                        .enough = false,
                        .needed = row.idle + least,
                        .allowed = row.allowed});
    }
  }

  void relax_peak(const Row& row) {
    ilp::ChoiceProblem problem = base_;
    problem.peak_count = 0;
    problem.peak_capacity.reset();
    set_single_level(problem, [&](std::size_t group, std::size_t option) {
      double total = 0.0;
      for (const double watts : base_.groups[group].options[option].peak) total -= watts;
      return total;
    });
    for (ilp::Group& group : problem.groups) {
      for (ilp::Option& option : group.options) option.peak.clear();
    }
    const ilp::ChoiceResult result = solve_(problem, {});
    if (result.picks.empty()) return;
    const double needed = row.idle + ilp::evaluate(base_, result.picks).peak;
    enough(row.name, "with " + needed_of_allowed(row, needed), false, needed, row.allowed);
  }

  void relax_floor(std::size_t choice, const AccuracyFloor& floor) {
    Snapshot snapshot = formulation_.snapshot();
    Task& task = snapshot.tasks[formulation_.choices()[choice].task];
    if (!(task.*floor.field) || rates_[choice] <= Fps(0.0)) return;
    const double asked = *(task.*floor.field);
    (task.*floor.field).reset();
    const Formulation relaxed(snapshot);
    if (std::any_of(relaxed.filtered().begin(), relaxed.filtered().end(),
                    [](const Filtered& filtered) { return !filtered.unmeasured.empty(); })) {
      return;  // the floor also hides what was not measured
    }
    const Menu menu = relaxed.menu(rates_);
    ilp::ChoiceProblem problem = relaxed.feasibility(Formulation::offers(menu, rates_));
    const auto measure = [&](std::size_t option) {
      return relaxed.choices()[choice].costs[menu[choice][option]].*floor.measure;
    };
    set_single_level(problem, [&](std::size_t group, std::size_t option) {
      return group == choice ? measure(option) : 0.0;
    });
    const ilp::ChoiceResult result = solve_(problem, {});
    if (result.picks.empty()) return;
    const double reached = measure(result.picks[choice]);
    enough(std::string(floor.name) + ":" + task.id.str(),
           std::string(floor.name) + " of " + quoted(task.id.str()) + " from " + number(asked) + " to " +
               number(reached),
           proven(result), reached, asked);
  }

  // The highest rate of one task, the others staying where they are, with which everything fits: less
  // demand where nothing was lowered yet, else a lower min_fps.
  void relax_rate(std::size_t choice) {
    const Choice& of = formulation_.choices()[choice];
    const Task& task = formulation_.snapshot().tasks[of.task];
    const bool at_demand = rates_[choice] == task.demand;
    if (rates_[choice] <= Fps(0.0) || (!at_demand && rates_[choice] > task.min_fps)) return;
    const bool by_demand = rates_ == formulation_.demanded();
    Offers offers = Formulation::offers(formulation_.leanest(formulation_.menu(rates_)), rates_);
    offers[choice].clear();
    const Fps step(std::max(1.0, std::ceil(rates_[choice].value() / kMostRates)));
    for (Fps rate = rates_[choice] - step; rate > Fps(0.0); rate -= step) {
      for (const std::size_t variant : of.front) {
        // Less demand is protected less by min_time_share; a lower min_fps leaves that floor as it is.
        if (by_demand || formulation_.above_time_floor(of, variant, rate)) {
          offers[choice].push_back({variant, rate});
        }
      }
    }
    if (by_demand || task.min_time_share == 0.0) offers[choice].push_back({});
    const ilp::ChoiceResult result = best_of(choice, offers, [](const Offer& o) { return o.rate.value(); });
    if (result.picks.empty()) return;
    const double reached = offers[choice][result.picks[choice]].rate.value();
    const std::string name = quoted(task.id.str());
    const std::string off = reached > 0.0 ? "" : ", which switches it off";
    const bool is_least = proven(result) && task.min_time_share == 0.0;
    if (by_demand) {
      enough("fps:" + task.id.str(),
             name + " at " + number(reached) + " frames/s instead of " + number(task.demand.value()) + off,
             is_least, reached, task.demand.value());
    } else {
      enough("min_fps:" + task.id.str(),
             "min_fps of " + name + " from " + number(task.min_fps.value()) + " to " + number(reached) + off,
             is_least, reached, task.min_fps.value());
    }
  }

  // The highest min_time_share of one task, between its min_fps and its rate now, with which everything
  // fits. Only rates of the grid are looked at.
  void relax_time_share(std::size_t choice) {
    const Choice& of = formulation_.choices()[choice];
    const Task& task = formulation_.snapshot().tasks[of.task];
    if (!(task.min_time_share > 0.0) || rates_ == formulation_.demanded()) return;
    const Fps least = std::min(task.min_fps, task.demand);
    Offers offers = Formulation::offers(formulation_.leanest(formulation_.menu(rates_)), rates_);
    offers[choice].clear();
    const Fps step(std::max(1.0, std::ceil((rates_[choice] - least).value() / kMostRates)));
    const Fps first(task.demand.value() - std::ceil((task.demand - rates_[choice]).value()));
    for (Fps rate = first; rate > least; rate -= step) {
      for (const std::size_t variant : of.front) offers[choice].push_back({variant, rate});
    }
    for (const std::size_t variant : of.front) {
      if (least > Fps(0.0)) offers[choice].push_back({variant, least});
    }
    if (least <= Fps(0.0)) offers[choice].push_back({});
    const auto share = [&](const Offer& offer) {
      return offer.off() ? 0.0 : of.costs[offer.variant].total_time() * offer.rate;
    };
    const ilp::ChoiceResult result = best_of(choice, offers, share);
    if (result.picks.empty()) return;
    const double reached = share(offers[choice][result.picks[choice]]);
    if (reached >= task.min_time_share) return;
    enough("min_time_share:" + task.id.str(),
           "min_time_share of " + quoted(task.id.str()) + " from " + number(task.min_time_share) + " to " +
               number(reached),
           false, reached, task.min_time_share);
  }

  // The selection with the highest measure of one choice's offer.
  template <class Measure>
  [[nodiscard]] ilp::ChoiceResult best_of(std::size_t choice, const Offers& offers,
                                          const Measure& measure) const {
    ilp::ChoiceProblem problem = formulation_.feasibility(offers);
    set_single_level(problem, [&](std::size_t group, std::size_t option) {
      return group == choice ? measure(offers[group][option]) : 0.0;
    });
    return solve_(problem, {});
  }

  [[nodiscard]] bool proven(const ilp::ChoiceResult& result) const {
    return result.verdict == ilp::Verdict::optimal && all_considered_;
  }

  void enough(std::string resource, std::string what, bool proven, double needed, double allowed) {
    one_is_enough_ = true;
    found_.push_back({.resource = std::move(resource),
                      .what = std::move(what),
                      .proven = proven,
                      .enough = true,
                      .needed = needed,
                      .allowed = allowed});
  }

  const Formulation& formulation_;
  const Rates& rates_;
  const Solve& solve_;
  const ilp::ChoiceProblem base_;
  const bool all_considered_;  // no variant is kept out by the rates
  bool one_is_enough_ = false;
  std::vector<Relaxation> found_;
};

}  // namespace

std::optional<std::vector<Relaxation>> fit_whole_demand(const Snapshot& snapshot,
                                                        const ilp::ChoiceSolver& solver,
                                                        const DecideLimits& limits) {
  if (!validate(snapshot).empty()) return std::vector<Relaxation>{};
  const Formulation formulation(snapshot, Stop(limits.stop));
  if (formulation.stopped()) return std::nullopt;
  const Rates demanded = formulation.demanded();
  const Solve solve(solver, {.stop = limits.stop, .max_nodes = limits.max_nodes});
  const Offers offers = Formulation::offers(formulation.leanest(formulation.menu(demanded)), demanded);
  switch (solve(formulation.feasibility(offers), {}).verdict) {
    case ilp::Verdict::optimal:
    case ilp::Verdict::feasible:
      return std::vector<Relaxation>{};
    case ilp::Verdict::infeasible:
      return find_relaxations(formulation, demanded, solve);
    case ilp::Verdict::unknown:
      break;
  }
  return std::nullopt;
}

std::vector<Relaxation> find_relaxations(const Formulation& formulation, const Rates& rates,
                                         const Solve& solve) {
  return RelaxationSearch(formulation, rates, solve).run();
}

}  // namespace saccade::scheduler
