// The names of the MQTT topics below a sink's prefix, and of those that Home Assistant reads.
// Threads: plain values and functions without state. Errors: none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace saccade::results {

// One level of a topic: every byte other than a letter, a digit, `_` or `-` is replaced by `_`.
[[nodiscard]] std::string topic_word(std::string_view text);

// The first two distinct labels that map to the same topic, in the given order.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> labels_with_one_topic(
    const std::vector<std::string>& labels);

// The part of a topic after PREFIX/task/, parsed.
struct TaskTopic {
  std::string task;
  std::string leaf;   // "state", "snapshot", "presence", "count"
  std::string label;  // of presence and count
};

// Task ids appear in topics unchanged: they contain no character that a topic does not allow.
class Topics {
 public:
  explicit Topics(std::string prefix) : prefix_(std::move(prefix)) {}

  [[nodiscard]] std::string available() const { return prefix_ + "/available"; }
  [[nodiscard]] std::string state(std::string_view task) const { return of_task(task, "/state"); }
  [[nodiscard]] std::string result(std::string_view task) const { return of_task(task, "/result"); }
  [[nodiscard]] std::string snapshot(std::string_view task) const { return of_task(task, "/snapshot"); }
  [[nodiscard]] std::string presence(std::string_view task, std::string_view label) const;
  [[nodiscard]] std::string count(std::string_view task, std::string_view label) const;
  // A requested change of a task, and the response.
  [[nodiscard]] std::string change(std::string_view task) const { return of_task(task, "/set"); }
  [[nodiscard]] std::string change_answer(std::string_view task) const {
    return of_task(task, "/set/answer");
  }
  [[nodiscard]] std::string change_filter() const { return of_task("+", "/set"); }
  // Nothing: the topic is not a change of a task.
  [[nodiscard]] std::optional<std::string> changed_task(std::string_view topic) const;
  // The filters that cover every state the broker still retains for this prefix.
  [[nodiscard]] std::vector<std::string> kept_filters() const;
  // Nothing: the topic is not a retained one of a task.
  [[nodiscard]] std::optional<TaskTopic> read(std::string_view topic) const;

 private:
  [[nodiscard]] std::string of_task(std::string_view task, std::string_view rest) const;

  std::string prefix_;
};

}  // namespace saccade::results
