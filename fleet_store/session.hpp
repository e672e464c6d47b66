// A process's session with the store: a lease with one key on it that says that the process is there, and a
// mirror of the keys that it follows. Boxes and planners use the same; a planner's key is the leader's.
//   lease   granted, its key created only if nobody holds it, paid every third of its time or oftener; when
//   it
//           was lost, all anew. A store that restarts gives leases their whole time again: one that this
//           session gave up and that still holds the key is revoked, so that the key is free at once. Its
//           length may change: the key is moved to a new lease and stays as it was created
//   mirror  listed, then watched from there on; listed again after a watch ended, after a compaction, when
//           asked, and every minute, as no store's watch is trusted for ever
// A key's changes are seen in order, none twice, none older than what was seen.
// Order: step() at `next()` and after every event; requests are to be submitted. Threads: pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "fleet/problem.hpp"
#include "fleet_store/store.hpp"

namespace saccade::fleet_store {

// What a lease is good for ends so long before the lease may.
inline constexpr Duration kLeaseMargin = std::chrono::seconds(2);
// A lease of this length is paid so often that within what it is good for two payments are sent.
[[nodiscard]] Duration pay_every(Duration lease);

struct SessionSettings {
  std::string key;                                      // on the lease
  std::function<std::string(Duration length)> value{};  // of it, on a lease of this length
  Duration lease = fleet::kUsualLease;
  std::string follow;  // mirrored
  bool prefix = true;  // or that one key
  Duration list_again = std::chrono::seconds(60);
  Duration retry = std::chrono::milliseconds(500);
};

struct Numbered {
  std::uint64_t number = 0;
  Request request;
};

class Session {
 public:
  // `first`: of its request numbers, which ascend. A process has one session per client of a store.
  Session(SessionSettings settings, std::uint64_t first) : settings_(std::move(settings)), number_(first) {}

  // False: not an answer to a request of this session.
  bool on(const Event& event, TimePoint now);
  void step(TimePoint now);
  [[nodiscard]] std::vector<Numbered> take() { return std::exchange(requests_, {}); }
  [[nodiscard]] std::uint64_t new_number() { return ++number_; }
  [[nodiscard]] std::optional<TimePoint> next() const;

  void set_lease(Duration lease, TimePoint now);  // of this length, 3 s or more, from now on
  void list_again();                              // what is mirrored may be behind

  // The revision at which the key was created under the lease; absent: not held, as far as is known.
  [[nodiscard]] std::optional<std::int64_t> claim() const { return claim_; }
  // How often another was found to hold the key.
  [[nodiscard]] std::uint64_t refused_claims() const { return refused_claims_; }
  // Until when the lease lasts at least: its time after the last payment that was acknowledged was sent.
  // While the key is moved to another lease, the shorter of the two.
  [[nodiscard]] TimePoint lasts_until() const;
  [[nodiscard]] TimePoint paid() const { return paid_; }  // when that payment was sent
  // The key is being moved to another lease: which one it is on is not known.
  [[nodiscard]] bool changing() const { return next_ && next_->moving; }
  // Of the mirror: everything up to this revision is in it. Absent: not listed since the watch ended.
  [[nodiscard]] std::optional<std::int64_t> mirrored() const { return mirrored_; }
  // A list that began after the lease was held has arrived.
  [[nodiscard]] bool read_under_claim() const { return claim_ && listed_ >= *claim_; }
  [[nodiscard]] std::uint64_t lists() const { return lists_; }  // that have arrived
  [[nodiscard]] const std::map<std::string, Entry>& mirror() const { return mirror_; }
  // Keys that changed or were deleted since the last call.
  [[nodiscard]] std::vector<std::string> take_changed() { return std::exchange(changed_, {}); }
  [[nodiscard]] TimePoint last_answer() const { return last_answer_; }
  // When the store last answered a request: what a watch brought says only that the store is heard. Absent:
  // never.
  [[nodiscard]] std::optional<TimePoint> reached() const { return reached_; }
  [[nodiscard]] std::int64_t term() const { return term_; }  // of the store

 private:
  enum class Lease { none, granting, claiming, held };
  void send(std::uint64_t& slot, Request request);
  void on_lease(const Answer& answer, TimePoint now);
  void on_payment(const Answer& answer, TimePoint now);
  void on_list(const Answer& answer, TimePoint now);
  bool on_watch(const Answer& answer, TimePoint now);
  void lose_lease(TimePoint now);
  void on_revoked(const Answer& answer, TimePoint now);
  void free_key();
  void on_change(const Answer& answer, TimePoint now);
  void adopt_next(TimePoint now);
  [[nodiscard]] bool wants_change() const;
  void step_change(TimePoint now);
  void step_lease(TimePoint now);
  void step_mirror(TimePoint now);
  void apply(const answer::Listed& listed);

  SessionSettings settings_;
  std::uint64_t number_;
  std::vector<Numbered> requests_;
  // the lease
  Lease state_ = Lease::none;
  std::int64_t lease_ = 0;
  std::vector<std::int64_t> given_up_;  // leases before it that the key may be on, and that were not revoked
  std::optional<std::int64_t> claim_;
  std::uint64_t refused_claims_ = 0;
  std::uint64_t lease_request_ = 0;
  std::uint64_t revoke_ = 0;
  std::int64_t revoking_ = 0;  // the lease
  std::uint64_t payment_ = 0;
  TimePoint payment_sent_{};
  TimePoint paid_{};      // when the last payment that was acknowledged was sent
  Duration length_{};     // of the lease
  TimePoint lease_at_{};  // when the next request for it is due
  // the one that its key is to be moved to
  struct Next {
    std::int64_t lease = 0;  // 0 = it is being granted
    Duration length{};
    TimePoint sent{};
    bool moving = false;
  };
  std::optional<Next> next_;
  std::uint64_t change_ = 0;  // request
  TimePoint change_at_{};
  // the mirror
  std::map<std::string, Entry> mirror_;
  std::vector<std::string> changed_;
  std::uint64_t list_ = 0;
  std::uint64_t watch_ = 0;
  TimePoint watched_since_{};
  bool stale_ = true;  // it must be listed
  std::optional<std::int64_t> mirrored_;
  std::int64_t listed_ = 0;
  std::uint64_t lists_ = 0;
  TimePoint list_at_{};
  TimePoint last_answer_{};
  std::optional<TimePoint> reached_;
  std::int64_t term_ = 0;
};

}  // namespace saccade::fleet_store
