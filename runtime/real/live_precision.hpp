// The accuracy of a task's detector on the frames that it serves, if their truth is known: map and map50 over
// the last 500 of them (vision/accuracy/recent_precision.hpp). Threads: any; a reader delays a worker by the
// time of a copy. Errors: none.
#pragma once

#include <optional>
#include <span>

#include "base/mutex.hpp"
#include "vision/accuracy/recent_precision.hpp"

namespace saccade::runtime {

class LivePrecision {
 public:
  void add(std::span<const vision::Truth> truths, std::span<const vision::Object> objects) {
    const Lock lock(mutex_);
    recent_.add(truths, objects);
  }
  [[nodiscard]] std::optional<vision::MeanPrecision> value() const {  // absent: no truth is known yet
    vision::RecentPrecision copy;
    {
      const Lock lock(mutex_);
      if (recent_.frames() == 0) return std::nullopt;
      copy = recent_;
    }
    return copy.value();
  }
  void forget() {
    const Lock lock(mutex_);
    recent_.clear();
  }

 private:
  mutable Mutex mutex_;
  vision::RecentPrecision recent_ SACCADE_GUARDED_BY(mutex_);
};

}  // namespace saccade::runtime
