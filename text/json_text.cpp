#include "text/json_text.hpp"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace saccade::text {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::null:
      return {};
    case JsonValue::Kind::boolean:
      return value.boolean;
    case JsonValue::Kind::number:
      if (value.number == std::floor(value.number) && std::abs(value.number) < 1e15) {
        return static_cast<std::int64_t>(value.number);
      }
      return value.number;
    case JsonValue::Kind::string:
      return value.string;
    case JsonValue::Kind::array: {
      Json list = Json::array();
      for (const JsonValue& item : value.items) list.push_back(json_of(item));
      return list;
    }
    case JsonValue::Kind::object:
      break;
  }
  Json object = Json::object();
  for (const JsonMember& member : value.members) object[member.key] = json_of(member.value);
  return object;
}

}  // namespace

std::string write_json(const JsonValue& value, int indent) {
  return json_of(value).dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace saccade::text
