// How much slower (or faster) a processor is than its profile says: one factor per processor, the
// median over the engines on it of the median of their last measured / profiled frame times: those of the
// last two seconds, at most 100 of them, at least the last 10 however old they are. A new factor is put
// forward when it has lain more than 15 % away from the one in force, on the same side, for 3 s; and when
// for 3 s the frames that the plan lets in have taken more time than the processor has, however little
// slower it is: then as much as they took, at most 15 % above the median. So a steady state never re-plans:
// what overload puts up is inside the band of what was measured. What is left per engine is reported, not
// planned with: correcting only what runs makes plans wander to what was never measured.
// Threads: none of its own. No allocation per frame once warm.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "runtime/frame.hpp"
#include "runtime/ring.hpp"

namespace saccade::runtime {

class DriftFilter {
 public:
  static constexpr std::size_t kWindow = 100;  // frames
  static constexpr std::size_t kAtLeast = 10;  // frames before an engine has a say
  static constexpr Duration kYoung{2'000'000'000};
  static constexpr double kBand = 0.15;
  static constexpr double kLeast = 0.01;  // that an overload has to raise a factor by
  static constexpr Duration kHold{3'000'000'000};

  explicit DriftFilter(std::size_t processor_count);

  // One frame took `measured` where the uncorrected profile says `profiled` (> 0).
  void sample(ProcessorIndex processor, EngineKey engine, Duration measured, Duration profiled,
              TimePoint now);
  void forget(EngineKey engine);  // it left
  // What the frames that are let in ask of a processor: an engine's rate times its profiled frame time.
  struct Asked {
    EngineKey engine = 0;
    double share = 0.0;  // processor-seconds per second
  };
  // To be called now and then (several times a second), with what the engines that serve there are asked
  // and what the processor has. The new factor when it changed.
  [[nodiscard]] std::optional<double> update(ProcessorIndex processor, std::span<const Asked> asked,
                                             double capacity, TimePoint now);

  [[nodiscard]] double correction(ProcessorIndex processor) const;  // in force; 1 at first
  // The engine's own factor beside its processor's; absent while it has had too few frames.
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
    // Of the young ones; absent when there are none.
    [[nodiscard]] std::optional<double> mean(TimePoint now) const;
  };
  struct State {
    double correction = 1.0;
    std::optional<TimePoint> away_since;
    bool above = false;
  };
  [[nodiscard]] std::optional<double> measured(ProcessorIndex processor) const;
  // Times its profile that what is asked takes, when that is more than the capacity.
  [[nodiscard]] std::optional<double> overload(std::span<const Asked> asked, double capacity, double factor,
                                               TimePoint now) const;

  std::vector<State> processors_;
  std::vector<Samples> engines_;
};

}  // namespace saccade::runtime
