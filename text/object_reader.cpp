#include "text/object_reader.hpp"

#include <algorithm>
#include <cmath>

namespace saccade::text {
namespace {

using Kind = JsonValue::Kind;

// What the value is, in the words of a complaint.
std::string describe(const JsonValue& value) {
  switch (value.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return value.boolean ? "true" : "false";
    case Kind::number:
      return to_text(value.number);
    case Kind::string:
      return "the text " + in_quotes(value.string);
    case Kind::array:
      return "a list";
    case Kind::object:
      return "an object";
  }
  return "unknown";
}

void wrong_kind(const JsonAt& at, const std::string& wanted, JsonReport& report) {
  std::string hint;
  if (at->kind == Kind::string && wanted.starts_with("a number") && !at->string.empty() &&
      at->string.find_first_not_of("0123456789.+-eE") == std::string::npos) {
    hint = "write the number without quotes";
  }
  if (at->kind == Kind::null) hint = "leave the key out to get its default";
  report.add(at, "must be " + wanted + ", but is " + describe(*at.value), hint);
}

std::string range_words(double least, bool above, double most) {
  const bool bounded_below = least > -std::numeric_limits<double>::max();
  const bool bounded_above = most < std::numeric_limits<double>::max();
  if (bounded_below && bounded_above && above)
    return "above " + to_text(least) + " and at most " + to_text(most);
  if (bounded_below && bounded_above) return "between " + to_text(least) + " and " + to_text(most);
  if (bounded_below) return (above ? "above " : "at least ") + to_text(least);
  return "at most " + to_text(most);
}

}  // namespace

ObjectReader::ObjectReader(JsonAt at, JsonReport& report) : at_(std::move(at)), report_(report) {
  if (at_->kind != Kind::object) wrong_kind(at_, "an object", report_);
}

ObjectReader::~ObjectReader() {
  if (any_key_) return;
  for (const auto& [key, value] : at_->members) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string meant = report_.full() ? "" : nearest(key, known_);
    std::string hint;
    if (!meant.empty()) {
      hint = "did you mean `" + meant + "`?";
    } else if (known_.size() <= 12) {
      hint = "known here:";
      for (const std::string& known : known_) hint += " " + known;
    } else {
      hint = "remove it, or see `saccade schema` for the keys";
    }
    report_.add(at_.member(key, value), "unknown key " + in_quotes(key), hint);
  }
}

std::optional<JsonAt> ObjectReader::find(const std::string& key) {
  known_.push_back(key);
  const JsonValue* member = at_->find(key);
  if (member == nullptr) return std::nullopt;
  return at_.member(key, *member);
}

std::optional<JsonAt> ObjectReader::find_given(const std::string& key) {
  std::optional<JsonAt> member = find(key);
  if (member && is_null(*member)) member.reset();
  return member;
}

std::optional<JsonAt> ObjectReader::require(const std::string& key) {
  std::optional<JsonAt> member = find(key);
  if (!member && at_->kind == Kind::object) report_.add(at_, "`" + key + "` is missing", "");
  return member;
}

void ObjectReader::number(const std::string& key, double& target, const NumberRule& rule) {
  const std::optional<JsonAt> member = find(key);
  if (!member) return;
  if (const std::optional<double> value = read_number(*member, rule, report_)) {
    target = *value;
  }
}

void ObjectReader::number(const std::string& key, std::optional<double>& target, const NumberRule& rule) {
  const std::optional<JsonAt> member = find(key);
  if (!member) return;
  if (is_null(*member)) {
    target.reset();
  } else if (const std::optional<double> value = read_number(*member, rule, report_)) {
    target = value;
  }
}

void ObjectReader::integer(const std::string& key, int& target, int least, int most) {
  const std::optional<JsonAt> member = find(key);
  if (!member) return;
  if (const std::optional<int> value = read_integer(*member, least, most, report_)) {
    target = *value;
  }
}

void ObjectReader::integer(const std::string& key, std::optional<int>& target, int least, int most) {
  const std::optional<JsonAt> member = find(key);
  if (!member) return;
  if (is_null(*member)) {
    target.reset();
  } else if (const std::optional<int> value = read_integer(*member, least, most, report_)) {
    target = value;
  }
}

