// A task's latest frame and its network's latest answer, for viewers. Every answer is kept; of frames only
// what was requested, at thumbnail size: look() returns what there is and requests the next, so that without
// viewers no picture is made, and with many viewers few are.
//
// Threads: any; wants_frame() costs one atomic read without viewers. Allocation: none per answer once warm.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "vision/decode/objects.hpp"

namespace saccade::runtime {

struct LatestAnswer {
  std::size_t variant = 0;   // variant that produced it
  std::vector<int> classes;  // of a classifier: of each region
  vision::Objects objects;   // of a detector: best score first, in pixels of the source's frame
};

class LatestFrame {
 public:
  static constexpr Duration kLeastPause = std::chrono::milliseconds(500);  // between two pictures

  struct Look {
    std::string jpeg;                    // empty: none yet
    std::optional<LatestAnswer> answer;  // absent: none yet
  };

  // --- capture threads
  [[nodiscard]] bool wants_frame(TimePoint now) const;
  void show(std::string jpeg, TimePoint now);

  // --- workers
  void answered(std::size_t variant, const std::vector<int>& classes, const vision::Objects& objects);

  [[nodiscard]] Look look();
  [[nodiscard]] std::optional<LatestAnswer> answer() const;  // requests nothing
  void forget();

 private:
  std::atomic<bool> frame_wanted_{false};
  mutable Mutex mutex_;
  Look latest_ SACCADE_GUARDED_BY(mutex_);
  std::optional<TimePoint> shown_ SACCADE_GUARDED_BY(mutex_);
};

}  // namespace saccade::runtime
