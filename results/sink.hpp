// Where results go: a broker, a file, a reader. The hub filters for each sink and hands over; a sink has a
// bounded queue and a thread of its own, so that handing over never waits for anything outside.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "results/delivery_times.hpp"
#include "results/result.hpp"

namespace saccade::results {

// Those who are connected to a sink and read.
struct Readers {
  std::int64_t connected = 0;
  std::int64_t lost = 0;  // results that one of them was too slow for, since the start; of all readers
  bool operator==(const Readers&) const = default;
};

// What became of the results that a sink took, at one instant: taken = sent + dropped + failed + waiting.
struct SinkAccount {
  std::int64_t taken = 0;
  std::int64_t sent = 0;     // and, where the other side acknowledges, acknowledged
  std::int64_t dropped = 0;  // the queue was full, the oldest went
  std::int64_t failed = 0;   // refused by the other side, or given up
  std::int64_t waiting = 0;
  bool connected = false;  // a file: it can be written
  std::string fault;       // empty: none; what is wrong, in words, without secrets
  // Of a sink that others read from; absent: nobody can.
  std::optional<Readers> readers = {};
  DeliveryTimes delivered = {};  // of those that were sent
};

class Sink {
 public:
  virtual ~Sink() = default;
  // None of these waits or throws; one at a time, from any thread. What take() takes is in the account at
  // once.
  virtual void take(const std::shared_ptr<const Result>& result) = 0;
  virtual void take(const PresenceChange& change) = 0;  // a state: the newest wins, never dropped
  virtual void tell(const TaskState& state) = 0;        // a state, likewise; a sink may have no use for it
  virtual void task_is_there(const std::string& task) = 0;  // begins, or its labels changed
  virtual void task_is_gone(const std::string& task) = 0;
  [[nodiscard]] virtual SinkAccount account() const = 0;  // any thread
};

}  // namespace saccade::results
