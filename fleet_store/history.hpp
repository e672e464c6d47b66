// Keys, revisions and leases of one store in memory, as they are after every request has reached it: what the
// simulated store is made of. It knows no clients, delays or faults. Threads: plain value.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "fleet_store/store.hpp"

namespace saccade::fleet_store {

[[nodiscard]] bool covers(const std::string& key, bool prefix, const std::string& of);

class History {
 public:
  [[nodiscard]] std::int64_t revision() const { return revision_; }
  [[nodiscard]] std::int64_t compacted() const { return compacted_; }
  [[nodiscard]] const std::map<std::string, Entry>& entries() const { return entries_; }

  [[nodiscard]] answer::Listed list(const request::List& of) const;
  // What is wrong with it, whatever the store holds; empty = nothing.
  [[nodiscard]] std::string refusal(const request::Commit& commit) const;
  answer::Committed commit(const request::Commit& commit);
  answer::Granted grant(Duration time, TimePoint now);
  [[nodiscard]] bool keep(std::int64_t lease, TimePoint now);
  bool revoke(std::int64_t lease);
  // Ends what was not paid; the time of the next such end.
  void expire(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> next_expiry() const;
  // All leases get their whole time again, as after the election of a leader.
  void renew_all(TimePoint now);
  bool compact(std::int64_t before);
  [[nodiscard]] std::vector<std::int64_t> leases() const;

  // Changes of the keys from this revision on, in order.
  [[nodiscard]] std::vector<answer::Watched::Change> changes(const request::Watch& watch) const;

 private:
  struct Lease {
    Duration time{};
    TimePoint ends{};
    std::set<std::string> keys;
  };
  void end_at(std::int64_t id, Lease& lease, TimePoint at);
  void put(const Put& put);
  void erase(const std::string& key);
  void detach(const std::string& key);

  std::map<std::string, Entry> entries_;
  std::map<std::string, std::int64_t> lease_of_;
  std::map<std::int64_t, Lease> leases_;
  std::set<std::pair<TimePoint, std::int64_t>> ends_;  // of all leases
  std::vector<answer::Watched::Change> log_;           // from compacted_ on, ascending
  std::int64_t revision_ = 1;
  std::int64_t compacted_ = 0;
  std::int64_t next_lease_ = 1;
};

}  // namespace saccade::fleet_store
