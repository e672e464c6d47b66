#include "results/mqtt/task_topics.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "results/mqtt/discovery.hpp"

namespace saccade::results {
namespace {

bool holds(const std::vector<std::string>& labels, const std::string& label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// The discovery message of this program for this prefix, whichever task it is of.
bool is_of(std::string_view payload, const std::string& available) {
  const nlohmann::json read = nlohmann::json::parse(payload, nullptr, false);
  if (!read.is_object() || !read.contains("o") || !read["o"].is_object()) return false;
  const auto is_text = [](const nlohmann::json& of, const char* key, const std::string& text) {
    const auto found = of.find(key);
    return found != of.end() && found->is_string() && *found == text;
  };
  return is_text(read["o"], "name", "saccade") && is_text(read, "availability_topic", available);
}

}  // namespace

std::string task_state_payload(const TaskState& state) {
  const nlohmann::ordered_json payload = {{"source_connected", state.source_connected},
                                          {"demanded_fps", state.demanded_fps},
                                          {"granted_fps", state.granted_fps},
                                          {"achieved_fps", state.achieved_fps},
                                          {"variant", state.variant},
                                          {"accuracy", state.accuracy},
                                          {"generation", state.generation}};
  return payload.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

TaskTopics::TaskTopics(MqttNames names, Duration grace)
    : names_(std::move(names)), topics_(names_.prefix), grace_(grace) {}

void TaskTopics::task_is_there(const std::string& task, const std::vector<std::string>& labels,
                               RetainedBook& book) {
  Labels& known = tasks_[task];
  for (const std::string& label : known.now) {
    if (holds(labels, label)) continue;
    clear_label(task, label, book);
    if (!holds(known.former, label)) known.former.push_back(label);
  }
  std::erase_if(known.former, [&](const std::string& label) { return holds(labels, label); });
  known.now = labels;
  if (names_.home_assistant) {
    book.set(Rank::discovery, discovery_topic(*names_.home_assistant, names_.node, task),
             discovery_payload({names_.node, task, names_.version, known.now, known.former, names_.snapshots},
                               topics_));
  }
  for (const std::string& label : labels) {
    if (!book.keeps(topics_.presence(task, label))) presence({task, label, 0}, book);
  }
}

void TaskTopics::task_is_gone(const std::string& task, RetainedBook& book) {
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return;
  for (const std::string& label : found->second.now) clear_label(task, label, book);
  book.clear(Rank::state, topics_.state(task));
  book.clear(Rank::state, topics_.snapshot(task));
  if (names_.home_assistant)
    book.clear(Rank::discovery, discovery_topic(*names_.home_assistant, names_.node, task));
  tasks_.erase(found);
}

void TaskTopics::presence(const PresenceChange& change, RetainedBook& book) const {
  const auto task = tasks_.find(change.task);
  if (task == tasks_.end() || !holds(task->second.now, change.label)) return;
  book.set(Rank::state, topics_.presence(change.task, change.label), change.count > 0 ? "ON" : "OFF");
  book.set(Rank::state, topics_.count(change.task, change.label), std::to_string(std::max(change.count, 0)));
}

void TaskTopics::state(const TaskState& state, RetainedBook& book) const {
  if (!tasks_.contains(state.task)) return;
  book.set(Rank::state, topics_.state(state.task), task_state_payload(state));
}

void TaskTopics::snapshot(const std::string& task, std::string jpeg, RetainedBook& book) const {
  if (!tasks_.contains(task)) return;
  book.set(Rank::state, topics_.snapshot(task), std::move(jpeg));
}

std::vector<std::string> TaskTopics::filters() const {
  std::vector<std::string> filters = topics_.kept_filters();
  if (names_.home_assistant) {
    filters.push_back(*names_.home_assistant + "/status");
    filters.push_back(*names_.home_assistant + "/device/+/config");
  }
  return filters;
}

void TaskTopics::found(const std::string& topic, std::string_view payload, bool was_kept, TimePoint now,
                       RetainedBook& book) {
  if (names_.home_assistant && topic == *names_.home_assistant + "/status") {
    // It has just started. What it said before we came is no reason: the discovery went out with the
    // connection.
    if (!was_kept && payload == "online") book.repeat(Rank::discovery);
    return;
  }
  if (!was_kept || payload.empty() || book.has(topic)) return;
  if (!topics_.read(topic) && !is_our_discovery(topic, payload)) return;
  strangers_.insert(topic);
  if (!clears_at_) clears_at_ = now + grace_;
}

void TaskTopics::clear_strangers(TimePoint now, RetainedBook& book) {
  if (!clears_at_ || now < *clears_at_) return;
  clears_at_.reset();
  for (const std::string& topic : std::exchange(strangers_, {})) {
    if (book.has(topic)) continue;
    const std::optional<TaskTopic> read = topics_.read(topic);
    book.clear(read ? Rank::state : Rank::discovery, topic);
    // Pictures are not asked for: one of a task that is gone goes with the task's other topics.
    if (read && !tasks_.contains(read->task)) book.clear(Rank::state, topics_.snapshot(read->task));
  }
}

bool TaskTopics::is_our_discovery(const std::string& topic, std::string_view payload) const {
  if (!names_.home_assistant) return false;
  const std::string ours = *names_.home_assistant + "/device/saccade_";
  return topic.starts_with(ours) && is_of(payload, topics_.available());
}

void TaskTopics::clear_label(const std::string& task, const std::string& label, RetainedBook& book) const {
  book.clear(Rank::state, topics_.presence(task, label));
  book.clear(Rank::state, topics_.count(task, label));
}

}  // namespace saccade::results
