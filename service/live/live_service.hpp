// The running service as the API sees it: status, plans, the configuration and its changes, and events. The
// one place where the API's requests meet the runtime's answers.
//
// Call order: construct; hear() from the run's event hook and look() from its status hook; attach() the run;
// serve (service/http/http_server.hpp) while the run exists.
// Threads: the ServiceModel's functions on the server's threads, what gather() returns on any; hear() and
// look() on the run's main loop; attach() by the owner before a server runs. Errors: as values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/real/latest_frame.hpp"
#include "runtime/run/run_hooks.hpp"
#include "service/api/event_feed.hpp"
#include "service/api/service_model.hpp"
#include "service/live/busy_rates.hpp"
#include "service/live/capture_load.hpp"
#include "service/live/machine_readings.hpp"
#include "service/live/plan_book.hpp"
#include "service/live/power_limits.hpp"
#include "service/live/result_session.hpp"
#include "service/live/rule_session.hpp"
#include "service/live/service_config.hpp"

namespace saccade::service {

class LiveService final : public ServiceModel {
 public:
  // Both must outlive the service. `policy`: the planner in use.
  LiveService(ServiceConfig& config, const PlanBook& plans, scheduler::PolicyKind policy)
      : config_(config), plans_(plans), policy_(policy) {}

  using Status = std::function<runtime::RunStatus()>;
  // As RealShell::outline(). Use this when the full accounting is not shown: it is large, and frames wait
  // while it is copied.
  using Outline = std::function<runtime::RunOutline(const std::optional<TaskId>& only)>;
  using LatestFrame = std::function<runtime::LatestFrame::Look(runtime::TaskIndex)>;
  using LatestAnswer = std::function<std::optional<runtime::LatestAnswer>(runtime::TaskIndex)>;
  using Push =
      std::function<runtime::PushVerdict(runtime::TaskIndex, runtime::PushedFrame, runtime::AnswerFrame)>;
  void attach(Status status, Outline outline, LatestFrame latest_frame, LatestAnswer latest_answer,
              Push push);

  using Deliveries = std::function<std::vector<results::DeliveryAccount>()>;
  void tell_deliveries(Deliveries deliveries) { deliveries_ = std::move(deliveries); }

  using Rules = std::function<std::vector<ShownRule>()>;
  void tell_rules(Rules rules) { rules_ = std::move(rules); }

  using Fleet = std::function<std::optional<FleetFacts>()>;  // nothing: the box is in none
  void tell_fleet(Fleet fleet) { fleet_ = std::move(fleet); }
  using Moved = std::function<std::optional<MovedTask>(const std::string& task)>;
  void tell_moved(Moved moved) { moved_ = std::move(moved); }

  using Readings = std::function<MachineReadings()>;
  void tell_readings(Readings readings) { readings_ = std::move(readings); }

  // The number of CPUs on which cameras are read; before a server runs.
  void captures_run_on(std::size_t cpus) { captures_.runs_on(cpus); }

  // What readers follow and look at; before a server runs. Without it there is nothing to read.
  void show_results(ResultViews views) { views_ = std::move(views); }

  // Called for every event of the run.
  void hear(Duration at, const runtime::action::Report& report);
  // Called several times per second with the current status, to derive rates.
  void look(const runtime::RunStatus& status) {
    busy_.add(status);
    captures_.add(status);
    power_.add(status);
  }
  [[nodiscard]] EventFeed& events() { return events_; }

  [[nodiscard]] Readiness readiness() const override;
  [[nodiscard]] std::optional<double> store_age() const override;
  [[nodiscard]] std::optional<MovedTask> moved(const std::string& id) const override { return moved_(id); }
  [[nodiscard]] std::string document(Document which) const override;
  [[nodiscard]] std::function<std::string()> gather(Document which) const override;
  [[nodiscard]] bool has_task(const std::string& id) const override;
  [[nodiscard]] std::optional<std::string> task(const std::string& id) const override;
  [[nodiscard]] std::optional<NetworkFacts> network(const std::string& id) const override;
  [[nodiscard]] std::vector<std::string> labels(const std::set<std::string>& tasks) const override;
  [[nodiscard]] runtime::PushVerdict push(runtime::TaskIndex task, runtime::PushedFrame frame,
                                          runtime::AnswerFrame answer) override;
  [[nodiscard]] std::optional<Thumbnail> thumbnail(const std::string& id) override;
  [[nodiscard]] std::optional<Snapshot> snapshot(const std::string& id) override;
  [[nodiscard]] ResultFeed& results() override { return *views_.feed; }
  [[nodiscard]] MetricsSnapshot metrics() const override;
  [[nodiscard]] Versioned configuration() const override;
  [[nodiscard]] std::string configuration_in_force() const override;
  [[nodiscard]] ChangeOutcome change(const Change& change) override;
  [[nodiscard]] DryRun dry_run(const std::string& patch) override;

 private:
  [[nodiscard]] std::string plan() const;

  ServiceConfig& config_;
  const PlanBook& plans_;
  const scheduler::PolicyKind policy_;
  Status status_;
  Outline outline_;
  LatestFrame latest_frame_;
  LatestAnswer latest_answer_;
  Push push_;
  Deliveries deliveries_ = [] { return std::vector<results::DeliveryAccount>{}; };
  Rules rules_ = [] { return std::vector<ShownRule>{}; };
  Fleet fleet_ = [] { return std::optional<FleetFacts>(); };
  Moved moved_ = [](const std::string&) { return std::optional<MovedTask>(); };
  Readings readings_ = read_machine;
  EventFeed events_;
  ResultViews views_{std::make_shared<ResultFeed>(), std::make_shared<Snapshots>(),
                     std::make_shared<const SteadyClock>()};
  BusyRates busy_;
  CaptureLoad captures_;
  PowerWatch power_;
};

}  // namespace saccade::service
