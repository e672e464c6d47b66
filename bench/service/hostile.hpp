// What a service has to refuse: a seeded generator of requests with which something is wrong, from bytes
// that are no HTTP at all to patches that are perfect but for one number. None of them is valid, so the
// law for whoever sends them is short: every answer is an error (100 Continue may come before it) or the
// connection is closed, and nothing changes.
// Threads: plain values. The same seed, number and facts make the same request everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace saccade::bench {

struct HostileRequest {
  std::string_view kind;  // one of hostile_kinds()
  std::string bytes;      // one request, or several in a row
  std::size_t piece = 0;  // how many bytes a slow client sends at once; 0: all
};

// "request line", "header", "large header", ...
[[nodiscard]] const std::vector<std::string_view>& hostile_kinds();

class HostileRequests {
 public:
  // `tasks`: ids that the service knows, at least one.
  HostileRequests(std::uint64_t seed, std::vector<std::string> tasks);

  [[nodiscard]] HostileRequest request(std::uint64_t number) const;

 private:
  std::uint64_t seed_;
  std::vector<std::string> tasks_;
};

}  // namespace saccade::bench
