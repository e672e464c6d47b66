#include "service/live/change_requests.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/check.hpp"
#include "config/moment.hpp"
#include "config/solvers.hpp"
#include "service/live/plan_json.hpp"
#include "service/live/preview.hpp"

namespace saccade::service {
namespace {

using runtime::ChangeRefused;
using runtime::ChangeResult;
using runtime::Refusal;

// A dry run answers on the API's thread, where others wait.
constexpr Seconds kLongestDryRun(0.2);

ChangeOutcome::Kind outcome_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::invalid:
      return ChangeOutcome::Kind::invalid;
    case Refusal::unavailable:
      return ChangeOutcome::Kind::unavailable;
    case Refusal::stale:
      return ChangeOutcome::Kind::stale;
  }
  check_failed("known refusal", __FILE__, __LINE__);
}

ChangeOutcome refused(const ChangeRefused& refusal) {
  ChangeOutcome outcome{outcome_of(refusal.kind)};
  outcome.errors = without_folders(refusal.errors);
  return outcome;
}

ChangeRefused stale() { return {Refusal::stale, {{"#", "is not the one that is meant", ""}}}; }

ChangeResult<Candidate> propose(const Change& change, const LiveConfig& live, Duration at) {
  using Kind = Change::Kind;
  if (change.only_if && *change.only_if != live.etag()) return stale();
  switch (change.kind) {
    case Kind::replace:
      return live.replaced(change.text);
    case Kind::parts:
      return live.patched(change.text, at);
    case Kind::limits:
      return live.limits_patched(change.text, at);
    case Kind::objective:
      return live.objective_put(change.text, at);
    case Kind::task:
      if (live.has_fleet_task(change.task)) {
        return Error{"#", "the task is a camera of the fleet", "change it there (docs/fleet.md)"};
      }
      // It may have been removed since it was asked for.
      if (!live.has_task(change.task)) return Error{"#", "the task is gone", ""};
      return live.task_patched(change.task, change.text, at);
    case Kind::reload:
      break;
  }
  check_failed("a change that is proposed", __FILE__, __LINE__);
}

ChangeOutcome look_for_mistakes(const Change& change, const ServiceConfig& config) {
  ChangeOutcome outcome;
  config.look([&](const LiveConfig& live, Duration at) {
    const ChangeResult<Candidate> checked = propose(change, live, at);
    if (!checked) {
      outcome = refused(checked.refused());
    } else {
      outcome.warnings = without_folders(checked.value().loaded.warnings);
    }
  });
  return outcome;
}

ChangeResult<ServiceConfig::Applied> apply(const Change& change, ServiceConfig& config) {
  if (change.kind != Change::Kind::reload) {
    return config.change([&](const LiveConfig& live, Duration at) { return propose(change, live, at); });
  }
  if (change.only_if && *change.only_if != config.document().etag) return stale();
  return config.reload();
}

}  // namespace

ChangeOutcome carry_out(const Change& change, ServiceConfig& config) {
  if (change.check_only) return look_for_mistakes(change, config);
  const ChangeResult<ServiceConfig::Applied> applied = apply(change, config);
  if (!applied) return refused(applied.refused());
  ChangeOutcome outcome;
  outcome.generation = applied.value().generation;
  outcome.etag = applied.value().etag;
  outcome.warnings = without_folders(applied.value().warnings);
  return outcome;
}

DryRun dry_run(const std::string& patch, const ServiceConfig& config, const runtime::RunOutline& run,
               scheduler::PolicyKind policy, const std::vector<rules::Holding>& holding) {
  DryRun outcome;
  config::Moment moment;
  config.look([&](const LiveConfig& live, Duration at) {
    Result<scheduler::Snapshot> state = preview(live, patch, at, run, holding);
    if (!state) {
      outcome.kind = DryRun::Kind::invalid;
      outcome.errors = without_folders(state.errors());
      return;
    }
    moment.snapshot = std::move(state).value();
    moment.run.solver = live.loaded().run.solver;
    moment.run.solver_deadline = std::min(live.loaded().run.solver_deadline, kLongestDryRun);
  });
  if (outcome.kind == DryRun::Kind::invalid) return outcome;
  moment.policy = policy;
  moment.solver = config::make_solver(moment.run.solver);
  const config::Decided decided = config::decide_once(moment, moment.snapshot);
  outcome.plan = to_json(moment.snapshot, decided.plan, {decided.took, false}).dump(1) + "\n";
  if (decided.plan.status == scheduler::PlanStatus::infeasible) outcome.kind = DryRun::Kind::infeasible;
  if (decided.plan.status == scheduler::PlanStatus::unknown) outcome.kind = DryRun::Kind::unknown;
  return outcome;
}

Errors without_folders(const Errors& errors) {
  Errors shown;
  for (const Error& error : errors) {
    if (error.where.starts_with('#')) {
      shown.push_back(error);
      continue;
    }
    const std::size_t name = error.where.rfind('/', error.where.find(' '));
    const std::string file = name == std::string::npos ? error.where : error.where.substr(name + 1);
    shown.push_back({"#", file + ": " + error.what, error.hint});
  }
  return shown;
}

}  // namespace saccade::service
