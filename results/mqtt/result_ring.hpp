// The results that wait for a broker, oldest first, and what became of all of them. At most `most` wait to be
// sent: the oldest goes when another one comes. Those that were given out and not answered stay in the
// account as waiting; when the connection is lost they come back to the front. Threads: one at a time.
// Errors: none.
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
  // The oldest, under a ticket that is greater than all before; null: none waits to be sent.
  [[nodiscard]] std::shared_ptr<const Result> next(std::int64_t ticket);
  // Each ticket is answered once; others are ignored.
  void sent(std::int64_t ticket, Duration at);  // by the clock of Result::ended
  void failed(std::int64_t ticket);
  void lost();     // the connection
  void give_up();  // all that wait have failed

  [[nodiscard]] bool is_empty() const { return queue_.empty() && in_flight_.empty(); }
  // Without `connected` and `fault`.
  [[nodiscard]] SinkAccount account() const;

 private:
  void drop_what_is_too_much();

  std::size_t most_;
  std::deque<std::shared_ptr<const Result>> queue_;
  std::map<std::int64_t, std::shared_ptr<const Result>> in_flight_;
  SinkAccount account_;  // `waiting` is counted when it is asked for
};

}  // namespace saccade::results
