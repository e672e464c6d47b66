// The API of one run, from its first event to its last request: the plan book around the policy, the
// service's model (live_service.hpp) and the server, wired up in the order that each of them needs.
//
// Order: construct with the policy; give policy() and hooks() to the run; serve() once the run is
// open; end() before it goes. Threads: one, the owner's. Errors: serve() says why it cannot.
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
  // Config and policy outlive the session.
  ApiSession(ServiceConfig& config, const scheduler::Policy& policy, scheduler::PolicyKind kind)
      : plans_(policy), service_(config, plans_, kind) {}

  [[nodiscard]] const scheduler::Policy& policy() const { return plans_; }
  // The same hooks, heard by the service as well.
  [[nodiscard]] runtime::RunHooks hooks(runtime::RunHooks hooks);

  // What the status and the metrics tell of the sinks; before serve().
  void tell_deliveries(LiveService::Deliveries deliveries) {
    service_.tell_deliveries(std::move(deliveries));
  }
  // Likewise of the rules.
  void tell_rules(LiveService::Rules rules) { service_.tell_rules(std::move(rules)); }
  void tell_fleet(LiveService::Fleet fleet) { service_.tell_fleet(std::move(fleet)); }  // likewise
  // As LiveService says; before serve().
  void show_results(ResultViews views) { service_.show_results(std::move(views)); }
  // Where it listens, for people.
  [[nodiscard]] Result<std::string> serve(const config::ApiConfig& api, const runtime::RunConfig& config,
                                          runtime::RealShell& run);
  void end() {  // nothing is answered any more
    health_.reset();
    server_.reset();
  }

 private:
  PlanBook plans_;
  LiveService service_;
  EventFeed no_events_;  // of the second server, which streams none
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<HttpServer> health_;  // null: not apart
};

}  // namespace saccade::service
