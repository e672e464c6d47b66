// Where workers leave what they saw: a ring of places that never grows. Full, the oldest is overwritten, so
// that a worker never waits for those who read; a worker's mutex is held for the copy of one sighting.
// Allocation: none once the places have grown to what lies in them. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/mutex.hpp"
#include "results/sighting.hpp"

namespace saccade::results {

class HandOver {
 public:
  explicit HandOver(std::size_t places);

  // Calls fill(Sighting&) for the place of the newest; it neither waits nor calls back.
  template <class Fill>
  void put(const Fill& fill) {
    const Lock lock(mutex_);
    fill(next());
  }
  // Exchanges `into` with the oldest that waits; false: none does.
  [[nodiscard]] bool take(Sighting& into);

  struct Counts {  // of one instant: put = taken + overwritten + waiting
    std::int64_t put = 0;
    std::int64_t taken = 0;
    std::int64_t overwritten = 0;
    std::int64_t waiting = 0;
  };
  [[nodiscard]] Counts counts() const;

 private:
  [[nodiscard]] Sighting& next() SACCADE_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<Sighting> places_ SACCADE_GUARDED_BY(mutex_);
  std::size_t oldest_ SACCADE_GUARDED_BY(mutex_) = 0;
  Counts counts_ SACCADE_GUARDED_BY(mutex_);
};

}  // namespace saccade::results
