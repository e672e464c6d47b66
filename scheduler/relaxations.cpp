#include "scheduler/relaxations.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "ilp/choice_solver.hpp"
#include "scheduler/accuracy_floor.hpp"
#include "scheduler/text.hpp"

namespace saccade::scheduler {
namespace {

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

constexpr std::size_t kMostRelaxedTasks = 20;  // beyond, only limits are asked about: a solve per task
constexpr double kMostRates = 1000.0;          // of one task

class RelaxationSearch {
 public:
  RelaxationSearch(const ProblemBuilder& builder, const Rates& rates, const Solve& solve)
      : builder_(builder),
        menus_(builder.menus()),
        rates_(rates),
        solve_(solve),
        base_(builder.feasibility(offers_at(menus_.menu(rates), rates))),
        all_considered_(!menus_.menu_depends_on_rates() || rates == menus_.demanded()) {}

  std::vector<Relaxation> run() {
    const std::vector<double> least =
        least_use(builder_.feasibility(offers_at(menus_.widest_menu(), rates_)));
    for (std::size_t row = 0; row < least.size() && !stopped(); ++row) relax_row(row, least[row]);
    if (builder_.joint_peak() && !stopped()) relax_peak(*builder_.joint_peak());
    const std::size_t tasks = menus_.choices().size();
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
    const Row& row = builder_.rows()[index];
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
    Snapshot snapshot = menus_.snapshot();
    Task& task = snapshot.tasks[menus_.choices()[choice].task];
    if (!(task.*floor.field) || rates_[choice] <= Fps(0.0)) return;
    const double asked = *(task.*floor.field);
    (task.*floor.field).reset();
    const Menus relaxed(snapshot);
    if (std::any_of(relaxed.filtered().begin(), relaxed.filtered().end(),
                    [](const Filtered& filtered) { return !filtered.unmeasured.empty(); })) {
      return;  // the floor also hides what was not measured
    }
    const Menu menu = relaxed.menu(rates_);
    ilp::ChoiceProblem problem = ProblemBuilder(relaxed).feasibility(offers_at(menu, rates_));
    const auto measure = [&](std::size_t option) {
      return relaxed.choices()[choice].costs->of(menu[choice][option]).*floor.measure;
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
    const Choice& of = menus_.choices()[choice];
    const Task& task = menus_.snapshot().tasks[of.task];
    const bool at_demand = rates_[choice] == task.demand;
    if (rates_[choice] <= Fps(0.0) || (!at_demand && rates_[choice] > task.min_fps)) return;
    const bool by_demand = rates_ == menus_.demanded();
    Offers offers = offers_at(builder_.leanest(menus_.menu(rates_)), rates_);
    offers[choice].clear();
    const Fps step(std::max(1.0, std::ceil(rates_[choice].value() / kMostRates)));
    for (Fps rate = rates_[choice] - step; rate > Fps(0.0); rate -= step) {
      for (const std::size_t variant : of.front) {
        // Less demand is protected less by min_time_share; a lower min_fps leaves that floor as it is.
        if (by_demand || menus_.above_time_floor(of, variant, rate)) {
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
    // With less demand variants may be quick enough that are not among the offers.
    const bool is_least = proven(result) && task.min_time_share == 0.0 && !(by_demand && task.max_latency);
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
    const Choice& of = menus_.choices()[choice];
    const Task& task = menus_.snapshot().tasks[of.task];
    if (!(task.min_time_share > 0.0) || rates_ == menus_.demanded()) return;
    const Fps least = std::min(task.min_fps, task.demand);
    Offers offers = offers_at(builder_.leanest(menus_.menu(rates_)), rates_);
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
      return offer.off() ? 0.0 : of.costs->total_time(offer.variant) * offer.rate;
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
    ilp::ChoiceProblem problem = builder_.feasibility(offers);
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

  const ProblemBuilder& builder_;
  const Menus& menus_;
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
  const Menus menus(snapshot, Stop(limits.stop));
  if (menus.stopped()) return std::nullopt;
  const ProblemBuilder builder(menus);
  const Rates demanded = menus.demanded();
  const Solve solve(solver, {.stop = limits.stop, .max_nodes = limits.max_nodes});
  const Offers offers = offers_at(builder.leanest(menus.menu(demanded)), demanded);
  switch (solve(builder.feasibility(offers), {}).verdict) {
    case ilp::Verdict::optimal:
    case ilp::Verdict::feasible:
      return std::vector<Relaxation>{};
    case ilp::Verdict::infeasible:
      return find_relaxations(builder, demanded, solve);
    case ilp::Verdict::unknown:
      break;
  }
  return std::nullopt;
}

std::vector<Relaxation> find_relaxations(const ProblemBuilder& builder, const Rates& rates,
                                         const Solve& solve) {
  return RelaxationSearch(builder, rates, solve).run();
}

}  // namespace saccade::scheduler
