// The figures of a run, as `saccade run --json` prints them. Real and simulated runs keep the same accounting
// and get the same summary.
//
// achieved rate           processed / demanded per task, then the mean over the tasks with any demand
// mean relative accuracy  per task the mean over processed frames of a / a_best of the variant that
//                         served, then the mean over the tasks that processed any
// delivered accuracy      sum of a / a_best over processed frames / demanded, mean as for the rate
// measured accuracy       correct answers / answers, over regions whose true label the source knew
// promised accuracy       the profiles' accuracy of the variants that served, with the same weights. Its
//                         standard error combines the profile's (binomial, over accuracy_images; the
//                         variants were measured on the same images, so theirs add up) and the run's
//                         (binomial, over the different images among the labelled regions).
//
// Units: SI. Threads: plain values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "base/quantity.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/control/switch_log.hpp"
#include "runtime/frames/frame_desk.hpp"
#include "runtime/frames/frame_ledger.hpp"
#include "runtime/frames/segment_book.hpp"
#include "runtime/frames/stall_book.hpp"
#include "runtime/run/energy_reading.hpp"
#include "runtime/run/memory_use.hpp"

namespace saccade::runtime {

struct VariantSummary {
  VariantId id;
  std::int64_t frames = 0;
  std::int64_t labelled = 0;
  std::optional<double> measured_accuracy;
  double promised_accuracy = 0.0;
  std::optional<double> residual;  // measured / profiled frame time relative to its processor's correction
};

struct AccuracyCheck {  // of a labelled task
  double measured = 0.0;
  std::int64_t labelled = 0;          // inferences with a known label
  std::int64_t different_images = 0;  // among them
  double promised = 0.0;
  double standard_error = 0.0;             // of measured - promised
  [[nodiscard]] double deviation() const;  // in standard errors, >= 0
};

struct LatencySummary {
  Seconds p50{0.0};
  Seconds p99{0.0};
  Seconds max{0.0};
  double p99_in_periods = 0.0;  // of each frame's latency / the period of its task when it was due
};

struct AgeSummary {
  Seconds p50{0.0};
  Seconds p99{0.0};
  Seconds max{0.0};
};

struct TaskSummary {
  TaskId id;
  std::int64_t demanded = 0;
  std::int64_t granted = 0;
  std::int64_t received = 0;
  std::int64_t processed = 0;
  std::int64_t rejected = 0;
  std::int64_t in_flight = 0;
  std::array<std::int64_t, kDropReasons> dropped{};
  std::array<std::int64_t, kLossCauses> dropped_by_cause{};
  std::int64_t dropped_in_stall = 0;
  std::int64_t missed_in_stall = 0;     // ticks without a captured frame: demanded, never received
  std::optional<double> achieved_rate;  // absent: nothing was demanded
  std::optional<double> mean_relative_accuracy;
  std::optional<double> delivered_accuracy;
  std::optional<AccuracyCheck> accuracy;  // absent: no labels
  std::int64_t switches = 0;
  std::optional<LatencySummary> latency;  // absent: nothing processed
  std::optional<AgeSummary> age;          // from capture to end; absent: nothing processed, or simulated
  // On a processed frame, on average; absent: nothing processed, or simulated.
  std::optional<profiles::FrameTimeParts> frame_time_parts;
  Seconds largest_gap{0.0};
  std::vector<VariantSummary> variants;  // that served, in profile order
};

struct SegmentSummary {  // from one timeline entry to the next
  Seconds from{0.0};
  Seconds to{0.0};
  std::vector<SegmentFrames> tasks;  // configuration order
  std::optional<double> achieved_rate;
};

struct ProcessorSummary {
  ProcessorId id;
  double busy_share = 0.0;
  double correction = 1.0;
  Seconds guard{0.0};     // at the end
  double slowdown = 1.0;  // emulated, at the end
};

struct SwitchSummary {
  Seconds at{0.0};
  TaskId task;
  std::optional<VariantId> from;
  std::optional<VariantId> to;
  Seconds load{0.0};
  Seconds warm{0.0};
  Seconds swap{0.0};
  std::int64_t frames_lost = 0;
  bool both_fit = false;
  bool bridge = false;  // `to` served only until the planned engine fitted
};

struct SolveSummary {
  std::int64_t count = 0;
  Seconds p50{0.0};  // at most 1.6 % above the true one (runtime/frames/latency_histogram.hpp)
  Seconds max{0.0};
};

struct OutsideSummary {  // losses attributed to the machine (frames/stall_book.hpp)
  // False: threads may use so many CPUs that none is watched; nothing is known of stalls, held, stolen,
  // frames.
  bool watched = true;
  std::int64_t frames = 0;     // lost to it: dropped and missed, over all tasks
  Seconds held{0.0};           // summed over CPUs
  Seconds stolen{0.0};         // of it by the host; the rest by other programs
  std::int64_t throttled = 0;  // throttling of the own control group: its quota is a limit, never excused
  Seconds throttled_time{0.0};
};

struct RunSummary {
  Seconds seconds{0.0};
  std::uint64_t generations = 0;
  std::vector<TaskSummary> tasks;  // and those removed last
  ForgottenFrames forgotten;       // of the tasks removed before those
  std::vector<SegmentSummary> segments;
  std::optional<double> achieved_rate;
  std::optional<double> mean_relative_accuracy;
  std::optional<double> delivered_accuracy;
  std::vector<ProcessorSummary> processors;
  std::optional<EnergyReading> energy;  // absent: neither measured nor modelled
  Bytes memory_peak{0.0};               // of the host
  std::vector<MemoryUse> memories;      // of devices
  std::vector<SwitchSummary> switches;
  SolveSummary solves;
  double overhead_share = 0.0;
  std::int64_t stalls = 0;
  Seconds longest_stall{0.0};
  OutsideSummary outside;
};

struct RunTask {  // about a task, in addition to its counters
  TaskId id;
  profiles::ProfileSetPtr profiles;
  std::optional<std::size_t> labelled_images;    // different ones in the source
  std::vector<std::optional<double>> residuals;  // by variant; may be shorter
  int regions = 1;                               // inferences per frame
};

// Everything that follows from the counters; the shell adds processors, memory, solves, generations and the
// device's idle power, or its meter's reading.
[[nodiscard]] SwitchSummary summarise(const SwitchRecord& record, const TaskId& task,
                                      const profiles::ProfileSet& profiles, TimePoint start);
[[nodiscard]] RunSummary summarise(const std::vector<RunTask>& tasks, const FrameLedger& frames,
                                   const SegmentBook& segments, const StallBook& stalls,
                                   const std::vector<SwitchRecord>& switches, TimePoint start, TimePoint end);
// The same from a frame desk, which is settled by the call; `tasks` need not have residuals.
[[nodiscard]] RunSummary summarise(FrameDesk& desk, std::vector<RunTask> tasks,
                                   const std::vector<SwitchRecord>& switches, TimePoint end);

}  // namespace saccade::runtime
