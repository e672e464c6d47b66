#include "bench/switch/recording.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "bench/report.hpp"
#include "runtime/frames/regulator.hpp"
#include "runtime/frames/tick_schedule.hpp"
#include "runtime/frames/tick_spread.hpp"
#include "runtime/profiling/profile_statistics.hpp"

namespace saccade::bench {
namespace {

const std::string kMissed = "missed";

bool quiet(const Recording& recording, Duration at) {
  return std::any_of(recording.quiet.begin(), recording.quiet.end(),
                     [&](const Window& window) { return window.holds(at); });
}

struct Gaps {  // ms
  std::vector<double> plain;
  std::vector<double> at_switch;
};
Gaps gaps_between(const Recording& recording, runtime::TaskIndex task) {
  Gaps gaps;
  const FrameRun* last = nullptr;
  for (const FrameRun& frame : recording.frames) {
    if (frame.task != task) continue;
    const FrameRun* const before = std::exchange(last, &frame);
    if (before == nullptr || !recording.measured.holds(before->end) || !recording.measured.holds(frame.end)) {
      continue;
    }
    (before->engine == frame.engine ? gaps.plain : gaps.at_switch).push_back(ms(frame.end - before->end));
  }
  return gaps;
}

GapFigures gaps_of(const Recording& recording, runtime::TaskIndex task) {
  GapFigures figures;
  figures.task = recording.tasks[task];
  const Gaps gaps = gaps_between(recording, task);
  figures.plain = gaps.plain.size();
  figures.at_switch = gaps.at_switch.size();
  figures.plain_p99 = p99(gaps.plain);
  figures.switch_p99 = p99(gaps.at_switch);
  if (!gaps.at_switch.empty()) {
    figures.switch_max = *std::max_element(gaps.at_switch.begin(), gaps.at_switch.end());
  }
  const auto beyond = [&](const std::vector<double>& values) {
    return static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [&](double gap) {
      return figures.plain_p99 && gap > *figures.plain_p99 + kGapAllowance;
    }));
  };
  figures.beyond = beyond(gaps.at_switch);
  figures.plain_beyond = beyond(gaps.plain);
  return figures;
}

// One look differs from the next by some MB, as the allocator happens to place engines: the median of the
// last third against that of the first.
std::optional<double> memory_growth_mb(const std::vector<Bytes>& looks) {
  const std::size_t third = std::max<std::size_t>(looks.size() / 3, 1);
  if (looks.size() < 2) return std::nullopt;
  const auto median = [third](auto from) {
    std::vector<double> values;
    std::transform(from, from + static_cast<std::ptrdiff_t>(third), std::back_inserter(values),
                   [](Bytes bytes) { return bytes.value(); });
    return runtime::median(std::move(values));
  };
  return (median(looks.end() - static_cast<std::ptrdiff_t>(third)) - median(looks.begin())) * 1e-6;
}

// Not excused: what the product did itself, and missed ticks, which captures on other CPUs missed.
bool outside(const Recording& recording, const Loss& loss) {
  if (loss.by_switch || loss.by_solve || loss.reason == kMissed) return false;
  return std::any_of(recording.holds.begin(), recording.holds.end(), [&](const Hold& hold) {
    return hold.window.from <= loss.at && loss.at <= hold.window.to;
  });
}

LossFigures losses_of(const Recording& recording) {
  // Who exchanged an engine in which period, and whether old and new fitted beside each other.
  std::map<std::pair<runtime::TaskIndex, std::int64_t>, bool> switched;
  for (const Exchange& exchange : recording.exchanges) {
    switched[{exchange.task, exchange.at / recording.period}] = exchange.both_fit.value_or(false);
  }
  LossFigures figures;
  for (const Loss& loss : recording.losses) {
    if (!recording.measured.holds(loss.at)) continue;
    ++figures.reasons[loss.reason];
    const auto found = switched.find({loss.task, loss.at / recording.period});
    LossCount& count = quiet(recording, loss.at) ? figures.quiet
                       : found == switched.end() ? figures.kept
                       : found->second           ? figures.both_fit
                                                 : figures.not_both;
    ++count.all;
    if (loss.by_switch) ++count.by_switch;
    if (outside(recording, loss)) ++count.outside;
  }
  return figures;
}

}  // namespace

std::optional<double> p99(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return quantile(values, 0.99);
}

std::vector<Duration> first_ticks(const std::vector<scheduler::Task>& tasks) {
  std::vector<runtime::Ticks> before;
  std::vector<Duration> first(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].demand.value() == 0.0) continue;
    const Duration period = runtime::interval_of(tasks[i].demand);
    first[i] = runtime::spread_delay(period, TimePoint{}, before);
    before.push_back({TimePoint{} + first[i], period});
  }
  return first;
}

std::vector<Loss> missed_ticks(runtime::TaskIndex task, Fps demand, Duration first,
                               const std::vector<Duration>& seen, Duration end) {
  std::vector<Loss> missed;
  runtime::TickSchedule schedule;
  schedule.set_demand(demand, TimePoint{} + first);
  while (schedule.next() && *schedule.next() < TimePoint{} + end) {
    const Duration due = schedule.take() - TimePoint{};
    if (!std::binary_search(seen.begin(), seen.end(), due)) missed.push_back({task, due, kMissed});
  }
  return missed;
}

std::vector<double> gaps_at_switches(const Recording& recording, runtime::TaskIndex task) {
  return gaps_between(recording, task).at_switch;
}

RunFigures figures(const Recording& recording) {
  RunFigures figures;
  const Window& measured = recording.measured;
  figures.seconds = ms(measured.to - measured.from) * 1e-3;
  std::vector<double> inferences;
  std::vector<double> latencies;
  for (const FrameRun& frame : recording.frames) {
    if (!measured.holds(frame.due)) continue;
    const bool nothing_changes = quiet(recording, frame.due);
    ++(nothing_changes ? figures.quiet_frames : figures.frames);
    if (nothing_changes) continue;
    inferences.push_back(ms(frame.end - frame.begin));
    latencies.push_back(ms(frame.end - frame.due));
  }
  figures.inference_p99_ms = p99(inferences);
  figures.latency_p99_ms = p99(latencies);
  for (const Exchange& exchange : recording.exchanges) {
    if (!measured.holds(exchange.at)) continue;
    ++figures.switches;
    if (exchange.both_fit.value_or(false)) ++figures.both_fit;
  }
  figures.lost = losses_of(recording);
  for (runtime::TaskIndex task = 0; task < recording.tasks.size(); ++task) {
    figures.gaps.push_back(gaps_of(recording, task));
  }
  figures.busy_share = recording.busy_share;
  figures.capacity = recording.capacity;
  for (const Hold& hold : recording.holds) {
    if (!measured.holds(hold.window.from)) continue;
    ++figures.holds;
    figures.held_ms += ms(hold.window.to - hold.window.from);
    figures.stolen_ms += ms(hold.stolen);
  }
  figures.memory_growth_mb = memory_growth_mb(recording.memory);
  return figures;
}

}  // namespace saccade::bench
