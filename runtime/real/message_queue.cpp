#include "runtime/real/message_queue.hpp"

#include <algorithm>

namespace saccade::runtime {
namespace {

event::FramesLost* losses_in(News& news) {
  auto* event = std::get_if<Event>(&news);
  return event != nullptr ? std::get_if<event::FramesLost>(event) : nullptr;
}

}  // namespace

void MessageQueue::post(News what) {
  const Lock lock(mutex_);
  if (const event::FramesLost* lost = losses_in(what)) {
    lost_.resize(std::max(lost_.size(), lost->task + 1));
    std::int64_t& waiting = lost_[lost->task];
    waiting += lost->frames;
    if (waiting > lost->frames) return;
  }
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
  if (event::FramesLost* lost = losses_in(message.what)) lost->frames = std::exchange(lost_[lost->task], 0);
  return message;
}

}  // namespace saccade::runtime
