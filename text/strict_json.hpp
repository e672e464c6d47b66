// The only reader of JSON documents written by people: profile sets and configurations. It is stricter than
// the underlying library: duplicate keys, more than 32 levels, more bytes, values, members per object or
// longer keys than its limits allow, text after the document, numbers beyond double and ill-formed UTF-8 are
// refused before anything is used. Neither a document nor its errors therefore cost more than a small
// multiple of its size. Every value keeps its line, so that every error can name file, line and JSON pointer.
// Errors are collected in a JsonReport; nothing throws outward. Order: create a report, parse or read, walk
// the values (text/object_reader.hpp), take the errors. Threads: plain values.
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
  std::size_t members = 1024;   // per object: members are searched linearly
  std::size_t key_bytes = 128;  // every error repeats the keys above its place
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

  [[nodiscard]] bool is_object() const { return kind == Kind::object; }
  [[nodiscard]] const JsonValue* find(std::string_view key) const;  // null: no such member
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

// A value and its path: the handle that readers pass around. The document must outlive it.
struct JsonAt {
  const JsonValue* value;
  std::string pointer;  // RFC 6901; "" = the document

  [[nodiscard]] const JsonValue* operator->() const { return value; }
  [[nodiscard]] JsonAt member(const std::string& key, const JsonValue& child) const;
  [[nodiscard]] JsonAt item(std::size_t index) const;
};

// The pointer of a member below `pointer`.
[[nodiscard]] std::string child_pointer(const std::string& pointer, std::string_view key);

// Errors of one document.
class JsonReport {
 public:
  // Builds an error's `where` from a line and a pointer.
  using Locator = std::function<std::string(std::size_t line, const std::string& pointer)>;

  explicit JsonReport(std::string file) : file_(std::move(file)) {}
  // For documents built from something else, whose places errors should name.
  JsonReport(std::string file, Locator locate) : file_(std::move(file)), locate_(std::move(locate)) {}

  void add(const JsonAt& at, std::string what, std::string hint = {});
  void add_at_line(std::size_t line, const std::string& pointer, std::string what, std::string hint = {});
  void add_file(std::string what, std::string hint = {});  // about the file as a whole
  void add_foreign(std::size_t line, Errors errors);       // of another document, named in this line

  [[nodiscard]] const std::string& file() const { return file_; }
  // "file:line /pointer", or the locator's text; line 0 = unknown.
  [[nodiscard]] std::string where(std::size_t line, const std::string& pointer) const;
  [[nodiscard]] std::string where(const JsonAt& at) const { return where(at->line, at.pointer); }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  // Stores as many errors as it reports; further ones are counted only, and need no hints.
  [[nodiscard]] bool full() const { return count_ >= kMost; }
  [[nodiscard]] Errors errors() const;  // by line, the first 200 and the number of further ones

 private:
  static constexpr std::size_t kMost = 200;
  struct Entry {
    std::size_t line;
    Error error;
  };
  void keep(Entry entry);
  // By line, and within a line in order of arrival; at most as many as are reported.
  static void sort_and_cut(std::vector<Entry>& entries);

  std::string file_;
  Locator locate_;
  std::vector<Entry> entries_;
  std::size_t count_ = 0;  // of all errors
};

// The document, or nothing if it cannot be used at all. Duplicate keys are reported and the first one is
// kept, so that the rest of the document can be checked in the same pass.
[[nodiscard]] std::optional<JsonValue> parse_json(std::string_view text, JsonReport& report,
                                                  const JsonLimits& limits = {});
[[nodiscard]] std::optional<JsonValue> read_json_file(const std::filesystem::path& path, JsonReport& report,
                                                      const JsonLimits& limits = {});

// A text for display: in back quotes, at most 60 characters, without the secrets of an address.
[[nodiscard]] std::string in_quotes(std::string_view text);

// A number as people write it: 25, 0.95, 1e-09.
[[nodiscard]] std::string to_text(double number);

// The candidate most similar to `word`; empty if none is close.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace saccade::text
