// JSON values that a program makes: documents built from something else, a table for example, which a reader
// of documents then checks (JsonReport with a locator names the places). `line`: where the value comes from.
// Threads: functions without state. Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "text/strict_json.hpp"

namespace saccade::text {

[[nodiscard]] inline JsonValue text_value(std::string text, std::size_t line = 1) {
  JsonValue value;
  value.kind = JsonValue::Kind::string;
  value.string = std::move(text);
  value.line = line;
  return value;
}

[[nodiscard]] inline JsonValue number_value(double number, std::size_t line = 1) {
  JsonValue value;
  value.kind = JsonValue::Kind::number;
  value.number = number;
  value.line = line;
  return value;
}

[[nodiscard]] inline JsonValue boolean_value(bool boolean, std::size_t line = 1) {
  JsonValue value;
  value.kind = JsonValue::Kind::boolean;
  value.boolean = boolean;
  value.line = line;
  return value;
}

[[nodiscard]] inline JsonValue object_value(std::vector<JsonMember> members, std::size_t line = 1) {
  JsonValue value;
  value.kind = JsonValue::Kind::object;
  value.members = std::move(members);
  value.line = line;
  return value;
}

[[nodiscard]] inline JsonValue list_value(std::vector<JsonValue> items, std::size_t line = 1) {
  JsonValue value;
  value.kind = JsonValue::Kind::array;
  value.items = std::move(items);
  value.line = line;
  return value;
}

}  // namespace saccade::text
