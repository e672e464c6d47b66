// Where workers leave their results: a ring of fixed size. When it is full, the oldest entry is overwritten,
// so that a worker never waits for readers; a worker holds the mutex only to copy one sighting. An empty ring
// begins at its first place again: what was used lately is in the processor's caches.
// Allocation: none once the entries have grown to the size of their contents. Threads: any.
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

  // Calls fill(Sighting&) for the newest entry; it must neither block nor call back.
  template <class Fill>
  void put(const Fill& fill) {
    const Lock lock(mutex_);
    fill(next());
  }
  // Swaps `into` with the oldest waiting entry; false: there is none.
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
