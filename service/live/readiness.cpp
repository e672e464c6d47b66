#include "service/live/readiness.hpp"

#include <cmath>
#include <cstddef>
#include <string>

namespace saccade::service {
namespace {

// Absent: something of what is wanted can be served. `run` has started.
std::optional<Readiness::Check> nothing_served(const runtime::RunOutline& run,
                                               const std::optional<scheduler::PlanStatus>& decided) {
  std::size_t wanted = 0;
  std::size_t lost = 0;
  for (const runtime::TaskOutline& task : run.tasks) {
    if (task.demanded.value() <= 0.0) continue;
    ++wanted;
    lost += task.source_connected ? 0 : 1;
  }
  if (wanted == 0) return std::nullopt;
  if (lost == wanted) return Readiness::Check{"sources", false, "every source is lost"};
  if (decided == scheduler::PlanStatus::infeasible) {
    return Readiness::Check{"limits", false, "the plan is infeasible: the limits conflict"};
  }
  return std::nullopt;
}

// A box without its store is ready: it serves what it has.
Readiness::Check check_of(const FleetFacts& fleet) {
  std::string detail = fleet.connected ? std::to_string(fleet.cameras) + " cameras" : "detached since";
  if (!fleet.connected && fleet.assignment_age)
    detail += " " + std::to_string(std::llround(*fleet.assignment_age)) + " s";
  if (!fleet.fault.empty()) detail += ": " + fleet.fault;
  if (!fleet.note.empty()) detail += "; " + fleet.note;
  return {"fleet", fleet.connected && fleet.note.empty(), detail};
}

// Pictures come late, and in the end are lost, when readers wait for each other.
constexpr double kBusyCaptures = 0.8;

Readiness::Check check_of(const CaptureLoad::Busy& captures) {
  return {"capture", false,
          "cameras take " + std::to_string(std::lround(100.0 * captures.share)) + " % of the " +
              std::to_string(captures.cpus) +
              (captures.cpus == 1 ? " CPU on which they are" : " CPUs on which they are") +
              " read and decoded: use their sub-streams, or lower their rates"};
}

}  // namespace

Readiness readiness_of(const runtime::RunOutline& run, const std::optional<scheduler::PlanStatus>& decided,
                       const Errors& notes, const std::optional<FleetFacts>& fleet,
                       const std::optional<CaptureLoad::Busy>& captures,
                       const std::optional<std::string>& above_power) {
  const bool planned = run.plan != nullptr;
  const bool started = run.at > Duration(0);
  Readiness readiness;
  readiness.checks.push_back(
      {"plan", planned, planned ? "generation " + std::to_string(run.plan->generation) : "none yet"});
  readiness.checks.push_back({"engines", started, started ? "" : "the first ones are being loaded"});
  if (!planned) readiness.reason = "there is no plan yet";
  if (planned && !started) readiness.reason = "the first engines are being loaded";
  if (planned && started) {
    if (auto none = nothing_served(run, decided)) {
      readiness.reason = none->detail;
      readiness.checks.push_back(*std::move(none));
    }
  }
  for (std::size_t p = 0; p < run.processors.size(); ++p) {
    const runtime::ProcessorHealth& health = run.processors[p];
    if (health.left_behind == 0 && !health.out_of_service) continue;
    const std::string name = "processor " + run.wanted->processors.at(p).id.str();
    readiness.checks.push_back({name, false,
                                health.out_of_service ? "out of service: inferences do not return"
                                                      : "an inference does not return"});
    if (health.out_of_service && readiness.reason.empty()) {
      readiness.reason = name + " is " + readiness.checks.back().detail;
    }
  }
  readiness.ready = readiness.reason.empty();
  for (const runtime::TaskOutline& task : run.tasks) {
    if (task.source_connected) continue;
    const std::string& trouble = task.source_trouble;
    readiness.checks.push_back(
        {"source of " + task.id.str(), false, trouble.empty() ? "lost" : "lost: " + trouble});
  }
  if (captures && captures->share > kBusyCaptures) readiness.checks.push_back(check_of(*captures));
  if (above_power) readiness.checks.push_back({"power", false, *above_power});
  if (fleet) readiness.checks.push_back(check_of(*fleet));
  for (const Error& note : notes) readiness.checks.push_back({"configuration", false, note.what});
  return readiness;
}

}  // namespace saccade::service
