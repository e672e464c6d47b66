// The names of the MQTT topics below a sink's prefix, and of those that Home Assistant reads.
// Threads: plain values and functions without state. Errors: none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace saccade::results {

// One level of a topic: whatever is not a letter, a digit, `_` or `-` becomes `_`, byte by byte.
[[nodiscard]] std::string topic_word(std::string_view text);

// The first two different labels with the same topic, in the order in which they are given.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> labels_with_one_topic(
    const std::vector<std::string>& labels);

// How the part of a topic behind PREFIX/task/ is read back.
struct TaskTopic {
  std::string task;
  std::string leaf;   // "state", "snapshot", "presence", "count"
  std::string label;  // of presence and count
};

// Tasks stand in topics as they are called: an id holds nothing that a topic could not.
class Topics {
 public:
  explicit Topics(std::string prefix) : prefix_(std::move(prefix)) {}

  [[nodiscard]] std::string available() const { return prefix_ + "/available"; }
  [[nodiscard]] std::string state(std::string_view task) const { return of_task(task, "/state"); }
  [[nodiscard]] std::string result(std::string_view task) const { return of_task(task, "/result"); }
  [[nodiscard]] std::string snapshot(std::string_view task) const { return of_task(task, "/snapshot"); }
  [[nodiscard]] std::string presence(std::string_view task, std::string_view label) const;
  [[nodiscard]] std::string count(std::string_view task, std::string_view label) const;
  // A change of a task that is asked for, and the answer.
  [[nodiscard]] std::string change(std::string_view task) const { return of_task(task, "/set"); }
  [[nodiscard]] std::string change_answer(std::string_view task) const {
    return of_task(task, "/set/answer");
  }
  [[nodiscard]] std::string change_filter() const { return of_task("+", "/set"); }
  // Nothing: the topic is no change of a task.
  [[nodiscard]] std::optional<std::string> changed_task(std::string_view topic) const;
  // What a broker is asked for to see every state that it still keeps for this prefix.
  [[nodiscard]] std::vector<std::string> kept_filters() const;
  // Nothing: the topic is none of a task's kept ones.
  [[nodiscard]] std::optional<TaskTopic> read(std::string_view topic) const;

 private:
  [[nodiscard]] std::string of_task(std::string_view task, std::string_view rest) const;

  std::string prefix_;
};

}  // namespace saccade::results
