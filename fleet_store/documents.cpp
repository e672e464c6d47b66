#include "fleet_store/documents.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "text/object_reader.hpp"
#include "text/service_url.hpp"
#include "text/strict_json.hpp"

namespace saccade::fleet_store {
namespace {

using Json = nlohmann::ordered_json;
using text::JsonAt;
using text::JsonValue;

constexpr int kFormat = 1;
constexpr double kMostWhole = 9e15;  // numbers are exact up to here
constexpr text::JsonLimits kDocumentLimits{2, 100'000, 1'024, 128};

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Reads members by name; what is missing or of another kind is reported.
class Members {
 public:
  Members(JsonAt at, text::JsonReport& report) : at_(std::move(at)), report_(report) {
    if (at_->kind != JsonValue::Kind::object) report_.add(at_, "must be an object");
  }
  std::int64_t number(const char* key) {
    const JsonValue* value = find(key, JsonValue::Kind::number);
    if (value == nullptr) return 0;
    if (std::abs(value->number) > kMostWhole || value->number != std::floor(value->number)) {
      report_.add(at_.member(key, *value), "must be a whole number");
      return 0;
    }
    return static_cast<std::int64_t>(value->number);
  }
  std::string word(const char* key) {
    const JsonValue* value = find(key, JsonValue::Kind::string);
    return value == nullptr ? std::string{} : value->string;
  }
  std::string maybe_word(const char* key) {  // absent: empty
    const JsonValue* value = at_->find(key);
    return value != nullptr && value->kind == JsonValue::Kind::string ? value->string : std::string{};
  }
  Duration lease(const char* key) {  // absent: the usual
    if (at_->find(key) == nullptr) return fleet::kUsualLease;
    const std::int64_t whole = number(key);
    if (whole < fleet::kLeastLeaseSeconds || whole > fleet::kMostLeaseSeconds) {
      report_.add(at_, std::string("`") + key + "` is no length of a lease");
    }
    return std::chrono::seconds(whole);
  }
  // One of `words`; its index.
  std::size_t one_of(const char* key, const std::vector<std::string>& words) {
    const JsonValue* value = find(key, JsonValue::Kind::string);
    if (value == nullptr) return 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (value->string == words[i]) return i;
    }
    report_.add(at_.member(key, *value), "has no meaning: " + text::in_quotes(value->string));
    return 0;
  }
  bool flag(const char* key) {  // absent: false
    const JsonValue* value = at_->find(key);
    return value != nullptr && value->kind == JsonValue::Kind::boolean && value->boolean;
  }
  [[nodiscard]] bool has(const char* key) const { return at_->find(key) != nullptr; }
  template <class Use>
  void each(const char* key, const Use& use) {
    const JsonValue* value = find(key, JsonValue::Kind::array);
    if (value == nullptr) return;
    const JsonAt list = at_.member(key, *value);
    for (std::size_t i = 0; i < value->items.size(); ++i) use(Members(list.item(i), report_));
  }

 private:
  const JsonValue* find(const char* key, JsonValue::Kind kind) {
    const JsonValue* value = at_->find(key);
    if (value != nullptr && value->kind == kind) return value;
    report_.add(at_, std::string("lacks `") + key + "`, or it is of another kind");
    return nullptr;
  }
  JsonAt at_;
  text::JsonReport& report_;
};

template <class T, class Read>
Result<T> read_document(const std::string& name, const std::string& text, const Read& read) {
  text::JsonReport report(name);
  const std::optional<JsonValue> value = text::parse_json(text, report, kDocumentLimits);
  T document;
  if (value) {
    Members members({&*value, ""}, report);
    if (report.empty() && members.number("format") != kFormat) report.add_file("has another format");
    if (report.empty()) read(members, document);
  }
  if (!report.empty()) return report.errors();
  return document;
}

const std::vector<std::string>& roles() {
  static const std::vector<std::string> words = {"serve", "take_over"};
  return words;
}
constexpr fleet::Cause kCauses[] = {fleet::Cause::placed, fleet::Cause::lost_box,    fleet::Cause::drain,
                                    fleet::Cause::order,  fleet::Cause::improvement, fleet::Cause::unserved};

// Another word is that of a later version.
fleet::Cause cause_of(const std::string& word) {
  for (const fleet::Cause cause : kCauses) {
    if (word == to_string(cause)) return cause;
  }
  return fleet::Cause::unknown;
}

const std::vector<std::string>& statuses() {
  static const std::vector<std::string> words = {"starting", "serving", "failed"};
  return words;
}

// Older readers know the usual one.
void write_lease(Json& json, const char* key, Duration lease) {
  if (lease == fleet::kUsualLease) return;
  json[key] = std::chrono::duration_cast<std::chrono::seconds>(lease).count();
}

Json assign_json(const fleet::AssignDocument& document) {
  Json cameras = Json::array();
  for (const fleet::AssignedCamera& camera : document.cameras) {
    Json one{{"id", camera.id.str()},
             {"epoch", camera.epoch},
             {"role", roles()[static_cast<std::size_t>(camera.role)]},
             {"task", camera.task}};
    if (camera.exclusive) one["exclusive"] = true;
    if (camera.cause != fleet::Cause::unknown) one["cause"] = to_string(camera.cause);
    cameras.push_back(std::move(one));
  }
  Json json = {{"format", kFormat}, {"term", document.term}, {"plan", document.plan}, {"cameras", cameras}};
  write_lease(json, "lease", document.lease);
  write_lease(json, "longest_lease", document.longest_lease);
  for (const fleet::StandbyCamera& camera : document.standby) {
    json["standby"].push_back({{"id", camera.id.str()}, {"task", camera.task}});
  }
  for (const fleet::MovedCamera& camera : document.moved) {
    Json one{{"id", camera.id.str()}, {"epoch", camera.epoch}, {"box", camera.box.str()}};
    if (!camera.api.empty()) one["api"] = camera.api;
    json["moved"].push_back(std::move(one));
  }
  return json;
}

// What clients are told: nothing that could be more than a name and an address.
void read_moved(Members& members, std::vector<fleet::MovedCamera>& moved) {
  members.each("moved", [&](Members camera) {
    fleet::MovedCamera one{TaskId(camera.word("id")), camera.number("epoch"),
                           fleet::BoxId(camera.word("box")), camera.maybe_word("api")};
    if (!text::is_service_url(one.api)) one.api.clear();
    if (text::is_id(one.box.str())) moved.push_back(std::move(one));
  });
}

void read_assign_members(Members& members, fleet::AssignDocument& document) {
  document.term = members.number("term");
  document.plan = members.number("plan");
  document.lease = members.lease("lease");
  document.longest_lease = members.lease("longest_lease");
  members.each("cameras", [&](Members camera) {
    document.cameras.push_back({TaskId(camera.word("id")), camera.number("epoch"),
                                static_cast<fleet::Role>(camera.one_of("role", roles())),
                                camera.flag("exclusive"), camera.word("task"),
                                cause_of(camera.maybe_word("cause"))});
  });
  if (members.has("standby")) {
    members.each("standby", [&](Members camera) {
      document.standby.push_back({TaskId(camera.word("id")), camera.word("task")});
    });
  }
  if (members.has("moved")) read_moved(members, document.moved);
}

}  // namespace

