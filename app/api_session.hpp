// The API of one run, from its first event to its last request: the plan book around the policy, the
// service's model (live_service.hpp) and the server, wired up in the order that each of them needs.
//
// Order: construct with the policy; give policy() and hooks() to the run; serve() once the run is
// open; end() before it goes. Threads: one, the owner's. Errors: serve() says why it cannot.
#pragma once

#include <memory>
#include <string>

#include "app/config_api.hpp"
#include "app/live_service.hpp"
#include "app/plan_book.hpp"
#include "runtime/real_shell.hpp"
#include "runtime/service/http_server.hpp"

namespace saccade::app {

class ApiSession {
 public:
  // Config and policy outlive the session.
  ApiSession(ServiceConfig& config, const scheduler::Policy& policy, scheduler::PolicyKind kind)
      : plans_(policy), service_(config, plans_, kind) {}

  [[nodiscard]] const scheduler::Policy& policy() const { return plans_; }
  // The same hooks, heard by the service as well.
  [[nodiscard]] runtime::RunHooks hooks(runtime::RunHooks hooks);

  // Where it listens, for people.
  [[nodiscard]] Result<std::string> serve(const ApiConfig& api, const runtime::RunConfig& config,
                                          runtime::RealShell& run);
  void end() { server_.reset(); }  // nothing is answered any more

 private:
  PlanBook plans_;
  LiveService service_;
  std::unique_ptr<runtime::HttpServer> server_;
};

}  // namespace saccade::app
