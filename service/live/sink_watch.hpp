// Which sinks began to fail and which recovered since the last look, for the log: each is told once. A sink
// that fails and recovers again and again is told at most kMostNews times within kWithin; what it is after
// that time is told then, with the number of changes that were not.
// Pure: time is an argument and never steps back. Threads: plain value, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "results/delivery_account.hpp"

namespace saccade::service {

struct SinkNews {
  std::string sink;         // its id
  bool fails = false;       // false: it had failed, and delivers again
  std::string words;        // what is wrong; empty once it delivers
  std::int64_t untold = 0;  // changes since the last news of this sink, besides this one
  bool operator==(const SinkNews&) const = default;
};

class SinkWatch {
 public:
  static constexpr std::size_t kMostNews = 6;
  static constexpr Duration kWithin = std::chrono::minutes(10);

  // `accounts`: of all sinks.
  [[nodiscard]] std::vector<SinkNews> look(const std::vector<results::DeliveryAccount>& accounts,
                                           TimePoint now);

 private:
  struct Watched {
    bool fails = false;           // at the last look
    std::int64_t changes = 0;     // since the last news
    std::vector<TimePoint> news;  // within kWithin, oldest first
  };
  std::map<std::string, Watched> sinks_;
};

}  // namespace saccade::service
