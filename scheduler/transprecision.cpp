#include "scheduler/transprecision.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "scheduler/degradation.hpp"
#include "scheduler/explain.hpp"
#include "scheduler/formulation.hpp"
#include "scheduler/heuristics.hpp"
#include "scheduler/text.hpp"

namespace saccade::scheduler {
namespace {

class Decision {
 public:
  Decision(const Snapshot& snapshot, const ilp::ChoiceSolver& solver, const DecideLimits& limits, Plan& plan)
      : snapshot_(snapshot), plan_(plan), formulation_(snapshot) {
    solve_ = [&solver, &plan, solve_limits = ilp::SolveLimits{limits.stop, limits.max_nodes}](
                 const ilp::ChoiceProblem& problem) {
      ++plan.solver_calls;
      return solver.solve(problem, solve_limits);
    };
  }

  void run() {
    plan_.reasons = explain_off(snapshot_, formulation_.filtered());
    const Rates demanded = formulation_.demanded();
    if (formulation_.choices().empty()) {
      nothing_to_choose();
      return;
    }
    const Solved at_demand = solve_at(demanded);
    if (at_demand.result.verdict != ilp::Verdict::infeasible) {
      conclude(at_demand);
      return;
    }
    if (snapshot_.degrade == Degrade::refuse) {
      infeasible(demanded, "the limits conflict at the demanded rates, and nothing may be lowered");
    } else {
      degrade(demanded);
    }
  }

 private:
  struct Solved {
    Rates rates;
    Menu menu;
    ilp::ChoiceResult result;
  };
  using Chosen = std::vector<std::optional<std::size_t>>;  // per choice; absent = off

  void nothing_to_choose() {
    plan_.considered = trace_filters(formulation_, {}, {});
    account(snapshot_, plan_);
    plan_.loss_gap = 0.0;
    plan_.status = plan_.loss.empty() ? PlanStatus::optimal : PlanStatus::degraded;
  }

  // ---- the choice at fixed rates

  [[nodiscard]] bool pinned(std::size_t choice) const {
    const Task& task = snapshot_.tasks[formulation_.choices()[choice].task];
    return task.running && task.since_switch && *task.since_switch < snapshot_.min_dwell;
  }

  [[nodiscard]] Solved solve_at(const Rates& rates) const {
    Menu menu = formulation_.menu(rates);
    Menu held = menu;
    bool any_held = false;
    for (std::size_t i = 0; i < menu.size(); ++i) {
      const auto running = snapshot_.tasks[formulation_.choices()[i].task].running;
      if (pinned(i) && std::count(menu[i].begin(), menu[i].end(), *running) > 0) {
        held[i] = {*running};
        any_held = any_held || menu[i].size() > 1;
      }
    }
    if (!any_held) return solve_with(rates, std::move(menu));
    Solved with_all_held = solve_with(rates, held);
    if (with_all_held.result.verdict != ilp::Verdict::infeasible) return with_all_held;
    return solve_with(rates, hold_most(menu, held, rates));
  }

  [[nodiscard]] Solved solve_with(const Rates& rates, Menu menu) const {
    ilp::ChoiceResult result = solve_(formulation_.problem(menu, rates));
    return {rates, std::move(menu), std::move(result)};
  }

  // The menu in which as many of the held tasks as can stay do stay; which of them, the levels decide.
  [[nodiscard]] Menu hold_most(Menu menu, const Menu& held, const Rates& rates) const {
    ilp::ChoiceProblem problem = formulation_.problem(menu, rates);
    ++problem.level_count;
    for (std::size_t i = 0; i < menu.size(); ++i) {
      const bool may_be_held = held[i].size() < menu[i].size();
      for (std::size_t j = 0; j < menu[i].size(); ++j) {
        std::vector<double>& levels = problem.groups[i].options[j].levels;
        levels.insert(levels.begin(), may_be_held && menu[i][j] != held[i].front() ? -1.0 : 0.0);
      }
    }
    const ilp::ChoiceResult result = solve_(problem);
    for (std::size_t i = 0; i < result.picks.size(); ++i) {
      const bool stays = held[i].size() < menu[i].size() && menu[i][result.picks[i]] == held[i].front();
      if (stays) menu[i] = held[i];
    }
    return menu;
  }

  // ---- lowering rates

  void degrade(const Rates& demanded) {
    const StepLadder ladder(formulation_);
    const StepSearch search = first_feasible_step(formulation_, ladder, solve_);
    switch (search.outcome) {
      case StepSearch::Outcome::exhausted:
        infeasible(ladder.rates(ladder.steps()), "with every rate at its floor the limits still conflict");
        return;
      case StepSearch::Outcome::stopped:
        unknown();
        return;
      case StepSearch::Outcome::too_far:
        plan_.reasons.push_back({"", "stopped early: a plan that loses less may exist"});
        break;
      case StepSearch::Outcome::found:
        break;
    }
    explain_lowered(demanded, ladder, search.step);
    Solved solved = solve_at(ladder.rates(search.step));
    if (solved.result.picks.empty()) {  // stopped; what the search found still fits
      solved.menu = formulation_.menu(solved.rates);
      solved.result = {};
      solved.result.verdict = ilp::Verdict::feasible;
      solved.result.picks = search.picks;
    }
    conclude(solved);
  }

