#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <thread>

#include "bench/report.hpp"
#include "bench/service/experiments.hpp"
#include "bench/service/service_process.hpp"
#include "runtime/machine/thread_settings.hpp"

namespace saccade::bench {
namespace {

constexpr std::chrono::milliseconds kBetweenScrapes(100);
constexpr std::chrono::seconds kForTheLastPlan(10);

// A connection that is made again when it is gone.
class Line {
 public:
  explicit Line(std::uint16_t port) : port_(port) {}
  std::optional<HttpAnswer> ask(std::string_view method, std::string_view target,
                                std::string_view body = {}) {
    if (!connection_) connection_ = std::make_unique<Connection>(port_);
    connection_->send(plain_request(method, target, body));
    auto answer = connection_->answer(kPatience);
    if (!answer || answer->headers["connection"] == "close") connection_.reset();
    return answer;
  }

 private:
  const std::uint16_t port_;
  std::unique_ptr<Connection> connection_;
};

struct Patch {
  std::string target;
  std::string body;
};

// Most of them change a task, some the memory limit; all of them are valid, and all of them fit.
Patch random_patch(std::mt19937_64& random, const ServiceScenario& scenario) {
  const auto between = [&](double least, double most) {
    return least + (most - least) * static_cast<double>(random() % 1001) / 1000.0;
  };
  if (random() % 8 == 0) {
    const auto bytes = static_cast<long>(between(30e6, 60e6));
    return {"/v1/limits", "{\"memory_bytes\": " + std::to_string(bytes) + "}"};
  }
  const std::size_t task = random() % scenario.tasks.size();
  const double fps = std::round(scenario.rates[task] * between(0.7, 1.0));
  const int weight = static_cast<int>(between(1.0, 8.99));
  return {"/v1/tasks/" + scenario.tasks[task], "{\"fps\": " + std::to_string(static_cast<int>(fps)) +
                                                   ", \"weight\": " + std::to_string(weight) + "}"};
}

// Whether received = processed + dropped + in flight for every task of a scrape.
bool adds_up(const std::string& metrics) {
  std::map<std::string, double> sums;  // by task
  std::istringstream lines(metrics);
  std::size_t received = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto is = [&](std::string_view name) { return line.starts_with(std::string(name) + "{"); };
    const bool positive = is("saccade_frames_received_total");
    const bool negative = is("saccade_frames_processed_total") || is("saccade_frames_dropped_total") ||
                          is("saccade_frames_in_flight");
    const std::size_t task = line.find("task=\"");
    if ((!positive && !negative) || task == std::string::npos) continue;
    const std::string id = line.substr(task + 6, line.find('"', task + 6) - task - 6);
    const double value = std::stod(line.substr(line.rfind(' ') + 1));
    sums[id] += positive ? value : -value;
    received += positive ? 1 : 0;
  }
  return received > 0 && received == sums.size() &&
         std::all_of(sums.begin(), sums.end(), [](const auto& sum) { return sum.second == 0.0; });
}

void scrape(std::uint16_t port, const std::atomic<bool>& end, PatchFigures& figures) {
  Line line(port);
  while (!end) {
    const auto answer = line.ask("GET", "/metrics");
    ++figures.scrapes;
    if (!answer || answer->status != 200 || !adds_up(answer->body)) ++figures.scrapes_off;
    std::this_thread::sleep_for(kBetweenScrapes);
  }
}

void patch(const ServiceScenario& scenario, const PatchSizes& sizes, std::uint16_t port,
           PatchFigures& figures) {
  std::mt19937_64 random(scenario.seed);
  Line line(port);
  std::vector<double> times_ms;
  const auto begin = std::chrono::steady_clock::now();
  const double minutes = to_seconds(sizes.duration).value() / 60.0;
  const auto count = static_cast<std::uint64_t>(std::ceil(sizes.per_minute * minutes));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto due = begin + sizes.duration * static_cast<std::int64_t>(i) / static_cast<std::int64_t>(count);
    std::this_thread::sleep_until(due);
    const Patch next = random_patch(random, scenario);
    const auto answer = line.ask("PATCH", next.target, next.body);
    ++figures.sent;
    const Duration took = std::chrono::steady_clock::now() - due;
    times_ms.push_back(static_cast<double>(took.count()) * 1e-6);
    if (!answer || answer->status != 202) continue;
    const nlohmann::json json = nlohmann::json::parse(answer->body, nullptr, false);
    const auto generation = json.is_object() ? json.value("generation", std::uint64_t{0}) : 0;
    if (generation <= figures.last_generation) figures.in_order = false;
    figures.last_generation = generation;
    ++figures.accepted;
    if (i % 16 == 0) scenario.progress(static_cast<double>(i) / static_cast<double>(count));
  }
  std::sort(times_ms.begin(), times_ms.end());
  if (!times_ms.empty()) figures.answer_p99_ms = quantile(times_ms, 0.99);
}

// The plan's generation once it is that of the last change, or when it does not come.
Result<std::uint64_t> plan_generation(const ServiceProcess& service, std::uint64_t wanted) {
  const auto end = std::chrono::steady_clock::now() + kForTheLastPlan;
  for (;;) {
    const Result<nlohmann::json> plan = service.document("/v1/plan");
    if (!plan) return plan.errors();
    const auto generation = plan.value().at("generation").get<std::uint64_t>();
    if (generation >= wanted || std::chrono::steady_clock::now() > end) return generation;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

Result<PatchFigures> run_patches(const ServiceScenario& scenario, const PatchSizes& sizes) {
  const auto started = ServiceProcess::start(scenario.file);
  if (!started) return started.errors();
  ServiceProcess& service = *started.value();
  std::this_thread::sleep_for(kWarmUp);
  const Result<nlohmann::json> status = service.document("/v1/status");
  if (!status) return status.errors();
  PatchFigures figures;
  figures.last_generation = status.value().at("generation").get<std::uint64_t>();
  std::optional<FrameWatch> watch(std::in_place, service, scenario.client_cpus);

  std::atomic<bool> end{false};
  std::thread scraper([&] {
    runtime::pin_to(scenario.client_cpus);
    scrape(service.port(), end, figures);
  });
  std::thread patcher([&] {
    runtime::pin_to(scenario.client_cpus);
    patch(scenario, sizes, service.port(), figures);
  });
  patcher.join();
  const Result<WatchedFrames> frames = watch->take();
  watch.reset();  // it asks the service
  const Result<std::uint64_t> plan = plan_generation(service, figures.last_generation);
  end = true;
  scraper.join();
  if (!frames) return frames.errors();
  if (!plan) return plan.errors();
  figures.plan_generation = plan.value();
  figures.frames = frames.value();
  const Result<nlohmann::json> summary = service.stop();
  if (!summary) return summary.errors();
  figures.switches = summary.value().at("switches").size();
  figures.outside = outside_of(summary.value());
  return figures;
}

}  // namespace saccade::bench
