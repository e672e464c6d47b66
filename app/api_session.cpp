#include "app/api_session.hpp"

#include <algorithm>
#include <utility>

#include "runtime/real/thread_settings.hpp"

namespace saccade::app {
namespace {
// Often enough for rates over a few seconds.
constexpr Duration kLookInterval = std::chrono::milliseconds(250);
}  // namespace

runtime::RunHooks ApiSession::hooks(runtime::RunHooks hooks) {
  auto event = std::move(hooks.event);
  auto status = std::move(hooks.status);
  hooks.event = [this, event = std::move(event)](Duration at, const runtime::action::Report& report) {
    if (event) event(at, report);
    if (report.event != "drop") service_.hear(at, report);
  };
  hooks.status = [this, status = std::move(status)](const runtime::RunStatus& now) {
    if (status) status(now);
    service_.look(now);
  };
  hooks.status_interval = std::min(hooks.status_interval, kLookInterval);
  return hooks;
}

Result<std::string> ApiSession::serve(const ApiConfig& api, const runtime::RunConfig& config,
                                      runtime::RealShell& run) {
  runtime::Access access{api.address, std::nullopt};
  if (!api.token_file.empty()) {
    Result<std::string> token = runtime::read_token(api.token_file);
    if (!token) return token.errors();
    access.token = std::move(token).value();
  }
  service_.attach([&run] { return run.status(); },
                  [&run](runtime::TaskIndex task) { return run.latest_frame(task); },
                  [&run](runtime::TaskIndex task, runtime::PushedFrame frame, runtime::AnswerFrame answer) {
                    return run.push(task, std::move(frame), std::move(answer));
                  });
  plans_.set_time([&run] { return run.status().at; });
  std::vector<int> workers;
  for (const runtime::ProcessorConfig& processor : config.processors) {
    workers.insert(workers.end(), processor.cpus.begin(), processor.cpus.end());
  }
  auto server = runtime::HttpServer::open(access, service_, service_.events(), {},
                                          runtime::other_cpus(runtime::allowed_cpus(), workers));
  if (!server) return server.errors();
  server_ = std::move(server).value();
  return to_string(server_->address());
}

}  // namespace saccade::app
