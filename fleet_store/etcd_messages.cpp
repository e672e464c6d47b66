#include "fleet_store/etcd_messages.hpp"

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "text/base64.hpp"

namespace saccade::fleet_store {
namespace {

using EtcdJson = nlohmann::ordered_json;

constexpr int kOk = 200;
constexpr int kUnauthorized = 401;
// Of gRPC (https://grpc.github.io/grpc/core/md_doc_statuscodes.html).
constexpr int kInvalidArgument = 3;
constexpr int kNotFound = 5;
constexpr int kPermissionDenied = 7;
constexpr int kResourceExhausted = 8;
constexpr int kFailedPrecondition = 9;
constexpr int kOutOfRange = 11;
constexpr int kUnauthenticated = 16;

std::string prefix_end(std::string key) {
  while (!key.empty() && key.back() == '\xff') key.pop_back();
  if (key.empty()) return std::string(1, '\0');
  key.back() = static_cast<char>(static_cast<unsigned char>(key.back()) + 1U);
  return key;
}

EtcdJson range_of(const std::string& key, bool prefix) {
  EtcdJson range{{"key", text::to_base64(key)}};
  if (prefix) range["range_end"] = text::to_base64(prefix_end(key));
  return range;
}

EtcdJson txn_of(const request::Commit& commit) {
  EtcdJson compares = EtcdJson::array();
  for (const Compare& compare : commit.compares) {
    const bool created = compare.what == Compare::What::created;
    compares.push_back({{"key", text::to_base64(compare.key)},
                        {"result", "EQUAL"},
                        {"target", created ? "CREATE" : "MOD"},
                        {created ? "create_revision" : "mod_revision", std::to_string(compare.revision)}});
  }
  EtcdJson success = EtcdJson::array();
  for (const Put& put : commit.puts) {
    EtcdJson one{{"key", text::to_base64(put.key)}, {"value", text::to_base64(put.value)}};
    if (put.lease != 0) one["lease"] = std::to_string(put.lease);
    success.push_back({{"request_put", one}});
  }
  for (const std::string& key : commit.deletions) {
    success.push_back({{"request_delete_range", {{"key", text::to_base64(key)}}}});
  }
  return {{"compare", compares}, {"success", success}};
}

EtcdJson parsed(std::string_view text) { return EtcdJson::parse(text, nullptr, false); }

// Members of an answer: absent is 0, false or empty; of another kind is a fault of the whole answer.
class Answered {
 public:
  explicit Answered(const EtcdJson& json) : json_(json), good_(json.is_object()) {}

  std::int64_t number(const char* key) {
    const EtcdJson* member = find(key);
    if (member == nullptr) return 0;
    if (member->is_number_integer() && !member->is_number_unsigned()) return member->get<std::int64_t>();
    if (member->is_number_unsigned()) {
      const auto value = member->get<std::uint64_t>();
      if (value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
        return static_cast<std::int64_t>(value);
      }
    } else if (member->is_string()) {
      const std::string& digits = member->get_ref<const std::string&>();
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (error == std::errc{} && end == digits.data() + digits.size()) return value;
    }
    good_ = false;
    return 0;
  }
  bool flag(const char* key) {
    const EtcdJson* member = find(key);
    if (member == nullptr) return false;
    if (!member->is_boolean()) good_ = false;
    return member->is_boolean() && member->get<bool>();
  }
  std::string word(const char* key) {
    const EtcdJson* member = find(key);
    if (member == nullptr) return {};
    if (!member->is_string()) good_ = false;
    return member->is_string() ? member->get<std::string>() : std::string{};
  }
  std::string bytes(const char* key) {
    std::optional<std::string> bytes = text::from_base64(word(key));
    if (!bytes) good_ = false;
    return bytes ? std::move(*bytes) : std::string{};
  }
  // An object; absent: an empty one.
  Answered part(const char* key) {
    static const EtcdJson empty = EtcdJson::object();
    const EtcdJson* member = find(key);
    return Answered(member == nullptr ? empty : *member);
  }
  template <class Use>
  void each(const char* key, const Use& use) {
    const EtcdJson* member = find(key);
    if (member == nullptr) return;
    if (!member->is_array()) {
      good_ = false;
      return;
    }
    for (const EtcdJson& item : *member) {
      Answered answered(item);
      use(answered);
      good_ = good_ && answered.good_;
    }
  }
  [[nodiscard]] bool has(const char* key) const { return find(key) != nullptr; }
  [[nodiscard]] bool good() const { return good_; }

