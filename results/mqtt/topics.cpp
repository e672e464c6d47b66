#include "results/mqtt/topics.hpp"

#include <cstddef>
#include <map>

namespace saccade::results {
namespace {

bool may_stand_in_a_topic(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::string topic_word(std::string_view text) {
  std::string word(text);
  for (char& c : word) {
    if (!may_stand_in_a_topic(c)) c = '_';
  }
  return word;
}

std::optional<std::pair<std::string, std::string>> labels_with_one_topic(
    const std::vector<std::string>& labels) {
  std::map<std::string, std::string> first;
  for (const std::string& label : labels) {
    const auto [place, is_new] = first.emplace(topic_word(label), label);
    if (!is_new && place->second != label) return std::pair(place->second, label);
  }
  return std::nullopt;
}

std::string Topics::presence(std::string_view task, std::string_view label) const {
  return of_task(task, "/presence/" + topic_word(label));
}

std::string Topics::count(std::string_view task, std::string_view label) const {
  return of_task(task, "/count/" + topic_word(label));
}

std::vector<std::string> Topics::kept_filters() const {
  return {prefix_ + "/task/+/state", prefix_ + "/task/+/presence/+", prefix_ + "/task/+/count/+"};
}

std::optional<std::string> Topics::changed_task(std::string_view topic) const {
  const std::string tasks = prefix_ + "/task/";
  constexpr std::string_view kSet = "/set";
  if (!topic.starts_with(tasks) || !topic.ends_with(kSet)) return std::nullopt;
  topic.remove_prefix(tasks.size());
  if (topic.size() <= kSet.size()) return std::nullopt;
  topic.remove_suffix(kSet.size());
  return topic.find('/') == std::string_view::npos ? std::optional<std::string>(topic) : std::nullopt;
}

std::optional<TaskTopic> Topics::read(std::string_view topic) const {
  const std::string tasks = prefix_ + "/task/";
  if (!topic.starts_with(tasks)) return std::nullopt;
  std::vector<std::string> words(1);
  for (const char c : topic.substr(tasks.size())) {
    if (c == '/') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  const bool is_one_value = words.size() == 2 && (words[1] == "state" || words[1] == "snapshot");
  const bool is_of_a_label = words.size() == 3 && (words[1] == "presence" || words[1] == "count");
  if (!is_one_value && !is_of_a_label) return std::nullopt;
  return TaskTopic{words[0], words[1], is_of_a_label ? words[2] : std::string()};
}

std::string Topics::of_task(std::string_view task, std::string_view rest) const {
  return prefix_ + "/task/" + std::string(task) + std::string(rest);
}

}  // namespace saccade::results
