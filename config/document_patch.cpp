#include "config/document_patch.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.hpp"

namespace saccade::config {
namespace {

using text::in_quotes;
using text::JsonAt;
using text::JsonMember;
using text::JsonReport;
using text::JsonValue;

auto find_member(JsonValue& object, std::string_view key) {
  return std::find_if(object.members.begin(), object.members.end(),
                      [&](const JsonMember& member) { return member.key == key; });
}

bool is_object(const JsonValue& value) { return value.kind == JsonValue::Kind::object; }

void report_no_object(const JsonAt& at, JsonReport& report) {
  report.add(at, "a merge patch is an object", "write the keys that change, for example {\"fps\": 10}");
}

std::vector<std::string> ids_of(const JsonValue& document) {
  std::vector<std::string> ids;
  const JsonValue* tasks = document.find("tasks");
  if (tasks == nullptr) return ids;
  for (const JsonValue& task : tasks->items) {
    const JsonValue* id = task.find("id");
    ids.push_back(id == nullptr ? "" : id->string);
  }
  return ids;
}

const JsonValue* child_at(const JsonValue& value, std::string_view token) {
  if (value.kind == JsonValue::Kind::array) {
    std::size_t index = value.items.size();
    std::from_chars(token.data(), token.data() + token.size(), index);
    return index < value.items.size() ? &value.items[index] : nullptr;
  }
  for (const auto& [key, child] : value.members) {
    // Readers escape keys and leave secrets out.
    if (key == token || std::string_view(text::child_pointer("", key)).substr(1) == token) return &child;
  }
  return nullptr;
}

}  // namespace

void merge_patch(const JsonValue& patch, JsonValue& target) {
  if (!is_object(patch)) {
    target = patch;
    return;
  }
  if (!is_object(target)) {
    target = JsonValue{};
    target.kind = JsonValue::Kind::object;
    target.line = patch.line;
  }
  for (const JsonMember& change : patch.members) {
    if (change.value.kind == JsonValue::Kind::null) {
      const auto removed = find_member(target, change.key);
      if (removed != target.members.end()) target.members.erase(removed);
    } else {
      merge_patch(change.value, member_of(target, change.key));
    }
  }
}

JsonValue& member_of(JsonValue& object, std::string_view key) {
  const auto found = find_member(object, key);
  if (found != object.members.end()) return found->value;
  return object.members.emplace_back(JsonMember{std::string(key), {}}).value;
}

std::optional<std::size_t> task_position(const JsonValue& document, std::string_view id) {
  const JsonValue* tasks = document.find("tasks");
  for (std::size_t i = 0; tasks != nullptr && i < tasks->items.size(); ++i) {
    const JsonValue* known = tasks->items[i].find("id");
    if (known != nullptr && known->string == id) return i;
  }
  return std::nullopt;
}

void check_task_patch(const JsonAt& patch, std::string_view id, JsonReport& report) {
  if (!is_object(*patch.value)) return report_no_object(patch, report);
  const JsonValue* given = patch->find("id");
  if (given == nullptr || (given->kind == JsonValue::Kind::string && given->string == id)) return;
  report.add(patch.member("id", *given), "a task keeps its id",
             "remove the key; add a task by replacing the configuration");
}

void check_patch(const JsonAt& patch, const JsonValue& document, JsonReport& report) {
  if (!is_object(*patch.value)) return report_no_object(patch, report);
  const JsonValue* by_id = patch->find("tasks");
  if (by_id == nullptr) return;
  const JsonAt tasks = patch.member("tasks", *by_id);
  if (!is_object(*by_id)) {
    report.add(tasks, "a patch names tasks by their ids", "write {\"tasks\": {\"ID\": {\"fps\": 10}}}");
    return;
  }
  const std::vector<std::string> ids = ids_of(document);
  for (const auto& [id, change] : by_id->members) {
    const JsonAt at = tasks.member(id, change);
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
      const std::string meant = report.full() ? "" : text::nearest(id, ids);
      report.add(at, "there is no task " + in_quotes(id),
                 meant.empty() ? "a patch names tasks by their `id`" : "did you mean `" + meant + "`?");
    } else if (change.kind == JsonValue::Kind::null) {
      report.add(at, "a task cannot be removed while a run goes on", "set its `fps` to 0");
    } else {
      check_task_patch(at, id, report);
    }
  }
}

void apply_patch(const JsonValue& patch, JsonValue& document) {
  if (!is_object(patch)) return;
  JsonValue rest = patch;
  if (const auto tasks = find_member(rest, "tasks"); tasks != rest.members.end()) {
    for (const auto& [id, change] : tasks->value.members) {
      const std::optional<std::size_t> position = task_position(document, id);
      if (position && is_object(change)) merge_patch(change, member_of(document, "tasks").items[*position]);
    }
    rest.members.erase(tasks);
  }
  merge_patch(rest, document);
}

void fold_timeline(Duration at, JsonValue& document) {
  const auto timeline = find_member(document, "timeline");
  if (timeline == document.members.end()) return;
  std::vector<JsonValue> later;
  for (JsonValue& entry : std::exchange(timeline->value.items, {})) {
    if (to_duration(Seconds(entry.find("at_seconds")->number)) > at) {
      later.push_back(std::move(entry));
    } else {
      apply_patch(*entry.find("patch"), document);
    }
  }
  member_of(document, "timeline").items = std::move(later);
}

const JsonValue* value_at(const JsonValue& root, std::string_view pointer) {
  const JsonValue* value = &root;
  while (value != nullptr && !pointer.empty()) {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    value = child_at(*value, pointer.substr(1, end - 1));
    pointer.remove_prefix(end);
  }
  return value;
}

}  // namespace saccade::config
