#include "scheduler/transprecision.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "scheduler/degradation.hpp"
#include "scheduler/exact_degradation.hpp"
#include "scheduler/explain.hpp"
#include "scheduler/heuristics.hpp"
#include "scheduler/problem_builder.hpp"
#include "scheduler/relaxations.hpp"
#include "scheduler/text.hpp"

namespace saccade::scheduler {
namespace {

// Up to so many tasks every plan is proven to the end; beyond, DecideLimits::gap is enough.
constexpr std::size_t kAlwaysProven = 20;

class Decision {
 public:
  Decision(const Snapshot& snapshot, const ilp::ChoiceSolver& solver, const DecideLimits& limits, Plan& plan)
      : snapshot_(snapshot),
        plan_(plan),
        menus_(Menus::checked(snapshot, Stop(limits.stop))),
        builder_(menus_),
        solve_(solver, {.stop = limits.stop, .max_nodes = limits.max_nodes}) {
    gap_ = menus_.choices().size() <= kAlwaysProven ? ilp::kTolerance : std::max(ilp::kTolerance, limits.gap);
  }

  void run() {
    plan_with_what_fits();
    plan_.solver_calls = solve_.calls();
  }

 private:
  void plan_with_what_fits() {
    if (menus_.stopped() || !menus_.sound()) {
      if (!refuse_invalid(validate_form(snapshot_), plan_)) unknown();
      return;
    }
    if (refuse_invalid(validate_measures(snapshot_, menus_.filtered()), plan_)) return;
    plan_.reasons = explain_off(snapshot_, menus_.filtered());
    const Rates demanded = menus_.demanded();
    if (menus_.choices().empty()) {
      nothing_to_choose();
      return;
    }
    const Solved at_demand = solve_at(demanded);
    if (at_demand.result.verdict != ilp::Verdict::infeasible) {
      plan_.loss_gap = 0.0;
      conclude(at_demand);
      return;
    }
    if (snapshot_.degrade == Degrade::refuse) {
      infeasible(demanded, "the limits conflict at the demanded rates, and nothing may be lowered");
    } else {
      degrade(at_demand.result.conflict);
    }
  }

  struct Solved {
    Offers offers;
    ilp::ChoiceResult result;
  };

  void nothing_to_choose() {
    plan_.considered = trace_filters(menus_, {});
    account(snapshot_, plan_);
    plan_.loss_gap = 0.0;
    plan_.status = plan_.loss.empty() ? PlanStatus::optimal : PlanStatus::degraded;
  }

  // ---- the choice among offers

  [[nodiscard]] Solved solve_at(const Rates& rates) const {
    return choose(offers_at(menus_, rates), {}, std::nullopt);
  }

  [[nodiscard]] bool pinned(std::size_t choice) const {
    const Task& task = snapshot_.tasks[menus_.choices()[choice].task];
    return task.running && task.since_switch && *task.since_switch < snapshot_.min_dwell;
  }

  // The best selection; tasks that min_dwell holds keep their variant if that costs nothing else.
  [[nodiscard]] Solved choose(Offers offers, const std::vector<LossCap>& caps,
                              const std::optional<Selection>& start) const {
    std::size_t first = 0;
    while (first < offers.size() && !pinned(first)) ++first;
    if (first == offers.size()) return solve_with(std::move(offers), caps, start);
    Offers held = offers;
    bool any_held = false;
    for (std::size_t i = first; i < offers.size(); ++i) {
      if (!pinned(i)) continue;
      const std::size_t running = *snapshot_.tasks[menus_.choices()[i].task].running;
      std::erase_if(held[i], [&](const Offer& offer) { return offer.off() || offer.variant != running; });
      if (held[i].empty()) held[i] = offers[i];
      any_held = any_held || held[i].size() < offers[i].size();
    }
    if (!any_held) return solve_with(std::move(offers), caps, start);
    Solved with_all_held = solve_with(held, caps, start);
    if (with_all_held.result.verdict != ilp::Verdict::infeasible) return with_all_held;
    Held most = hold_most(std::move(offers), held, caps, start);
    return solve_with(std::move(most.offers), caps, most.selection ? most.selection : start);
  }

