#include <optional>
#include <thread>

#include "bench/service/experiments.hpp"
#include "bench/service/service_process.hpp"
#include "runtime/machine/thread_settings.hpp"

namespace saccade::bench {

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
    const std::string request = plain_request("GET", "/v1/status");
    const double all = sizes.per_second * to_seconds(sizes.duration).value();
    ask_on_time(
        service.port(), {sizes.per_second, sizes.duration, std::chrono::milliseconds(5)},
        [&](std::int64_t) -> const std::string& { return request; },
        [&](const std::optional<HttpAnswer>& answer, double ms) {
          times.push_back(ms);
          if (!answer || answer->status != 200) ++figures.failed;
          if (times.size() % 64 == 0) scenario.progress(static_cast<double>(times.size()) / all);
        });
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
  figures.times = answer_times(std::move(times));
  return figures;
}

}  // namespace saccade::bench
