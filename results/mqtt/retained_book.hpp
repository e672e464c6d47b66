// The retained states of a broker: the newest payload of every retained topic. A payload that is replaced
// before it was sent is never sent; none is ever dropped. After a (re)connection everything is sent again,
// because the broker may have lost its state: first availability, then discovery, then every state.
//
// Call order: next() between connected() and lost() only; confirmed() once for every topic that next()
// returned.
// Threads: one at a time. Errors: none.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace saccade::results {

enum class Rank { available, discovery, state };  // in sending order

struct Retained {
  std::string topic;
  std::string payload;  // empty: the broker removes the topic
};

class RetainedBook {
 public:
  void set(Rank rank, const std::string& topic, std::string payload);
  // Removes the topic at the broker; the entry goes once that is confirmed.
  void clear(Rank rank, const std::string& topic);
  void repeat(Rank rank);  // sends all of this rank again
  // Whether the topic has a payload to retain.
  [[nodiscard]] bool keeps(const std::string& topic) const;
  [[nodiscard]] bool has(const std::string& topic) const { return entries_.contains(topic); }

  void connected();
  void lost();
  // The next one to send; nothing: all has been sent, or waits for a confirmation of the same topic.
  [[nodiscard]] std::optional<Retained> next();
  void confirmed(const std::string& topic);
  // Whether the broker has acknowledged every retained state.
  [[nodiscard]] bool is_settled() const { return ready_.empty() && in_flight_.empty(); }

 private:
  struct Entry {
    Rank rank = Rank::state;
    std::string payload;
    bool changed = true;  // since next() last returned it
  };
  void change(Rank rank, const std::string& topic, std::string payload);

  std::map<std::string, Entry> entries_;
  std::set<std::pair<Rank, std::string>> ready_;  // changed and not in flight
  std::set<std::string> in_flight_;
};

}  // namespace saccade::results
