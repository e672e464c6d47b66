#include "text/strict_json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "base/address.hpp"
#include "text/text_file.hpp"

namespace saccade::text {
namespace {

using nlohmann::json;

// Counts what the lexer has taken, since the library tells its SAX handler no position.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* taken) : at_(at), taken_(taken) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*taken_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* taken_;
};

// Builds the tree; `false` from a handler ends the parse.
class TreeBuilder final : public json::json_sax_t {
 public:
  TreeBuilder(std::string_view text, const std::size_t& taken, const JsonLimits& limits, JsonReport& report)
      : text_(text), taken_(taken), limits_(limits), report_(report) {}

  bool null() override { return place(JsonValue::Kind::null) != nullptr; }
  bool boolean(bool value) override {
    JsonValue* v = place(JsonValue::Kind::boolean);
    if (v != nullptr) v->boolean = value;
    return v != nullptr;
  }
  bool number_integer(std::int64_t value) override { return put_number(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) override { return put_number(static_cast<double>(value)); }
  bool number_float(double value, const std::string&) override { return put_number(value); }
  bool string(std::string& value) override {
    JsonValue* v = place(JsonValue::Kind::string);
    if (v != nullptr) v->string = std::move(value);
    return v != nullptr;
  }
  bool binary(json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(JsonValue::Kind::object); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(JsonValue::Kind::array); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    Level& level = levels_.back();
    if (name.size() > limits_.key_bytes) {
      report_.add_at_line(line(), pointer(),
                          "a key has more than " + std::to_string(limits_.key_bytes) + " characters",
                          "no key of this format is that long; look for a quote that is not closed");
      return false;
    }
    if (level.lines.size() == limits_.members) {
      report_.add_at_line(line(), pointer(),
                          "an object has more than " + std::to_string(limits_.members) + " members",
                          "no object of this format needs that many");
      return false;
    }
    level.key = std::move(name);
    const auto [first, fresh] = level.lines.try_emplace(level.key, line());
    level.duplicate = !fresh;
    if (level.duplicate) {
      report_.add_at_line(line(), child_pointer(pointer(), level.key),
                          in_quotes(level.key) + " is given twice in one object",
                          "keep one of the two; the other is in line " + std::to_string(first->second));
    }
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    if (error.id == 406) {
      report_.add_at_line(line(), next_pointer(), "the number is too large to be represented",
                          "numbers must be finite and below 1.8e308");
    } else {
      report_.add_at_line(line(), "", "this is not JSON: " + reason(error.what()),
                          "compare with the lines above; common causes are a missing comma or quote and "
                          "a comma before a closing bracket");
    }
    return false;
  }

  [[nodiscard]] JsonValue take() { return std::move(root_); }

 private:
  struct Level {
    JsonValue* value;
    std::string key = {};                           // of the member that is being read
    std::map<std::string, std::size_t> lines = {};  // where each key was first
    std::size_t index = 0;                          // of the next item
    bool duplicate = false;
  };

  // The line of the last character taken. A number ends with a look at the character behind it, which
  // may be the line break itself; it does not count.
  std::size_t line() {
    const std::size_t end = taken_ == 0 ? 0 : taken_ - 1;
    for (; counted_ < end; ++counted_) {
      if (text_[counted_] == '\n') ++line_;
    }
    return line_;
  }

  // Of the innermost open object or list.
  [[nodiscard]] std::string pointer() const {
    std::string result;
    for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
      const Level& level = levels_[i];
      const bool keyed = level.value->is_object();
      result = child_pointer(result, keyed ? level.key : std::to_string(level.index - 1));
    }
    return result;
  }

  // Of the value that comes next.
  [[nodiscard]] std::string next_pointer() const {
    if (levels_.empty()) return {};
    const Level& level = levels_.back();
    const bool keyed = level.value->is_object();
    return child_pointer(pointer(), keyed ? level.key : std::to_string(level.index));
  }

  // Where the next value goes; null when there are too many.
  JsonValue* place(JsonValue::Kind kind) {
    if (++values_ > limits_.values) {
      report_.add_at_line(line(), "",
                          "the document has more than " + std::to_string(limits_.values) + " values",
                          "split it up");
      return nullptr;
    }
    JsonValue* target = &root_;
    if (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.value->kind == JsonValue::Kind::array) {
        target = &level.value->items.emplace_back();
        ++level.index;
      } else if (level.duplicate) {
        discarded_ = JsonValue{};
        target = &discarded_;
      } else {
        target = &level.value->members.emplace_back(JsonMember{level.key, JsonValue{}}).value;
      }
    }
    target->kind = kind;
    target->line = line();
    return target;
  }

  bool put_number(double number) {
    JsonValue* v = place(JsonValue::Kind::number);
    if (v != nullptr) v->number = number;
    return v != nullptr;
  }