Keys::Parts Keys::parts(std::string_view key) const {
  if (!key.starts_with(root_)) return {};
  key.remove_prefix(root_.size());
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return {std::string(key), ""};
  return {std::string(key.substr(0, slash)), std::string(key.substr(slash + 1))};
}

std::string to_text(const fleet::AssignDocument& document) { return dump(assign_json(document)); }

std::string to_text(const fleet::StateDocument& document) {
  Json cameras = Json::array();
  for (const fleet::CameraState& camera : document.cameras) {
    Json one{{"id", camera.id.str()},
             {"epoch", camera.epoch},
             {"status", statuses()[static_cast<std::size_t>(camera.status)]}};
    if (!camera.reason.empty()) one["reason"] = camera.reason;
    cameras.push_back(std::move(one));
  }
  Json json = {{"format", kFormat}, {"applied", document.applied}, {"cameras", cameras}};
  for (const TaskId& id : document.standby) json["standby"].push_back({{"id", id.str()}});
  return dump(json);
}

std::string to_text(const fleet::PlanDocument& document) {
  Json released = Json::array();
  for (const fleet::Released& each : document.released) {
    Json one{{"camera", each.camera.str()}, {"from", each.from.str()}};
    if (each.cause != fleet::Cause::unknown) one["cause"] = to_string(each.cause);
    released.push_back(std::move(one));
  }
  return dump({{"format", kFormat},
               {"term", document.term},
               {"number", document.number},
               {"last_epoch", document.last_epoch},
               {"store_term", document.store_term},
               {"released", released}});
}

std::string session_text(const std::string& name, std::int64_t session, Duration lease) {
  Json json = {{"format", kFormat}, {"name", name}, {"session", session}};
  write_lease(json, "lease", lease);
  return dump(json);
}

Duration lease_of_session(const std::string& text) {
  const auto read = read_document<Duration>(
      "session", text, [](Members& members, Duration& lease) { lease = members.lease("lease"); });
  return read ? read.value() : fleet::kUsualLease;
}

Result<fleet::AssignDocument> read_assign(const std::string& text) {
  return read_document<fleet::AssignDocument>("assign", text, read_assign_members);
}

Result<fleet::StateDocument> read_state(const std::string& text) {
  return read_document<fleet::StateDocument>("state", text, [](Members& members, auto& document) {
    document.applied = members.number("applied");
    members.each("cameras", [&](Members camera) {
      fleet::CameraState state{TaskId(camera.word("id")), camera.number("epoch"),
                               static_cast<fleet::CameraStatus>(camera.one_of("status", statuses())), ""};
      if (state.status == fleet::CameraStatus::failed) state.reason = camera.word("reason");
      document.cameras.push_back(std::move(state));
    });
    if (!members.has("standby")) return;
    members.each("standby", [&](Members each) { document.standby.emplace_back(each.word("id")); });
  });
}

Result<fleet::PlanDocument> read_plan(const std::string& text) {
  return read_document<fleet::PlanDocument>("plan", text, [](Members& members, auto& document) {
    document.term = members.number("term");
    document.number = members.number("number");
    document.last_epoch = members.number("last_epoch");
    document.store_term = members.number("store_term");
    members.each("released", [&](Members each) {
      document.released.push_back(
          {TaskId(each.word("camera")), fleet::BoxId(each.word("from")), cause_of(each.maybe_word("cause"))});
    });
  });
}

std::string saved_text(const fleet::Held<fleet::AssignDocument>& held) {
  Json json = assign_json(held.document);
  json["revision"] = held.revision;
  return dump(json);
}

Result<fleet::Held<fleet::AssignDocument>> read_saved(const std::string& text) {
  using Saved = fleet::Held<fleet::AssignDocument>;
  return read_document<Saved>("saved assignment", text, [](Members& members, Saved& held) {
    read_assign_members(members, held.document);
    held.revision = members.number("revision");
  });
}

}  // namespace saccade::fleet_store
