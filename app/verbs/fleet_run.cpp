#include <memory>
#include <string>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/verbs/fleet_service.hpp"
#include "app/verbs/last_resort.hpp"
#include "app/verbs/run_log.hpp"
#include "app/verbs/run_signals.hpp"
#include "config/planner_config.hpp"
#include "service/fleet/certificate_name.hpp"
#include "service/fleet/planner_service.hpp"
#include "service/live/service_manager.hpp"

namespace saccade::app {
namespace {

constexpr Duration kLongestPlannerEnd = std::chrono::milliseconds(4800);

const CommandSpec& planner_spec() {
  static const CommandSpec spec{"fleet run",
                                "CONFIG",
                                "Runs a planner of the fleet: it decides which box serves each camera while "
                                "it leads, and stands by while "
                                "another\ndoes. Two or three of them run for a fleet.",
                                {},
                                1,
                                1,
                                "Exit codes: 0 ended in good order (a signal included), 69 the API cannot be "
                                "served, 78 bad configuration."};
  return spec;
}

}  // namespace

int verb_fleet_run(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(planner_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  RunSignals signals;  // before any thread is started
  const Result<config::PlannerConfig> config = config::read_planner_config(call.arguments()[0]);
  if (!config) return fail(config.errors(), kExitConfig, err);
  const Status certificate = service::check_client_certificate(config.value().fleet.store.certificate);
  if (!certificate) return fail(certificate.errors(), kExitConfig, err);
  const auto told = [](const std::string& event, const std::string& detail) {
    log_line(LogLevel::info, event, detail);
  };
  const auto planner = service::PlannerService::open(config.value(), told);
  if (!planner) return fail(planner.errors(), kExitUnavailable, err);
  service::PlannerService& runs = *planner.value();
  if (!runs.address().empty()) log_line(LogLevel::info, "serving", runs.address());
  const service::ServiceManager manager;
  LastResort last_resort(kLongestPlannerEnd, kExitFailed);
  const auto stop = [&] {
    last_resort.arm();
    manager.stopping();
    runs.stop();
  };
  signals.watch(stop,
                [] { log_line(LogLevel::info, "reload", "a planner's configuration is read at its start"); });
  signals.take_reloads();
  manager.ready("planner of " + config.value().fleet.name);
  runs.run();
  signals.stop_watching();
  return kExitOk;
}

}  // namespace saccade::app
