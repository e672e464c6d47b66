#include "service/api/event_feed.hpp"

#include <algorithm>
#include <utility>

namespace saccade::service {

void EventFeed::publish(std::string kind, std::string json) {
  const Lock lock(mutex_);
  events_.push_back({++newest_, std::move(kind), std::move(json)});
  if (events_.size() > capacity_) events_.pop_front();
  if (call_) call_();  // under the lock, so that after on_publish({}) nobody is inside
}

EventFeed::Batch EventFeed::read(std::uint64_t after, std::size_t most) const {
  const Lock lock(mutex_);
  Batch batch;
  if (after > newest_) after = 0;
  const std::uint64_t before_oldest = newest_ - events_.size();
  if (after < before_oldest) batch.lost = before_oldest - after;
  const std::size_t first = static_cast<std::size_t>(std::max(after, before_oldest) - before_oldest);
  const std::size_t end = std::min(events_.size(), first + most);
  for (std::size_t i = first; i < end; ++i) batch.events.push_back(events_[i]);
  return batch;
}

std::uint64_t EventFeed::newest() const {
  const Lock lock(mutex_);
  return newest_;
}

void EventFeed::on_publish(std::function<void()> call) {
  const Lock lock(mutex_);
  call_ = std::move(call);
}

}  // namespace saccade::service
