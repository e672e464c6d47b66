#include "results/socket/reader_ring.hpp"

#include <algorithm>
#include <utility>

namespace saccade::results {

ReaderRing::ReaderRing(std::size_t places, std::size_t readers)
    : most_(std::max<std::size_t>(1, places)), most_readers_(readers) {}

void ReaderRing::take(std::shared_ptr<const Result> result) {
  ++account_.taken;
  if (reads_.empty()) {
    ++account_.dropped;
    return;
  }
  if (places_.size() == most_) go(&SinkAccount::dropped);
  places_.push_back({.line = std::make_shared<Line>(Line{std::move(result), {}})});
  ++account_.waiting;
}

void ReaderRing::go(std::int64_t SinkAccount::*outcome) {
  if (!places_.front().sent) {
    ++(account_.*outcome);
    --account_.waiting;
  }
  bytes_ -= places_.front().bytes;
  places_.pop_front();
  ++first_;
}

void ReaderRing::go_where_all_have_read() {
  std::int64_t slowest = first_ + static_cast<std::int64_t>(places_.size());
  for (const auto& [reader, reading] : reads_) slowest = std::min(slowest, reading.number);
  while (first_ < slowest) go(&SinkAccount::dropped);
}

bool ReaderRing::join(Reader reader) {
  if (reads_.size() >= most_readers_) return false;
  const std::int64_t next = first_ + static_cast<std::int64_t>(places_.size());
  return reads_.try_emplace(reader, Reading{next, false}).second;
}

void ReaderRing::leave(Reader reader) {
  reads_.erase(reader);
  go_where_all_have_read();
}

ReaderRing::Next ReaderRing::next(Reader reader) {
  const auto found = reads_.find(reader);
  if (found == reads_.end() || found->second.in_hand) return {};
  Reading& reading = found->second;
  Next next;
  if (reading.number < first_) {
    next.lost = first_ - reading.number;
    lost_ += next.lost;
    reading.number = first_;
  }
  const auto at = static_cast<std::size_t>(reading.number - first_);
  if (at < places_.size()) {
    next.line = places_[at].line;
    reading.in_hand = true;
  }
  return next;
}

void ReaderRing::written(Reader reader, std::size_t bytes) {
  const auto found = reads_.find(reader);
  if (found == reads_.end() || found->second.number < first_) return;
  Place& place = places_.at(static_cast<std::size_t>(found->second.number - first_));
  bytes_ += bytes - std::exchange(place.bytes, bytes);
  while (bytes_ > kMostBytes && places_.size() > 1) go(&SinkAccount::dropped);
}

void ReaderRing::got(Reader reader, Duration at) {
  const auto found = reads_.find(reader);
  if (found == reads_.end() || !std::exchange(found->second.in_hand, false)) return;
  const std::int64_t number = found->second.number++;
  if (number >= first_) {
    Place& place = places_[static_cast<std::size_t>(number - first_)];
    if (!std::exchange(place.sent, true)) {
      ++account_.sent;
      --account_.waiting;
      account_.delivered.add(at - place.line->result->ended);
    }
  }
  go_where_all_have_read();
}

void ReaderRing::give_up() {
  while (!places_.empty()) go(&SinkAccount::failed);
}

void ReaderRing::set_state(bool connected, std::string fault) {
  account_.connected = connected;
  account_.fault = std::move(fault);
}

SinkAccount ReaderRing::account() const {
  SinkAccount account = account_;
  account.readers = Readers{static_cast<std::int64_t>(reads_.size()), lost_};
  return account;
}

}  // namespace saccade::results
