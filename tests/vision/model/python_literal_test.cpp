#include "vision/model/python_literal.hpp"

#include <gtest/gtest.h>

#include <random>

namespace saccade::vision {
namespace {

using Kind = PythonValue::Kind;

PythonValue parsed(const std::string& text) {
  const auto value = parse_python_literal(text);
  EXPECT_TRUE(value.ok()) << text << ": " << (value.ok() ? "" : to_string(value.errors()));
  return value ? value.value() : PythonValue{};
}

bool refused(const std::string& text) { return !parse_python_literal(text).ok(); }

// As Python's repr() writes it.
std::string written(const PythonValue& value) {
  switch (value.kind) {
    case Kind::none:
      return "None";
    case Kind::boolean:
      return value.boolean ? "True" : "False";
    case Kind::integer:
      return std::to_string(value.integer);
    case Kind::real: {
      std::ostringstream out;
      out.precision(17);
      out << value.real;
      const std::string text = out.str();
      return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    }
    case Kind::text: {
      const char quote = value.text.find('\'') == std::string::npos ? '\'' : '"';
      std::string text(1, quote);
      for (const char c : value.text) {
        if (c == '\\' || c == quote) text += '\\';
        if (c == '\n') {
          text += "\\n";
        } else if (static_cast<unsigned char>(c) < 0x20) {
          constexpr const char* kHex = "0123456789abcdef";
          text += std::string("\\x") + kHex[c >> 4] + kHex[c & 15];
        } else {
          text += c;
        }
      }
      return text + quote;
    }
    case Kind::list: {
      std::string text = "[";
      for (const PythonValue& item : value.items) text += (text.size() > 1 ? ", " : "") + written(item);
      return text + "]";
    }
    case Kind::dictionary: {
      std::string text = "{";
      for (const auto& [key, content] : value.members) {
        text += (text.size() > 1 ? ", " : "") + written(key) + ": " + written(content);
      }
      return text + "}";
    }
  }
  return "";
}

PythonValue random_value(std::mt19937_64& random, int depth) {
  PythonValue value;
  value.kind = static_cast<Kind>(random() % (depth < kMostPythonDepth ? 7 : 5));
  switch (value.kind) {
    case Kind::none:
      break;
    case Kind::boolean:
      value.boolean = random() % 2 == 0;
      break;
    case Kind::integer:
      value.integer = static_cast<std::int64_t>(random()) >> (random() % 64);
      break;
    case Kind::real:
      value.real =
          std::ldexp(static_cast<double>(random() % 100000) - 50000.0, static_cast<int>(random() % 60) - 30);
      break;
    case Kind::text:
      for (std::uint64_t i = random() % 20; i > 0; --i) {
        constexpr std::string_view kCharacters = "ab'\"\\ {}[](),:\n\t\x01.5x";
        value.text += kCharacters[random() % kCharacters.size()];
      }
      if (random() % 4 == 0) value.text += "äöü€😀";
      break;
    case Kind::list:
      for (std::uint64_t i = random() % 5; i > 0; --i) value.items.push_back(random_value(random, depth + 1));
      break;
    case Kind::dictionary:
      for (std::uint64_t i = random() % 5; i > 0; --i) {
        PythonValue key = random_value(random, kMostPythonDepth);
        value.members.emplace_back(std::move(key), random_value(random, depth + 1));
      }
      break;
  }
  return value;
}

TEST(PythonLiteral, WhatReprWritesComesBack) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20000; ++round) {
    const PythonValue value = random_value(random, 1);
    const std::string text = written(value);
    const auto read = parse_python_literal(text);
    ASSERT_TRUE(read.ok()) << text << "\n" << to_string(read.errors());
    ASSERT_EQ(read.value(), value) << text;
  }
}

