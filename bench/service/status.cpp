// Open loop: every request has its time beforehand, and one that comes late because the last answer did is
// late from its own time on.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "bench/report.hpp"
#include "bench/service/experiments.hpp"
#include "bench/service/service_process.hpp"
#include "runtime/machine/thread_settings.hpp"

namespace saccade::bench {
namespace {

std::vector<double> ask_on_time(const ServiceScenario& scenario, const StatusSizes& sizes, std::uint16_t port,
                                std::size_t& failed) {
  const std::string request = plain_request("GET", "/v1/status");
  const auto between = to_duration(Seconds(1.0 / sizes.per_second));
  const auto count = static_cast<std::int64_t>(sizes.duration / between);
  std::vector<double> times_ms;
  times_ms.reserve(static_cast<std::size_t>(count));
  auto connection = std::make_unique<Connection>(port);
  const auto begin = std::chrono::steady_clock::now() + between;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto due = begin + i * between;
    std::this_thread::sleep_until(due);
    connection->send(request);
    const auto answer = connection->answer(kPatience);
    const Duration took = std::chrono::steady_clock::now() - due;
    times_ms.push_back(static_cast<double>(took.count()) * 1e-6);
    if (!answer || answer->status != 200) {
      ++failed;
      connection = std::make_unique<Connection>(port);
    }
    if (i % 64 == 0) scenario.progress(static_cast<double>(i) / static_cast<double>(count));
  }
  return times_ms;
}

}  // namespace

Result<StatusFigures> run_status(const ServiceScenario& scenario, const StatusSizes& sizes) {
  const auto started = ServiceProcess::start(scenario.file);
  if (!started) return started.errors();
  ServiceProcess& service = *started.value();
  std::this_thread::sleep_for(kWarmUp);
  std::optional<FrameWatch> watch(std::in_place, service, scenario.client_cpus);
  StatusFigures figures;
  std::vector<double> times;
  std::thread client([&] {
    runtime::pin_to(scenario.client_cpus);
    runtime::wake_precisely();
    times = ask_on_time(scenario, sizes, service.port(), figures.failed);
  });
  client.join();
  const Result<WatchedFrames> frames = watch->take();
  watch.reset();  // it asks the service
  if (!frames) return frames.errors();
  figures.frames = frames.value();
  const Result<nlohmann::json> summary = service.stop();
  if (!summary) return summary.errors();
  figures.outside = outside_of(summary.value());
  figures.requests = times.size();
  std::sort(times.begin(), times.end());
  if (times.empty()) return figures;
  figures.p50_ms = quantile(times, 0.5);
  figures.p99_ms = quantile(times, 0.99);
  figures.max_ms = times.back();
  return figures;
}

}  // namespace saccade::bench
