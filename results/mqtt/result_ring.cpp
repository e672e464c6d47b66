#include "results/mqtt/result_ring.hpp"

#include <utility>

namespace saccade::results {

void ResultRing::take(std::shared_ptr<const Result> result) {
  ++account_.taken;
  queue_.push_back(std::move(result));
  drop_what_is_too_much();
}

std::shared_ptr<const Result> ResultRing::next(std::int64_t ticket) {
  if (queue_.empty()) return nullptr;
  std::shared_ptr<const Result> oldest = std::move(queue_.front());
  queue_.pop_front();
  in_flight_.emplace(ticket, oldest);
  return oldest;
}

void ResultRing::sent(std::int64_t ticket, Duration at) {
  const auto found = in_flight_.find(ticket);
  if (found == in_flight_.end()) return;
  ++account_.sent;
  account_.delivered.add(at - found->second->ended);
  in_flight_.erase(found);
}

void ResultRing::failed(std::int64_t ticket) {
  account_.failed += static_cast<std::int64_t>(in_flight_.erase(ticket));
}

void ResultRing::lost() {
  for (auto newest = in_flight_.rbegin(); newest != in_flight_.rend(); ++newest)
    queue_.push_front(std::move(newest->second));
  in_flight_.clear();
  drop_what_is_too_much();
}

void ResultRing::give_up() {
  account_.failed += static_cast<std::int64_t>(queue_.size() + in_flight_.size());
  queue_.clear();
  in_flight_.clear();
}

SinkAccount ResultRing::account() const {
  SinkAccount account = account_;
  account.waiting = static_cast<std::int64_t>(queue_.size() + in_flight_.size());
  return account;
}

void ResultRing::drop_what_is_too_much() {
  while (queue_.size() > most_) {
    queue_.pop_front();
    ++account_.dropped;
  }
}

}  // namespace saccade::results
