// How much slower or faster a processor is than profiled: one correction per processor, the median over its
// engines (one of several stages is an engine on each of its processors) of each engine's median measured / profiled frame time. An engine's window holds its frames of the
// last two seconds, at most 100, but at least the last 10 regardless of age.
//
// A new correction comes into force in two cases:
//   drift     the median has differed from the correction by more than 15 %, in the same direction, for 3 s
//   overload  for 3 s the admitted frames have taken more time than the processor has, however small the
//             drift: the correction is then what they took, at most 15 % above the median
// A steady state therefore never causes a new plan: a correction raised by overload stays within 15 % of the
// measurement. What remains per engine is reported as residual but not planned with: correcting only the
// engines that run would make plans move to variants that were never measured.
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
  static constexpr double kBand = 0.15;
  static constexpr double kLeast = 0.01;  // smaller raises by overload are ignored
  static constexpr Duration kHold{3'000'000'000};

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
  // The new correction if it changed. Call several times per second, with the load on the engines that serve
  // on the processor and its capacity.
  [[nodiscard]] std::optional<double> update(ProcessorIndex processor, std::span<const Asked> asked,
                                             double capacity, TimePoint now);

  [[nodiscard]] double correction(ProcessorIndex processor) const;  // in force; 1 at first
  // The engine's factor relative to its processor's correction; absent with too few frames. Of several stages,
  // that of the one that was sampled first.
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
    // Of those within kYoung; absent when there are none.
    [[nodiscard]] std::optional<double> mean(TimePoint now) const;
  };
  struct State {
    double correction = 1.0;
    std::optional<TimePoint> away_since;
    bool above = false;
  };
  [[nodiscard]] std::optional<double> measured(ProcessorIndex processor) const;
  // Measured / profiled time of the load as a whole, if it exceeds the capacity.
  [[nodiscard]] std::optional<double> overload(ProcessorIndex processor, std::span<const Asked> asked,
                                               double capacity, double factor, TimePoint now) const;

  std::vector<State> processors_;
  std::vector<Samples> engines_;
};

}  // namespace saccade::runtime
