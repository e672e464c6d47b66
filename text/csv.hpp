// Comma-separated text as rows of cells (RFC 4180), each cell with its position. A byte order mark, CR LF or
// LF, and quoted cells with doubled quotes and line breaks are supported; empty lines are skipped; spaces
// around an unquoted cell are dropped. All syntax errors are reported at once. Own code, because the
// tokenizers of the available libraries support backslashes but no doubled quotes.
// Threads: pure. Errors: Result, each with file:line:column (characters, from 1).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace saccade::text {

struct CsvCell {
  std::string text;
  std::size_t line = 1;    // where it begins
  std::size_t column = 1;  // of its first character
};
using CsvRow = std::vector<CsvCell>;  // never empty

// `name`: the file's name in errors.
[[nodiscard]] Result<std::vector<CsvRow>> parse_csv(std::string_view text, const std::string& name);

// A finite number and nothing else; a plus sign in front is allowed.
[[nodiscard]] std::optional<double> number_in_cell(std::string_view text);
// What to do about text that is no number; may be empty.
[[nodiscard]] std::string hint_for_number(const std::string& text);

// "file:line:column"
[[nodiscard]] std::string place_in(const std::string& name, std::size_t line, std::size_t column);

}  // namespace saccade::text