 private:
  [[nodiscard]] const EtcdJson* find(const char* key) const {
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  const EtcdJson& json_;
  bool good_;
};

struct Header {
  std::int64_t revision = 0;
  std::int64_t term = 0;
  bool good = false;
};
Header header_of(Answered& answered) {
  Answered part = answered.part("header");
  Header header{part.number("revision"), part.number("raft_term"), false};
  header.good = part.good();
  return header;
}

std::string shortened(std::string words) {
  constexpr std::size_t kMost = 200;
  if (words.size() > kMost) words.resize(kMost);
  for (char& c : words) {
    if (static_cast<unsigned char>(c) < 0x20U) c = ' ';
  }
  return words;
}

// 3.4: {"error", "message", "code"}, 3.5: {"code", "message"}; within a stream {"error": {"grpc_code", …}}.
struct EtcdFault {
  int code = 0;  // 0: none is given
  std::string words;
};
EtcdFault fault_of(int status, const EtcdJson& json) {
  EtcdFault fault{0, "the store answers " + std::to_string(status)};
  if (!json.is_object()) return fault;
  Answered answered(json);
  const bool nested = answered.has("error") && json.at("error").is_object();
  Answered inner = nested ? answered.part("error") : answered;
  const std::int64_t code = inner.number(nested ? "grpc_code" : "code");
  fault.code = inner.good() && code > 0 && code < 100 ? static_cast<int>(code) : 0;
  const std::string words = inner.word("message");
  if (!words.empty()) fault.words += ": " + shortened(words);
  return fault;
}

EtcdReading failed(const Request& request, int status, const EtcdFault& fault) {
  EtcdReading reading;
  answer::Failed answer{answer::Outcome::refused, fault.words};
  if (fault.code == kUnauthenticated || status == kUnauthorized) {
    reading.token_refused = true;
    answer.outcome = answer::Outcome::unavailable;
  } else if (fault.code == kInvalidArgument) {  // what an old token gets after a change of the roles, too
    reading.token_refused = true;
  } else if (fault.code == kNotFound && std::holds_alternative<request::Revoke>(request)) {
    reading.answer = answer::Revoked{};
    return reading;
  } else if (fault.code == kNotFound && std::holds_alternative<request::Commit>(request)) {
    reading.answer = answer::Committed{};  // the lease has ended
    return reading;
  } else if (fault.code != kNotFound && fault.code != kPermissionDenied && fault.code != kResourceExhausted &&
             fault.code != kFailedPrecondition && fault.code != kOutOfRange) {
    reading.member_failed = true;
    answer.outcome = may_change(request) ? answer::Outcome::unknown : answer::Outcome::unavailable;
  }
  reading.answer = std::move(answer);
  return reading;
}

EtcdReading unreadable(const Request& request) {
  EtcdReading reading;
  reading.member_failed = true;
  const auto outcome = may_change(request) ? answer::Outcome::unknown : answer::Outcome::unavailable;
  reading.answer = answer::Failed{outcome, "the store's answer cannot be read"};
  return reading;
}

Entry entry_of(Answered& kv) {
  Entry entry{kv.bytes("key"), kv.bytes("value"), kv.number("create_revision"), kv.number("mod_revision")};
  return entry;
}

std::optional<Answer> answer_of(const request::List&, Answered& answered, const Header& header) {
  answer::Listed listed{header.revision, {}};
  bool good = header.revision > 0;
  answered.each("kvs", [&](Answered& kv) {
    listed.entries.push_back(entry_of(kv));
    good = good && listed.entries.back().changed > 0 && listed.entries.back().created > 0;
  });
  // A part of the keys would look like the deletion of the others.
  if (!good || answered.flag("more")) return std::nullopt;
  return listed;
}
std::optional<Answer> answer_of(const request::Commit&, Answered& answered, const Header& header) {
  if (header.revision <= 0) return std::nullopt;
  return answer::Committed{answered.flag("succeeded"), header.revision};
}
std::optional<Answer> answer_of(const request::Grant&, Answered& answered, const Header&) {
  const answer::Granted granted{answered.number("ID"), std::chrono::seconds(answered.number("TTL"))};
  if (granted.lease == 0 || granted.time <= Duration{}) return std::nullopt;
  return granted;
}
std::optional<Answer> answer_of(const request::Revoke&, Answered&, const Header& header) {
  if (header.revision <= 0) return std::nullopt;
  return answer::Revoked{};
}
std::optional<Answer> answer_of(const request::Compact&, Answered&, const Header& header) {
  if (header.revision <= 0) return std::nullopt;
  return answer::Compacted{};
}
template <class Other>
std::optional<Answer> answer_of(const Other&, Answered&, const Header&) {
  return std::nullopt;
}

EtcdReading read_kept(const request::Keep& keep, const EtcdJson& json) {
  Answered answered(json);
  Answered result = answered.part("result");
  const Header header = header_of(result);
  const std::int64_t time = result.number("TTL");
  const bool same = result.number("ID") == keep.lease;
  if (!answered.has("result") || !header.good || !result.good() || !same) return unreadable(keep);
  EtcdReading reading;
  reading.answer = answer::Kept{time > 0};
  reading.term = header.term;
  return reading;
}

}  // namespace

EtcdCall call_of(const Request& request) {
  const auto call = [](const char* path, const EtcdJson& body) { return EtcdCall{path, body.dump()}; };
  if (const auto* list = std::get_if<request::List>(&request)) {
    return call("/v3/kv/range", range_of(list->key, list->prefix));
  }
  if (const auto* commit = std::get_if<request::Commit>(&request)) return call("/v3/kv/txn", txn_of(*commit));
  if (const auto* grant = std::get_if<request::Grant>(&request)) {
    const auto time = std::chrono::ceil<std::chrono::seconds>(grant->time).count();
    return call("/v3/lease/grant", {{"TTL", std::to_string(time)}});
  }
  if (const auto* keep = std::get_if<request::Keep>(&request)) {
    return call("/v3/lease/keepalive", {{"ID", std::to_string(keep->lease)}});
  }
  if (const auto* revoke = std::get_if<request::Revoke>(&request)) {
    return call("/v3/lease/revoke", {{"ID", std::to_string(revoke->lease)}});
  }
  if (const auto* watch = std::get_if<request::Watch>(&request)) {
    EtcdJson create = range_of(watch->key, watch->prefix);
    create["start_revision"] = std::to_string(watch->from);
    return call("/v3/watch", {{"create_request", create}});
  }
  if (const auto* compact = std::get_if<request::Compact>(&request)) {
    return call("/v3/kv/compaction", {{"revision", std::to_string(compact->before)}});
  }
  return {};
}

EtcdCall authenticate_call(const std::string& user, const std::string& password) {
  const EtcdJson body{{"name", user}, {"password", password}};
  return {"/v3/auth/authenticate", body.dump(-1, ' ', false, EtcdJson::error_handler_t::replace)};
}

EtcdReading read_answer(const Request& request, int status, std::string_view body) {
  const auto* keep = std::get_if<request::Keep>(&request);
  // Of a stream of answers, which this is one of, the first line is meant.
  const EtcdJson json = parsed(keep == nullptr ? body : body.substr(0, body.find('\n')));
  const bool has_error = json.is_object() && json.contains("error");
  if (status != kOk || has_error) return failed(request, status, fault_of(status, json));
  if (!json.is_object()) return unreadable(request);
  if (keep != nullptr) return read_kept(*keep, json);
  Answered answered(json);
  const Header header = header_of(answered);
  std::optional<Answer> answer =
      std::visit([&](const auto& each) { return answer_of(each, answered, header); }, request);
  if (!answer || !answered.good() || !header.good) return unreadable(request);
  EtcdReading reading;
  reading.answer = std::move(*answer);
  reading.term = header.term;
  return reading;
}

EtcdWatchLine read_watch_line(std::string_view line) {
  EtcdWatchLine read;
  const EtcdJson json = parsed(line);
  const auto ended = [&](answer::WatchEnded how) {
    read.watched.reset();
    read.ended = how;
    return read;
  };
  if (!json.is_object() || json.contains("error")) {
    const EtcdFault fault = fault_of(kOk, json);
    read.token_refused = fault.code == kUnauthenticated || fault.code == kInvalidArgument;
    return ended({});
  }
  Answered answered(json);
  Answered result = answered.part("result");
  const Header header = header_of(result);
  read.term = header.term;
  const std::int64_t compacted = result.number("compact_revision");
  const bool canceled = result.flag("canceled");
  answer::Watched watched;
  bool good = answered.has("result") && header.good;
  result.each("events", [&](Answered& event) {
    Answered kv = event.part("kv");
    const Entry entry = entry_of(kv);
    const std::string type = event.word("type");
    good = good && kv.good() && entry.changed > 0 && (type.empty() || type == "PUT" || type == "DELETE");
    watched.revision = std::max(watched.revision, entry.changed);
    if (type == "DELETE") {
      watched.changes.push_back({entry.key, std::nullopt, 0, entry.changed});
    } else {
      watched.changes.push_back({entry.key, entry.value, entry.created, entry.changed});
    }
  });
  if (!good || !result.good()) return ended({});
  if (compacted > 0) return ended({compacted});
  if (canceled) return ended({});
  if (!watched.changes.empty()) read.watched = std::move(watched);
  return read;
}

EtcdToken read_token(int status, std::string_view body) {
  const EtcdJson json = parsed(body);
  if (status != kOk) {
    const EtcdFault fault = fault_of(status, json);
    if (fault.code == kFailedPrecondition) return {"", true, ""};
    if (fault.code == kInvalidArgument) return {"", false, "user or password is not accepted"};
    return {"", false, fault.words};
  }
  Answered answered(json);
  std::string token = answered.word("token");
  for (const char c : token) {
    if (static_cast<unsigned char>(c) <= 0x20U || static_cast<unsigned char>(c) >= 0x7fU) token.clear();
    if (token.empty()) break;
  }
  if (token.empty()) return {"", false, "the store's answer cannot be read"};
  return {std::move(token), false, ""};
}

std::string version_fault(int status, std::string_view body) {
  const EtcdJson json = parsed(body);
  Answered answered(json);
  const std::string version = answered.word("etcdserver");
  int parts[3] = {0, 0, 0};
  const char* at = version.data();
  const char* const end = at + version.size();
  for (int& part : parts) {
    const auto read = std::from_chars(at, end, part);
    if (status != kOk || version.empty() || read.ec != std::errc{} || part < 0) return "is no etcd";
    at = read.ptr;
    if (at != end && *at == '.') ++at;
  }
  const auto [major, minor, patch] = parts;
  if (major < 3 || (major == 3 && (minor < 4 || (minor == 4 && patch < 20)))) {
    return "is etcd " + shortened(version) + ", which is too old (3.4.20 or later is needed)";
  }
  if (major == 3 && minor == 5 && patch < 5) {
    return "is etcd " + shortened(version) + ", which may corrupt its data (3.5.5 or later is needed)";
  }
  return {};
}

}  // namespace saccade::fleet_store
