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

void report_no_object(const JsonAt& at, JsonReport& report) {
  report.add(at, "a merge patch is an object", "write the keys that change, for example {\"fps\": 10}");
}

// A list of the document whose items patches name.
struct NamedList {
  const char* list;
  const char* key;  // of an item: its name
  const char* item;
  const char* example;
  const char* kept;     // what to do instead of removing one
  const char* renamed;  // instead of renaming one
};
constexpr NamedList kTasks = {"tasks",
                              "id",
                              "task",
                              "{\"tasks\": {\"ID\": {\"fps\": 10}}}",
                              "set its `fps` to 0",
                              "remove the key; add a task by replacing the configuration"};
constexpr NamedList kProcessors = {"processors",
                                   "name",
                                   "processor",
                                   "{\"processors\": {\"NAME\": {\"slowdown\": 2}}}",
                                   "restart with another configuration",
                                   "remove the key"};

std::vector<std::string> names_of(const JsonValue& document, const NamedList& of) {
  std::vector<std::string> names;
  const JsonValue* list = document.find(of.list);
  if (list == nullptr) return names;
  for (const JsonValue& item : list->items) {
    const JsonValue* name = item.find(of.key);
    names.push_back(name == nullptr ? "" : name->string);
  }
  return names;
}

std::optional<std::size_t> position_of(const JsonValue& document, const NamedList& of,
                                       std::string_view name) {
  const JsonValue* list = document.find(of.list);
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    const JsonValue* known = list->items[i].find(of.key);
    if (known != nullptr && known->string == name) return i;
  }
  return std::nullopt;
}

void check_item(const JsonAt& patch, const NamedList& of, std::string_view name, JsonReport& report) {
  if (!patch.value->is_object()) return report_no_object(patch, report);
  const JsonValue* given = patch->find(of.key);
  if (given == nullptr || (given->kind == JsonValue::Kind::string && given->string == name)) return;
  report.add(patch.member(of.key, *given), std::string("a ") + of.item + " keeps its " + of.key, of.renamed);
}

void check_list(const JsonAt& patch, const JsonValue& document, const NamedList& of, JsonReport& report) {
  const JsonValue* by_name = patch->find(of.list);
  if (by_name == nullptr) return;
  const JsonAt list = patch.member(of.list, *by_name);
  if (!by_name->is_object()) {
    report.add(list, std::string("a patch names ") + of.list + " by their " + of.key + "s",
               std::string("write ") + of.example);
    return;
  }
  const std::vector<std::string> names = names_of(document, of);
  for (const auto& [name, change] : by_name->members) {
    const JsonAt at = list.member(name, change);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string meant = report.full() ? "" : text::nearest(name, names);
      report.add(at, std::string("there is no ") + of.item + " " + in_quotes(name),
                 meant.empty() ? std::string("a patch names ") + of.list + " by their `" + of.key + "`"
                               : "did you mean `" + meant + "`?");
    } else if (change.kind == JsonValue::Kind::null) {
      report.add(at, std::string("a ") + of.item + " cannot be removed while a run goes on", of.kept);
    } else {
      check_item(at, of, name, report);
    }
  }
}

// Applied to the items it names; what is left of the patch is merged as it is.
void apply_list(const NamedList& of, JsonValue& rest, JsonValue& document) {
  const auto by_name = find_member(rest, of.list);
  if (by_name == rest.members.end()) return;
  for (const auto& [name, change] : by_name->value.members) {
    const std::optional<std::size_t> position = position_of(document, of, name);
    if (position && change.is_object()) merge_patch(change, member_of(document, of.list).items[*position]);
  }
  rest.members.erase(by_name);
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
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) {
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
  return position_of(document, kTasks, id);
}

std::optional<std::size_t> processor_position(const JsonValue& document, std::string_view name) {
  return position_of(document, kProcessors, name);
}

void check_task_patch(const JsonAt& patch, std::string_view id, JsonReport& report) {
  check_item(patch, kTasks, id, report);
}

void check_patch(const JsonAt& patch, const JsonValue& document, JsonReport& report) {
  if (!patch.value->is_object()) return report_no_object(patch, report);
  check_list(patch, document, kTasks, report);
  check_list(patch, document, kProcessors, report);
}

void apply_patch(const JsonValue& patch, JsonValue& document) {
  if (!patch.is_object()) return;
  JsonValue rest = patch;
  apply_list(kTasks, rest, document);
  apply_list(kProcessors, rest, document);
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
