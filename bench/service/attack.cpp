#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "bench/report.hpp"
#include "bench/service/experiments.hpp"
#include "bench/service/service_process.hpp"
#include "runtime/machine/thread_settings.hpp"

namespace saccade::bench {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::chrono::seconds kAttackWarmUp(2);
constexpr std::chrono::milliseconds kBetweenGood(100);

// Somebody who asks properly meanwhile.
class GoodClient {
 public:
  GoodClient(std::uint16_t port, const std::vector<int>& cpus)
      : thread_([this, port, cpus] {
          runtime::pin_to(cpus);
          while (!end_) ask(port);
        }) {}
  ~GoodClient() { end(); }
  GoodClient(const GoodClient&) = delete;
  GoodClient& operator=(const GoodClient&) = delete;

  void end() {
    end_ = true;
    if (thread_.joinable()) thread_.join();
  }
  // After end().
  [[nodiscard]] std::uint64_t asked() const { return asked_; }
  [[nodiscard]] const std::vector<double>& times_ms() const { return times_ms_; }  // of those answered

 private:
  void ask(std::uint16_t port) {
    const auto begin = std::chrono::steady_clock::now();
    Connection connection(port);
    connection.send(plain_request("GET", "/livez"));
    const auto answer = connection.answer(kPatience);
    const Duration took = std::chrono::steady_clock::now() - begin;
    ++asked_;
    if (answer && answer->status == 200) times_ms_.push_back(static_cast<double>(took.count()) * 1e-6);
    std::this_thread::sleep_until(begin + kBetweenGood);
  }

  std::atomic<bool> end_{false};
  std::uint64_t asked_ = 0;
  std::vector<double> times_ms_;
  std::thread thread_;  // last: it uses the others
};

// What must be the same after the attack. Generations may differ: the run takes some itself, for example
// when frame times drift.
Result<std::string> configuration(const ServiceProcess& service) {
  const Result<HttpAnswer> config = service.ask("GET", "/v1/config");
  if (!config) return config.errors();
  const auto etag = config.value().headers.find("etag");
  if (config.value().status != 200 || etag == config.value().headers.end()) {
    return Error{"/v1/config", "no configuration came: " + config.value().body, ""};
  }
  return config.value().body + etag->second;
}

class Attack {
 public:
  Attack(const ServiceScenario& scenario, const AttackSizes& sizes, const ServiceProcess& service)
      : scenario_(scenario),
        sizes_(sizes),
        service_(service),
        frames_(service, scenario.client_cpus),
        attacker_(service.port(), HostileRequests(scenario.seed, scenario.tasks), scenario.client_cpus) {}

  Result<AttackFigures> run() {
    std::this_thread::sleep_for(kAttackWarmUp);
    const Result<std::string> before = configuration(service_);
    if (!before) return before.errors();
    const std::optional<Bytes> memory = service_.resident_memory();
    for (std::size_t i = 0; i < sizes_.pairs; ++i) {
      if (const Status done = pair(i); !done) {
        // It ended in the middle of it: that is a finding, not a failure of the bench.
        if (service_.runs()) return done.errors();
        break;
      }
    }
    finish(before.value(), memory);
    return std::move(figures_);
  }

 private:
  Status pair(std::size_t number) {
    AttackPair pair;
    for (const bool attacked : {number % 2 == 1, number % 2 == 0}) {
      const Result<WatchedFrames> before = frames_.take();
      if (!before) return before.errors();
      attacked ? attack(number) : std::this_thread::sleep_for(sizes_.stretch);
      const Result<WatchedFrames> frames = frames_.take();
      if (!frames) return frames.errors();
      (attacked ? pair.with : pair.without) = frames.value();
      ++stretches_;
      scenario_.progress(static_cast<double>(stretches_) / static_cast<double>(2 * sizes_.pairs));
    }
    figures_.pairs.push_back(pair);
    return Done{};
  }

  void attack(std::size_t number) {
    const SteadyTime end = std::chrono::steady_clock::now() + sizes_.stretch;
    GoodClient good(service_.port(), scenario_.client_cpus);
    attacker_.attack(sizes_.requests * (number + 1) / sizes_.pairs, end);
    good.end();
    figures_.good_asked += good.asked();
    good_times_.insert(good_times_.end(), good.times_ms().begin(), good.times_ms().end());
  }

  void finish(const std::string& configuration_before, const std::optional<Bytes>& memory_before) {
    figures_.tallies = attacker_.tallies();
    for (const auto& [kind, tally] : figures_.tallies) figures_.all.add(tally);
    figures_.good_answered = good_times_.size();
    std::sort(good_times_.begin(), good_times_.end());
    if (!good_times_.empty()) figures_.good_p99_ms = quantile(good_times_, 0.99);
    figures_.crashes = service_.runs() ? 0 : 1;
    const Result<std::string> after = configuration(service_);
    figures_.changed = !after || after.value() != configuration_before;
    const std::optional<Bytes> memory_after = service_.resident_memory();
    if (memory_before && memory_after) figures_.memory_growth = *memory_after - *memory_before;
    std::vector<double> lost;
    for (const AttackPair& pair : figures_.pairs) {
      if (const auto points = pair.lost_points()) lost.push_back(*points);
    }
    std::sort(lost.begin(), lost.end());
    if (!lost.empty()) figures_.lost_points = quantile(lost, 0.5);
  }

  const ServiceScenario& scenario_;
  const AttackSizes& sizes_;
  const ServiceProcess& service_;
  FrameWatch frames_;
  Attacker attacker_;
  AttackFigures figures_;
  std::size_t stretches_ = 0;
  std::vector<double> good_times_;
};

}  // namespace

Result<AttackFigures> run_attack(const ServiceScenario& scenario, const AttackSizes& sizes) {
  const auto service = ServiceProcess::start(scenario.file);
  if (!service) return service.errors();
  Result<AttackFigures> figures = Attack(scenario, sizes, *service.value()).run();
  if (!figures) return figures;
  const Result<nlohmann::json> summary = service.value()->stop();
  if (!summary) {
    figures.value().crashes = 1;
  } else {
    figures.value().outside = outside_of(summary.value());
  }
  return figures;
}

}  // namespace saccade::bench
