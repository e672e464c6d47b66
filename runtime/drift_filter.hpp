// How much slower (or faster) a processor is than its profile says: one factor per processor, the
// median over the engines on it of the median of their last measured / profiled frame times: those of the
// last two seconds, at most 100 of them, at least the last 10 however old they are. A new factor is put
// forward only when it has lain more than 15 % away from the one in force, on the same side, for 3 s; so a
// steady state never re-plans. What is left per engine is reported, not planned with: correcting only what
// runs makes plans wander to what was never measured. Threads: none of its own. No allocation per frame once
// warm.
#pragma once

#include <cstddef>
#include <optional>
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
  static constexpr Duration kHold{3'000'000'000};

  explicit DriftFilter(std::size_t processor_count);

  // One frame took `measured` where the uncorrected profile says `profiled` (> 0).
  void sample(ProcessorIndex processor, EngineKey engine, Duration measured, Duration profiled,
              TimePoint now);
  void forget(EngineKey engine);  // it left
  // To be called now and then (several times a second). The new factor when it changed.
  [[nodiscard]] std::optional<double> update(ProcessorIndex processor, TimePoint now);

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
  };
  struct State {
    double correction = 1.0;
    std::optional<TimePoint> away_since;
    bool above = false;
  };
  [[nodiscard]] std::optional<double> measured(ProcessorIndex processor) const;

  std::vector<State> processors_;
  std::vector<Samples> engines_;
};

}  // namespace saccade::runtime
