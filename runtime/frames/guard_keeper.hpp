// Adapts the guard of one processor to what is measured: the smallest part of the processor that plans must
// leave free so that the share of frames lost to queueing stays below a target.
//
// A frame is lost to queueing if a newer one displaced it (stale), or if it waited longer than its gate lasts
// at its rate. Do not report losses caused by a solve, by a rate that a transition lowers, by an engine that
// is missing, by demand above the granted rate or by a host that suspended the process: no guard would have
// prevented them.
//
// First     a run may begin with a larger guard than its start: how true the profiles are while cameras run
//           beside is not known yet. It shrinks only once frames have proven it, as below the start.
// Growing   every loss is a debt of one frame, of which each served frame repays `loss_target`. At the second
//           loss that is not repaid the guard doubles (by at least kStep), at most once per kPause, unless a
//           correction of kStep or more explains the losses (FrameDesk::drift).
// Shrinking each `patience` without loss halves the distance to the largest guard that was too small, or to
//           0 when none is known. Just above that guard it rests for kRest patiences; then the guard that was
//           too small is forgotten and tried again. Losses right after shrinking double the patience, so that
//           a constant load is disturbed more and more rarely. Below where it started it shrinks only once
//           kProof / loss_target frames in a row were served in time: with fewer, nothing is shown about a
//           share of loss_target (the rule of three: no loss in n frames bounds the share by 3/n, at 95 %).
// Relief    a frame-time spread below half of its peak, a corrected processor (drift_filter.hpp), or a guard
//           that suffices although it once was too small: the disturbance is over, patience starts again.
// Futile    if the largest guard loses at least half as many frames as the guard before it grew, the cause is
//           one that no guard removes (one inference longer than the gates last, for example): the former
//           guard is restored, and growth is suspended for a pause that doubles.
//
// Call order: any; `now` never goes back. Units: seconds per second. Deterministic: no clock, no randomness.
// Threads: plain value. No allocation.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "base/quantity.hpp"

namespace saccade::runtime {

struct GuardOptions {
  double loss_target = 0.001;  // share of the admitted frames, in (0, 1)
  bool operator==(const GuardOptions&) const = default;
};

class GuardKeeper {
 public:
  static constexpr double kFirst = 0.15;  // profiles that are 10 % off, and the usual start
  static constexpr double kLeast = 0.01;
  static constexpr double kMost = 0.5;  // or half of the capacity, if that is less
  static constexpr double kStep = 0.05;
  static constexpr double kResting = 1.5;  // times the guard that was too small
  static constexpr Duration kPause{1'000'000'000};
  static constexpr Duration kPatience{4'000'000'000};
  static constexpr Duration kMostPatience{120'000'000'000};
  static constexpr int kRest = 2;
  static constexpr double kProof = 3.0;
  static constexpr Duration kTrial{10'000'000'000};  // of the largest guard, before it is judged
  static constexpr Duration kFutile{60'000'000'000};
  static constexpr Duration kMostFutile{3'600'000'000'000};

  // 0 < start < capacity. `first`: what it begins with, at least `start`; absent: the start.
  GuardKeeper(const GuardOptions& options, Seconds start, double capacity,
              std::optional<Seconds> first = std::nullopt);

  void lost(TimePoint now);
  // A frame was processed in time. `ratio`: measured / profiled frame time; absent where no profile is known.
  void served(std::optional<double> ratio);
  // The processor's correction changed, or what decoding takes of it: plans use other times from now on.
  // Losses of the next kPause are those of the plan before: frames that queued for it.
  void corrected(TimePoint now);
  void suspended(TimePoint until);  // by the host: frames lost until then do not count

  // Losses beyond the target: the next update() grows, unless a correction explains them before.
  [[nodiscard]] bool too_small() const { return debt_ > 1.0; }
  // The new guard if it changed. Call several times per second, but not while a plan is being made.
  [[nodiscard]] std::optional<Seconds> update(TimePoint now);
  [[nodiscard]] Seconds guard() const { return Seconds(guard_); }

 private:
  struct Count {
    std::int64_t lost = 0;
    std::int64_t all = 0;
    [[nodiscard]] double share() const {
      return all == 0 ? 0.0 : static_cast<double>(lost) / static_cast<double>(all);
    }
  };
  void grow(TimePoint now);
  void shrink(TimePoint now);
  void relieve();
  [[nodiscard]] bool give_up(TimePoint now);
  [[nodiscard]] bool proven() const;  // that a smaller guard may be tried
  void count(TimePoint now);

  double target_;
  double start_;
  double least_;
  double most_;
  double guard_;
  bool first_;                // it is still the one it began with
  double debt_ = 0.0;         // frames
  std::int64_t in_time_ = 0;  // frames in a row, with this guard
  TimePoint hold_{};          // losses before this belong to the guard before, or to no guard
  TimePoint quiet_since_{};
  Duration patience_ = kPatience;
  std::optional<double> too_small_;  // the largest guard that lost frames, while it is remembered
  std::optional<double> on_trial_;   // one that was forgotten, until a smaller one has lasted or failed
  TimePoint changed_{};              // the last time
  bool shrunk_ = false;              // then

  // Mean and mean deviation of the frame-time ratios, over about a thousand frames.
  std::optional<double> mean_;
  double spread_ = 0.0;
  double peak_spread_ = 0.0;

  struct Growth {  // since the guard began to grow
    double from = 0.0;
    double loss = 0.0;  // share, just before
    std::optional<TimePoint> largest_since;
    Count at_largest;
  };
  Count recent_;  // of the current kPause
  Count last_;    // of the one before
  TimePoint counted_since_{};
  std::optional<Growth> growth_;
  TimePoint futile_until_{};
  Duration futile_ = kFutile;
};

}  // namespace saccade::runtime
