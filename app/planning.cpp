#include "app/planning.hpp"

#include <ostream>
#include <utility>

#include "app/config.hpp"
#include "app/exit_codes.hpp"
#include "app/output.hpp"
#include "app/plan_json.hpp"
#include "app/solvers.hpp"
#include "app/what_if.hpp"
#include "base/clock.hpp"
#include "profiles/strict_json.hpp"
#include "scheduler/explain.hpp"
#include "scheduler/relaxations.hpp"

namespace saccade::app {
namespace {

scheduler::Snapshot state_at(const runtime::RunConfig& run, Duration moment) {
  std::size_t i = 0;
  while (i + 1 < run.timeline.size() && run.timeline[i + 1].at <= moment) ++i;
  return run.timeline[i].snapshot;
}

int tell(const Errors& errors, std::ostream& err) {
  print_errors(errors, err);
  return kExitConfig;
}

// Runs `work` with limits that end when the configuration's deadline has passed.
template <class Work>
auto within_deadline(const runtime::RunConfig& run, const Clock& clock, const Work& work) {
  const TimePoint end = clock.now() + to_duration(run.solver_deadline);
  scheduler::DecideLimits limits;
  limits.stop = [&clock, end] { return clock.now() >= end; };
  return work(limits);
}

}  // namespace

std::vector<OptionSpec> planning_options() {
  return {{"at", "SECONDS", "the moment on the timeline (default: before it)"},
          {"running", "FILE", "what runs now: the output of an earlier `saccade plan --json`"},
          {"set", "PATH=VALUE",
           "what if: tasks.ID.KEY=VALUE, limits.KEY=VALUE, objective=NAME, ...; may be repeated", true},
          {"policy", "NAME", "transprecision, fair_fps, fair_time or greedy instead of the configuration's"},
          {"objective", "NAME", "max_accuracy, min_energy or min_memory instead of the configuration's"}};
}

std::variant<Moment, int> read_moment(const std::string& verb, const Invocation& call, std::ostream& err) {
  Duration at(0);
  if (const auto text = call.value("at")) {
    constexpr double kLongestSeconds = 1e9;
    const std::optional<double> seconds = number_from(*text, 0.0);
    if (!seconds || *seconds > kLongestSeconds) {
      return usage_error(verb, "--at takes seconds from 0 to 1e9, not " + profiles::in_quotes(*text), err);
    }
    at = to_duration(Seconds(*seconds));
  }
  Moment moment;
  std::optional<scheduler::PolicyKind> policy;
  if (const auto name = call.value("policy")) {
    policy = scheduler::policy_from(*name);
    if (!policy) return usage_error(verb, "there is no policy " + profiles::in_quotes(*name), err);
  }
  std::optional<scheduler::Objective> objective;
  if (const auto name = call.value("objective")) {
    objective = scheduler::objective_from(*name);
    if (!objective) return usage_error(verb, "there is no objective " + profiles::in_quotes(*name), err);
  }

  Result<LoadedConfig> config = read_config(call.arguments()[0]);
  if (!config) return tell(config.errors(), err);
  const double fps_scale = config.value().fps_scale;
  moment.run = std::move(config).value().run;
  moment.policy = policy.value_or(moment.run.policy);
  moment.solver = make_solver(moment.run.solver);
  moment.snapshot = state_at(moment.run, at);
  if (objective) {
    moment.snapshot.objective = *objective;
    const Errors errors = scheduler::validate(moment.snapshot);
    if (!errors.empty()) return tell(errors, err);
  }
  if (const auto running = call.value("running")) {
    const Status applied = apply_running(*running, moment.snapshot);
    if (!applied) return tell(applied.errors(), err);
  }
  if (const std::vector<std::string> settings = call.values("set"); !settings.empty()) {
    moment.before = moment.snapshot;
    const Status applied = apply_settings(settings, fps_scale, moment.snapshot);
    if (!applied) return tell(applied.errors(), err);
  }
  return moment;
}

Decided decide_once(const Moment& moment, const scheduler::Snapshot& snapshot) {
  const auto policy = scheduler::make_policy(moment.policy, *moment.solver);
  const SteadyClock clock;
  return within_deadline(moment.run, clock, [&](const scheduler::DecideLimits& limits) {
    const TimePoint begun = clock.now();
    Decided decided{policy->decide(snapshot, limits), Seconds(0.0)};
    decided.took = Seconds(std::chrono::duration<double>(clock.now() - begun).count());
    return decided;
  });
}

std::optional<std::vector<scheduler::Relaxation>> fit_whole_demand_of(const Moment& moment) {
  const SteadyClock clock;
  return within_deadline(moment.run, clock, [&](const scheduler::DecideLimits& limits) {
    return scheduler::fit_whole_demand(moment.snapshot, *moment.solver, limits);
  });
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

}  // namespace saccade::app
