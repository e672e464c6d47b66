// Typed reading of one JSON object, all errors at once. Each read names a key; an absent key leaves the
// target unchanged (that is how defaults work); an invalid value is reported and leaves it unchanged, too.
// When the reader goes out of scope it reports every key that was not read, with the key that was probably
// meant.
// `null` is refused unless the target is optional (null = none).
// Threads: one. Errors: into the report; nothing throws outward.
#pragma once

#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.hpp"
#include "text/strict_json.hpp"

namespace saccade::text {

// The range of allowed numbers, and its description in errors.
struct NumberRule {
  double least = -std::numeric_limits<double>::max();
  bool above = false;  // strictly above `least`
  double most = std::numeric_limits<double>::max();
  std::string_view hint = {};
};
inline constexpr NumberRule kPositive{0.0, true};
inline constexpr NumberRule kNotNegative{0.0, false};
inline constexpr NumberRule kAccuracy{0.0, false, 1.0, "accuracies are shares of 1, not percent"};

// Single values: the value, or nothing after a report.
[[nodiscard]] std::optional<double> read_number(const JsonAt& at, const NumberRule& rule, JsonReport& report);
[[nodiscard]] std::optional<int> read_integer(const JsonAt& at, int least, int most, JsonReport& report);
[[nodiscard]] std::optional<std::string> read_text(const JsonAt& at, JsonReport& report);
// The index of one of `names`.
[[nodiscard]] std::optional<std::size_t> read_choice(const JsonAt& at, const std::vector<std::string>& names,
                                                     JsonReport& report);
// A name of a task, variant or processor: 1 to 64 letters, digits, "-", "_" or ".", beginning with a letter
// or digit.
[[nodiscard]] std::optional<std::string> read_id(const JsonAt& at, JsonReport& report);
[[nodiscard]] bool is_id(std::string_view text);
// Every item of a list; reports a value that is not a list and returns nothing.
[[nodiscard]] std::vector<JsonAt> read_list(const JsonAt& at, JsonReport& report);
// Every member of an object with arbitrary keys; reports a value that is not an object.
[[nodiscard]] std::vector<std::pair<std::string, JsonAt>> read_members(const JsonAt& at, JsonReport& report);

class ObjectReader {
 public:
  // Reports a value that is not an object; then every read finds nothing and reports nothing more.
  ObjectReader(JsonAt at, JsonReport& report);
  ~ObjectReader();
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  [[nodiscard]] const JsonAt& at() const { return at_; }
  [[nodiscard]] JsonReport& report() { return report_; }

  // The member, null included; absent if there is none. Marks the key as known.
  [[nodiscard]] std::optional<JsonAt> find(const std::string& key);
  // The same without null: for members whose null means "not given".
  [[nodiscard]] std::optional<JsonAt> find_given(const std::string& key);
  // Reports a missing member.
  [[nodiscard]] std::optional<JsonAt> require(const std::string& key);
  // Keys that are read elsewhere.
  void accept(const std::string& key) { known_.push_back(key); }
  void accept_all() { any_key_ = true; }

  void number(const std::string& key, double& target, const NumberRule& rule);
  void number(const std::string& key, std::optional<double>& target, const NumberRule& rule);
  void integer(const std::string& key, int& target, int least, int most);
  void integer(const std::string& key, std::optional<int>& target, int least, int most);
  void boolean(const std::string& key, bool& target);
  void text(const std::string& key, std::string& target);

  template <class Tag>
  void quantity(const std::string& key, Quantity<Tag>& target, const NumberRule& rule) {
    double value = target.value();
    number(key, value, rule);
    target = Quantity<Tag>(value);
  }
  template <class Tag>
  void quantity(const std::string& key, std::optional<Quantity<Tag>>& target, const NumberRule& rule) {
    std::optional<double> value;
    if (target) value = target->value();
    number(key, value, rule);
    target = value ? std::optional(Quantity<Tag>(*value)) : std::nullopt;
  }

  // An enumeration's value by its name, to_string(value).
  template <class E, class Values = std::initializer_list<E>>
  void choice(const std::string& key, E& target, const Values& values) {
    const std::optional<JsonAt> member = find(key);
    if (!member) return;
    std::vector<std::string> names;
    for (const E value : values) names.emplace_back(to_string(value));
    const std::optional<std::size_t> index = read_choice(*member, names, report_);
    if (index) target = values.begin()[*index];
  }

 private:
  [[nodiscard]] bool is_null(const JsonAt& at) const { return at->kind == JsonValue::Kind::null; }

  JsonAt at_;
  JsonReport& report_;
  std::vector<std::string> known_;
  bool any_key_ = false;
};

}  // namespace saccade::text
