#include "base/logfmt.hpp"

namespace saccade {
namespace {

// What stands for a character that cannot stand for itself; empty: it can.
std::string escaped(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  const auto code = static_cast<unsigned char>(c);
  if (code >= 0x20 && code != 0x7f) return {};
  constexpr const char* kDigits = "0123456789abcdef";
  return std::string("\\u00") + kDigits[code >> 4U] + kDigits[code & 15U];
}

}  // namespace

std::string log_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const std::string instead = escaped(c);
    instead.empty() ? quoted.push_back(c) : static_cast<void>(quoted.append(instead));
  }
  return quoted + "\"";
}

}  // namespace saccade
