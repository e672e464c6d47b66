#include "base/result.hpp"

namespace saccade {

std::string to_string(const Error& error) {
  std::string text = error.where.empty() ? error.what : error.where + ": " + error.what;
  if (!error.hint.empty()) text += " (" + error.hint + ")";
  return text;
}

std::string to_string(const Errors& errors) {
  std::string text;
  for (const Error& error : errors) {
    if (!text.empty()) text += '\n';
    text += to_string(error);
  }
  return text;
}

}  // namespace saccade
