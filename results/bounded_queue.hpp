// The results that wait for a sink's thread, with the sink's accounting. When the queue is full, the oldest
// result is dropped. A result that has been taken out is in hand until it is settled and counts as waiting:
// at every instant
//   taken = sent + dropped + failed + waiting.
// Call order: take() by one thread, then exactly one of sent(), dropped(), failed() for that result.
// Threads: put(), fault() and account() any; no mutex is held between calls.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "results/sink.hpp"

namespace saccade::results {

class BoundedQueue {
 public:
  using Item = std::shared_ptr<const Result>;

  explicit BoundedQueue(std::size_t most) : most_(most == 0 ? 1 : most) {}

  void put(Item item);  // never blocks
  void close();         // take() returns what is left, then null

  // Blocks until there is a result, at most for `patience` (absent: indefinitely). Null: timed out or closed.
  [[nodiscard]] Item take(std::optional<Duration> patience);
  [[nodiscard]] bool closed() const;  // and empty

  void sent(const Result& result, Duration at);  // by the clock of Result::ended
  void dropped() { settle(&SinkAccount::dropped); }
  void failed() { settle(&SinkAccount::failed); }
  // Whether the peer can be reached, and the fault; empty: none.
  void set_state(bool connected, std::string fault);

  [[nodiscard]] SinkAccount account() const;

 private:
  void settle(std::int64_t SinkAccount::*outcome) {
    const Lock lock(mutex_);
    settle_locked(outcome);
  }
  void settle_locked(std::int64_t SinkAccount::*outcome) SACCADE_REQUIRES(mutex_) {
    ++(account_.*outcome);
    --account_.waiting;
  }

  const std::size_t most_;
  mutable Mutex mutex_;
  Condition changed_;
  std::deque<Item> items_ SACCADE_GUARDED_BY(mutex_);
  bool closed_ SACCADE_GUARDED_BY(mutex_) = false;
  SinkAccount account_ SACCADE_GUARDED_BY(mutex_);  // waiting includes what is in hand
};

}  // namespace saccade::results
