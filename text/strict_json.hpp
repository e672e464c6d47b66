// The one reader of JSON documents that people write: profile sets and configurations. It is stricter
// than the library below it: duplicate keys, more than 32 levels, more bytes, values, members of one
// object or longer keys than its limits allow, text after the document, numbers beyond double and
// ill-formed UTF-8 are refused before anything is used. So neither a document nor the complaints about it
// cost more than a small multiple of its size. Every value keeps its line, so that every complaint can name
// file, line and JSON pointer. Complaints are collected in a JsonReport; nothing throws outward. Order: make
// a report, parse or read, walk the values (text/object_reader.hpp), take the errors. Threads: plain
// values.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace saccade::text {

inline constexpr std::size_t kMaxJsonDepth = 32;

struct JsonLimits {
  std::size_t mebibytes = 1;
  std::size_t values = 100'000;
  std::size_t members = 1024;   // of one object: those who look for keys do so one by one
  std::size_t key_bytes = 128;  // every complaint repeats the keys above its place
  [[nodiscard]] std::size_t bytes() const { return mebibytes * 1024 * 1024; }
};

struct JsonMember;

struct JsonValue {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  std::size_t line = 1;  // where the value begins
  bool boolean = false;
  double number = 0.0;  // finite
  std::string string;
  std::vector<JsonValue> items;     // of an array
  std::vector<JsonMember> members;  // of an object, in order; keys differ

  [[nodiscard]] const JsonValue* find(std::string_view key) const;  // null: no such member
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

// A value and how to get there: the handle that readers pass around. The document outlives it.
struct JsonAt {
  const JsonValue* value;
  std::string pointer;  // RFC 6901; "" = the document

  [[nodiscard]] const JsonValue* operator->() const { return value; }
  [[nodiscard]] JsonAt member(const std::string& key, const JsonValue& child) const;
  [[nodiscard]] JsonAt item(std::size_t index) const;
};

// The pointer of a member below `pointer`.
[[nodiscard]] std::string child_pointer(const std::string& pointer, std::string_view key);

// Complaints about one document.
class JsonReport {
 public:
  // Makes an error's `where` of a line and a pointer.
  using Locator = std::function<std::string(std::size_t line, const std::string& pointer)>;

  explicit JsonReport(std::string file) : file_(std::move(file)) {}
  // For documents made of something else, whose places the reader's words should name.
  JsonReport(std::string file, Locator locate) : file_(std::move(file)), locate_(std::move(locate)) {}

  void add(const JsonAt& at, std::string what, std::string hint = {});
  void add_at_line(std::size_t line, const std::string& pointer, std::string what, std::string hint = {});
  void add_file(std::string what, std::string hint = {});  // about the file as a whole
  void add_foreign(std::size_t line, Errors errors);       // of another document, named in this line

  [[nodiscard]] const std::string& file() const { return file_; }
  // "file:line /pointer", or what the locator says; line 0 = not known.
  [[nodiscard]] std::string where(std::size_t line, const std::string& pointer) const;
  [[nodiscard]] std::string where(const JsonAt& at) const { return where(at->line, at.pointer); }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  // Holds as many complaints as it tells; more are counted, and nobody need think of hints for them.
  [[nodiscard]] bool full() const { return count_ >= kMost; }
  [[nodiscard]] Errors errors() const;  // by line, the first 200 and how many more there are

 private:
  static constexpr std::size_t kMost = 200;
  struct Entry {
    std::size_t line;
    Error error;
  };
  void keep(Entry entry);
  // By line, those of a line in the order in which they came; no more than are told.
  static void sort_and_cut(std::vector<Entry>& entries);

  std::string file_;
  Locator locate_;
  std::vector<Entry> entries_;
  std::size_t count_ = 0;  // of all complaints
};

// The document, or nothing when it cannot be used at all. Duplicate keys are reported and the first
// one is kept, so that the rest of the document can be looked at in the same pass.
[[nodiscard]] std::optional<JsonValue> parse_json(std::string_view text, JsonReport& report,
                                                  const JsonLimits& limits = {});
[[nodiscard]] std::optional<JsonValue> read_json_file(const std::filesystem::path& path, JsonReport& report,
                                                      const JsonLimits& limits = {});

// Text as it may be shown: in back quotes, at most 60 characters, without the secrets of an address.
[[nodiscard]] std::string in_quotes(std::string_view text);

// A number as people write it: 25, 0.95, 1e-09.
[[nodiscard]] std::string to_text(double number);

// The candidate that `word` was most likely meant to be; empty when none is near.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace saccade::text
