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

HandedOver hand_over_once(const ResultsScenario& scenario, Duration length, double per_second,
                          bool with_rules) {
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
  const Duration before = process_time();
  std::thread worker([&] { measured.times_us = hand_over(scenario, length, per_second, *listener); });
  worker.join();
  measured.processor = process_time() - before;
  if (session) session->end();
  delivery->end();
  std::sort(measured.times_us.begin(), measured.times_us.end());
  return measured;
}

RuleCost measure_rules(const ResultsScenario& scenario, Duration length, double per_second) {
  const HandedOver without = hand_over_once(scenario, length, per_second, false);
  const HandedOver with = hand_over_once(scenario, length, per_second, true);
  const auto microseconds = [](const HandedOver& measured) {
    return to_seconds(measured.processor).value() * 1e6 / static_cast<double>(measured.times_us.size());
  };
  RuleCost cost;
  cost.per_second = per_second;
  cost.results = with.times_us.size();
  cost.p50_us = quantile(with.times_us, 0.5);
  cost.p99_us = quantile(with.times_us, 0.99);
  cost.max_us = with.times_us.back();
  cost.processor_more_us = microseconds(with) - microseconds(without);
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

RulesFigures run_rules(const ResultsScenario& scenario, const HandOverSizes& sizes) {
  RulesFigures figures;
  for (const double per_second : sizes.per_second) {
    scenario.progress(static_cast<double>(figures.results.size()) /
                      static_cast<double>(sizes.per_second.size()));
    figures.results.push_back(measure_rules(scenario, sizes.each, per_second));
  }
  figures.samples = {measure_samples(640, 360), measure_samples(1920, 1080)};
  return figures;
}

}  // namespace saccade::bench
