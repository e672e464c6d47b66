// Which sinks began to fail and which recovered since the last call, for the log: each change is reported
// once. A sink that alternates is reported at most kMostNews times within kWithin; its state is reported
// after that time, with the number of changes that were not.
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
  bool fails = false;       // false: it has recovered
  std::string words;        // the fault; empty once it delivers
  std::int64_t untold = 0;  // unreported changes since the last report on this sink
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
    bool fails = false;           // at the last call
    std::int64_t changes = 0;     // since the last report
    std::vector<TimePoint> news;  // within kWithin, oldest first
  };
  std::map<std::string, Watched> sinks_;
};

}  // namespace saccade::service
