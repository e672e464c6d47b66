// A planner as the API sees it (api/service_model.hpp): the newest picture of the fleet, and changes, which
// it hands over and waits for. It has no tasks. Threads: any; show() and the hand-over by the planner's.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/mutex.hpp"
#include "service/api/service_model.hpp"
#include "service/fleet/fleet_picture.hpp"

namespace saccade::service {

class PlannerModel final : public ServiceModel, public FleetModel {
 public:
  using Done = std::function<void(FleetOutcome)>;
  // `change`: takes a change and calls Done once, from any thread.
  explicit PlannerModel(std::function<void(const FleetChange&, Done)> change) : change_(std::move(change)) {}

  void show(FleetPicture picture) {
    const Lock lock(mutex_);
    picture_ = std::make_shared<const FleetPicture>(std::move(picture));
  }

  [[nodiscard]] FleetModel* fleet() override { return this; }
  [[nodiscard]] std::string fleet_document(FleetDocument which) const override;
  [[nodiscard]] std::optional<FleetShown> fleet_item(FleetKind kind, const std::string& id) const override;
  [[nodiscard]] std::string fleet_metrics() const override { return picture()->metrics; }
  [[nodiscard]] FleetOutcome fleet_change(const FleetChange& change) override;
  [[nodiscard]] Readiness readiness() const override;
  [[nodiscard]] std::string document(Document which) const override;

  // A planner has none of these; the API does not ask it for them.
  [[nodiscard]] bool has_task(const std::string&) const override { return false; }
  [[nodiscard]] std::optional<std::string> task(const std::string&) const override { return {}; }
  [[nodiscard]] std::optional<NetworkFacts> network(const std::string&) const override { return {}; }
  [[nodiscard]] std::vector<std::string> labels(const std::set<std::string>&) const override { return {}; }
  [[nodiscard]] runtime::PushVerdict push(runtime::TaskIndex, runtime::PushedFrame,
                                          runtime::AnswerFrame) override {
    return {};
  }
  [[nodiscard]] std::optional<Thumbnail> thumbnail(const std::string&) override { return {}; }
  [[nodiscard]] std::optional<Snapshot> snapshot(const std::string&) override { return {}; }
  [[nodiscard]] ResultFeed& results() override { return results_; }
  [[nodiscard]] MetricsSnapshot metrics() const override { return {}; }
  [[nodiscard]] Versioned configuration() const override { return {}; }
  [[nodiscard]] std::string configuration_in_force() const override { return {}; }
  [[nodiscard]] ChangeOutcome change(const Change&) override { return {ChangeOutcome::Kind::unavailable}; }
  [[nodiscard]] DryRun dry_run(const std::string&) override { return {DryRun::Kind::unknown}; }

 private:
  [[nodiscard]] std::shared_ptr<const FleetPicture> picture() const {
    const Lock lock(mutex_);
    return picture_;
  }
  const std::function<void(const FleetChange&, Done)> change_;
  ResultFeed results_;
  mutable Mutex mutex_;
  std::shared_ptr<const FleetPicture> picture_ SACCADE_GUARDED_BY(mutex_) =
      std::make_shared<const FleetPicture>();
};

}  // namespace saccade::service
