// The results that the readers of a socket have yet to receive, without sockets: one ring for all, with a
// position for each reader. When it is full, the oldest result is dropped; a reader that has not received it
// is sent the number of results it lost. The bytes of the formatted lines are limited likewise: a slow reader
// costs at most kMostBytes, not the queue's length times the longest line. A result counts as sent once a
// first reader has received all of it, and as dropped if it leaves the ring before any reader received it, or
// immediately if no reader is connected.
// Pure. Threads: one at a time; the `text` of a Line belongs to the caller of next().
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "results/sink.hpp"

namespace saccade::results {

class ReaderRing {
 public:
  struct Line {
    std::shared_ptr<const Result> result;
    std::string text = {};  // formatted when the first reader needs it
  };
  struct Next {                       // what a reader receives next
    std::int64_t lost = 0;            // before the line
    std::shared_ptr<Line> line = {};  // null: nothing is waiting for it
  };
  using Reader = int;
  static constexpr std::size_t kMostBytes = 4UL * 1024 * 1024;

  ReaderRing(std::size_t places, std::size_t readers);

  void take(std::shared_ptr<const Result> result);
  // A new reader receives results from now on; false: the maximum number is connected.
  [[nodiscard]] bool join(Reader reader);
  void leave(Reader reader);
  // Null while a line is in hand: call got() first.
  [[nodiscard]] Next next(Reader reader);
  // The line in hand has been formatted; older lines are dropped if the bytes exceed the limit.
  void written(Reader reader, std::size_t bytes);
  void got(Reader reader, Duration at);  // all of that line; `at`: by the clock of Result::ended

  [[nodiscard]] bool is_settled() const { return places_.empty(); }
  void give_up();  // all waiting results have failed
  void set_state(bool connected, std::string fault);
  [[nodiscard]] SinkAccount account() const;

 private:
  struct Place {
    std::shared_ptr<Line> line;
    bool sent = false;
    std::size_t bytes = 0;  // of its text; 0: not formatted yet
  };
  struct Reading {
    std::int64_t number = 0;  // of the line in hand, else of the next one
    bool in_hand = false;
  };
  void go(std::int64_t SinkAccount::*outcome);  // removes the oldest
  void go_where_all_have_read();

  const std::size_t most_;
  const std::size_t most_readers_;
  std::deque<Place> places_;
  std::int64_t first_ = 0;  // number of the oldest
  std::size_t bytes_ = 0;   // of all places
  std::map<Reader, Reading> reads_;
  std::int64_t lost_ = 0;
  SinkAccount account_;
};

}  // namespace saccade::results
