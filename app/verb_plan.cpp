#include <ostream>

#include "app/config.hpp"
#include "app/exit_codes.hpp"
#include "app/options.hpp"
#include "app/output.hpp"
#include "app/plan_json.hpp"
#include "app/plan_table.hpp"
#include "app/verbs.hpp"
#include "base/clock.hpp"
#include "ilp/core_solver.hpp"
#include "profiles/strict_json.hpp"

namespace saccade::app {
namespace {

const CommandSpec& plan_spec() {
  static const CommandSpec spec{
      "plan",
      "CONFIG",
      "Decides once, for one moment of the configuration, which variant of each task would run at which\n"
      "rate, and says why. Nothing is loaded.",
      {{"at", "SECONDS", "the moment on the timeline (default: before it)"},
       {"running", "FILE", "what runs now: the output of an earlier `saccade plan --json`"},
       {"policy", "NAME", "transprecision, fair_fps, fair_time or greedy instead of the configuration's"},
       {"objective", "NAME", "max_accuracy, min_energy or min_memory instead of the configuration's"},
       {"json", "", "the plan as JSON"},
       {"variants-considered", "", "what each filter and the Pareto front removed"}},
      1,
      1,
      "Exit codes: 0 a plan was found, 3 infeasible, 1 the deadline passed without a plan, 78 bad "
      "configuration."};
  return spec;
}

scheduler::Snapshot state_at(const runtime::RunConfig& run, std::optional<Seconds> at) {
  const Duration moment = at ? to_duration(*at) : Duration(0);
  std::size_t i = 0;
  while (i + 1 < run.timeline.size() && run.timeline[i + 1].at <= moment) ++i;
  return run.timeline[i].snapshot;
}

int exit_code_of(scheduler::PlanStatus status) {
  switch (status) {
    case scheduler::PlanStatus::optimal:
    case scheduler::PlanStatus::feasible:
    case scheduler::PlanStatus::degraded:
      return kExitOk;
    case scheduler::PlanStatus::infeasible:
      return kExitInfeasible;
    case scheduler::PlanStatus::unknown:
      break;
  }
  return kExitFailed;
}

}  // namespace

int verb_plan(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(plan_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();

  std::optional<Seconds> at;
  if (const auto text = call.value("at")) {
    constexpr double kLongestSeconds = 1e9;
    const std::optional<double> seconds = number_from(*text, 0.0);
    if (!seconds || *seconds > kLongestSeconds) {
      return usage_error("plan", "--at takes seconds from 0 to 1e9, not " + profiles::in_quotes(*text), err);
    }
    at = Seconds(*seconds);
  }
  std::optional<scheduler::PolicyKind> policy_kind;
  if (const auto name = call.value("policy")) {
    policy_kind = scheduler::policy_from(*name);
    if (!policy_kind) return usage_error("plan", "there is no policy " + profiles::in_quotes(*name), err);
  }
  std::optional<scheduler::Objective> objective;
  if (const auto name = call.value("objective")) {
    objective = scheduler::objective_from(*name);
    if (!objective) return usage_error("plan", "there is no objective " + profiles::in_quotes(*name), err);
  }

  const std::string& path = call.arguments()[0];
  const Result<LoadedConfig> config = read_config(path);
  if (!config) {
    print_errors(config.errors(), err);
    return kExitConfig;
  }
  const runtime::RunConfig& run = config.value().run;
  scheduler::Snapshot snapshot = state_at(run, at);
  if (objective) {
    snapshot.objective = *objective;
    const Errors errors = scheduler::validate(snapshot);
    if (!errors.empty()) {
      print_errors(errors, err);
      return kExitConfig;
    }
  }
  if (const auto running = call.value("running")) {
    const Status applied = apply_running(*running, snapshot);
    if (!applied) {
      print_errors(applied.errors(), err);
      return kExitConfig;
    }
  }

  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(policy_kind.value_or(run.policy), solver);
  const SteadyClock clock;
  const Duration deadline = to_duration(run.solver_deadline);
  scheduler::DecideLimits limits;
  limits.stop = [&] { return clock.now().time_since_epoch() >= deadline; };
  const scheduler::Plan plan = policy->decide(snapshot, limits);
  const Seconds took = since_start(clock.now());

  const bool considered = call.has("variants-considered");
  if (call.has("json")) {
    out << to_json(snapshot, plan, {took, considered})
               .dump(1, ' ', false, nlohmann::json::error_handler_t::replace)
        << '\n';
  } else {
    print_plan(snapshot, plan, out);
    if (considered) {
      out << '\n';
      print_considered(plan, out);
    }
  }
  return exit_code_of(plan.status);
}

}  // namespace saccade::app
