#include "results/mqtt/retained_book.hpp"

namespace saccade::results {

void RetainedBook::set(Rank rank, const std::string& topic, std::string payload) {
  change(rank, topic, std::move(payload));
}

void RetainedBook::clear(Rank rank, const std::string& topic) { change(rank, topic, {}); }

void RetainedBook::change(Rank rank, const std::string& topic, std::string payload) {
  Entry& entry = entries_[topic];
  ready_.erase({entry.rank, topic});
  entry = {rank, std::move(payload), true};
  if (!in_flight_.contains(topic)) ready_.insert({rank, topic});
}

void RetainedBook::repeat(Rank rank) {
  for (auto& [topic, entry] : entries_) {
    if (entry.rank != rank) continue;
    entry.changed = true;
    if (!in_flight_.contains(topic)) ready_.insert({rank, topic});
  }
}

bool RetainedBook::keeps(const std::string& topic) const {
  const auto found = entries_.find(topic);
  return found != entries_.end() && !found->second.payload.empty();
}

void RetainedBook::connected() {
  in_flight_.clear();
  for (const Rank rank : {Rank::available, Rank::discovery, Rank::state}) repeat(rank);
}

void RetainedBook::lost() { connected(); }

std::optional<Retained> RetainedBook::next() {
  if (ready_.empty()) return std::nullopt;
  const std::string topic = ready_.begin()->second;
  ready_.erase(ready_.begin());
  in_flight_.insert(topic);
  Entry& entry = entries_.at(topic);
  entry.changed = false;
  return Retained{topic, entry.payload};
}

void RetainedBook::confirmed(const std::string& topic) {
  if (in_flight_.erase(topic) == 0) return;
  const auto found = entries_.find(topic);
  if (found == entries_.end()) return;
  if (found->second.changed) {
    ready_.insert({found->second.rank, topic});
  } else if (found->second.payload.empty()) {
    entries_.erase(found);
  }
}

}  // namespace saccade::results
