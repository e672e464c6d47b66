#include "service/api/result_feed.hpp"

#include <algorithm>
#include <utility>

namespace saccade::service {

ResultFeed::ResultFeed(std::string node, std::size_t capacity)
    : node_(std::move(node)), capacity_(std::max<std::size_t>(capacity, 1)) {}

void ResultFeed::publish(const Item& result) {
  Item oldest;  // released outside the mutex
  Item former;
  const Lock lock(mutex_);
  entries_.push_back({++newest_, result});
  if (entries_.size() > capacity_) {
    oldest = std::move(entries_.front().result);
    entries_.pop_front();
  }
  ++published_[result->task];
  former = std::exchange(newest_of_[result->task], result);
  // Under the mutex, so that after a reader's destructor nobody is inside.
  for (auto& [reader, place] : places_) {
    if (place.woken || !wants(place, result->task)) continue;
    place.woken = true;
    if (place.wake) place.wake();
  }
}

void ResultFeed::forget(const std::string& task) {
  const Lock lock(mutex_);
  newest_of_.erase(task);
}

ResultFeed::Item ResultFeed::newest(const std::string& task) const {
  const Lock lock(mutex_);
  const auto found = newest_of_.find(task);
  return found == newest_of_.end() ? nullptr : found->second;
}

ResultFeed::Counts ResultFeed::counts() const {
  const Lock lock(mutex_);
  Counts counts = counts_;
  counts.readers = static_cast<std::int64_t>(places_.size());
  return counts;
}

std::uint64_t ResultFeed::published(const Place& place) const {
  if (place.tasks.empty()) return newest_;
  std::uint64_t sum = 0;
  for (const std::string& task : place.tasks) {
    if (const auto found = published_.find(task); found != published_.end()) sum += found->second;
  }
  return sum;
}

std::uint64_t ResultFeed::waiting(const Place& place) const {
  return static_cast<std::uint64_t>(std::count_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.number > place.last && wants(place, entry.result->task);
  }));
}

ResultFeed::Reader::Reader(ResultFeed& feed, Wanted wanted, std::function<void()> wake) : feed_(feed) {
  const Lock lock(feed.mutex_);
  Place& place = feed.places_[this];
  place.tasks = std::move(wanted.tasks);
  place.wake = std::move(wake);
  place.last = wanted.after.value_or(feed.newest_);
  if (place.last > feed.newest_) place.last = 0;
  const bool earlier_life = wanted.after.has_value() && *wanted.after > feed.newest_;
  const std::uint64_t before_oldest = feed.newest_ - feed.entries_.size();
  const std::uint64_t missed = !earlier_life && place.last < before_oldest ? before_oldest - place.last : 0;
  const std::uint64_t older = feed.published(place) - feed.waiting(place);
  place.accounted = older - std::min(older, missed);
}

ResultFeed::Reader::~Reader() {
  const Lock lock(feed_.mutex_);
  feed_.places_.erase(this);
}

ResultFeed::Batch ResultFeed::Reader::read(std::size_t most) {
  const Lock lock(feed_.mutex_);
  Place& place = feed_.places_.at(this);
  place.woken = false;
  Batch batch;
  batch.lost = feed_.published(place) - place.accounted - feed_.waiting(place);
  for (const Entry& entry : feed_.entries_) {
    if (entry.number <= place.last) continue;
    if (!wants(place, entry.result->task)) {
      place.last = entry.number;
      continue;
    }
    if (batch.entries.size() == most) break;
    batch.entries.push_back(entry);
    place.last = entry.number;
  }
  place.accounted += batch.lost + batch.entries.size();
  feed_.counts_.read += static_cast<std::int64_t>(batch.entries.size());
  feed_.counts_.lost += static_cast<std::int64_t>(batch.lost);
  return batch;
}

}  // namespace saccade::service
