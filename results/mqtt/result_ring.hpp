// The results that wait for a broker, oldest first, with the accounting of all results. At most `most` wait
// to be sent; when another one arrives, the oldest is dropped. Results that were handed out but not
// acknowledged count as waiting; when the connection is lost they return to the front. Threads: one at a
// time. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>

#include "results/result.hpp"
#include "results/sink.hpp"

namespace saccade::results {

class ResultRing {
 public:
  explicit ResultRing(std::size_t most) : most_(most) {}

  void take(std::shared_ptr<const Result> result);
  // The oldest, with a ticket greater than all previous ones; null: nothing waits to be sent.
  [[nodiscard]] std::shared_ptr<const Result> next(std::int64_t ticket);
  // Each ticket is settled once; others are ignored.
  void sent(std::int64_t ticket, Duration at);  // by the clock of Result::ended
  void failed(std::int64_t ticket);
  void lost();     // the connection was lost
  void give_up();  // all waiting results have failed

  [[nodiscard]] bool is_empty() const { return queue_.empty() && in_flight_.empty(); }
  // Without `connected` and `fault`.
  [[nodiscard]] SinkAccount account() const;

 private:
  void drop_what_is_too_much();

  std::size_t most_;
  std::deque<std::shared_ptr<const Result>> queue_;
  std::map<std::int64_t, std::shared_ptr<const Result>> in_flight_;
  SinkAccount account_;  // `waiting` is computed on request
};

}  // namespace saccade::results