void ObjectReader::boolean(const std::string& key, bool& target) {
  const std::optional<JsonAt> member = find(key);
  if (!member) return;
  if ((*member)->kind == Kind::boolean) {
    target = (*member)->boolean;
  } else {
    wrong_kind(*member, "true or false", report_);
  }
}

void ObjectReader::text(const std::string& key, std::string& target) {
  const std::optional<JsonAt> member = find(key);
  if (!member) return;
  if (std::optional<std::string> value = read_text(*member, report_)) target = std::move(*value);
}

std::optional<double> read_number(const JsonAt& at, const NumberRule& rule, JsonReport& report) {
  if (at->kind != Kind::number) {
    wrong_kind(at, "a number", report);
    return std::nullopt;
  }
  const double value = at->number;
  if (value < rule.least || (rule.above && value == rule.least) || value > rule.most) {
    std::string hint(rule.hint);
    if (!hint.empty() && value > rule.most && value <= 100 * rule.most) {
      hint = "did you mean " + to_text(value / 100) + "? " + hint;
    }
    report.add(at, "must be " + range_words(rule.least, rule.above, rule.most) + ", but is " + to_text(value),
               hint);
    return std::nullopt;
  }
  return value;
}

std::optional<int> read_integer(const JsonAt& at, int least, int most, JsonReport& report) {
  if (at->kind != Kind::number || at->number != std::floor(at->number)) {
    wrong_kind(at, "a whole number", report);
    return std::nullopt;
  }
  if (at->number < least || at->number > most) {
    const double above = most == std::numeric_limits<int>::max() ? std::numeric_limits<double>::max() : most;
    report.add(at, "must be " + range_words(least, false, above) + ", but is " + to_text(at->number), "");
    return std::nullopt;
  }
  return static_cast<int>(at->number);
}

std::optional<std::string> read_text(const JsonAt& at, JsonReport& report) {
  if (at->kind != Kind::string) {
    wrong_kind(at, "text", report);
    return std::nullopt;
  }
  // A path that ends early at a NUL, or a name that breaks a log line, is never meant.
  for (const char c : at->string) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      report.add(at, "the text contains a control character", "remove line breaks, tabs and the like");
      return std::nullopt;
    }
  }
  return at->string;
}

std::optional<std::size_t> read_choice(const JsonAt& at, const std::vector<std::string>& names,
                                       JsonReport& report) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  if (at->kind != Kind::string) {
    wrong_kind(at, "one of " + all, report);
    return std::nullopt;
  }
  const auto found = std::find(names.begin(), names.end(), at->string);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string meant = nearest(at->string, names);
  report.add(at, in_quotes(at->string) + " is not known here; it is one of " + all,
             meant.empty() ? "" : "did you mean `" + meant + "`?");
  return std::nullopt;
}

bool is_id(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  const bool first = !text.empty() && std::string_view("-_.").find(text.front()) == std::string_view::npos;
  return first && text.size() <= 64 && std::all_of(text.begin(), text.end(), allowed);
}

std::optional<std::string> read_id(const JsonAt& at, JsonReport& report) {
  if (at->kind != Kind::string) {
    wrong_kind(at, "text", report);
    return std::nullopt;
  }
  if (!is_id(at->string)) {
    report.add(at, in_quotes(at->string) + " cannot be a name",
               "names have 1 to 64 letters, digits, \"-\", \"_\" or \".\" and begin with a letter or digit");
    return std::nullopt;
  }
  return at->string;
}

std::vector<JsonAt> read_list(const JsonAt& at, JsonReport& report) {
  if (at->kind != Kind::array) wrong_kind(at, "a list", report);
  std::vector<JsonAt> items;
  for (std::size_t i = 0; i < at->items.size(); ++i) items.push_back(at.item(i));
  return items;
}

std::vector<std::pair<std::string, JsonAt>> read_members(const JsonAt& at, JsonReport& report) {
  if (at->kind != Kind::object) wrong_kind(at, "an object", report);
  std::vector<std::pair<std::string, JsonAt>> members;
  for (const auto& [key, value] : at->members) members.emplace_back(key, at.member(key, value));
  return members;
}

}  // namespace saccade::text
