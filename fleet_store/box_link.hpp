// A box on its store: the agent (fleet/control/agent.hpp) with a session, and its documents as text. Its
// state is written under a comparison with its own key, so that a box whose lease has ended writes nothing,
// and with what it replaces, so that no late write brings an old state back. Its lease is as long as its
// assignment says; a planner may take a state that confirms that for an end to any longer one. Order: boot();
// on() for every event of the store; step() at next(); after each, take what is to be done. Threads: pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fleet/control/agent.hpp"
#include "fleet_store/documents.hpp"
#include "fleet_store/session.hpp"

namespace saccade::fleet_store {

struct BoxLinkSettings {
  std::string fleet;
  std::string box;
  std::int64_t session = 0;  // of this process: a number that no earlier one of the box had
  std::uint64_t first_request = 0;
};

// Exclusive cameras stop so long before the lease may end.
inline constexpr Duration kFenceMargin = kLeaseMargin;

struct SaveText {  // it is what boot() gets after a reboot
  std::string text;
};
using BoxOrder = std::variant<fleet::agent::Start, fleet::agent::Stop, fleet::agent::StandBy, SaveText>;

class BoxLink {
 public:
  explicit BoxLink(const BoxLinkSettings& settings);

  // False: what was saved cannot be read; the box begins without cameras.
  bool boot(const std::optional<std::string>& saved, TimePoint now);
  void on(const Event& event, TimePoint now);
  void report(const TaskId& camera, std::int64_t epoch, fleet::CameraStatus status, const std::string& reason,
              TimePoint now);
  void ready(std::vector<TaskId> standby, TimePoint now);  // as Agent::ready()
  void step(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> next() const;

  [[nodiscard]] std::uint64_t new_number() { return session_.new_number(); }  // of a request of the caller's
  [[nodiscard]] std::vector<Numbered> take_requests() { return std::exchange(requests_, {}); }
  [[nodiscard]] std::vector<BoxOrder> take_orders() { return std::exchange(orders_, {}); }

  // That it, or an earlier process of the box, may hold.
  [[nodiscard]] Duration longest_lease() const { return agent_.longest_lease(); }
  [[nodiscard]] std::vector<fleet::MovedCamera> moved(TimePoint now) const { return agent_.moved(now); }
  [[nodiscard]] bool attached() const { return session_.read_under_claim(); }
  // The assignment of the store is not the one that is followed: it is older, as in a store that was restored
  // or made anew, or cannot be read.
  [[nodiscard]] bool refuses() const { return attached() && assignment() != nullptr && !follows(); }
  [[nodiscard]] const Session& session() const { return session_; }
  [[nodiscard]] std::int64_t refused() const { return agent_.refused() + unreadable_; }  // documents

 private:
  void follow(TimePoint now);
  void act(TimePoint now);
  void write_state();
  void on_write(const Answer& answer, TimePoint now);
  [[nodiscard]] bool follows() const;
  [[nodiscard]] const Entry* assignment() const;  // of the store; null: none is known

  Keys keys_;
  BoxLinkSettings settings_;
  Session session_;
  fleet::Agent agent_;
  std::vector<Numbered> requests_;
  std::vector<BoxOrder> orders_;
  std::optional<fleet::StateDocument> unwritten_;
  std::optional<fleet::StateDocument> writing_;
  std::uint64_t write_ = 0;
  std::optional<std::int64_t> state_revision_;  // of the state in the store; absent: to be read
  std::optional<std::int64_t> wrote_under_;     // the claim
  std::optional<fleet::StateDocument> last_state_;
  std::optional<TimePoint> write_again_;
  std::int64_t unreadable_ = 0;
};

}  // namespace saccade::fleet_store
