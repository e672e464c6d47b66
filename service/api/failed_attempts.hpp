// Rate limit for guesses at the token: each address may fail a few times in a burst, then at a fixed average
// rate; above that every attempt from there is refused, even with a correct token. Threads: one at a time.
// Errors: none. Memory: a bounded number of addresses; the one that failed longest ago is replaced.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/clock.hpp"

namespace saccade::service {

class FailedAttempts {
 public:
  static constexpr int kAtOnce = 10;
  static constexpr Duration kOneMore = std::chrono::seconds(1);
  static constexpr std::size_t kMostAddresses = 1024;

  // Whether further attempts from there have to wait.
  [[nodiscard]] bool waits(const std::string& address, TimePoint now) const;
  void failed(const std::string& address, TimePoint now);

 private:
  // When the last of its failed attempts is forgiven.
  std::map<std::string, TimePoint> forgiven_;
};

}  // namespace saccade::service
