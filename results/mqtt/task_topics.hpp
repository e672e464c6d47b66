// The retained topics of every task: which ones begin, change and end with it. Fills a RetainedBook. A label
// is OFF until it is reported otherwise, so that an ON of an earlier run of the program does not persist; any
// other state of an earlier run found at the broker is removed (found()), after a while: its task may be told
// of late. Time is an argument. Threads: one at a time. Errors: none.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "results/mqtt/retained_book.hpp"
#include "results/mqtt/topics.hpp"
#include "results/result.hpp"

namespace saccade::results {

// PREFIX/task/ID/state.
[[nodiscard]] std::string task_state_payload(const TaskState& state);

struct MqttNames {
  std::string prefix;
  std::optional<std::string> home_assistant;  // its discovery prefix
  std::string node;
  std::string version;  // of the program
  bool snapshots = false;
};

class TaskTopics {
 public:
  // How long a state at the broker that is not ours may stay, for its task to be told of.
  static constexpr Duration kGrace = std::chrono::seconds(30);

  explicit TaskTopics(MqttNames names, Duration grace = kGrace);

  void start(RetainedBook& book) const { book.set(Rank::available, topics_.available(), "online"); }
  void stop(RetainedBook& book) const { book.set(Rank::available, topics_.available(), "stopped"); }
  void task_is_there(const std::string& task, const std::vector<std::string>& labels, RetainedBook& book);
  void task_is_gone(const std::string& task, RetainedBook& book);
  // Nothing is retained for unknown tasks.
  void presence(const PresenceChange& change, RetainedBook& book) const;
  void state(const TaskState& state, RetainedBook& book) const;
  void snapshot(const std::string& task, std::string jpeg, RetainedBook& book) const;

  // What to subscribe to after connecting; then pass each message to found(). `was_kept`: the message was
  // retained, not just published.
  [[nodiscard]] std::vector<std::string> filters() const;
  void found(const std::string& topic, std::string_view payload, bool was_kept, TimePoint now,
             RetainedBook& book);
  // When clear_strangers() is due; nothing: not before something else is found.
  [[nodiscard]] std::optional<TimePoint> alarm() const { return clears_at_; }
  // Removes what was found and is still of no known task or label.
  void clear_strangers(TimePoint now, RetainedBook& book);

  [[nodiscard]] const Topics& topics() const { return topics_; }

 private:
  [[nodiscard]] bool is_our_discovery(const std::string& topic, std::string_view payload) const;
  void clear_label(const std::string& task, const std::string& label, RetainedBook& book) const;

  struct Labels {
    std::vector<std::string> now;
    std::vector<std::string> former;
  };
  MqttNames names_;
  Topics topics_;
  const Duration grace_;
  std::map<std::string, Labels> tasks_;
  std::set<std::string> strangers_;  // topics that were found
  std::optional<TimePoint> clears_at_;
};

}  // namespace saccade::results
