#include "vision/accuracy/class_names.hpp"

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "text/strict_json.hpp"

namespace saccade::vision {
namespace {

constexpr std::size_t kLongestClassName = 256;

struct NamedLine {
  std::string_view text;  // without the line break
  std::size_t number;
};

std::vector<NamedLine> lines_of(std::string_view text) {
  std::vector<NamedLine> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({line, number});
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// `names` of a YAML document. A comment is a # at the begin or after a space, outside of quotes.
class YamlNames {
 public:
  YamlNames(std::string_view text, const std::string& file, DataReport& report)
      : lines_(lines_of(text)), file_(file), report_(report) {}

  [[nodiscard]] ClassNames read() {
    while (at_ < lines_.size() && !lines_[at_].text.starts_with("names:")) ++at_;
    if (at_ == lines_.size()) {
      report_.add(file_, "the file has no `names`", "names: [first, second, ...]");
      return {};
    }
    const std::string_view rest = trimmed(without_comment(lines_[at_].text.substr(6)));
    if (rest.starts_with('[') || rest.starts_with('{')) {
      read_flow(rest);
    } else if (rest.empty()) {
      ++at_;
      read_block();
    } else {
      complain("`names` is neither a list nor a mapping");
    }
    return std::move(names_);
  }

 private:
  static std::string_view without_comment(std::string_view line) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
        return line.substr(0, i);
      }
    }
    return line;
  }

  void complain(const std::string& what) {
    if (complained_) return;  // what follows a mistake is not understood either
    complained_ = true;
    report_.add(file_ + ":" + std::to_string(lines_[at_].number), what,
                "write names: [first, second, ...], or one `- name` or `number: name` per line");
  }

  // [a, b] or {0: a, 1: b}, over as many lines as it takes.
  void read_flow(std::string_view rest) {
    const char close = rest.front() == '[' ? ']' : '}';
    rest.remove_prefix(1);
    std::string item;
    char quote = 0;
    for (;;) {
      for (std::size_t i = 0; i < rest.size(); ++i) {
        const char c = rest[i];
        if (quote == 0 && (c == ',' || c == close)) {
          if (!trimmed(item).empty()) add_item(trimmed(item), close == '}');
          item.clear();
          if (c == close) return;
          continue;
        }
        if (c == quote) {
          quote = 0;
        } else if (quote == 0 && (c == '"' || c == '\'') &&
                   trimmed(item.substr(item.rfind(':') + 1)).empty()) {
          quote = c;
        }
        item += c;
        if (item.size() > 2 * kLongestClassName) return complain("a name is too long");
      }
      if (at_ + 1 == lines_.size()) return complain("the list of names does not end");
      rest = without_comment(lines_[++at_].text);
      item += ' ';
    }
  }

  // "- a" or "0: a", one per line, until a line that begins another key.
  void read_block() {
    for (; at_ < lines_.size() && !complained_; ++at_) {
      const std::string_view line = without_comment(lines_[at_].text);
      const std::string_view item = trimmed(line);
      if (item.empty()) continue;
      const bool listed = item.starts_with("- ");
      if (!listed && line.front() != ' ' && line.front() != '\t') return;
      add_item(listed ? trimmed(item.substr(2)) : item, !listed);
    }
  }

  void add_item(std::string_view item, bool keyed) {
    std::size_t number = names_.size();
    if (keyed) {
      const std::size_t colon = item.find(':');
      const std::string_view key = trimmed(item.substr(0, colon));
      const auto [end, failure] = std::from_chars(key.data(), key.data() + key.size(), number);
      if (colon == std::string_view::npos || failure != std::errc() || end != key.data() + key.size()) {
        return complain(text::in_quotes(item) + " is not `number: name`");
      }
      item = trimmed(item.substr(colon + 1));
    }
    if (item.size() >= 2 && (item.front() == '"' || item.front() == '\'') && item.back() == item.front()) {
      item = item.substr(1, item.size() - 2);
    }
    if (item.empty() || item.size() > kLongestClassName) return complain("a name has 1 to 256 characters");
    if (names_.size() == kMostClasses) return complain("there are more than 10000 names");
    const std::string where = file_ + ":" + std::to_string(lines_[at_].number);
    if (!names_.try_emplace(number, ClassName{std::string(item), where}).second) {
      complain("the class " + std::to_string(number) + " is named twice");
    }
  }

  const std::vector<NamedLine> lines_;
  const std::string& file_;
  DataReport& report_;
  ClassNames names_;
  std::size_t at_ = 0;
  bool complained_ = false;
};

}  // namespace

ClassNames names_of_yaml(std::string_view text, const std::string& file, DataReport& report) {
  return YamlNames(text, file, report).read();
}

ClassNames names_of_lines(std::string_view text, const std::string& file, DataReport& report) {
  ClassNames names;
  for (const NamedLine& line : lines_of(text)) {
    const std::string_view name = trimmed(line.text);
    if (name.empty()) continue;
    const std::string where = file + ":" + std::to_string(line.number);
    if (name.size() > kLongestClassName || names.size() == kMostClasses) {
      report.add(where, "this is no list of at most 10000 names of at most 256 characters",
                 "one name per line");
      break;
    }
    names.try_emplace(names.size(), ClassName{std::string(name), where});
  }
  return names;
}

}  // namespace saccade::vision
