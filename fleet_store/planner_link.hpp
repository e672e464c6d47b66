// A planner on its store: it follows the whole fleet, and while its key is the leader's it decides
// (fleet/control/planner.hpp) and writes. Every write compares the leader's key and every document it
// replaces; so what a planner that was replaced sends later is not done. It also stops by itself before its
// lease may have ended. After a write whose outcome is not known, the store is read again first. A document
// that is larger than the store takes is left out, and in complaints(): nothing more goes to its box until
// something of the configuration changes, or for a while. What the store refuses is in complaints(), too, and
// it pauses before it decides again. How the configuration is read is the caller's: the documents of cameras,
// boxes and profiles are not known here. Order as of BoxLink. Threads: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "fleet/control/planner.hpp"
#include "fleet_store/documents.hpp"
#include "fleet_store/session.hpp"

namespace saccade::fleet_store {

struct Configured {
  fleet::Problem problem;  // sorted and valid
  std::map<TaskId, std::string> tasks;
  std::set<fleet::BoxId> mute = {};  // boxes whose API cannot be asked
  std::map<TaskId, fleet::BoxId> pins = {};
  std::map<fleet::BoxId, std::string> apis = {};  // where clients reach the API of a box
};
// Of all keys of the fleet. Nothing: it is not valid, and what was read before stays.
using ReadConfigured = std::function<std::optional<Configured>(const std::map<std::string, Entry>&)>;

struct PlannerLinkSettings {
  std::string fleet;
  std::string planner;
  std::int64_t session = 0;
  Duration lease = std::chrono::seconds(6);
  fleet::PlannerSettings decide;
  std::uint64_t first_request = 0;
};

class PlannerLink {
 public:
  PlannerLink(const PlannerLinkSettings& settings, ReadConfigured read);

  void on(const Event& event, TimePoint now);
  // As Judge::probed().
  void probed(const fleet::BoxId& box, bool answered, TimePoint now, std::optional<Duration> reached = {});
  void release_brake(TimePoint now);
  void step(TimePoint now);
  // Whoever answers an operator knows what the store was seen to hold.
  void read_configured(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> next() const;

  [[nodiscard]] std::vector<Numbered> take_requests() { return std::exchange(requests_, {}); }
  [[nodiscard]] std::vector<fleet::BoxId> take_probes();

  [[nodiscard]] std::uint64_t new_number() { return session_.new_number(); }  // of a request of the caller's
  [[nodiscard]] const Session& session() const { return session_; }
  [[nodiscard]] const fleet::FleetView& view() const { return view_; }
  [[nodiscard]] bool leading() const { return planner_.has_value(); }
  [[nodiscard]] const fleet::Planner* planner() const { return planner_ ? &*planner_ : nullptr; }
  [[nodiscard]] std::int64_t unreadable() const { return unreadable_; }
  // What could not be written while it leads: `where` is the key below the fleet's root.
  [[nodiscard]] Errors complaints() const;
  // Of its plans and moves while it leads.
  [[nodiscard]] fleet::PlannerTimes take_times() {
    return planner_ ? planner_->take_times() : fleet::PlannerTimes{};
  }

 private:
  // The whole configuration is read, whatever has changed of it: of a burst of changes, not each.
  static constexpr Duration kBetweenReads = std::chrono::milliseconds(100);

  void follow(TimePoint now);
  [[nodiscard]] TimePoint may_read() const { return read_at_.value_or(TimePoint{}) + kBetweenReads; }
  void follow_key(const std::string& key, const Entry* entry);
  void lead(TimePoint now);
  void decide(TimePoint now);
  void mind_too_large(TimePoint now);
  bool write(const fleet::Write& write, TimePoint now);  // false: all is left out
  [[nodiscard]] bool may_decide(TimePoint now) const;

  Keys keys_;
  PlannerLinkSettings settings_;
  ReadConfigured read_;
  Session session_;
  fleet::FleetView view_;
  std::optional<fleet::Planner> planner_;
  std::optional<std::int64_t> term_;
  std::set<fleet::BoxId> mute_;
  bool changed_ = false;  // the configuration, since it was read
  std::optional<TimePoint> read_at_;
  std::optional<std::uint64_t> judged_;  // version of the problem whose boxes the judge knows
  std::vector<Numbered> requests_;
  std::uint64_t write_ = 0;
  std::int64_t wait_for_ = 0;        // revision that the mirror is to reach
  std::uint64_t wait_for_list_ = 0;  // lists that are to have arrived
  bool silent_ = false;              // the store, for a while
  std::int64_t unreadable_ = 0;
  struct TooLarge {
    std::size_t bytes = 0;
    TimePoint at{};                     // when it was last to be written
    std::uint64_t problem_version = 0;  // with this problem
  };
  std::map<fleet::BoxId, TooLarge> too_large_;  // documents of these
  std::string largest_;                         // of the last write, in words
  std::optional<std::string> refused_;          // why the store has refused the last one, in words
  std::optional<TimePoint> paused_until_;       // nothing is decided before
};

}  // namespace saccade::fleet_store
