// The results that readers of a socket have before them, without sockets: one ring for all, each reader with
// a place of its own in it. Full, the oldest goes; a reader that had not come to it has lost it and learns
// how many it lost. So it is with the bytes of the lines that were written down and that not all readers have
// had: a reader that lags behind costs kMostBytes, not the queue's length times the longest line. A result
// counts as sent once a first reader has all of it, as dropped when it goes and no
// reader had it, at once when nobody is connected.
// Pure. Threads: one at a time; of a Line, `text` belongs to the one that calls next().
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
    std::string text = {};  // written down when the first reader wants it
  };
  struct Next {                       // what a reader gets now
    std::int64_t lost = 0;            // before the line
    std::shared_ptr<Line> line = {};  // null: nothing waits for it
  };
  using Reader = int;
  static constexpr std::size_t kMostBytes = 4UL * 1024 * 1024;

  ReaderRing(std::size_t places, std::size_t readers);

  void take(std::shared_ptr<const Result> result);
  // It reads what comes from now on; false: there are enough.
  [[nodiscard]] bool join(Reader reader);
  void leave(Reader reader);
  // Nothing while a line is in hand: where there was one, got() follows.
  [[nodiscard]] Next next(Reader reader);
  // The line in hand was written down; older ones go where there are too many bytes.
  void written(Reader reader, std::size_t bytes);
  void got(Reader reader, Duration at);  // all of that line; `at`: by the clock of Result::ended

  [[nodiscard]] bool is_settled() const { return places_.empty(); }
  void give_up();  // what waits has failed
  void set_state(bool connected, std::string fault);
  [[nodiscard]] SinkAccount account() const;

 private:
  struct Place {
    std::shared_ptr<Line> line;
    bool sent = false;
    std::size_t bytes = 0;  // of its text; 0: not written down
  };
  struct Reading {
    std::int64_t number = 0;  // of the line that is in hand, else of the next
    bool in_hand = false;
  };
  void go(std::int64_t SinkAccount::*outcome);  // the oldest
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
