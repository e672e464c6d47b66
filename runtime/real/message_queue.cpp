#include "runtime/real/message_queue.hpp"

namespace saccade::runtime {

void MessageQueue::post(News what) {
  const Lock lock(mutex_);
  // The time is read under the lock, so that the messages' times never step back.
  messages_.push_back({clock_.now(), std::move(what)});
  arrived_.notify_one();
}

std::optional<Message> MessageQueue::take(std::optional<TimePoint> until) {
  Lock lock(mutex_);
  const auto any = [&]() SACCADE_REQUIRES(mutex_) { return !messages_.empty(); };
  if (until) {
    if (!arrived_.wait_for(mutex_, *until - clock_.now(), any)) return std::nullopt;
  } else {
    arrived_.wait(mutex_, any);
  }
  Message message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

}  // namespace saccade::runtime
