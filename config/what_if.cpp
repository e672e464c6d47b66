#include "config/what_if.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "text/strict_json.hpp"

namespace saccade::config {
namespace {

using text::in_quotes;
using text::JsonReport;
using text::JsonValue;

// "tasks.gate-2.v1.fps": an id may have dots, a key has none.
std::vector<std::string> keys_of(const std::string& path) {
  std::vector<std::string> keys;
  std::size_t begin = 0;
  for (const std::string list : {"tasks", "processors"}) {
    const std::size_t name = list.size() + 1;
    if (!path.starts_with(list + ".") || path.find('.', name) == std::string::npos) continue;
    const std::size_t last = path.rfind('.');
    return {list, path.substr(name, last - name), path.substr(last + 1)};
  }
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
    keys.push_back(path.substr(begin, dot - begin));
    begin = dot + 1;
  }
  keys.push_back(path.substr(begin));
  return keys;
}

void put_on_line(std::size_t line, JsonValue& value) {
  value.line = line;
  for (JsonValue& item : value.items) put_on_line(line, item);
  for (text::JsonMember& member : value.members) put_on_line(line, member.value);
}

JsonValue value_of(const std::string& text, std::size_t line) {
  JsonReport ignored("");
  JsonValue value;
  if (std::optional<JsonValue> parsed = text::parse_json(text, ignored); parsed && ignored.empty()) {
    value = *std::move(parsed);
  } else {
    value.kind = JsonValue::Kind::string;
    value.string = text;
  }
  put_on_line(line, value);
  return value;
}

// The member of that name, made when there is none; null when `object` is none.
JsonValue* member_made(JsonValue& object, const std::string& key, std::size_t line) {
  if (!object.is_object()) return nullptr;
  const auto found = std::find_if(object.members.begin(), object.members.end(),
                                  [&](const text::JsonMember& member) { return member.key == key; });
  if (found != object.members.end()) return &found->value;
  JsonValue made;
  made.kind = JsonValue::Kind::object;
  made.line = line;
  object.members.push_back({key, std::move(made)});
  return &object.members.back().value;
}

void add_setting(const std::string& setting, std::size_t line, JsonValue& patch, JsonReport& report) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    report.add_at_line(line, "", in_quotes(setting) + " is no setting",
                       "write path=value, for example tasks.gate.fps=30");
    return;
  }
  JsonValue* place = &patch;
  std::string pointer;
  for (const std::string& key : keys_of(setting.substr(0, equals))) {
    pointer = text::child_pointer(pointer, key);
    if (place != nullptr) place = member_made(*place, key, line);
  }
  // What was made on the way is an empty object; everything else was set before.
  const bool free = place != nullptr && place->is_object() && place->members.empty() && place->line == line;
  if (!free) {
    report.add_at_line(line, pointer, "is set twice", "give every setting once");
    return;
  }
  *place = value_of(setting.substr(equals + 1), line);
}

}  // namespace

Result<text::JsonValue> patch_of(const std::vector<std::string>& settings) {
  JsonReport report("--set");
  JsonValue patch;
  patch.kind = JsonValue::Kind::object;
  for (std::size_t i = 0; i < settings.size(); ++i) add_setting(settings[i], i + 1, patch, report);
  if (!report.empty()) return report.errors();
  return patch;
}

}  // namespace saccade::config
