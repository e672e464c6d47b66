#include "fleet_store/history.hpp"

#include <algorithm>

namespace saccade::fleet_store {

bool covers(const std::string& key, bool prefix, const std::string& of) {
  return prefix ? of.starts_with(key) : of == key;
}

answer::Listed History::list(const request::List& of) const {
  answer::Listed listed{revision_, {}};
  for (auto it = entries_.lower_bound(of.key); it != entries_.end(); ++it) {
    if (!covers(of.key, of.prefix, it->first)) break;
    listed.entries.push_back(it->second);
  }
  return listed;
}

std::string History::refusal(const request::Commit& commit) const {
  if (commit.compares.size() > kMostOperations) return "too many comparisons";
  if (commit.puts.size() + commit.deletions.size() > kMostOperations) return "too many operations";
  std::set<std::string> keys(commit.deletions.begin(), commit.deletions.end());
  bool twice = keys.size() != commit.deletions.size();
  std::size_t bytes = 0;
  for (const Put& put : commit.puts) {
    twice = twice || !keys.insert(put.key).second;
    bytes += put.key.size() + put.value.size();
  }
  if (twice) return "a key is changed twice";
  return bytes > kMostBytes ? "too many bytes" : "";
}

answer::Committed History::commit(const request::Commit& commit) {
  for (const Compare& compare : commit.compares) {
    const auto found = entries_.find(compare.key);
    std::int64_t has = 0;
    if (found != entries_.end()) {
      has = compare.what == Compare::What::created ? found->second.created : found->second.changed;
    }
    if (has != compare.revision) return {false, revision_};
  }
  const bool leases_live = std::all_of(commit.puts.begin(), commit.puts.end(), [&](const Put& put) {
    return put.lease == 0 || leases_.contains(put.lease);
  });
  if (!leases_live) return {false, revision_};
  if (commit.puts.empty() && commit.deletions.empty()) return {true, revision_};
  ++revision_;
  for (const std::string& key : commit.deletions) erase(key);
  for (const Put& each : commit.puts) put(each);
  return {true, revision_};
}

void History::put(const Put& put) {
  Entry& entry = entries_[put.key];
  entry.key = put.key;
  entry.value = put.value;
  if (entry.created == 0) entry.created = revision_;
  entry.changed = revision_;
  detach(put.key);
  if (put.lease != 0) {
    lease_of_[put.key] = put.lease;
    leases_[put.lease].keys.insert(put.key);
  }
  log_.push_back({put.key, put.value, entry.created, revision_});
}

void History::erase(const std::string& key) {
  if (entries_.erase(key) == 0) return;
  detach(key);
  log_.push_back({key, {}, 0, revision_});
}

void History::detach(const std::string& key) {
  const auto held = lease_of_.find(key);
  if (held == lease_of_.end()) return;
  leases_[held->second].keys.erase(key);
  lease_of_.erase(held);
}

answer::Granted History::grant(Duration time, TimePoint now) {
  const std::int64_t lease = next_lease_++;
  Lease& granted = leases_[lease];
  granted.time = time;
  end_at(lease, granted, now + time);
  return {lease, time};
}

void History::end_at(std::int64_t id, Lease& lease, TimePoint at) {
  ends_.erase({lease.ends, id});
  lease.ends = at;
  ends_.emplace(at, id);
}

bool History::keep(std::int64_t lease, TimePoint now) {
  const auto found = leases_.find(lease);
  if (found == leases_.end()) return false;
  end_at(lease, found->second, now + found->second.time);
  return true;
}

bool History::revoke(std::int64_t lease) {
  const auto found = leases_.find(lease);
  if (found == leases_.end()) return false;
  const std::set<std::string> keys = found->second.keys;
  if (!keys.empty()) ++revision_;
  for (const std::string& key : keys) erase(key);
  ends_.erase({found->second.ends, lease});
  leases_.erase(found);
  return true;
}

void History::expire(TimePoint now) {
  std::vector<std::int64_t> ended;
  for (const auto& [at, lease] : ends_) {
    if (at > now) break;
    ended.push_back(lease);
  }
  std::sort(ended.begin(), ended.end());
  for (const std::int64_t lease : ended) revoke(lease);
}

std::optional<TimePoint> History::next_expiry() const {
  return ends_.empty() ? std::nullopt : std::optional(ends_.begin()->first);
}

void History::renew_all(TimePoint now) {
  for (auto& [lease, of] : leases_) end_at(lease, of, now + of.time);
}

bool History::compact(std::int64_t before) {
  if (before <= compacted_ || before > revision_) return false;
  compacted_ = before;
  std::erase_if(log_, [&](const answer::Watched::Change& change) { return change.changed < before; });
  return true;
}

std::vector<std::int64_t> History::leases() const {
  std::vector<std::int64_t> all;
  for (const auto& [lease, of] : leases_) all.push_back(lease);
  return all;
}

std::vector<answer::Watched::Change> History::changes(const request::Watch& watch) const {
  std::vector<answer::Watched::Change> found;
  const auto first = std::lower_bound(
      log_.begin(), log_.end(), watch.from,
      [](const answer::Watched::Change& change, std::int64_t from) { return change.changed < from; });
  for (auto it = first; it != log_.end(); ++it) {
    if (covers(watch.key, watch.prefix, it->key)) found.push_back(*it);
  }
  return found;
}

}  // namespace saccade::fleet_store
