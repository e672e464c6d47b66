// The API of one run, from its first event to its last request: the plan history around the policy, the
// service's model (live_service.hpp) and the server, constructed in dependency order.
//
// Order: construct with the policy; pass policy() and hooks() to the run; serve() once the run is open; end()
// before the run is destroyed. Threads: one, the owner's. Errors: serve() returns why it cannot start.
#pragma once

#include <memory>
#include <string>

#include "config/api_config.hpp"
#include "runtime/real/real_shell.hpp"
#include "service/http/http_server.hpp"
#include "service/live/live_service.hpp"
#include "service/live/plan_book.hpp"

namespace saccade::service {

class ApiSession {
 public:
  // Config and policy must outlive the session.
  ApiSession(ServiceConfig& config, const scheduler::Policy& policy, scheduler::PolicyKind kind)
      : plans_(policy), service_(config, plans_, kind) {
    service_.tell_readings([this] { return readings_.newest(); });
  }

  [[nodiscard]] const scheduler::Policy& policy() const { return plans_; }
  // The same hooks, which also notify the service.
  [[nodiscard]] runtime::RunHooks hooks(runtime::RunHooks hooks);

  // The sinks' accounts for status and metrics; call before serve().
  void tell_deliveries(LiveService::Deliveries deliveries) {
    service_.tell_deliveries(std::move(deliveries));
  }
  // Likewise for the rules.
  void tell_rules(LiveService::Rules rules) { service_.tell_rules(std::move(rules)); }
  void tell_fleet(LiveService::Fleet fleet) { service_.tell_fleet(std::move(fleet)); }  // likewise
  void tell_moved(LiveService::Moved moved) { service_.tell_moved(std::move(moved)); }  // likewise
  // As LiveService says; before serve().
  void show_results(ResultViews views) { service_.show_results(std::move(views)); }
  // The listening address, for people. `certificate_news` as in HttpServer::open(); what is wrong with the
  // files is an event of the run, too.
  [[nodiscard]] Result<std::string> serve(const config::ApiConfig& api, const runtime::RunConfig& config,
                                          runtime::RealShell& run,
                                          HttpServer::CertificateNews certificate_news = {});
  void end() {  // no request is answered after this
    health_.reset();
    server_.reset();
  }

 private:
  const SteadyClock clock_;
  ReadingsKeeper readings_{clock_};
  PlanBook plans_;
  LiveService service_;
  EventFeed no_events_;  // of the second server, which streams no events
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<HttpServer> health_;  // null: no separate address
};

}  // namespace saccade::service