  void explain_lowered(const Rates& demanded, const StepLadder& ladder, std::uint64_t step) {
    const std::vector<std::string> alone = culprits(formulation_, demanded);
    plan_.reasons.push_back({"", alone.empty() ? "the limits conflict together at the demanded rates"
                                               : "the demanded rates do not fit: " + join(alone)});
    const Rates rates = ladder.rates(step);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (rates[i] == demanded[i]) continue;
      std::string what = rates[i] > Fps(0.0) ? "lowered" : "off: lowered";
      what += " from " + number(demanded[i].value()) + " to " + number(rates[i].value()) + " frames/s";
      if (rates[i] == ladder.floor(i)) what += ", its floor";
      plan_.reasons.push_back({snapshot_.tasks[formulation_.choices()[i].task].id.str(), std::move(what)});
    }
  }

  // ---- the plan

  void conclude(const Solved& solved) {
    plan_.considered = trace_filters(formulation_, solved.menu, solved.rates);
    if (solved.result.picks.empty()) {
      unknown();
      return;
    }
    Chosen chosen(solved.menu.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (solved.rates[i] <= Fps(0.0)) continue;  // off
      chosen[i] = solved.menu[i][solved.result.picks[i]];
      Assignment& assignment = plan_.tasks[formulation_.choices()[i].task];
      assignment.variant = chosen[i];
      assignment.granted = solved.rates[i];
    }
    account(snapshot_, plan_);
    state_quality(solved.result, chosen);
    state_status(solved);
    for (std::size_t row = 0; row < solved.result.prices.size(); ++row) {
      if (solved.result.prices[row] > 0.0) {
        plan_.binding.push_back({formulation_.rows()[row].name, solved.result.prices[row]});
      }
    }
    const std::vector<Reason> filters = explain_filters(formulation_, solved.rates, chosen);
    plan_.reasons.insert(plan_.reasons.end(), filters.begin(), filters.end());
    explain_held(solved.menu);
  }

  void state_quality(const ilp::ChoiceResult& result, const Chosen& chosen) {
    if (!plan_.objective_value) return;
    const double value = *plan_.objective_value;
    if (result.verdict == ilp::Verdict::optimal) {
      plan_.bound = value;
    } else if (result.bound) {
      double penalty = 0.0;
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const auto running = snapshot_.tasks[formulation_.choices()[i].task].running;
        if (running && chosen[i] && *running != *chosen[i]) penalty += switch_penalty(snapshot_);
      }
      const double bound = *result.bound + penalty;
      plan_.bound = plan_.objective == Objective::max_accuracy ? bound : -bound;
    }
    if (plan_.bound) plan_.gap = std::abs(value - *plan_.bound) / std::max(std::abs(value), 1e-9);
  }

  void state_status(const Solved& solved) {
    const bool lowered = solved.rates != formulation_.demanded();
    if (!lowered) plan_.loss_gap = 0.0;
    if (plan_.totals.lost > Fps(0.0)) {
      plan_.status = PlanStatus::degraded;
    } else {
      plan_.status = plan_.gap && *plan_.gap <= ilp::kTolerance ? PlanStatus::optimal : PlanStatus::feasible;
    }
  }

  void explain_held(const Menu& menu) {
    for (std::size_t i = 0; i < menu.size(); ++i) {
      const Task& task = snapshot_.tasks[formulation_.choices()[i].task];
      if (pinned(i) && menu[i].size() == 1 && menu[i].front() == *task.running) {
        plan_.reasons.push_back({task.id.str(), "keeps its variant: min_dwell"});
      }
    }
  }

  void unknown() {
    plan_.status = PlanStatus::unknown;
    plan_.reasons.push_back({"", "stopped before a plan was found; nothing is proven"});
    account(snapshot_, plan_);
    plan_.objective_value.reset();
  }

  void infeasible(const Rates& rates, const std::string& why) {
    plan_.status = PlanStatus::infeasible;
    plan_.considered = trace_filters(formulation_, formulation_.menu(rates), rates);
    account(snapshot_, plan_);
    plan_.objective_value.reset();
    const std::vector<std::string> alone = culprits(formulation_, rates);
    plan_.reasons.push_back({"", alone.empty() ? why + " together" : why + ": " + join(alone)});
    plan_.relaxations = find_relaxations(formulation_, rates, solve_);
    plan_.fallback = std::make_shared<const Plan>(fallback_plan(snapshot_));
  }

  const Snapshot& snapshot_;
  Plan& plan_;
  const Formulation formulation_;
  Solve solve_;
};

}  // namespace

Plan Transprecision::decide(const Snapshot& snapshot, const DecideLimits& limits) const {
  Plan plan = blank_plan(snapshot, name());
  if (!refuse_invalid(snapshot, plan)) Decision(snapshot, solver_, limits, plan).run();
  return plan;
}

}  // namespace saccade::scheduler
