#include "service/api/target.hpp"

#include <string_view>

namespace saccade::service {
namespace {

constexpr std::size_t kMostSegments = 16;

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Printable ASCII that is not a delimiter of the target; everything else must be escaped.
std::optional<std::string> decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || hex(text[i + 1]) < 0 || hex(text[i + 2]) < 0) return std::nullopt;
      c = static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
      i += 2;
    }
    if (c <= ' ' || c >= 127 || c == '/' || c == '\\') return std::nullopt;
    result.push_back(c);
  }
  return result;
}

// Calls `take` with every part between separators until it says no.
template <class Take>
bool split(std::string_view text, char separator, const Take& take) {
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    if (!take(text.substr(begin, end - begin))) return false;
    if (end == std::string_view::npos) return true;
    begin = end + 1;
  }
}

}  // namespace

std::optional<Target> target_from(const std::string& text) {
  if (text.empty() || text.front() != '/' || text.find('#') != std::string::npos) return std::nullopt;
  const std::size_t question = text.find('?');
  const std::string_view path =
      std::string_view(text).substr(1, question == std::string::npos ? std::string::npos : question - 1);
  Target target;
  const auto segment = [&](std::string_view part) {
    const auto name = decoded(part);
    if (!name || name->empty() || *name == "." || *name == "..") return false;
    target.segments.push_back(*name);
    return target.segments.size() <= kMostSegments;
  };
  if (!path.empty() && !split(path, '/', segment)) return std::nullopt;
  if (question == std::string::npos) return target;
  const auto parameter = [&](std::string_view part) {
    const std::size_t equals = part.find('=');
    const auto name = decoded(part.substr(0, equals));
    const auto value =
        equals == std::string_view::npos ? std::optional<std::string>("") : decoded(part.substr(equals + 1));
    return name && !name->empty() && value && target.query.emplace(*name, *value).second;
  };
  if (!split(std::string_view(text).substr(question + 1), '&', parameter)) return std::nullopt;
  return target;
}

}  // namespace saccade::service
