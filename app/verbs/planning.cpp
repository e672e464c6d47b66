#include "app/verbs/planning.hpp"

#include <ostream>
#include <utility>

#include "app/report/exit_codes.hpp"
#include "app/report/output.hpp"
#include "config/config.hpp"
#include "config/rules_plan.hpp"
#include "config/solvers.hpp"
#include "config/what_if.hpp"
#include "scheduler/relaxations.hpp"
#include "service/live/live_config.hpp"
#include "service/live/plan_json.hpp"
#include "text/text_file.hpp"

namespace saccade::app {
namespace {

scheduler::Snapshot state_at(const runtime::RunConfig& run, Duration moment) {
  std::size_t i = 0;
  while (i + 1 < run.timeline.size() && run.timeline[i + 1].at <= moment) ++i;
  return run.timeline[i].snapshot;
}

Result<service::LiveConfig> read_live(const std::filesystem::path& file) {
  Result<std::string> text = text::read_text_file(file, text::JsonLimits{}.mebibytes);
  if (!text) return text.errors();
  Result<config::LoadedConfig> loaded = config::parse_config(text.value(), file.string(), file.parent_path());
  if (!loaded) return loaded.errors();
  return service::LiveConfig({std::move(text).value(), std::move(loaded).value()}, file.parent_path());
}

struct PlanningRequest {
  Duration at{0};
  std::optional<scheduler::PolicyKind> policy;
  std::optional<scheduler::Objective> objective;
};

// What the options ask for, and what is wrong with them.
PlanningRequest planning_request_of(const Invocation& call, std::vector<std::string>& wrong) {
  PlanningRequest request;
  if (const auto text = call.value("at")) {
    constexpr double kLongestSeconds = 1e9;
    const std::optional<double> seconds = number_from(*text, 0.0);
    if (seconds && *seconds <= kLongestSeconds) {
      request.at = to_duration(Seconds(*seconds));
    } else {
      wrong.push_back("--at takes seconds from 0 to 1e9, not " + text::in_quotes(*text));
    }
  }
  if (const auto name = call.value("policy")) {
    request.policy = scheduler::policy_from(*name);
    if (!request.policy) wrong.push_back("there is no policy " + text::in_quotes(*name));
  }
  if (const auto name = call.value("objective")) {
    request.objective = scheduler::objective_from(*name);
    if (!request.objective) wrong.push_back("there is no objective " + text::in_quotes(*name));
  }
  return request;
}

}  // namespace

std::vector<OptionSpec> planning_options() {
  return {
      {"at", "SECONDS", "the moment on the timeline (default: before it)"},
      {"running", "FILE", "the running plan: output of an earlier `saccade plan --json`"},
      {"set", "PATH=VALUE",
       "what if: tasks.ID.KEY=VALUE, limits.KEY=VALUE, objective=NAME, ...; may be repeated", true},
      {"rules", "RULES",
       "rules that count: none (the default), all, ids with commas between them, or worst: the most that\n"
       "all of them demand, key by key"},
      {"policy", "NAME", "transprecision, fair_fps, fair_time or greedy instead of the configuration's"},
      {"objective", "NAME", "max_accuracy, min_energy or min_memory instead of the configuration's"}};
}

std::variant<config::Moment, int> read_moment(const std::string& verb, const Invocation& call,
                                              std::ostream& err) {
  std::vector<std::string> wrong;
  const PlanningRequest request = planning_request_of(call, wrong);
  if (!wrong.empty()) return usage_error(verb, wrong, err);
  const auto& at = request.at;
  const auto& policy = request.policy;
  const auto& objective = request.objective;

  config::Moment moment;
  Result<service::LiveConfig> live = read_live(call.arguments()[0]);
  if (!live) return fail(live.errors(), kExitConfig, err);
  moment.run = live.value().loaded().run;
  moment.policy = policy.value_or(moment.run.policy);
  moment.solver = config::make_solver(moment.run.solver);
  moment.rules = live.value().loaded().rules;
  const auto settle = [&](scheduler::Snapshot& state, bool with_objective) -> Status {
    const Result<config::RuleChoice> choice =
        config::choose_rules(moment.rules, call.value("rules").value_or("none"));
    if (!choice) return choice.errors();
    config::lay_over(choice.value(), state);
    moment.counted = choice.value().rules;
    if (const Errors errors = scheduler::validate(state); !errors.empty()) return errors;
    if (objective && with_objective) {
      state.objective = *objective;
      if (const Errors errors = scheduler::validate(state); !errors.empty()) return errors;
    }
    if (const auto running = call.value("running")) return service::apply_running(*running, state);
    return Done{};
  };
  moment.snapshot = state_at(moment.run, at);
  if (const Status settled = settle(moment.snapshot, true); !settled)
    return fail(settled.errors(), kExitConfig, err);
  const std::vector<std::string> settings = call.values("set");
  if (settings.empty()) return moment;
  moment.before = moment.snapshot;
  const Result<text::JsonValue> patch = config::patch_of(settings);
  if (!patch) return fail(patch.errors(), kExitConfig, err);
  Result<service::Candidate> changed = live.value().patched(patch.value(), at, "--set");
  if (!changed) return fail(changed.errors(), kExitConfig, err);
  moment.snapshot = changed.value().loaded.run.timeline.front().snapshot;
  const bool with_objective = patch.value().find("objective") == nullptr;
  if (const Status settled = settle(moment.snapshot, with_objective); !settled) {
    return fail(settled.errors(), kExitConfig, err);
  }
  return moment;
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
