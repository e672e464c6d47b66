// One served run: policy, shell, API and configuration changes, constructed in dependency order. The API is
// served if the configuration gives an address.
//
// Order: open(), run() once, destroy. From open() on the configuration accepts changes; after run() it
// refuses them, and the API has ended. Threads: open(), run() and the destructor on one thread; stop() from
// any.
// Errors: open() returns why the run cannot begin; nothing remains of it then. An exception of a hook leaves
// run(), after which API and changes have ended as well.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "config/solvers.hpp"
#include "runtime/real/real_shell.hpp"
#include "service/live/api_session.hpp"
#include "service/live/fleet_session.hpp"
#include "service/live/result_session.hpp"
#include "service/live/rule_session.hpp"
#include "service/live/service_config.hpp"
#include "service/live/sink_watch.hpp"

namespace saccade::service {

struct ServiceRunOptions {
  std::shared_ptr<const runtime::EngineBackend> backend;  // null: the configuration's
  std::optional<scheduler::PolicyKind> policy;            // instead of the configuration's
  Duration start_at{0};  // of the timeline: the state at that time applies at 0
  runtime::SourceOpener opener = runtime::open_source;
  std::unique_ptr<runtime::EnergyMeter> meter = nullptr;
  RuleSession::MinuteOfWeek minute_of_week = minute_of_week_now;  // for rules
  std::function<void(const SinkNews&)> sinks = nullptr;           // called by the thread that runs
  HttpServer::CertificateNews certificate = nullptr;              // called by the API's thread
  std::filesystem::path state_dir = {};  // of a box's assignment; empty: it is not kept
};

class ServiceRun {
 public:
  // `config` must outlive the run.
  [[nodiscard]] static Result<std::unique_ptr<ServiceRun>> open(ServiceConfig& config,
                                                                runtime::RunHooks hooks,
                                                                ServiceRunOptions options);
  ~ServiceRun();
  ServiceRun(const ServiceRun&) = delete;
  ServiceRun& operator=(const ServiceRun&) = delete;

  // The initial configuration; its timeline begins at start_at.
  [[nodiscard]] const runtime::RunConfig& begun_with() const { return begun_with_; }
  // The accounting of the results so far, for each sink; none after run().
  [[nodiscard]] std::vector<results::DeliveryAccount> deliveries() const {
    return results_ ? results_->accounts() : std::vector<results::DeliveryAccount>{};
  }
  // The API's listening address, for people; absent: it is not served.
  [[nodiscard]] const std::optional<std::string>& address() const { return address_; }

  // Absent duration: until stop().
  [[nodiscard]] runtime::RunSummary run(std::optional<Duration> duration);
  void stop() { shell_->stop(); }
  // Another process is the fleet's box that this one wants to be: the run has been stopped for it.
  [[nodiscard]] bool has_conflict() const { return fleet_ && fleet_->has_conflict(); }

 private:
  ServiceRun(ServiceConfig& config, Duration start_at) : config_(config), start_at_(start_at) {}
  Status start(runtime::RunHooks hooks, ServiceRunOptions options);
  void open_results(const results::ResultsSettings& settings, const ResultViews& views,
                    runtime::RunHooks& hooks, std::function<void(const SinkNews&)> told);
  [[nodiscard]] runtime::RunHooks with_news_of_rules(runtime::RunHooks hooks);
  void open_session(scheduler::PolicyKind kind, ResultViews views, runtime::RunHooks& hooks);
  Status open_fleet(const config::FleetSettings& fleet, const std::optional<config::ApiConfig>& api,
                    std::filesystem::path state_dir, runtime::RunHooks& hooks);
  [[nodiscard]] runtime::RunHooks with_saving(runtime::RunHooks hooks);
  void take_changes();
  void end();

  ServiceConfig& config_;
  const Duration start_at_;
  runtime::RunConfig begun_with_;
  std::unique_ptr<ilp::ChoiceSolver> solver_;
  std::unique_ptr<scheduler::Policy> policy_;
  std::unique_ptr<ResultSession> results_;  // null: no sinks and no API
  std::unique_ptr<RuleSession> rules_;
  SinkWatch sink_watch_;
  std::unique_ptr<FleetSession> fleet_;  // null: the box is in none
  std::optional<ApiSession> session_;
  std::unique_ptr<runtime::RealShell> shell_;
  std::optional<std::string> address_;
};

}  // namespace saccade::service