  [[nodiscard]] Solved solve_with(Offers offers, const std::vector<LossCap>& caps,
                                  const std::optional<Selection>& start) const {
    const Question question{gap_, start ? picks_of(*start, offers) : std::nullopt};
    if (caps.empty() && builder_.may_be_flat() && menus_.choices().size() > kAlwaysProven) {
      const ilp::ChoiceProblem frame = builder_.frame();
      ilp::ChoiceResult result = solve_(builder_.flat(offers, frame), question);
      return {std::move(offers), std::move(result)};
    }
    ilp::ChoiceProblem problem = builder_.problem(offers);
    cap_losses(menus_, offers, caps, problem);
    ilp::ChoiceResult result = solve_(problem, question);
    return {std::move(offers), std::move(result)};
  }

  // The offers in which as many of the held tasks as can stay do stay; which of them, the levels decide. The
  // selection that showed it is among them.
  struct Held {
    Offers offers;
    std::optional<Selection> selection;  // absent: there was no time to find one
  };
  [[nodiscard]] Held hold_most(Offers offers, const Offers& held, const std::vector<LossCap>& caps,
                               const std::optional<Selection>& start) const {
    ilp::ChoiceProblem problem = builder_.problem(offers);
    cap_losses(menus_, offers, caps, problem);
    ++problem.level_count;
    const auto may_be_held = [&](std::size_t i) { return held[i].size() < offers[i].size(); };
    const auto moves = [&](std::size_t i, const Offer& offer) {
      return offer.off() || offer.variant != held[i].front().variant;
    };
    for (std::size_t i = 0; i < offers.size(); ++i) {
      for (std::size_t j = 0; j < offers[i].size(); ++j) {
        problem.groups[i].options[j].levels.push_front(may_be_held(i) && moves(i, offers[i][j]) ? -1.0 : 0.0);
      }
    }
    const ilp::ChoiceResult result =
        solve_(problem, {ilp::kTolerance, start ? picks_of(*start, offers) : std::nullopt});
    if (result.picks.empty()) return {std::move(offers), std::nullopt};
    Selection selection = taken(offers, result.picks);
    for (std::size_t i = 0; i < selection.size(); ++i) {
      if (may_be_held(i) && !moves(i, selection[i])) offers[i] = held[i];
    }
    return {std::move(offers), std::move(selection)};
  }

  // ---- lowering rates

  void degrade(const std::vector<std::size_t>& conflict) {
    conflict_at_demand_ = names_of(conflict);
    const StepLadder ladder(menus_);
    const StepSearch search = first_feasible_step(builder_, ladder, solve_);
    if (search.outcome == StepSearch::Outcome::stopped) {
      unknown();
      return;
    }
    if (search.outcome == StepSearch::Outcome::exhausted &&
        (snapshot_.degrade == Degrade::step || !menus_.menu_depends_on_rates())) {
      nothing_fits(ladder);
    } else if (snapshot_.degrade == Degrade::step) {
      lower_by_steps(ladder, search);
    } else {
      lose_least(ladder, search);
    }
  }

  void nothing_fits(const StepLadder& ladder) {
    infeasible(ladder.rates(ladder.steps()), "with every rate at its floor the limits still conflict");
  }

  void lower_by_steps(const StepLadder& ladder, const StepSearch& search) {
    if (search.outcome == StepSearch::Outcome::too_far) {
      plan_.reasons.push_back({"", "stopped early: a plan that loses less may exist"});
    }
    Solved solved = solve_at(ladder.rates(search.step));
    if (solved.result.picks.empty()) solved = as_found(search.selection);
    explain_lowered(ladder, solved);
    conclude(solved);
  }

