#include <algorithm>
#include <memory>
#include <thread>

#include "bench/report.hpp"
#include "bench/results/experiments.hpp"
#include "bench/results/other_sides.hpp"
#include "bench/results/worker.hpp"
#include "results/settings.hpp"
#include "service/live/result_session.hpp"

namespace saccade::bench {
namespace {

// The other sides of all sinks, of which one is used at a time.
struct OtherSides {
  BenchFolder folder;
  BenchBroker broker;
  BenchReceiver receiver;

  explicit OtherSides(const std::vector<int>& cpus) : broker(folder.path(), true, cpus), receiver(cpus) {}

  [[nodiscard]] results::SinkKind settings(const std::string& type) const {
    if (type == "file") return results::FileSettings{.path = folder.path() / "results.jsonl"};
    if (type == "webhook") return results::WebhookSettings{.url = receiver.url()};
    if (type == "socket") return results::SocketSettings{.path = folder.path() / "results.sock"};
    results::MqttSettings mqtt;
    mqtt.id = type;
    mqtt.host = "127.0.0.1";
    mqtt.port = broker.port();
    return mqtt;
  }
};

// The least bound that 99 of 100 keep; absent: nothing was sent, or the last bound is exceeded.
std::optional<double> p99_of(const results::DeliveryTimes& times) {
  const std::int64_t wanted = (99 * times.count() + 99) / 100;
  for (std::size_t i = 0; wanted > 0 && i < results::DeliveryTimes::kBounds.size(); ++i) {
    if (times.up_to(i) >= wanted) return static_cast<double>(results::DeliveryTimes::kBounds[i]);
  }
  return std::nullopt;
}

Result<HandOverFigures> measure(const ResultsScenario& scenario, Duration length, double per_second,
                                const std::string& type, const OtherSides& sides, runtime::Engine& engine) {
  results::ResultsSettings settings{"bench", {}};
  if (type != kNoSink && type != kNoSinkAsleep)
    settings.sinks.push_back({type, {}, {}, sides.settings(type)});
  std::unique_ptr<BenchReader> reader;
  if (type == "socket") {
    reader = std::make_unique<BenchReader>(sides.folder.path() / "results.sock", scenario.client_cpus);
  }
  const auto session = service::ResultSession::open(settings, scenario.run);
  HandOverFigures figures{.sink = type, .per_second = per_second};
  Result<std::vector<double>> called = Error{};
  std::thread worker([&] {
    called = hand_over(scenario, length, per_second, type == kNoSinkAsleep ? nullptr : &engine,
                       *session->listener());
  });
  worker.join();
  if (!called) return called.errors();
  std::vector<double>& times = called.value();
  for (const results::DeliveryAccount& account : session->accounts()) {
    const std::int64_t known =
        account.filtered + account.sent + account.dropped + account.failed + account.waiting;
    figures.unaccounted += account.produced == known ? 0 : 1;
    figures.sent = account.sent;
    figures.delivered_p99_ms = p99_of(account.delivered);
  }
  session->end();
  std::sort(times.begin(), times.end());
  figures.results = times.size();
  figures.p50_us = quantile(times, 0.5);
  figures.p99_us = quantile(times, 0.99);
  figures.max_us = times.back();
  return figures;
}

}  // namespace

Result<std::vector<HandOverFigures>> run_hand_over(const ResultsScenario& scenario,
                                                   const HandOverSizes& sizes) {
  OtherSides sides(scenario.client_cpus);
  const Status broker = sides.broker.start();
  if (!broker) return broker.errors();
  const auto engine = worker_engine(scenario);
  if (!engine) return engine.errors();
  std::vector<std::string> types{kNoSinkAsleep, kNoSink};
  types.insert(types.end(), results::kSinkTypes.begin(), results::kSinkTypes.end());
  std::vector<HandOverFigures> all;
  for (const double per_second : sizes.per_second) {
    for (const std::string& type : types) {
      scenario.progress(static_cast<double>(all.size()) /
                        static_cast<double>(types.size() * sizes.per_second.size()));
      auto figures = measure(scenario, sizes.each, per_second, type, sides, *engine.value());
      if (!figures) return figures.errors();
      all.push_back(std::move(figures).value());
    }
  }
  return all;
}

}  // namespace saccade::bench
