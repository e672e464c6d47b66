#include "vision/model/python_literal.hpp"

#include <charconv>
#include <cmath>

#include "text/utf8.hpp"

namespace saccade::vision {
namespace {

using PythonKind = PythonValue::Kind;

bool is_digit_char(char c) { return c >= '0' && c <= '9'; }
bool is_word_char(char c) {
  return is_digit_char(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

void append_utf8(std::uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::uint32_t kLead[] = {0x00, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[more] | (code >> (6U * static_cast<unsigned>(more))));
  for (int i = more - 1; i >= 0; --i) {
    out += static_cast<char>(0x80U | ((code >> (6U * static_cast<unsigned>(i))) & 0x3FU));
  }
}

class LiteralParser {
 public:
  explicit LiteralParser(std::string_view text) : text_(text) {}

  Result<PythonValue> parse() {
    PythonValue root;
    if (value(root, 1)) {
      skip_space();
      if (at_ == text_.size()) return root;
      refuse("something follows the value");
    }
    return Error{"byte " + std::to_string(at_), what_, ""};
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): four levels
  bool value(PythonValue& out, int depth) {
    skip_space();
    if (++values_ > kMostPythonValues) return refuse("there are more than 10,000 names");
    if (at_ == text_.size()) return refuse("the value ends too early");
    const char c = text_[at_];
    if (c == '\'' || c == '"') {
      out.kind = PythonKind::text;
      return string(out.text);
    }
    if (c == '[' || c == '(' || c == '{') {
      if (depth > kMostPythonDepth) return refuse("lists are nested deeper than 4 levels");
      ++at_;
      return c == '{' ? dictionary(out, depth) : list(out, c == '[' ? ']' : ')', depth);
    }
    if (is_digit_char(c) || c == '-' || c == '+' || c == '.') return number(out);
    return word(out);
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  bool list(PythonValue& out, char end, int depth) {
    out.kind = PythonKind::list;
    bool comma = true;
    for (;;) {
      if (take(end)) {
        // (1) is a number in brackets, no tuple.
        if (end == ')' && out.items.size() == 1 && !comma) {
          PythonValue only = std::move(out.items.front());
          out = std::move(only);
        }
        return true;
      }
      if (!comma) return refuse("a comma is missing");
      if (!value(out.items.emplace_back(), depth + 1)) return false;
      comma = take(',');
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  bool dictionary(PythonValue& out, int depth) {
    out.kind = PythonKind::dictionary;
    bool comma = true;
    for (;;) {
      if (take('}')) return true;
      if (!comma) return refuse("a comma is missing");
      PythonValue key;
      PythonValue content;
      if (!value(key, depth + 1)) return false;
      if (key.kind == PythonKind::list || key.kind == PythonKind::dictionary) {
        return refuse("a list cannot be a key");
      }
      if (!take(':')) return refuse("a colon is missing");
      if (!value(content, depth + 1)) return false;
      out.members.push_back({std::move(key), std::move(content)});
      comma = take(',');
    }
  }

  bool word(PythonValue& out) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name == "None") return true;
    if (name == "True" || name == "False") {
      out.kind = PythonKind::boolean;
      out.boolean = name == "True";
      return true;
    }
    at_ = begin;
    return refuse("here is no value that str() writes");
  }

  bool number(PythonValue& out) {
    const std::size_t begin = at_;
    if (text_[at_] == '-' || text_[at_] == '+') ++at_;
    const std::size_t digits = at_;
    bool real = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      const bool exponent_sign =
          (c == '-' || c == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') && at_ > digits;
      if (!is_word_char(c) && c != '.' && !exponent_sign) break;
      real = real || !is_digit_char(c);
    }
    const char* const first = text_.data() + (text_[begin] == '+' ? digits : begin);
    const char* const last = text_.data() + at_;
    const bool leading_zero = !real && at_ - digits > 1 && text_[digits] == '0';
    std::from_chars_result read{};
    if (real) {
      out.kind = PythonKind::real;
      read = std::from_chars(first, last, out.real);
    } else {
      out.kind = PythonKind::integer;
      read = std::from_chars(first, last, out.integer);
    }
    // from_chars also knows inf and nan, which are no literals.
    const bool starts_well = digits < text_.size() && (is_digit_char(text_[digits]) || text_[digits] == '.');
    if (starts_well && !leading_zero && read.ec == std::errc{} && read.ptr == last && std::isfinite(out.real))
      return true;
    at_ = begin;
    return refuse(read.ec == std::errc::result_out_of_range ? "the number is too large"
                                                            : "this is not a number");
  }

  bool string(std::string& out) {
    const char quote = text_[at_++];
    for (;;) {
      if (at_ == text_.size()) return refuse("a text has no end");
      const char c = text_[at_++];
      if (c == quote) return text::is_utf8(out) || refuse("a text is not UTF-8");
      if (c == '\n' || c == '\r' || c == '\0') return refuse("a text has a line break in it");
      if (c != '\\') {
        out += c;
      } else if (!escape(out)) {
        return false;
      }
      if (out.size() > kLongestPythonText) return refuse("a text is longer than 256 bytes");
    }
  }

  bool escape(std::string& out) {
    if (at_ == text_.size()) return refuse("a text has no end");
    const char c = text_[at_++];
    static constexpr std::string_view kNames = "\\'\"abfnrtv";
    static constexpr std::string_view kValues = "\\'\"\a\b\f\n\r\t\v";
    if (const std::size_t index = kNames.find(c); index != std::string_view::npos) {
      out += kValues[index];
      return true;
    }
    if (c == 'x') return code_point(2, 16, out);
    if (c == 'u') return code_point(4, 16, out);
    if (c == 'U') return code_point(8, 16, out);
    if (c >= '0' && c <= '7') {
      --at_;
      std::size_t digits = 0;
      while (digits < 3 && at_ + digits < text_.size() && text_[at_ + digits] >= '0' &&
             text_[at_ + digits] <= '7')
        ++digits;
      return code_point(digits, 8, out);
    }
    out += '\\';  // as Python keeps an escape that it does not know
    out += c;
    return true;
  }

  bool code_point(std::size_t digits, int base, std::string& out) {
    if (text_.size() - at_ < digits) return refuse("a text has no end");
    std::uint32_t code = 0;
    const char* const last = text_.data() + at_ + digits;
    const auto read = std::from_chars(text_.data() + at_, last, code, base);
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    if (read.ec != std::errc{} || read.ptr != last || code > 0x10FFFF || surrogate) {
      return refuse("an escape names no character");
    }
    at_ += digits;
    append_utf8(code, out);
    return true;
  }

  bool take(char wanted) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n\f").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  bool refuse(std::string what) {
    if (what_.empty()) what_ = std::move(what);
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
  std::string what_;
};

}  // namespace

Result<PythonValue> parse_python_literal(std::string_view text) {
  if (text.size() > kMostPythonBytes) {
    return Error{"byte " + std::to_string(kMostPythonBytes), "the value is longer than 64 KiB", ""};
  }
  return LiteralParser(text).parse();
}

std::optional<std::vector<std::string>> names_in(const PythonValue& value) {
  constexpr std::size_t kMostNames = 10'000;
  std::vector<std::string> names;
  if (value.kind == PythonKind::list && value.items.size() <= kMostNames) {
    for (const PythonValue& item : value.items) {
      if (item.kind != PythonKind::text) return std::nullopt;
      names.push_back(item.text);
    }
    return names;
  }
  if (value.kind != PythonKind::dictionary || value.members.size() > kMostNames) return std::nullopt;
  const std::size_t count = value.members.size();
  names.resize(count);
  std::vector<bool> seen(count, false);
  for (const auto& [key, name] : value.members) {
    if (key.kind != PythonKind::integer || name.kind != PythonKind::text || key.integer < 0)
      return std::nullopt;
    const auto index = static_cast<std::size_t>(key.integer);
    if (index >= count || seen[index]) return std::nullopt;
    seen[index] = true;
    names[index] = name.text;
  }
  return names;
}

std::optional<std::vector<std::int64_t>> integers_in(const PythonValue& value) {
  if (value.kind == PythonKind::integer) return std::vector{value.integer};
  if (value.kind != PythonKind::list) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const PythonValue& item : value.items) {
    if (item.kind != PythonKind::integer) return std::nullopt;
    numbers.push_back(item.integer);
  }
  return numbers;
}

}  // namespace saccade::vision
