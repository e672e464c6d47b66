// Guesses at the token, slowed down: from each address a few failed attempts at once, then one every so
// often; in between every attempt from there is turned away, a right one as well. Threads: one at a time.
// Errors: none. Memory: of so many addresses; the one that failed longest ago is forgotten for a new one.
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

  // Whether another attempt from there has to wait.
  [[nodiscard]] bool waits(const std::string& address, TimePoint now) const;
  void failed(const std::string& address, TimePoint now);

 private:
  // When the attempts that failed are forgiven, one after the other, the last one is.
  std::map<std::string, TimePoint> forgiven_;
};

}  // namespace saccade::service
