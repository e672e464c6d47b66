// What hostile requests are made of: the makers of the kinds that bench/service/hostile.cpp puts together.
// Every maker draws from its source alone.
// Threads: functions without state.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace saccade::bench::hostile {

inline constexpr const char* kHost = "Host: localhost\r\n";
inline constexpr const char* kJson = "Content-Type: application/json\r\n";
inline constexpr const char* kBroken = "{\"fps\": 5,";  // whatever else is refused or not, this is

struct Source {
  std::mt19937_64 random;
  const std::vector<std::string>& tasks;

  // Not a distribution of the standard library's, which differ from one to the next.
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random() % end); }
  std::size_t between(std::size_t least, std::size_t most) { return least + below(most - least + 1); }
  template <std::size_t kCount>
  std::string_view any_of(const std::string_view (&list)[kCount]) {
    return list[below(kCount)];
  }
  const std::string& task() { return tasks[below(tasks.size())]; }
  std::string bytes(std::size_t count) {
    std::string text(count, '\0');
    for (char& c : text) c = static_cast<char>(random() & 0xffU);
    return text;
  }
};

// A request line without its version, headers, and a body with its length.
[[nodiscard]] std::string with_length(std::string_view line, std::string_view headers, std::string_view body);
[[nodiscard]] std::string with_json(std::string_view line, std::string_view body,
                                    std::string_view headers = {});
[[nodiscard]] std::string repeated(std::string_view text, std::size_t times);
// Method and target of something that takes a document. What is sent there is not to be valid.
[[nodiscard]] std::string any_write(Source& from);

// --- hostile_http.cpp
[[nodiscard]] std::string request_line(Source& from);
[[nodiscard]] std::string header(Source& from);
[[nodiscard]] std::string large_header(Source& from);
[[nodiscard]] std::string random_bytes(Source& from);
[[nodiscard]] std::string large_body(Source& from);
[[nodiscard]] std::string chunked(Source& from);
[[nodiscard]] std::string truncated(Source& from);

// --- hostile_requests.cpp: HTTP that is right around something that is not
[[nodiscard]] std::string deep_json(Source& from);
[[nodiscard]] std::string duplicate_keys(Source& from);
[[nodiscard]] std::string costly_json(Source& from);
[[nodiscard]] std::string bad_patch(Source& from);
[[nodiscard]] std::string traversal(Source& from);
[[nodiscard]] std::string foreign(Source& from);
[[nodiscard]] std::string wrong_method(Source& from);

}  // namespace saccade::bench::hostile
