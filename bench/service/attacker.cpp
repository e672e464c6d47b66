#include "bench/service/attacker.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "runtime/machine/thread_settings.hpp"

namespace saccade::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFastThreads = 3;
constexpr std::size_t kSlowAtOnce = 40;  // more than a service has connections
constexpr std::size_t kLeaveEach = 16;   // one of so many does not wait for its answer
constexpr std::chrono::milliseconds kBetweenPieces(20);
constexpr std::uint64_t kMostUnreached = 1000;
constexpr Duration kSlowPatience = std::chrono::seconds(15);

// What the service made of a request, by all that it said until it closed.
std::uint64_t Tally::*judged(std::string bytes) {
  bool refused = false;
  while (!bytes.empty()) {
    HttpAnswer answer;
    const Reading reading = take_answer(bytes, answer);
    if (reading == Reading::malformed) return &Tally::malformed;
    if (reading == Reading::incomplete) break;  // cut off, as when it makes room for another
    if (answer.status != 100 && answer.status < 400) return &Tally::accepted;
    refused = refused || answer.status >= 400;
  }
  return refused ? &Tally::refused : &Tally::closed;
}

}  // namespace

void Tally::add(const Tally& other) {
  sent += other.sent;
  refused += other.refused;
  closed += other.closed;
  accepted += other.accepted;
  malformed += other.malformed;
  hung += other.hung;
  left += other.left;
}

void Attacker::attack(std::uint64_t least, Clock::time_point end) {
  fast_are_done_ = false;
  std::thread slow([this] {
    runtime::pin_to(cpus_);
    send_slow();
  });
  std::vector<std::thread> fast;
  for (std::size_t i = 0; i < kFastThreads; ++i) {
    fast.emplace_back([this, least, end] {
      runtime::pin_to(cpus_);
      send_fast(least, end);
    });
  }
  for (std::thread& thread : fast) thread.join();
  fast_are_done_ = true;
  slow.join();
}

void Attacker::send_fast(std::uint64_t least, Clock::time_point end) {
  while (next_ < least || Clock::now() < end) {
    const std::uint64_t number = next_++;
    HostileRequest request = requests_.request(number);
    if (request.piece > 0 && give_to_slow(request)) continue;
    Connection connection(port_);
    if (!connection.is_open()) {
      if (++unreached_ > kMostUnreached) return;
      std::this_thread::sleep_for(kBetweenPieces);
      continue;
    }
    connection.send(request.bytes);
    if (number % kLeaveEach == 0) {
      connection.abandon();
      note(request.kind, &Tally::left);
      continue;
    }
    connection.send_no_more();
    auto said = connection.rest(kSlowPatience);
    note(request.kind, said ? judged(*std::move(said)) : &Tally::hung);
  }
}

bool Attacker::give_to_slow(HostileRequest& request) {
  const std::lock_guard lock(mutex_);
  if (for_slow_.size() >= kSlowAtOnce) return false;
  for_slow_.push_back(std::move(request));
  return true;
}

void Attacker::send_slow() {
  std::vector<Slow> all;
  while (!fast_are_done_) {
    {
      const std::lock_guard lock(mutex_);
      while (all.size() < kSlowAtOnce && !for_slow_.empty()) {
        all.push_back({std::move(for_slow_.front()), std::make_unique<Connection>(port_), Clock::now()});
        for_slow_.pop_front();
      }
    }
    std::erase_if(all, [this](Slow& slow) { return !slow.connection->is_open() || !go_on(slow); });
    std::this_thread::sleep_for(kBetweenPieces);
  }
  for (const Slow& slow : all) note(slow.request.kind, &Tally::left);
}

bool Attacker::go_on(Slow& slow) {
  const std::string_view bytes = slow.request.bytes;
  if (slow.sent < bytes.size()) {
    slow.connection->send(bytes.substr(slow.sent, slow.request.piece));
    slow.sent += slow.request.piece;
    if (slow.sent >= bytes.size()) slow.connection->send_no_more();
  }
  const bool open = slow.connection->receive_what_is_there();
  const bool hangs = open && Clock::now() - slow.began > kSlowPatience;
  if (open && !hangs) return true;
  note(slow.request.kind, hangs ? &Tally::hung : judged(slow.connection->received()));
  return false;
}

void Attacker::note(std::string_view kind, std::uint64_t Tally::*what) {
  const std::lock_guard lock(mutex_);
  Tally& tally = tallies_[kind];
  ++tally.sent;
  ++(tally.*what);
}

}  // namespace saccade::bench
