#include "bench/switch/report.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/profiling/profile_statistics.hpp"

namespace saccade::bench {
namespace {

// Of the frames that were due in the stretch.
struct Stretch {
  std::vector<double> inference;  // / the task's own
  std::vector<double> latency;    // ms
};
Stretch stretch(const Recording& recording, const Window& window,
                const std::vector<std::optional<double>>& own) {
  Stretch result;
  for (const FrameRun& frame : recording.frames) {
    if (!window.holds(frame.due) || !own[frame.task]) continue;
    result.inference.push_back(ms(frame.end - frame.begin) / *own[frame.task]);
    result.latency.push_back(ms(frame.end - frame.due));
  }
  return result;
}

// The median inference of every task while nothing is loaded; absent: no frame of it ended then, so there is
// nothing to hold its other frames against.
std::vector<std::optional<double>> own_times(const LoadPairs& pairs) {
  std::vector<std::vector<double>> times(pairs.recording.tasks.size());
  for (const FrameRun& frame : pairs.recording.frames) {
    const bool without = std::any_of(pairs.without.begin(), pairs.without.end(),
                                     [&](const Window& window) { return window.holds(frame.due); });
    if (without) times[frame.task].push_back(ms(frame.end - frame.begin));
  }
  std::vector<std::optional<double>> medians;
  for (const std::vector<double>& of_task : times) {
    medians.emplace_back();
    if (!of_task.empty()) medians.back() = std::max(runtime::median(of_task), 1e-6);
  }
  return medians;
}

// The most by which a task's gaps at switches pass the p99 of its others.
std::optional<double> worst_above(const RunFigures& figures, std::optional<double> GapFigures::*at_switch) {
  std::optional<double> worst;
  for (const GapFigures& gap : figures.gaps) {
    if (!(gap.*at_switch) || !gap.plain_p99) continue;
    const double above = *(gap.*at_switch) - *gap.plain_p99;
    worst = std::max(worst.value_or(above), above);
  }
  return worst;
}

// Of all tasks' gaps at switches, those that pass the p99 of the task's others by more than is allowed.
std::optional<double> share_beyond(const RunFigures& figures) {
  std::size_t gaps = 0;
  std::size_t beyond = 0;
  for (const GapFigures& gap : figures.gaps) {
    gaps += gap.at_switch;
    beyond += gap.beyond;
  }
  if (gaps == 0) return std::nullopt;
  return static_cast<double>(beyond) / static_cast<double>(gaps);
}

// By how many points the share lost beside changes is above that of the quiet stretches: the upper end of the
// 95 % interval of the difference of two shares. Absent: one of them has no frames.
std::optional<double> points_above_quiet(const RunFigures& figures) {
  const auto share = [](std::size_t lost, std::size_t processed) {
    return static_cast<double>(lost) / static_cast<double>(lost + processed);
  };
  const std::size_t lost = figures.lost.kept.all + figures.lost.both_fit.all;
  if (lost + figures.frames == 0 || figures.lost.quiet.all + figures.quiet_frames == 0) return std::nullopt;
  const double beside = share(lost, figures.frames);
  const double quiet = share(figures.lost.quiet.all, figures.quiet_frames);
  const double spread =
      beside * (1.0 - beside) / static_cast<double>(lost + figures.frames) +
      quiet * (1.0 - quiet) / static_cast<double>(figures.lost.quiet.all + figures.quiet_frames);
  return 100.0 * (beside - quiet + 1.96 * std::sqrt(spread));
}

}  // namespace

LoadFigures figures(const LoadPairs& pairs) {
  LoadFigures figures;
  const std::vector<std::optional<double>> own = own_times(pairs);
  std::vector<double> inference;
  std::vector<double> latency;
  for (std::size_t i = 0; i < pairs.with.size(); ++i) {
    const Stretch without = stretch(pairs.recording, pairs.without[i], own);
    const Stretch with = stretch(pairs.recording, pairs.with[i], own);
    if (without.latency.empty() || with.latency.empty()) continue;
    figures.pairs.push_back({p99(without.inference).value(), p99(with.inference).value(),
                             p99(without.latency).value(), p99(with.latency).value()});
    const PairFigures& pair = figures.pairs.back();
    inference.push_back(pair.inference_with / pair.inference_without);
    latency.push_back(pair.latency_with_ms / pair.latency_without_ms);
  }
  if (!figures.pairs.empty()) {
    figures.inference_ratio = runtime::median(inference);
    figures.latency_ratio = runtime::median(latency);
  }
  figures.loads = pairs.loads;
  figures.holds = pairs.recording.holds.size();
  for (const Hold& hold : pairs.recording.holds) figures.held_ms += ms(hold.window.to - hold.window.from);
  return figures;
}

std::vector<FigureCheck> checks(const SwitchReport& report) {
  std::vector<FigureCheck> checks;
  const auto count = [](std::size_t n) { return static_cast<double>(n); };
  for (const Part& part : report.parts) {
    if (!part.product) continue;
    const RunFigures& figures = part.figures;
    checks.push_back({part.name + ": frames lost by tasks that keep their variant", 0.0, false,
                      count(figures.lost.kept.all)});
    checks.push_back({part.name + ": frames lost by tasks that switch and fit beside each other", 0.0, false,
                      count(figures.lost.both_fit.all)});
    checks.push_back(
        {part.name + ": loss beside changes above that of quiet stretches, upper 95 % bound (points)", 0.1,
         false, points_above_quiet(figures)});
    checks.push_back({part.name + ": frames lost to switches with both fitting", 0.0, false,
                      count(figures.lost.kept.by_switch + figures.lost.both_fit.by_switch)});
    checks.push_back({part.name + ": share of the gaps at switches above the p99 of the task's others + 2 ms",
                      0.01, false, share_beyond(figures)});
    checks.push_back(
        {part.name + ": p99 of the gaps at switches above that of the task's others, worst task (ms)",
         kGapAllowance, false, worst_above(figures, &GapFigures::switch_p99)});
    checks.push_back(
        {part.name + ": longest gap at a switch above the p99 of the task's others, worst task (ms)",
         kGapAllowance, false, worst_above(figures, &GapFigures::switch_max)});
    checks.push_back(
        {part.name + ": memory grown between the switches (MB)", 2.0, false, figures.memory_growth_mb});
  }
  if (report.loads) {
    checks.push_back(
        {"inference p99 with loads on the same core / without", 1.6, false, report.loads->inference_ratio});
    checks.push_back(
        {"latency p99 with loads on the same core / without", 1.3, false, report.loads->latency_ratio});
  }
  if (report.long_run) {
    checks.push_back({"achieved rate", 0.999, true, report.long_run->real.achieved_rate});
    checks.push_back({"overhead of granted frames", 0.0006, false, report.long_run->real.overhead_share});
    checks.push_back(
        {"achieved rate of the simulation", 1.0, true, report.long_run->simulated.achieved_rate});
  }
  return checks;
}

}  // namespace saccade::bench
