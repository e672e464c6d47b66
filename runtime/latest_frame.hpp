// A task's latest frame and what its network answered, for people who look at them. Only what somebody
// asked for is kept, and that small: look() gives what there is and asks for the next, so that a
// service nobody looks at makes no picture, and one that many look at makes few.
//
// Threads: any; wants_frame() and wants_answer() cost one atomic read while nobody looks.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace saccade::runtime {

class LatestFrame {
 public:
  static constexpr Duration kLeastPause = std::chrono::milliseconds(500);  // between two pictures

  struct Look {
    std::string jpeg;          // empty: none yet
    std::vector<int> answers;  // class of each region, of the latest frame answered; empty: none yet
  };

  // --- who captures frames
  [[nodiscard]] bool wants_frame(TimePoint now) const;
  void show(std::string jpeg, TimePoint now);

  // --- who runs them
  [[nodiscard]] bool wants_answer() const { return answer_wanted_.load(std::memory_order_relaxed); }
  void answered(const std::vector<float>& logits, std::size_t classes);  // of all regions, `classes` each

  [[nodiscard]] Look look();
  void forget();

 private:
  std::atomic<bool> frame_wanted_{false};
  std::atomic<bool> answer_wanted_{false};
  mutable std::mutex mutex_;  // guards everything below
  Look latest_;
  std::optional<TimePoint> shown_;
};

}  // namespace saccade::runtime
