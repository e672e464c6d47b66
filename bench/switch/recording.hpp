// What was written down of one run, whoever served, and the figures that are read from it.
//
// gap          from the end of one processed frame of a task to the end of the next; "at a switch" when the
//              next one ran in another engine
// kept, switched   a task switches in a period (from one change to the next) when an engine of its own is
//              exchanged in it; what is lost in the period is lost by a task that switched or kept its
//              variant
// quiet        stretches between those with changes in which nothing changes: what is lost there, no switch
//              has to do with
// stall        the machine stopped the process (runtime/real/stall_probe.hpp)
// trouble      a stall and what it leaves behind, as queues empty slowly under load: from 100 ms before it
//              until the processor has nothing to do for the first time, 100 ms after it at least and one
//              second at most; gaps and losses that touch one are counted apart
//
// Threads: plain values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "bench/switch/watch.hpp"
#include "runtime/run_config.hpp"

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
};

struct Recording {
  std::vector<std::string> tasks;  // their ids
  Duration period{0};              // between changes
  Window measured;                 // what figures are taken from
  std::vector<Window> quiet;       // parts of it
  std::vector<FrameRun> frames;
  std::vector<Exchange> exchanges;
  std::vector<Loss> losses;
  std::vector<Window> stalls;
  std::vector<Window> troubles;  // the stalls with what they leave behind
  double busy_share = 0.0;       // of the serving processor
  double capacity = 0.0;         // what the plan may fill of it
  std::vector<Bytes> memory;     // before every stretch of changes and after the last, with the same engines
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

struct LossFigures {  // received frames that were not processed; in brackets in tables: put down to a switch
  std::size_t kept = 0;
  std::size_t kept_by_switch = 0;
  std::size_t both_fit = 0;
  std::size_t both_fit_by_switch = 0;
  std::size_t not_both = 0;  // by tasks that switched and did not both fit, or nobody knows
  std::size_t quiet = 0;
  std::size_t in_troubles = 0;
  std::size_t in_troubles_by_switch = 0;
  std::map<std::string, std::size_t> reasons;  // of all outside troubles
};

struct RunFigures {      // of frames outside quiet stretches, unless it says otherwise
  double seconds = 0.0;  // of the whole run
  std::size_t frames = 0;
  std::size_t quiet_frames = 0;
  std::size_t switches = 0;
  std::size_t both_fit = 0;
  LossFigures lost;
  std::vector<GapFigures> gaps;
  std::optional<double> inference_p99_ms;  // absent: every frame touched a trouble
  std::optional<double> latency_p99_ms;
  double busy_share = 0.0;
  double capacity = 0.0;
  std::size_t stalls = 0;
  double longest_stall_ms = 0.0;
  std::optional<double> memory_growth_mb;
};

inline constexpr double kGapAllowance = 2.0;  // ms

[[nodiscard]] std::vector<Window> troubles_of(const Recording& recording);
[[nodiscard]] bool in_trouble(const Recording& recording, Duration from, Duration to);
// Measured and outside troubles, in ms.
[[nodiscard]] std::vector<double> gaps_at_switches(const Recording& recording, runtime::TaskIndex task);
[[nodiscard]] RunFigures figures(const Recording& recording);

// Absent: no values.
[[nodiscard]] std::optional<double> p99(std::vector<double> values);
[[nodiscard]] inline double ms(Duration time) { return static_cast<double>(time.count()) * 1e-6; }

}  // namespace saccade::bench
