#include "service/live/api_session.hpp"

#include <algorithm>
#include <utility>

#include "runtime/machine/thread_settings.hpp"

namespace saccade::service {
namespace {
// Often enough for rates over a few seconds.
constexpr Duration kLookInterval = std::chrono::milliseconds(250);
}  // namespace

runtime::RunHooks ApiSession::hooks(runtime::RunHooks hooks) {
  auto event = std::move(hooks.event);
  auto status = std::move(hooks.status);
  hooks.event = [this, event = std::move(event)](Duration at, const runtime::action::Report& report) {
    if (event) event(at, report);
    if (report.event != runtime::EventKind::drop) service_.hear(at, report);
  };
  hooks.status = [this, status = std::move(status)](const runtime::RunStatus& now) {
    if (status) status(now);
    service_.look(now);
  };
  hooks.status_interval = std::min(hooks.status_interval, kLookInterval);
  return hooks;
}

Result<std::string> ApiSession::serve(const config::ApiConfig& api, const runtime::RunConfig& config,
                                      runtime::RealShell& run, HttpServer::CertificateNews certificate_news) {
  Access access{api.address, {}, api.tls, api.origin};
  if (!api.token_file.empty()) {
    Result<std::vector<Token>> tokens = read_tokens(api.token_file);
    if (!tokens) return tokens.errors();
    access.tokens = std::move(tokens).value();
  }
  service_.attach([&run] { return run.status(); },
                  [&run](const std::optional<TaskId>& only) { return run.outline(only); },
                  [&run](runtime::TaskIndex task) { return run.latest_frame(task); },
                  [&run](runtime::TaskIndex task) { return run.latest_answer(task); },
                  [&run](runtime::TaskIndex task, runtime::PushedFrame frame, runtime::AnswerFrame answer) {
                    return run.push(task, std::move(frame), std::move(answer));
                  });
  plans_.set_time([&run] { return run.elapsed(); });
  std::vector<int> workers;
  for (const runtime::ProcessorConfig& processor : config.processors) {
    workers.insert(workers.end(), processor.cpus.begin(), processor.cpus.end());
  }
  const std::vector<int> cpus = runtime::other_cpus(runtime::allowed_cpus(), workers);
  service_.captures_run_on(cpus.size());
  const auto told = [this, &run, tell = std::move(certificate_news)](const Status& news) {
    if (!news) service_.hear(run.elapsed(), {runtime::EventKind::fault, "", to_string(news.errors())});
    if (tell) tell(news);
  };
  auto server = HttpServer::open(access, service_, service_.events(), {}, cpus, told);
  if (!server) return server.errors();
  server_ = std::move(server).value();
  if (!api.health) return to_string(server_->address(), api.tls.has_value());
  Access for_health{*api.health};
  for_health.health_only = true;
  auto health = HttpServer::open(for_health, service_, no_events_, {}, cpus);
  if (!health) return health.errors();
  health_ = std::move(health).value();
  return to_string(server_->address(), api.tls.has_value()) + ", health at " + to_string(health_->address());
}

}  // namespace saccade::service
