#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "bench/report.hpp"
#include "bench/results/experiments.hpp"
#include "bench/results/outage.hpp"
#include "bench/results/subscriber.hpp"
#include "bench/service/service_process.hpp"

namespace saccade::bench {
namespace {

using Message = BenchSubscriber::Message;

constexpr Duration kBetweenPolls = std::chrono::milliseconds(100);
constexpr Duration kLongestRetry = std::chrono::seconds(60);  // a sink tries again after at most 30 s
constexpr Duration kProofOfLife = std::chrono::seconds(2);

Duration since_boot() { return std::chrono::steady_clock::now().time_since_epoch(); }

std::set<std::string> presence_topics(const std::vector<Message>& messages) {
  std::set<std::string> topics;
  for (const Message& message : messages) {
    if (message.topic.find("/presence/") != std::string::npos) topics.insert(message.topic);
  }
  return topics;
}

// The service has connected, at `back` or later.
bool is_connection(const Message& message, Duration back) {
  return message.at >= back && message.topic.ends_with("/available") && message.payload == "online";
}

// From the connection of the service after `back` until all these topics have come; absent: not yet, or there
// are none. One that was connected before the subscription counts from `back` on, which is more than it took.
std::optional<double> seconds_until_all(const std::vector<Message>& messages, std::set<std::string> missing,
                                        Duration back) {
  const auto online = std::find_if(messages.begin(), messages.end(),
                                   [&](const Message& message) { return is_connection(message, back); });
  if (online == messages.end() || missing.empty()) return std::nullopt;
  const Duration from = online->retained ? back : online->at;
  for (auto message = online->retained ? messages.begin() : online; message != messages.end(); ++message) {
    if (message->at >= back) missing.erase(message->topic);
    if (missing.empty()) return to_seconds(std::max(message->at, online->at) - from).value();
  }
  return std::nullopt;
}

// Results that were captured after `back` come.
bool results_come(const BenchSubscriber& subscriber, Duration back) {
  const std::vector<BenchSubscriber::Arrival> arrivals = subscriber.arrivals();
  return !arrivals.empty() && arrivals.back().captured > back + kProofOfLife;
}

void note_ages(const std::vector<BenchSubscriber::Arrival>& arrivals, Duration began,
               ArrivalFigures& figures) {
  std::vector<double> ages;
  std::vector<double> whole;
  for (const BenchSubscriber::Arrival& arrival : arrivals) {
    if (arrival.captured < began) continue;
    ages.push_back(to_seconds(arrival.age).value() * 1e3);
    whole.push_back(to_seconds(arrival.at - arrival.captured).value() * 1e3);
  }
  figures.results = ages.size();
  if (ages.empty()) return;
  std::sort(ages.begin(), ages.end());
  std::sort(whole.begin(), whole.end());
  figures.age_p99_ms = quantile(ages, 0.99);
  figures.arrival_p99_ms = quantile(whole, 0.99);
}

// The broker is back after `back`. True: nothing more is to be waited for.
bool note_states(const BenchSubscriber& subscriber, const std::set<std::string>& wanted, Duration back,
                 ArrivalFigures& figures) {
  const std::vector<Message> messages = subscriber.messages();
  figures.states = wanted.size();
  figures.connected_again = std::any_of(messages.begin(), messages.end(),
                                        [&](const Message& message) { return is_connection(message, back); });
  figures.states_seconds = seconds_until_all(messages, wanted, back);
  return figures.states_seconds.has_value() || (!figures.connected_again && results_come(subscriber, back));
}

Result<ArrivalFigures> run_arrival(const ResultsScenario& scenario, const std::string& kind,
                                   Duration length) {
  const std::string prefix = "saccade/" + scenario.node;
  const BenchFolder folder;
  Outage outage(kind, folder, scenario.client_cpus);
  const Status begun = outage.begin();
  if (!begun) return begun.errors();
  const std::filesystem::path file = folder.path() / "service.json";
  const Status written = write_config(scenario, file, nlohmann::json::array({outage.sink()}));
  if (!written) return written.errors();
  auto first = BenchSubscriber::start(outage.broker_port(), prefix, scenario.client_cpus);
  if (!first) return first.errors();
  std::unique_ptr<BenchSubscriber> subscriber = std::move(first).value();
  const auto started = ServiceProcess::start(file);
  if (!started) return started.errors();
  ArrivalFigures figures;
  figures.outage = kind;
  const Duration began = since_boot();
  std::set<std::string> wanted;
  Duration back{0};
  bool all_there = kind == "none";
  for (Duration passed{0}; passed < length || (!all_there && passed < length + kLongestRetry);
       passed = since_boot() - began) {
    const bool was_back = outage.is_back();
    const Duration before = since_boot();
    const Status changed = outage.at(to_seconds(passed).value() / to_seconds(length).value());
    if (!changed) return changed.errors();
    if (outage.is_back() && !was_back) {
      back = before;
      wanted = presence_topics(subscriber->messages());
      if (kind == "killed") {  // before the service tries again: at once
        auto next = BenchSubscriber::start(outage.broker_port(), prefix, scenario.client_cpus);
        if (!next) return next.errors();
        subscriber = std::move(next).value();
      }
    }
    if (outage.is_back()) all_there = note_states(*subscriber, wanted, back, figures);
    std::this_thread::sleep_for(kBetweenPolls);
  }
  if (kind == "none") note_ages(subscriber->arrivals(), began, figures);
  const Result<nlohmann::json> summary = started.value()->stop();
  if (!summary) return summary.errors();
  return figures;
}

}  // namespace

Result<std::vector<ArrivalFigures>> run_arrivals(const ResultsScenario& scenario, Duration each) {
  std::vector<ArrivalFigures> all;
  for (const char* kind : {"none", "killed", "stopped"}) {
    scenario.progress(static_cast<double>(all.size()) / 3.0);
    // One that is stopped stands still for longer than the service waits for it.
    const Duration length = std::string(kind) == "stopped" ? 2 * each : each;
    Result<ArrivalFigures> figures = run_arrival(scenario, kind, length);
    if (!figures) return figures.errors();
    all.push_back(std::move(figures).value());
  }
  return all;
}

}  // namespace saccade::bench
