// What a broker is to keep: the newest payload of every retained topic. A payload that was replaced before it
// was sent is never sent; none is ever dropped. After a (re)connection everything goes again, as a broker may
// have come back empty: first what is available, then the discovery, then every state.
//
// Call order: next() between connected() and lost() only; confirmed() once for every topic that next() gave.
// Threads: one at a time. Errors: none.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace saccade::results {

enum class Rank { available, discovery, state };  // in the order in which they are sent

struct Retained {
  std::string topic;
  std::string payload;  // empty: the broker forgets the topic
};

class RetainedBook {
 public:
  void set(Rank rank, const std::string& topic, std::string payload);
  // The broker is to forget it; so does the book once it has been confirmed.
  void clear(Rank rank, const std::string& topic);
  void repeat(Rank rank);  // all of this rank are sent again
  // Has a payload that is to be kept.
  [[nodiscard]] bool keeps(const std::string& topic) const;
  [[nodiscard]] bool has(const std::string& topic) const { return entries_.contains(topic); }

  void connected();
  void lost();
  // What is sent next; nothing: all has been sent, or waits for a confirmation of the same topic.
  [[nodiscard]] std::optional<Retained> next();
  void confirmed(const std::string& topic);
  // The broker keeps what it is to keep, as far as it has told.
  [[nodiscard]] bool is_settled() const { return ready_.empty() && in_flight_.empty(); }

 private:
  struct Entry {
    Rank rank = Rank::state;
    std::string payload;
    bool changed = true;  // since it was last given by next()
  };
  void change(Rank rank, const std::string& topic, std::string payload);

  std::map<std::string, Entry> entries_;
  std::set<std::pair<Rank, std::string>> ready_;  // changed and not in flight
  std::set<std::string> in_flight_;
};

}  // namespace saccade::results
