// Frames that clients send: many tasks, many kept connections, an engine that takes no time, so that what is
// left is the service's own.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "bench/service/experiments.hpp"
#include "bench/service/service_process.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "runtime/sources/thumbnail.hpp"

namespace saccade::bench {
namespace {

// A JPEG as a camera's client sends it, of the size that the networks take.
std::string picture_to_send() {
  constexpr int kSide = 64;
  runtime::Picture picture;
  picture.resize(kSide, kSide);
  for (std::size_t i = 0; i < picture.pixels.size(); ++i)
    picture.pixels[i] = static_cast<std::uint8_t>((i * i / 7 + i) % 256);
  return runtime::thumbnail(picture);
}

std::string infer_request(const std::string& task, const std::string& jpeg) {
  return "POST /v2/models/" + task +
         "/infer HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/jpeg\r\n"
         "Content-Length: " +
         std::to_string(jpeg.size()) + "\r\n\r\n" + jpeg;
}

// From the frame's arrival to the end of its inference, as the answer tells it: the wait for the processor
// is in it.
std::optional<double> latency_ms_of(const HttpAnswer& answer) {
  const nlohmann::json json = nlohmann::json::parse(answer.body, nullptr, false);
  const nlohmann::json::json_pointer place("/parameters/latency_seconds");
  if (json.is_discarded() || !json.contains(place) || !json[place].is_number()) return std::nullopt;
  return 1e3 * json[place].get<double>();
}

class Clients {
 public:
  Clients(const ServiceScenario& scenario, const InferSizes& sizes, std::uint16_t port)
      : scenario_(scenario), sizes_(sizes), port_(port) {}

  void run() {
    std::vector<std::thread> threads;
    for (std::size_t client = 0; client < sizes_.connections; ++client)
      threads.emplace_back([this, client] { send_frames(client); });
    threads.emplace_back([this] { ask("/v1/status", status_); });
    threads.emplace_back([this] { ask("/v2/models/" + scenario_.tasks.front() + "/ready", ready_); });
    for (std::thread& thread : threads) thread.join();
  }
  [[nodiscard]] InferFigures figures() {
    InferFigures figures;
    figures.requests = whole_.size() + failed_;
    figures.failed = failed_;
    figures.whole = answer_times(whole_);
    figures.service = answer_times(service_);
    figures.status = answer_times(status_);
    figures.ready = answer_times(ready_);
    figures.others_failed = others_failed_;
    return figures;
  }

 private:
  void begin() const {
    runtime::pin_to(scenario_.client_cpus);
    runtime::wake_precisely();
  }
  // The tasks client, client + connections, client + 2 connections and so on, in turn.
  void send_frames(std::size_t client) {
    begin();
    static const std::string jpeg = picture_to_send();
    std::vector<std::string> requests;
    for (std::size_t task = client; task < scenario_.tasks.size(); task += sizes_.connections)
      requests.push_back(infer_request(scenario_.tasks[task], jpeg));
    const double per_second = sizes_.per_second / static_cast<double>(sizes_.connections);
    const auto first = to_duration(Seconds(0.1 + static_cast<double>(client) / sizes_.per_second));
    ask_on_time(
        port_, {per_second, sizes_.duration, first},
        [&](std::int64_t i) -> const std::string& {
          return requests[static_cast<std::size_t>(i) % requests.size()];
        },
        [&](const std::optional<HttpAnswer>& answer, double ms) { note(answer, ms); });
  }
  void note(const std::optional<HttpAnswer>& answer, double ms) {
    const auto latency = answer && answer->status == 200 ? latency_ms_of(*answer) : std::optional<double>{};
    const std::lock_guard lock(mutex_);
    if (!latency) {
      ++failed_;
      return;
    }
    whole_.push_back(ms);
    service_.push_back(ms - *latency);
    if (whole_.size() % 64 == 0)
      scenario_.progress(static_cast<double>(whole_.size()) / sizes_.per_second /
                         to_seconds(sizes_.duration).value());
  }
  void ask(const std::string& target, std::vector<double>& times) {
    begin();
    const std::string request = plain_request("GET", target);
    ask_on_time(
        port_, {sizes_.others_per_second, sizes_.duration, std::chrono::milliseconds(103)},
        [&](std::int64_t) -> const std::string& { return request; },
        [&](const std::optional<HttpAnswer>& answer, double ms) {
          times.push_back(ms);
          if (!answer || answer->status != 200) ++others_failed_;
        });
  }

  const ServiceScenario& scenario_;
  const InferSizes& sizes_;
  const std::uint16_t port_;
  std::mutex mutex_;  // guards the next three
  std::size_t failed_ = 0;
  std::vector<double> whole_;
  std::vector<double> service_;
  std::vector<double> status_;  // of the thread that asks
  std::vector<double> ready_;   // likewise
  std::atomic<std::size_t> others_failed_ = 0;
};

}  // namespace

Result<InferFigures> run_infer(const ServiceScenario& scenario, const InferSizes& sizes) {
  const auto started = ServiceProcess::start(scenario.file);
  if (!started) return started.errors();
  ServiceProcess& service = *started.value();
  std::this_thread::sleep_for(kWarmUp);
  Clients clients(scenario, sizes, service.port());
  clients.run();
  InferFigures figures = clients.figures();
  figures.tasks = scenario.tasks.size();
  const Result<nlohmann::json> summary = service.stop();
  if (!summary) return summary.errors();
  figures.outside = outside_of(summary.value());
  return figures;
}

}  // namespace saccade::bench
