#include "results/bounded_queue.hpp"

#include <utility>

namespace saccade::results {

void BoundedQueue::put(Item item) {
  Item oldest;  // released outside the mutex
  {
    const Lock lock(mutex_);
    ++account_.taken;
    if (closed_) {
      ++account_.dropped;
      return;
    }
    items_.push_back(std::move(item));
    if (items_.size() > most_) {
      oldest = std::move(items_.front());
      items_.pop_front();
      ++account_.dropped;
    } else {
      ++account_.waiting;
    }
  }
  changed_.notify_one();
}

void BoundedQueue::close() {
  {
    const Lock lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

BoundedQueue::Item BoundedQueue::take(std::optional<Duration> patience) {
  Lock lock(mutex_);
  const auto news = [&]() SACCADE_REQUIRES(mutex_) { return closed_ || !items_.empty(); };
  if (!patience) {
    changed_.wait(mutex_, news);
  } else if (*patience > Duration(0)) {
    changed_.wait_for(mutex_, *patience, news);
  }
  if (items_.empty()) return nullptr;
  Item item = std::move(items_.front());
  items_.pop_front();
  return item;
}

bool BoundedQueue::closed() const {
  const Lock lock(mutex_);
  return closed_ && items_.empty();
}

void BoundedQueue::sent(const Result& result, Duration at) {
  const Lock lock(mutex_);
  settle_locked(&SinkAccount::sent);
  account_.delivered.add(at - result.ended);
}

void BoundedQueue::set_state(bool connected, std::string fault) {
  const Lock lock(mutex_);
  account_.connected = connected;
  account_.fault = std::move(fault);
}

SinkAccount BoundedQueue::account() const {
  const Lock lock(mutex_);
  return account_;
}

}  // namespace saccade::results
