// Sends hostile requests (bench/service/hostile.hpp) as fast as they are answered, on connections of their
// own, while slow ones dribble on more connections than a service has. Counts what comes back.
// Order: attack() as often as wanted, then tallies(). Threads: its own inside attack(), kept to `cpus`.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "bench/service/connection.hpp"
#include "bench/service/hostile.hpp"

namespace saccade::bench {

struct Tally {                 // of one kind of request
  std::uint64_t sent = 0;      // the sum of all below
  std::uint64_t refused = 0;   // answered with nothing but errors
  std::uint64_t closed = 0;    // without an answer
  std::uint64_t accepted = 0;  // with an answer that is no error
  std::uint64_t malformed = 0;
  std::uint64_t hung = 0;  // neither answered nor closed
  std::uint64_t left = 0;  // the attacker did not wait for an answer

  void add(const Tally& other);
};

class Attacker {
 public:
  Attacker(std::uint16_t port, HostileRequests requests, std::vector<int> cpus)
      : port_(port), requests_(std::move(requests)), cpus_(std::move(cpus)) {}

  // Until `end`, and until so many requests are made in all; ends early when the service cannot be reached
  // any more. What could not be sent is not counted.
  void attack(std::uint64_t least, std::chrono::steady_clock::time_point end);
  [[nodiscard]] const std::map<std::string_view, Tally>& tallies() const { return tallies_; }

 private:
  struct Slow {
    HostileRequest request;
    std::unique_ptr<Connection> connection;
    std::chrono::steady_clock::time_point began;
    std::size_t sent = 0;
  };
  void send_fast(std::uint64_t least, std::chrono::steady_clock::time_point end);
  void send_slow();
  [[nodiscard]] bool give_to_slow(HostileRequest& request);
  [[nodiscard]] bool go_on(Slow& slow);  // false: it is over
  void note(std::string_view kind, std::uint64_t Tally::*what);

  const std::uint16_t port_;
  const HostileRequests requests_;
  const std::vector<int> cpus_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> fast_are_done_{false};
  std::atomic<std::uint64_t> unreached_{0};  // connections that could not be made
  std::mutex mutex_;                         // guards everything below
  std::deque<HostileRequest> for_slow_;
  std::map<std::string_view, Tally> tallies_;
};

}  // namespace saccade::bench
