// How much slower or faster a processor is than profiled: one correction per processor, the median over its
// engines (one of several stages is an engine on each of its processors) of each engine's median measured /
// profiled frame time. An engine's window holds its frames of the last two seconds, at most 100, but at least
// the last 10 regardless of age. Twenty frames in a row that are more than 15 % off the window's median, all
// on one side, are a step: what was before it is dropped from the window, and while it is half seen (more
// than five such frames) no revise() changes the correction, or plans would follow every part of it.
//
// A new correction comes into force in three cases:
//   drift     the median has differed from the correction by more than 15 %, in the same direction, for 3 s
//   overload  for 2 s the admitted frames have taken more time than the processor has, however small the
//             drift: the correction is then the load's, which is what the admitted frames took in all over
//             what the profile says, at most 15 % away from the median
//   revise()  a plan is about to be made for another reason, a change of demand for example, or frames are
//             being lost: the load's correction as it is now, however small the drift
// A steady state therefore never causes a new plan: a correction raised by overload stays within 15 % of the
// measurement. The load's correction is a mean, because what fills a processor is the sum of its frames'
// times. One frame that a stall hit says nothing about the next, so each counts at most twice its engine's
// median, and the median of the engines bounds the whole. What remains
// per engine is reported as residual but not planned with: correcting only the engines that run would make
// plans move to variants that were never measured.
// Threads: none of its own. No allocation per frame once warm.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "runtime/frames/frame.hpp"
#include "runtime/frames/ring.hpp"

namespace saccade::runtime {

class DriftFilter {
 public:
  static constexpr std::size_t kWindow = 100;  // frames
  static constexpr std::size_t kAtLeast = 10;  // frames before an engine counts
  static constexpr Duration kYoung{2'000'000'000};
  static constexpr Duration kFresh{1'000'000'000};  // that a mean looks back
  static constexpr double kBand = 0.15;
  static constexpr double kMostOfMedian = 2.0;  // that one frame counts in a mean
  static constexpr double kLeast = 0.01;        // smaller changes by overload or revision are ignored
  static constexpr Duration kHold{3'000'000'000};
  static constexpr Duration kOverloadHold{2'000'000'000};

  explicit DriftFilter(std::size_t processor_count);

  // One frame took `measured` where the uncorrected profile predicts `profiled` (> 0).
  void sample(ProcessorIndex processor, EngineKey engine, Duration measured, Duration profiled,
              TimePoint now);
  void forget(EngineKey engine);  // it no longer serves
  // The load that admitted frames put on a processor: an engine's rate times its profiled frame time.
  struct Asked {
    EngineKey engine = 0;
    double share = 0.0;  // processor-seconds per second
  };
  // The new correction if it changed. Call several times per second, but not while a plan is being made
  // (Controller::solving()), with the load on the engines that serve on the processor and its capacity.
  [[nodiscard]] std::optional<double> update(ProcessorIndex processor, std::span<const Asked> asked,
                                             double capacity, TimePoint now);
  // What revise() would leave in force.
  [[nodiscard]] double revised(ProcessorIndex processor, std::span<const Asked> asked, TimePoint now) const;
  // The load's correction of the last second, in force from now on, if it differs from the one that was.
  // `direction`: up = a smaller one is left as it is.
  enum class Direction { any, up };
  [[nodiscard]] std::optional<double> revise(ProcessorIndex processor, std::span<const Asked> asked,
                                             Direction direction, TimePoint now);

  [[nodiscard]] double correction(ProcessorIndex processor) const;  // in force; 1 at first
  // The engine's factor relative to its processor's correction; absent with too few frames. Of several
  // stages, that of the one that was sampled first.
  [[nodiscard]] std::optional<double> residual(EngineKey engine) const;

 private:
  struct Samples {
    EngineKey engine = 0;
    ProcessorIndex processor = 0;
    struct One {
      double ratio = 0.0;
      TimePoint at{};
    };
    Ring<One> last;
    std::vector<double> sorted;  // their ratios, for the median
    [[nodiscard]] double median() const { return sorted[sorted.size() / 2]; }
    // Of those within kFresh; absent when there are none, or too few at all.
    [[nodiscard]] std::optional<double> mean(TimePoint now) const;
  };
  struct State {
    double correction = 1.0;
    std::optional<TimePoint> away_since;
    bool above = false;
  };
  [[nodiscard]] std::optional<double> measured(ProcessorIndex processor) const;
  struct Load {  // processor-seconds per second
    double profiled = 0.0;
    double taken = 0.0;
    // Measured / profiled time of the load as a whole, near the median of its engines.
    [[nodiscard]] double correction(double median) const;
  };
  [[nodiscard]] Load load(ProcessorIndex processor, std::span<const Asked> asked, double median,
                          TimePoint now) const;

  std::vector<State> processors_;
  std::vector<Samples> engines_;
};

}  // namespace saccade::runtime
