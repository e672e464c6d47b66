#include "results/presence.hpp"

#include <algorithm>
#include <utility>

namespace saccade::results {

Presence::Presence(const PresenceRule& rule) : rule_(rule) {
  rule_.frames = std::max<std::size_t>(1, rule_.frames);
}

void Presence::rise(Label& label, int seen, TimePoint now) const {
  if (label.last.size() == rule_.frames) label.last.erase(label.last.begin());
  label.last.push_back(seen);
  const auto known = std::min(label.reached.size(), static_cast<std::size_t>(seen));
  std::fill_n(label.reached.begin(), known, now);
  if (label.last.size() < rule_.frames) return;
  const int sure = *std::min_element(label.last.begin(), label.last.end());
  label.reached.resize(std::max(label.reached.size(), static_cast<std::size_t>(sure)), now);
}

// Who sees n sees fewer, too: the last entry is the oldest.
void Presence::fall(Label& label, TimePoint now) const {
  while (!label.reached.empty() && now - label.reached.back() >= rule_.hold) label.reached.pop_back();
}

std::vector<Presence::Change> Presence::see(const std::vector<SeenObject>& objects, TimePoint now) {
  std::map<std::string, int> seen;
  for (const SeenObject& object : objects) {
    if (object.score >= rule_.min_score) ++seen[object.label];
  }
  for (const auto& [name, count] : seen) labels_.try_emplace(name);
  std::vector<Change> changes;
  for (auto each = labels_.begin(); each != labels_.end();) {
    Label& label = each->second;
    const std::size_t before = label.reached.size();
    const auto found = seen.find(each->first);
    fall(label, now);  // what ended before this result
    rise(label, found == seen.end() ? 0 : found->second, now);
    if (label.reached.size() != before) {
      changes.push_back({each->first, static_cast<int>(label.reached.size())});
    }
    const bool in_sight = std::any_of(label.last.begin(), label.last.end(), [](int n) { return n > 0; });
    each = label.reached.empty() && !in_sight ? labels_.erase(each) : std::next(each);
  }
  return changes;
}

std::vector<Presence::Change> Presence::pass(TimePoint now) {
  std::vector<Change> changes;
  for (auto& [name, label] : labels_) {
    const std::size_t before = label.reached.size();
    fall(label, now);
    if (label.reached.size() != before) changes.push_back({name, static_cast<int>(label.reached.size())});
  }
  return changes;
}

std::optional<TimePoint> Presence::next_end() const {
  std::optional<TimePoint> next;
  for (const auto& [name, label] : labels_) {
    if (label.reached.empty()) continue;
    const TimePoint end = label.reached.back() + rule_.hold;
    if (!next || end < *next) next = end;
  }
  return next;
}

std::vector<Presence::Change> Presence::end() {
  std::vector<Change> changes;
  for (const auto& [name, label] : labels_) {
    if (!label.reached.empty()) changes.push_back({name, 0});
  }
  labels_.clear();
  return changes;
}

std::map<std::string, int> Presence::counts() const {
  std::map<std::string, int> counts;
  for (const auto& [name, label] : labels_) {
    if (!label.reached.empty()) counts[name] = static_cast<int>(label.reached.size());
  }
  return counts;
}

bool Presence::any() const {
  return std::any_of(labels_.begin(), labels_.end(),
                     [](const auto& each) { return !each.second.reached.empty(); });
}

}  // namespace saccade::results
