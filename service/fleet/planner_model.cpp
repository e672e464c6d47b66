#include "service/fleet/planner_model.hpp"

#include <nlohmann/json.hpp>

#include "base/check.hpp"

namespace saccade::service {
namespace {

constexpr Duration kLongestChange = std::chrono::seconds(3);
constexpr Duration kLongestApplication = std::chrono::seconds(30);

// An answer that another thread gives, perhaps after nobody waits any more.
struct Awaited {
  Mutex mutex;
  Condition answered;
  std::optional<FleetOutcome> outcome SACCADE_GUARDED_BY(mutex);
};

}  // namespace

std::string PlannerModel::fleet_document(FleetDocument which) const {
  const auto shown = picture();
  switch (which) {
    case FleetDocument::status:
      return shown->status;
    case FleetDocument::boxes:
      return shown->boxes;
    case FleetDocument::cameras:
      return shown->cameras;
    case FleetDocument::plan:
      return shown->plan;
    case FleetDocument::moves:
      return shown->moves;
  }
  check_failed("known document", __FILE__, __LINE__);
}

std::optional<FleetShown> PlannerModel::fleet_item(FleetKind kind, const std::string& id) const {
  const auto shown = picture();
  if (kind == FleetKind::policy) return shown->policy;
  const auto& items = kind == FleetKind::box ? shown->box : shown->camera;
  const auto found = items.find(id);
  return found == items.end() ? std::nullopt : std::optional(found->second);
}

FleetOutcome PlannerModel::fleet_change(const FleetChange& change) {
  const auto awaited = std::make_shared<Awaited>();
  change_(change, [awaited](FleetOutcome outcome) {
    {
      const Lock lock(awaited->mutex);
      awaited->outcome = std::move(outcome);
    }
    awaited->answered.notify_all();
  });
  Awaited& answer = *awaited;
  const Lock lock(answer.mutex);
  const bool came = answer.answered.wait_for(
      answer.mutex, change.kind == FleetKind::all ? kLongestApplication : kLongestChange,
      [&]() SACCADE_REQUIRES(answer.mutex) { return answer.outcome.has_value(); });
  return came ? *answer.outcome : FleetOutcome{FleetOutcome::Kind::unknown};
}

Readiness PlannerModel::readiness() const {
  const auto shown = picture();
  Readiness readiness{shown->connected};
  if (!shown->connected) readiness.reason = "the store cannot be reached";
  readiness.checks.push_back({"store", shown->connected, shown->ready_detail});
  return readiness;
}

std::string PlannerModel::document(Document which) const {
  if (which != Document::version) return "{}\n";
  return nlohmann::ordered_json{{"version", SACCADE_VERSION}, {"api", "v1"}}.dump(1) + "\n";
}

}  // namespace saccade::service
