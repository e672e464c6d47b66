// Which sinks began to fail and which recovered since the last look, for the log: each is told once. Pure.
// Threads: plain value, one at a time.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "results/delivery_account.hpp"

namespace saccade::service {

struct SinkNews {
  std::string sink;    // its id
  bool fails = false;  // false: it had failed, and delivers again
  std::string words;   // what is wrong; empty once it delivers
  bool operator==(const SinkNews&) const = default;
};

class SinkWatch {
 public:
  // `accounts`: of all sinks.
  [[nodiscard]] std::vector<SinkNews> look(const std::vector<results::DeliveryAccount>& accounts);

 private:
  std::set<std::string> failing_;
};

}  // namespace saccade::service
