// What was written down of one run, whoever served, and the figures that are read from it.
//
// gap          from the end of one processed frame of a task to the end of the next; "at a switch" when the
//              next one ran in another engine
// kept, switched   a task switches in a period (from one change to the next) when an engine of its own is
//              exchanged in it; what is lost in the period is lost by a task that switched or kept its
//              variant
// quiet        stretches between those with changes in which nothing changes: what is lost there, no switch
//              has to do with
// missed       a tick that a late capture never took: a lost frame like any other
// hold         the CPU that serves was held from outside (runtime/machine/outside_time.hpp). All figures are
//              raw: losses in a hold that the product attributes to neither a switch nor a solve are counted,
//              and named beside them as outside
//
// Threads: plain values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "bench/switch/plan_record.hpp"
#include "bench/switch/watch.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::bench {

struct Window {
  Duration from{0};
  Duration to{0};
  [[nodiscard]] bool holds(Duration at) const { return at >= from && at < to; }
};

struct Exchange {  // a task serves with another engine from then on
  runtime::TaskIndex task = 0;
  Duration at{0};
  std::optional<bool> both_fit;  // absent: nobody kept account of that
};

struct Loss {  // a received frame that was not processed
  runtime::TaskIndex task = 0;
  Duration at{0};
  std::string reason;
  bool by_switch = false;  // the product puts it down to a switch
  bool by_solve = false;
};

struct Hold {
  Window window;
  Duration stolen{0};  // of it by the host; the rest by other programs
};

struct Recording {
  std::vector<std::string> tasks;  // their ids
  Duration period{0};              // between changes
  Window measured;                 // what figures are taken from
  std::vector<Window> quiet;       // parts of it
  std::vector<FrameRun> frames;
  std::vector<Exchange> exchanges;
  std::vector<Loss> losses;
  std::vector<Hold> holds;
  double busy_share = 0.0;    // of the serving processor
  double capacity = 0.0;      // what the plan may fill of it
  std::vector<Bytes> memory;  // before every stretch of changes and after the last, with the same engines
  std::vector<PlanAt> plans;  // of the product while it was measured; times since the beginning of that
};

struct GapFigures {  // of one task, in ms
  std::string task;
  std::size_t plain = 0;
  std::size_t at_switch = 0;
  std::optional<double> plain_p99;
  std::optional<double> switch_p99;
  std::optional<double> switch_max;
  std::size_t beyond = 0;        // gaps at a switch above plain_p99 + 2 ms
  std::size_t plain_beyond = 0;  // other gaps above it
};

struct LossCount {
  std::size_t all = 0;
  std::size_t by_switch = 0;  // of them
  std::size_t outside = 0;    // of them
};
struct LossFigures {  // frames that were not processed, and ticks that were missed
  LossCount kept;
  LossCount both_fit;
  LossCount not_both;  // by tasks that switched and did not both fit, or nobody knows
  LossCount quiet;
  std::map<std::string, std::size_t> reasons;  // of all
  [[nodiscard]] std::size_t outside() const {
    return kept.outside + both_fit.outside + not_both.outside + quiet.outside;
  }
};

struct RunFigures {      // of frames outside quiet stretches, unless it says otherwise
  double seconds = 0.0;  // of the whole run
  std::size_t frames = 0;
  std::size_t quiet_frames = 0;
  std::size_t switches = 0;
  std::size_t both_fit = 0;
  LossFigures lost;
  std::vector<GapFigures> gaps;
  std::optional<double> inference_p99_ms;  // absent: no frame
  std::optional<double> latency_p99_ms;
  double busy_share = 0.0;
  double capacity = 0.0;
  std::size_t holds = 0;
  double held_ms = 0.0;
  double stolen_ms = 0.0;  // of it
  std::optional<double> memory_growth_mb;
};

inline constexpr double kGapAllowance = 2.0;  // ms

// When tasks that are started together have their first tick, since the start.
[[nodiscard]] std::vector<Duration> first_ticks(const std::vector<scheduler::Task>& tasks);
// The ticks of a task of constant demand from its first one to `end` that are not among those `seen`
// (ascending; all times since the start), as losses.
[[nodiscard]] std::vector<Loss> missed_ticks(runtime::TaskIndex task, Fps demand, Duration first,
                                             const std::vector<Duration>& seen, Duration end);
// Measured, in ms.
[[nodiscard]] std::vector<double> gaps_at_switches(const Recording& recording, runtime::TaskIndex task);
[[nodiscard]] RunFigures figures(const Recording& recording);

// Absent: no values.
[[nodiscard]] std::optional<double> p99(std::vector<double> values);
[[nodiscard]] inline double ms(Duration time) { return static_cast<double>(time.count()) * 1e-6; }

}  // namespace saccade::bench
