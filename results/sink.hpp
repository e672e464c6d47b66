// Where results go: a broker, a file, a reader. The hub filters for each sink and hands over; a sink has a
// bounded queue and a thread of its own, so that a hand-over never waits for anything outside.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "results/delivery_times.hpp"
#include "results/result.hpp"

namespace saccade::results {

// The readers connected to a sink.
struct Readers {
  std::int64_t connected = 0;
  std::int64_t lost = 0;  // results lost by slow readers since the start; over all readers
  bool operator==(const Readers&) const = default;
};

// The outcome of the results that a sink took, at one instant: taken = sent + dropped + failed + waiting.
struct SinkAccount {
  std::int64_t taken = 0;
  std::int64_t sent = 0;     // and acknowledged, if the peer acknowledges
  std::int64_t dropped = 0;  // the queue was full; the oldest is dropped
  std::int64_t failed = 0;   // refused by the peer, or abandoned
  std::int64_t waiting = 0;
  bool connected = false;  // of a file: it can be written
  std::string fault;       // empty: none; description without secrets
  // Of a sink that serves readers; absent: it does not.
  std::optional<Readers> readers = {};
  DeliveryTimes delivered = {};  // of the results sent
};

class Sink {
 public:
  virtual ~Sink() = default;
  // None of these blocks or throws; one call at a time, from any thread. What take() takes is in the account
  // immediately.
  virtual void take(const std::shared_ptr<const Result>& result) = 0;
  virtual void take(const PresenceChange& change) = 0;      // a state: the newest wins, never dropped
  virtual void tell(const TaskState& state) = 0;            // a state, likewise; a sink may ignore it
  virtual void task_is_there(const std::string& task) = 0;  // the task was added, or its labels changed
  virtual void task_is_gone(const std::string& task) = 0;
  [[nodiscard]] virtual SinkAccount account() const = 0;  // any thread
};

}  // namespace saccade::results
