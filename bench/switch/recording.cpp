#include "bench/switch/recording.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "bench/report.hpp"
#include "runtime/profile_statistics.hpp"

namespace saccade::bench {
namespace {

constexpr Duration kAroundStall = std::chrono::milliseconds(100);
constexpr Duration kLongestAfter = std::chrono::seconds(1);

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
    if (before == nullptr || !recording.measured.holds(before->end) || !recording.measured.holds(frame.end) ||
        in_trouble(recording, before->end, frame.end)) {
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

LossFigures losses_of(const Recording& recording) {
  // Who exchanged an engine in which period, and whether old and new fitted beside each other.
  std::map<std::pair<runtime::TaskIndex, std::int64_t>, bool> switched;
  for (const Exchange& exchange : recording.exchanges) {
    switched[{exchange.task, exchange.at / recording.period}] = exchange.both_fit.value_or(false);
  }
  LossFigures figures;
  for (const Loss& loss : recording.losses) {
    if (!recording.measured.holds(loss.at)) continue;
    if (in_trouble(recording, loss.at, loss.at)) {
      ++figures.in_troubles;
      if (loss.by_switch) ++figures.in_troubles_by_switch;
      continue;
    }
    ++figures.reasons[loss.reason];
    if (quiet(recording, loss.at)) {
      ++figures.quiet;
      continue;
    }
    const auto found = switched.find({loss.task, loss.at / recording.period});
    const std::size_t by_switch = loss.by_switch ? 1 : 0;
    if (found == switched.end()) {
      ++figures.kept;
      figures.kept_by_switch += by_switch;
    } else if (found->second) {
      ++figures.both_fit;
      figures.both_fit_by_switch += by_switch;
    } else {
      ++figures.not_both;
    }
  }
  return figures;
}

}  // namespace

std::optional<double> p99(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return quantile(values, 0.99);
}

std::vector<Window> troubles_of(const Recording& recording) {
  std::vector<Window> troubles;
  for (const Window& stall : recording.stalls) {
    Duration over = stall.to + kLongestAfter;
    auto frame = std::find_if(recording.frames.begin(), recording.frames.end(),
                              [&](const FrameRun& each) { return each.end >= stall.to; });
    for (; frame != recording.frames.end() && std::next(frame) != recording.frames.end(); ++frame) {
      if (std::next(frame)->due < frame->end) continue;  // it waited
      over = std::min(over, frame->end);
      break;
    }
    troubles.push_back({stall.from - kAroundStall, std::max(over, stall.to + kAroundStall)});
  }
  return troubles;
}

bool in_trouble(const Recording& recording, Duration from, Duration to) {
  return std::any_of(recording.troubles.begin(), recording.troubles.end(),
                     [&](const Window& trouble) { return from <= trouble.to && to >= trouble.from; });
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
    if (nothing_changes || in_trouble(recording, frame.due, frame.end)) continue;
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
  for (const Window& stall : recording.stalls) {
    if (!measured.holds(stall.from)) continue;
    ++figures.stalls;
    figures.longest_stall_ms = std::max(figures.longest_stall_ms, ms(stall.to - stall.from));
  }
  figures.memory_growth_mb = memory_growth_mb(recording.memory);
  return figures;
}

}  // namespace saccade::bench
