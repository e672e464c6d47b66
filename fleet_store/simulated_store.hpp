// A store in memory on a clock that is moved from outside, with the semantics of store.hpp and with faults on
// demand: for tests and for the simulation of whole fleets. One history; any number of clients, each with its
// own line to it. What arrives and when depends on nothing but the calls and the delays that `delay` returns.
// Faults, of one client: its line is cut or slow, its watches repeat, its next write's outcome is lost. Of
// the store: it is without a majority, a leader is elected, a lease is revoked early, history is compacted.
// Order: open() clients; submit through them; run_until() ever later times; take(). Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "fleet_store/history.hpp"
#include "fleet_store/store.hpp"

namespace saccade::fleet_store {

// How long a member without a majority lets a watch live, and a cut line goes unnoticed.
inline constexpr Duration kWatchGrace = std::chrono::milliseconds(3500);

class SimulatedStore {
 public:
  // `delay`: of one message on its way, > 0.
  explicit SimulatedStore(std::function<Duration()> delay) : delay_(std::move(delay)) {}
  SimulatedStore(const SimulatedStore&) = delete;
  SimulatedStore& operator=(const SimulatedStore&) = delete;

  class Client final : public Store {
   public:
    Client(SimulatedStore& store, std::size_t number) : store_(store), number_(number) {}
    void submit(std::uint64_t number, Request request) override { store_.submit(*this, number, request); }
    [[nodiscard]] std::vector<Event> take() override {
      store_.with_events_.erase(number_);
      return std::exchange(arrived_, {});
    }
    // The process behind it has ended: nothing of it is answered any more, what it sent may still arrive.
    void forget();

    void cut(bool cut);
    void slow(Duration more) { slow_ = more; }                                       // each way
    void repeat_next_watched() { repeat_ = true; }                                   // delivered twice
    void lose_next_outcome(bool late) { lose_ = late ? Lose::late : Lose::answer; }  // of a commit

   private:
    friend class SimulatedStore;
    enum class Lose { none, answer, late };
    SimulatedStore& store_;
    std::size_t number_;
    std::vector<Event> arrived_;
    std::set<std::uint64_t> open_;     // requests without an answer
    std::set<std::uint64_t> watches_;  // numbers of watches that live
    bool cut_ = false;
    bool repeat_ = false;
    Lose lose_ = Lose::none;
    Duration slow_{};
  };
  Client& open();
  // Clients with something to take(), by the order in which they were opened, from 0.
  [[nodiscard]] const std::set<std::size_t>& with_events() const { return with_events_; }

  void run_until(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> next() const;  // when something happens by itself

  void lose_majority();
  // Elects a leader as well. `renew`: leases get their whole time again; else those overdue end at once.
  void restore_majority(bool renew);
  void revoke(std::int64_t lease);
  void compact();  // all but the last revision
  [[nodiscard]] bool has_majority() const { return majority_; }
  [[nodiscard]] std::int64_t term() const { return term_; }
  [[nodiscard]] const History& history() const { return history_; }

 private:
  struct Watching {
    Client* client = nullptr;
    std::uint64_t number = 0;
    request::Watch of;
    TimePoint last{};  // nothing is delivered before what was sent earlier
  };
  void submit(Client& client, std::uint64_t number, const Request& request);
  void arrive(Client& client, std::uint64_t number, const Request& request);
  void answer(Client& client, std::uint64_t number, Answer answer);
  void give(Client& client, std::uint64_t number, Answer answer);
  void commit(Client& client, std::uint64_t number, const request::Commit& commit);
  void begin_watch(Client& client, std::uint64_t number, const request::Watch& watch);
  void publish();
  void deliver(Client& client, std::uint64_t number, const answer::Watched& watched);
  void end_watches(const Client* client, Duration after);
  void expire();
  void at(TimePoint time, std::function<void()> what);

  std::function<Duration()> delay_;
  History history_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::set<std::size_t> with_events_;
  std::vector<Watching> watching_;
  std::map<std::pair<TimePoint, std::uint64_t>, std::function<void()>> queue_;
  std::uint64_t sequence_ = 0;
  TimePoint now_{};
  std::int64_t term_ = 1;
  std::int64_t outage_ = 0;
  bool majority_ = true;
};

}  // namespace saccade::fleet_store
