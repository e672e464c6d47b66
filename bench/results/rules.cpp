#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <memory>
#include <random>
#include <thread>
#include <utility>

#include "base/check.hpp"
#include "bench/report.hpp"
#include "bench/results/experiments.hpp"
#include "bench/results/worker.hpp"
#include "runtime/pictures/motion_meter.hpp"
#include "service/live/result_session.hpp"
#include "service/live/rule_session.hpp"

namespace saccade::bench {
namespace {

// Of all threads of this process.
Duration process_time() {
  std::timespec time{};
  SACCADE_CHECK(::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0);
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

// Two that watch the task: one becomes active, the other one never.
std::vector<rules::Rule> rules_of(const scheduler::Task& task) {
  std::vector<rules::Rule> both;
  for (const double min_score : {0.5, 0.99}) {
    rules::Rule& rule = both.emplace_back();
    rule.id = min_score < 0.9 ? "seen" : "unsure";
    rule.tasks = {task.id.str()};
    rule.presence = rules::PresenceCondition{};
    rule.presence->labels = {task.profiles->labels.front()};
    rule.presence->min_score = min_score;
    rule.set.weight = 2.0;
  }
  return both;
}

struct HandedOver {
  std::vector<double> times_us;
  Duration processor{0};
};

Result<HandedOver> hand_over_once(const ResultsScenario& scenario, Duration length, double per_second,
                                  bool with_rules, runtime::Engine* engine) {
  const auto delivery = service::ResultSession::open({"bench", {}}, scenario.run);
  std::shared_ptr<runtime::ResultListener> listener = delivery->listener();
  std::unique_ptr<service::RuleSession> session;
  if (with_rules) {
    const auto lay_over = [](const rules::Overlay&) -> runtime::ChangeResult<std::uint64_t> {
      return std::uint64_t{1};
    };
    session = std::make_unique<service::RuleSession>(
        rules_of(scenario.run.timeline.front().snapshot.tasks.front()), lay_over);
    listener = session->listener(listener);
    session->run(scenario.serving_cpus);
  }
  HandedOver measured;
  Result<std::vector<double>> called = Error{};
  const Duration before = process_time();
  std::thread worker([&] { called = hand_over(scenario, length, per_second, engine, *listener); });
  worker.join();
  measured.processor = process_time() - before;
  if (session) session->end();
  delivery->end();
  if (!called) return called.errors();
  measured.times_us = std::move(called).value();
  std::sort(measured.times_us.begin(), measured.times_us.end());
  return measured;
}

// Of all threads, per result: more with rules than without, the median of interleaved pairs. By calls without
// inferences: what these take would hide it.
Result<double> processor_more_us(const ResultsScenario& scenario, Duration length, double per_second) {
  constexpr int kPairs = 5;
  std::vector<double> more;
  for (int pair = 0; pair < kPairs; ++pair) {
    std::array<double, 2> microseconds{};
    for (const std::size_t turn : {0U, 1U}) {
      const std::size_t with = (turn + static_cast<std::size_t>(pair)) % 2;
      const auto measured = hand_over_once(scenario, length / kPairs, per_second, with == 1, nullptr);
      if (!measured) return measured.errors();
      microseconds[with] = to_seconds(measured.value().processor).value() * 1e6 /
                           static_cast<double>(measured.value().times_us.size());
    }
    more.push_back(microseconds[1] - microseconds[0]);
  }
  std::sort(more.begin(), more.end());
  return quantile(more, 0.5);
}

Result<RuleCost> measure_rules(const ResultsScenario& scenario, Duration length, double per_second,
                               runtime::Engine& engine) {
  const auto more = processor_more_us(scenario, length, per_second);
  if (!more) return more.errors();
  const auto after_inferences = hand_over_once(scenario, length, per_second, true, &engine);
  if (!after_inferences) return after_inferences.errors();
  const std::vector<double>& times = after_inferences.value().times_us;
  RuleCost cost;
  cost.per_second = per_second;
  cost.results = times.size();
  cost.p50_us = quantile(times, 0.5);
  cost.p99_us = quantile(times, 0.99);
  cost.max_us = times.back();
  cost.processor_more_us = more.value();
  return cost;
}

// Of pictures of noise, two in turn.
SampleCost measure_samples(int width, int height) {
  constexpr std::size_t kSamples = 500;
  constexpr unsigned kNoise = 1;
  std::mt19937 random(kNoise);
  std::array<runtime::Picture, 2> pictures;
  for (runtime::Picture& picture : pictures) {
    picture.resize(width, height);
    for (std::uint8_t& value : picture.pixels) value = static_cast<std::uint8_t>(random() & 0xFFU);
  }
  runtime::MotionMeter meter(std::vector<runtime::MotionSettings>(1));
  std::vector<double> times;
  TimePoint now{};
  for (std::size_t i = 0; i < kSamples; ++i) {
    now += runtime::MotionMeter::kBetween;
    const Duration before = process_time();
    (void)meter.look(pictures[i % pictures.size()], now);
    times.push_back(to_seconds(process_time() - before).value() * 1e3);
  }
  std::sort(times.begin(), times.end());
  return {width, height, times.size(), quantile(times, 0.5), quantile(times, 0.99), times.back()};
}

}  // namespace

Result<RulesFigures> run_rules(const ResultsScenario& scenario, const HandOverSizes& sizes) {
  const auto engine = worker_engine(scenario);
  if (!engine) return engine.errors();
  RulesFigures figures;
  for (const double per_second : sizes.per_second) {
    scenario.progress(static_cast<double>(figures.results.size()) /
                      static_cast<double>(sizes.per_second.size()));
    auto cost = measure_rules(scenario, sizes.each, per_second, *engine.value());
    if (!cost) return cost.errors();
    figures.results.push_back(cost.value());
  }
  figures.samples = {measure_samples(640, 360), measure_samples(1920, 1080)};
  return figures;
}

}  // namespace saccade::bench
