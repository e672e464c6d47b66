// Parses values that a Python program wrote with str(), as in the metadata of Ultralytics' exporter: {0:
// 'person', 1: 'bicycle'}, [640, 640], True. Only literals are supported: None, True, False, 64-bit integers,
// floating-point numbers, strings with their escapes, lists, tuples and dictionaries. Nothing is evaluated.
// Limits: 64 KiB of text, 10,000 values, strings of 256 bytes, 4 levels. Source: The Python Language
// Reference, 2.4. Threads: pure. Errors: Result, `where` = the byte; no throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace saccade::vision {

struct PythonValue {
  enum class Kind { none, boolean, integer, real, text, list, dictionary };  // a tuple is a list
  Kind kind = Kind::none;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0.0;  // finite
  std::string text;   // UTF-8
  std::vector<PythonValue> items;
  std::vector<std::pair<PythonValue, PythonValue>> members;  // of a dictionary, in order
  bool operator==(const PythonValue&) const = default;
};

inline constexpr std::size_t kMostPythonBytes = 64 * 1024;
inline constexpr std::size_t kMostPythonValues = 20'000;  // 10,000 names with their numbers
inline constexpr std::size_t kLongestPythonText = 256;
inline constexpr int kMostPythonDepth = 4;

[[nodiscard]] Result<PythonValue> parse_python_literal(std::string_view text);

// A list of texts, or a dictionary from 0, 1, 2, … to texts in any order; at most 10,000.
[[nodiscard]] std::optional<std::vector<std::string>> names_in(const PythonValue& value);

// One integer, or a list of integers.
[[nodiscard]] std::optional<std::vector<std::int64_t>> integers_in(const PythonValue& value);

}  // namespace saccade::vision