TEST(PythonLiteral, UltralyticsMetadata) {
  EXPECT_EQ(names_in(parsed("{0: 'person', 1: 'bicycle', 2: \"men's shoe\"}")),
            (std::vector<std::string>{"person", "bicycle", "men's shoe"}));
  EXPECT_EQ(names_in(parsed("['person', 'car']")), (std::vector<std::string>{"person", "car"}));
  EXPECT_EQ(names_in(parsed("{1: 'b', 0: 'a'}")), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(names_in(parsed("{0: 'a', 2: 'b'}")), std::nullopt);
  EXPECT_EQ(names_in(parsed("{0: 'a', 0: 'b'}")), std::nullopt);
  EXPECT_EQ(names_in(parsed("{-1: 'a'}")), std::nullopt);
  EXPECT_EQ(names_in(parsed("{0: 1}")), std::nullopt);
  EXPECT_EQ(integers_in(parsed("[640, 384]")), (std::vector<std::int64_t>{640, 384}));
  EXPECT_EQ(integers_in(parsed("(17, 3)")), (std::vector<std::int64_t>{17, 3}));
  EXPECT_EQ(integers_in(parsed("32")), (std::vector<std::int64_t>{32}));
  EXPECT_EQ(integers_in(parsed("'32'")), std::nullopt);
  const PythonValue args = parsed("{'batch': 1, 'half': False, 'nms': True, 'dynamic': None, 'x': -1.5e-3,}");
  ASSERT_EQ(args.members.size(), 5u);
  EXPECT_EQ(args.members[4].second.real, -1.5e-3);
}

TEST(PythonLiteral, Escapes) {
  EXPECT_EQ(parsed(R"('a\'b\\c\n\t\x41\u00e4\U0001F600\101\q')").text, "a'b\\c\n\tAä😀A\\q");
  EXPECT_TRUE(refused(R"('\ud800')"));
  EXPECT_TRUE(refused(R"('\U00110000')"));
  EXPECT_TRUE(refused(R"('\x4')"));
  EXPECT_TRUE(refused("'\xff'"));
  EXPECT_TRUE(refused("'a\nb'"));
}

TEST(PythonLiteral, TuplesAndBrackets) {
  EXPECT_EQ(parsed("()").kind, Kind::list);
  EXPECT_EQ(parsed("(1,)").items.size(), 1u);
  EXPECT_EQ(parsed("(1)").kind, Kind::integer);
  EXPECT_EQ(parsed(" [ 1 , 2 , ] ").items.size(), 2u);
}

TEST(PythonLiteral, WhatIsNoLiteralIsRefused) {
  for (const char* text :
       {"",      " ",       "[",       "[1",       "[1 2]", "[,]",   "{",
        "{1}",   "{1:}",    "{1: 2",   "{[1]: 2}", "'",     "\"a'",  "nan",
        "inf",   "-inf",    "1_000",   "0x10",     "012",   "1e999", "99999999999999999999",
        "1.2.3", "--1",     "+-1",     "e5",       "True1", "none",  "__import__('os')",
        "1 + 1", "1, 2",    "[1] [2]", "b'a'",     "f'a'",  "1j",    "{1, 2}",
        "...",   "'a' 'b'", "-",       ".",        "1e"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
}

TEST(PythonLiteral, Limits) {
  EXPECT_FALSE(refused("[[[[1]]]]"));
  EXPECT_TRUE(refused("[[[[[1]]]]]"));
  EXPECT_TRUE(refused(std::string(100'000, '[')));
  EXPECT_FALSE(refused("'" + std::string(kLongestPythonText, 'a') + "'"));
  EXPECT_TRUE(refused("'" + std::string(kLongestPythonText + 1, 'a') + "'"));
  std::string many = "[";
  for (int i = 0; i < 25'000; ++i) many += "1,";
  EXPECT_TRUE(refused(many + "]"));
  EXPECT_TRUE(refused("'" + std::string(kMostPythonBytes, ' ') + "'"));
  std::string names = "{";
  for (int i = 0; i < 4000; ++i) names += std::to_string(i) + ": 'n" + std::to_string(i % 10) + "', ";
  EXPECT_EQ(names_in(parsed(names + "}")).value_or(std::vector<std::string>{}).size(), 4000u);
}

TEST(PythonLiteral, FuzzedTextsEndWithAValueOrAnError) {
  std::mt19937_64 random(11);
  constexpr std::string_view kCharacters = "{}[]():,'\"\\0123456789.eE+-xuUnTrueFalsNon \n\xc3\xa4\xff";
  std::size_t good = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::string text;
    if (round % 2 == 0) {
      for (std::uint64_t i = random() % 40; i > 0; --i) text += kCharacters[random() % kCharacters.size()];
    } else {
      text = written(random_value(random, 1));
      if (!text.empty()) text[random() % text.size()] = kCharacters[random() % kCharacters.size()];
    }
    const auto value = parse_python_literal(text);
    if (!value) continue;
    ++good;
    (void)names_in(value.value());
    (void)integers_in(value.value());
  }
  EXPECT_GT(good, 1000u);
}

}  // namespace
}  // namespace saccade::vision