  void lose_least(const StepLadder& ladder, const StepSearch& search) {
    std::optional<Selection> seed;
    if (search.outcome != StepSearch::Outcome::exhausted) seed = search.selection;
    const LeastLoss least = least_loss(builder_, ladder, seed, solve_);
    if (least.outcome == LeastLoss::Outcome::exhausted) {
      nothing_fits(ladder);
      return;
    }
    if (least.outcome == LeastLoss::Outcome::stopped) {
      unknown();
      return;
    }
    plan_.loss_gap = least.gap;
    frame_prices_ = least.prices;
    Solved solved = choose(least.offers, least.caps, least.selection);
    if (solved.result.picks.empty()) solved = as_found(least.selection);
    explain_lowered(ladder, solved);
    conclude(solved);
  }

  // A selection that fits, when there was no time left to look for a better one.
  [[nodiscard]] static Solved as_found(const Selection& selection) {
    Solved solved;
    for (const Offer& offer : selection) solved.offers.push_back({offer});
    solved.result.verdict = ilp::Verdict::feasible;
    solved.result.picks.assign(selection.size(), 0);
    return solved;
  }

  void explain_lowered(const StepLadder& ladder, const Solved& solved) {
    const Rates demanded = menus_.demanded();
    const std::vector<std::string> alone = culprits(builder_, demanded);
    const std::string together = conflict_at_demand_.empty() ? "the limits" : join(conflict_at_demand_);
    plan_.reasons.push_back({"", alone.empty() ? together + " conflict together at the demanded rates"
                                               : "the demanded rates do not fit: " + join(alone)});
    const Selection selection = taken(solved.offers, solved.result.picks);
    for (std::size_t i = 0; i < selection.size(); ++i) {
      const Fps rate = selection[i].rate;
      if (rate == demanded[i]) continue;
      std::string what = rate > Fps(0.0) ? "lowered" : "off: lowered";
      what += " from " + number(demanded[i].value()) + " to " + number(rate.value()) + " frames/s";
      if (rate == ladder.floor(i)) what += ", its floor";
      plan_.reasons.push_back({snapshot_.tasks[menus_.choices()[i].task].id.str(), std::move(what)});
    }
  }

  // ---- the plan

  void conclude(const Solved& solved) {
    if (solved.result.picks.empty()) {
      unknown();
      return;
    }
    const Selection selection = taken(solved.offers, solved.result.picks);
    Rates rates;
    for (std::size_t i = 0; i < selection.size(); ++i) {
      rates.push_back(selection[i].rate);
      if (!selection[i].off()) menus_.choices()[i].costs->prefetch(selection[i].variant);
    }
    plan_.considered = trace_filters(menus_, rates);
    for (std::size_t i = 0; i < selection.size(); ++i) {
      if (selection[i].off()) continue;
      Assignment& assignment = plan_.tasks[menus_.choices()[i].task];
      assignment.variant = selection[i].variant;
      assignment.granted = selection[i].rate;
    }
    VariantCost cost;
    account(snapshot_, plan_, [&](std::size_t task, std::size_t variant) -> const VariantCost& {
      cost = menus_.costs_of(task).of(variant);
      return cost;
    });
    state_quality(solved.result, selection);
    state_status();
    state_binding(solved.result);
    const std::vector<Reason> filters = explain_filters(builder_, selection, solve_);
    plan_.reasons.insert(plan_.reasons.end(), filters.begin(), filters.end());
    explain_held(solved.offers);
  }

  void state_binding(const ilp::ChoiceResult& result) {
    const std::vector<double>& prices = result.prices;
    for (std::size_t row = 0; row < builder_.rows().size(); ++row) {
      Binding binding{builder_.rows()[row].name, row < prices.size() ? prices[row] : 0.0};
      if (row < frame_prices_.size() && frame_prices_[row] > 0.0) binding.frames = frame_prices_[row];
      if (binding.price > 0.0 || binding.frames) plan_.binding.push_back(std::move(binding));
    }
    const std::optional<Row>& peak = builder_.joint_peak();
    if (peak && result.peak_price > 0.0) plan_.binding.push_back({peak->name, result.peak_price});
  }