  bool open(JsonValue::Kind kind) {
    if (levels_.size() == kMaxJsonDepth) {
      report_.add_at_line(line(), "", "objects and lists are nested more than 32 deep",
                          "no key of this format needs that; look for a bracket that is not closed");
      return false;
    }
    JsonValue* v = place(kind);
    if (v == nullptr) return false;
    // A duplicate's content is read into a value of its own and dropped with its level.
    if (v == &discarded_) {
      v = &set_aside_.emplace_back();
      v->kind = kind;
    }
    levels_.push_back(Level{v});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  // The library's words without its own prefix and without the text it quotes, which may be a secret.
  static std::string reason(const std::string& what) {
    std::string text = what;
    const std::size_t prefix = text.find(": ");
    if (prefix != std::string::npos) text.erase(0, prefix + 2);
    const std::size_t quote = text.find("; last read");
    const std::size_t expected = text.find("; expected");
    if (quote != std::string::npos) {
      text = text.substr(0, quote) +
             (expected != std::string::npos && expected > quote ? text.substr(expected) : "");
    }
    for (char& c : text) {
      if (c < ' ' || c > '~') c = '?';
    }
    return text;
  }

  std::string_view text_;
  const std::size_t& taken_;
  const JsonLimits limits_;
  JsonReport& report_;
  JsonValue root_;
  JsonValue discarded_;
  std::deque<JsonValue> set_aside_;
  std::vector<Level> levels_;
  std::size_t values_ = 0;
  std::size_t counted_ = 0;
  std::size_t line_ = 1;
};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j - 1] + 1, above + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  for (const auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

JsonAt JsonAt::member(const std::string& key, const JsonValue& child) const {
  return {&child, child_pointer(pointer, key)};
}

JsonAt JsonAt::item(std::size_t index) const {
  return {&value->items[index], pointer + "/" + std::to_string(index)};
}

std::string child_pointer(const std::string& pointer, std::string_view key) {
  std::string result = pointer + "/";
  for (const char c : without_secrets(key)) {  // pointers are told: an address may stand where a key should
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

void JsonReport::add(const JsonAt& at, std::string what, std::string hint) {
  add_at_line(at->line, at.pointer, std::move(what), std::move(hint));
}

void JsonReport::add_at_line(std::size_t line, const std::string& pointer, std::string what,
                             std::string hint) {
  keep({line, Error{where(line, pointer), std::move(what), std::move(hint)}});
}

void JsonReport::add_file(std::string what, std::string hint) {
  keep({0, Error{file_, std::move(what), std::move(hint)}});
}

void JsonReport::add_foreign(std::size_t line, Errors errors) {
  for (Error& error : errors) keep({line, std::move(error)});
}

void JsonReport::keep(Entry entry) {
  ++count_;
  entries_.push_back(std::move(entry));
  if (entries_.size() == 2 * kMost) sort_and_cut(entries_);
}

void JsonReport::sort_and_cut(std::vector<Entry>& entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.line < b.line; });
  if (entries.size() > kMost) entries.erase(entries.begin() + kMost, entries.end());
}

std::string JsonReport::where(std::size_t line, const std::string& pointer) const {
  if (locate_) return locate_(line, pointer);
  std::string text = file_;
  if (line > 0) text += ":" + std::to_string(line);
  if (!pointer.empty()) text += " " + pointer;
  return text;
}

Errors JsonReport::errors() const {
  std::vector<Entry> told = entries_;
  sort_and_cut(told);
  Errors errors;
  for (Entry& entry : told) errors.push_back(std::move(entry.error));
  if (count_ > kMost) {
    errors.push_back({file_, "and " + std::to_string(count_ - kMost) + " more errors", ""});
  }
  return errors;
}

std::optional<JsonValue> parse_json(std::string_view text, JsonReport& report, const JsonLimits& limits) {
  if (text.size() > limits.bytes()) {
    report.add_file("the document is larger than " + std::to_string(limits.mebibytes) + " MiB (" +
                        std::to_string(text.size()) + " bytes)",
                    "split it up, or shorten its lists");
    return std::nullopt;
  }
  std::size_t taken = 0;
  TreeBuilder builder(text, taken, limits, report);
  const bool parsed = json::sax_parse(CountingIterator(text.data(), &taken),
                                      CountingIterator(text.data() + text.size(), &taken), &builder);
  if (!parsed) return std::nullopt;
  return builder.take();
}

std::optional<JsonValue> read_json_file(const std::filesystem::path& path, JsonReport& report,
                                        const JsonLimits& limits) {
  const Result<std::string> text = read_text_file(path, limits.mebibytes);
  if (text) return parse_json(text.value(), report, limits);
  for (const Error& error : text.errors()) report.add_file(error.what, error.hint);
  return std::nullopt;
}

std::string in_quotes(std::string_view text) {
  std::string shown = without_secrets(text);
  constexpr std::size_t kLongest = 60;
  if (shown.size() > kLongest) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0U) == 0x80U) --end;  // whole characters
    shown = shown.substr(0, end) + "...";
  }
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return "`" + shown + "`";
}

std::string to_text(double number) {
  if (number == std::floor(number) && std::abs(number) < 1e15) {
    return std::to_string(static_cast<std::int64_t>(number));
  }
  return json(number).dump();
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestWord = 64;
  if (word.size() < 2 || word.size() > kLongestWord) return {};
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    std::size_t distance = edit_distance(word, candidate);
    // A forgotten or wrong unit: `memory` for `memory_bytes`.
    const std::string_view stem = word.substr(0, word.find('_'));
    if (word.size() >= 3 && candidate.starts_with(word)) distance = std::min<std::size_t>(distance, 1);
    if (stem.size() >= 4 && candidate.starts_with(stem)) distance = std::min<std::size_t>(distance, 2);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  // Three letters or fewer are near to everything; there only one of them may differ.
  if (word.size() <= 3 && least > 1) return {};
  return best;
}

}  // namespace saccade::text
