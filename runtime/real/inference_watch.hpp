// Whether the inference on one processor returns in time, and what to do if it does not: first its engine is
// taken out of service and it is asked to stop (Engine::stop()), then its worker is abandoned. An exceeded
// limit counts only once it has been observed twice, because after a stall of the process one observation is
// not enough. Threads: none of its own; used under Serving's mutex.
#pragma once

#include <optional>

#include "base/clock.hpp"

namespace saccade::runtime {

class InferenceWatch {
 public:
  static constexpr int kFrameTimes = 10;          // the limit, in multiples of the profiled time
  static constexpr int kLooks = 2;                // observations beyond the limit
  static constexpr Duration kGrace{500'000'000};  // from the request to stop to abandonment

  // No limit is below `least`.
  explicit InferenceWatch(Duration least) : least_(least) {}

  void begins(TimePoint now, Duration profiled);  // 0: unknown
  void ends() { begun_.reset(); }
  [[nodiscard]] bool running() const { return begun_.has_value(); }

  enum class Due {
    nothing,
    stop,          // once per inference
    leave_behind,  // until it ends
  };
  // Call several times per second.
  [[nodiscard]] Due look(TimePoint now);

 private:
  Duration least_;
  std::optional<TimePoint> begun_;
  Duration limit_{0};
  int looks_ = 0;
  std::optional<TimePoint> stopped_;
};

}  // namespace saccade::runtime
