// Addresses of services that are passed on, as links and in headers. Threads: function without state.
#pragma once

#include <algorithm>
#include <string_view>

namespace saccade::text {

// "http://10.0.0.7:8080": http or https, without a user and without a slash at its end, of characters that
// may stand in a header.
[[nodiscard]] inline bool is_service_url(std::string_view text) {
  constexpr std::size_t kLongest = 300;
  const std::size_t host = text.starts_with("https://") ? 8 : 7;
  if (!text.starts_with("https://") && !text.starts_with("http://")) return false;
  if (text.size() <= host || text.size() > kLongest || text.back() == '/') return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~' && c != '@'; });
}

}  // namespace saccade::text
