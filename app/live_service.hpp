// What runs, as the API sees it: the run's status, the plans that were made, the configuration and its
// changes, and the events. The one place where the API's questions meet the runtime's answers.
//
// Call order: construct; hear() from the run's event hook and look() from its status hook; attach() the
// run; serve (runtime/service/http_server.hpp) for as long as the run is there.
// Threads: the ServiceModel's functions on the server's threads; hear() and look() on the run's main
// loop; attach() by the owner before a server runs. Errors: as values.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/plan_book.hpp"
#include "app/service_config.hpp"
#include "runtime/latest_frame.hpp"
#include "runtime/run_hooks.hpp"
#include "runtime/service/event_feed.hpp"
#include "runtime/service/service_model.hpp"

namespace saccade::app {

class LiveService final : public runtime::ServiceModel {
 public:
  // Both outlive the service. `policy`: the one that plans.
  LiveService(ServiceConfig& config, const PlanBook& plans, scheduler::PolicyKind policy)
      : config_(config), plans_(plans), policy_(policy) {}

  using Status = std::function<runtime::RunStatus()>;
  using LatestFrame = std::function<runtime::LatestFrame::Look(runtime::TaskIndex)>;
  using Push =
      std::function<runtime::PushVerdict(runtime::TaskIndex, runtime::PushedFrame, runtime::AnswerFrame)>;
  void attach(Status status, LatestFrame latest_frame, Push push);

  // Every event of the run.
  void hear(Duration at, const runtime::action::Report& report);
  // Its status, several times a second: for what a single moment does not show.
  void look(const runtime::RunStatus& status);
  [[nodiscard]] runtime::EventFeed& events() { return events_; }

  [[nodiscard]] runtime::Readiness readiness() const override;
  [[nodiscard]] std::string document(runtime::Document which) const override;
  [[nodiscard]] std::optional<std::string> task(const std::string& id) const override;
  [[nodiscard]] std::optional<runtime::NetworkFacts> network(const std::string& id) const override;
  [[nodiscard]] runtime::PushVerdict push(runtime::TaskIndex task, runtime::PushedFrame frame,
                                          runtime::AnswerFrame answer) override;
  [[nodiscard]] std::optional<runtime::Thumbnail> thumbnail(const std::string& id) override;
  [[nodiscard]] runtime::MetricsSnapshot metrics() const override;
  [[nodiscard]] runtime::Versioned configuration() const override;
  [[nodiscard]] runtime::ChangeOutcome change(const runtime::Change& change) override;
  [[nodiscard]] runtime::DryRun dry_run(const std::string& patch) override;

 private:
  struct Sample {
    Duration at{0};
    std::vector<Duration> busy;
  };
  [[nodiscard]] std::vector<runtime::ProcessorMetrics> processors(const runtime::RunStatus& status) const;
  [[nodiscard]] nlohmann::ordered_json status() const;
  [[nodiscard]] std::string plan() const;
  [[nodiscard]] std::string history() const;

  ServiceConfig& config_;
  const PlanBook& plans_;
  const scheduler::PolicyKind policy_;
  Status status_;
  LatestFrame latest_frame_;
  Push push_;
  runtime::EventFeed events_;

  mutable std::mutex mutex_;    // guards everything below
  std::deque<Sample> samples_;  // the last seconds
};

}  // namespace saccade::app