  void state_quality(const ilp::ChoiceResult& result, const Selection& selection) {
    if (!plan_.objective_value) return;
    const double value = *plan_.objective_value;
    if (result.verdict == ilp::Verdict::optimal) {
      plan_.bound = value;
    } else if (result.bound) {
      double penalty = 0.0;
      for (std::size_t i = 0; i < selection.size(); ++i) {
        const auto running = snapshot_.tasks[menus_.choices()[i].task].running;
        if (running && !selection[i].off() && *running != selection[i].variant) {
          penalty += switch_penalty(snapshot_);
        }
      }
      const double bound = *result.bound + penalty;
      plan_.bound = plan_.objective == Objective::max_accuracy ? bound : -bound;
    }
    if (plan_.bound) plan_.gap = std::abs(value - *plan_.bound) / std::max(std::abs(value), 1e-9);
  }

  void state_status() {
    if (plan_.totals.lost > Fps(0.0)) {
      plan_.status = PlanStatus::degraded;
    } else {
      plan_.status = plan_.gap && *plan_.gap <= ilp::kTolerance ? PlanStatus::optimal : PlanStatus::feasible;
    }
  }

  void explain_held(const Offers& offers) {
    for (std::size_t i = 0; i < offers.size(); ++i) {
      const Task& task = snapshot_.tasks[menus_.choices()[i].task];
      const auto runs = [&](const Offer& offer) { return !offer.off() && offer.variant == *task.running; };
      if (pinned(i) && std::all_of(offers[i].begin(), offers[i].end(), runs)) {
        plan_.reasons.push_back({task.id.str(), "keeps its variant: min_dwell"});
      }
    }
  }

  void unknown() {
    plan_.status = PlanStatus::unknown;
    plan_.reasons.push_back({"", "stopped before a plan was found; nothing is proven"});
    account(snapshot_, plan_);
    plan_.objective_value.reset();
    plan_.loss_gap.reset();
  }

  // The rows that cannot hold together, where the solver knows them.
  [[nodiscard]] std::string conflict(const Rates& rates) const {
    const Offers offers = offers_at(menus_, rates);
    const std::vector<std::string> names = names_of(solve_(builder_.feasibility(offers), {}).conflict);
    return names.empty() ? "" : join(names) + " conflict together";
  }

  [[nodiscard]] std::vector<std::string> names_of(const std::vector<std::size_t>& rows) const {
    std::vector<std::string> names;
    for (const std::size_t row : rows) names.push_back(builder_.rows()[row].name);
    return names;
  }

  void infeasible(const Rates& rates, const std::string& why) {
    plan_.status = PlanStatus::infeasible;
    plan_.considered = trace_filters(menus_, rates);
    account(snapshot_, plan_);
    plan_.objective_value.reset();
    const std::vector<std::string> alone = culprits(builder_, rates);
    const std::string rows = alone.empty() ? conflict(rates) : join(alone);
    plan_.reasons.push_back({"", rows.empty() ? why + " together" : why + ": " + rows});
    plan_.relaxations = find_relaxations(builder_, rates, solve_);
    plan_.fallback = std::make_shared<const Plan>(fallback_plan(snapshot_));
  }

  const Snapshot& snapshot_;
  Plan& plan_;
  const Menus menus_;
  const ProblemBuilder builder_;
  const Solve solve_;
  double gap_ = ilp::kTolerance;                 // asked of the objective
  std::vector<std::string> conflict_at_demand_;  // rows that conflict only together; empty = not known
  std::vector<double> frame_prices_;             // per row; empty = nothing is lowered
};

}  // namespace

Plan Transprecision::decide(const Snapshot& snapshot, const DecideLimits& limits) const {
  Plan plan = blank_plan(snapshot, name());
  plan.within_limits = true;
  const bool valid = valid_but_for_variants(snapshot) || !refuse_invalid(validate_form(snapshot), plan);
  if (valid) Decision(snapshot, solver_, limits, plan).run();
  return plan;
}

}  // namespace saccade::scheduler
