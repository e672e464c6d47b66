#include "results/mqtt/mqtt_session.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace saccade::results {

MqttSession::MqttSession(std::string broker, std::size_t queue, MqttRetry retry,
                         std::function<double()> uniform)
    : broker_(std::move(broker)),
      retry_(retry),
      uniform_(std::move(uniform)),
      back_off_({retry.least, retry.most}),
      ring_(queue) {}

bool MqttSession::has_waited_too_long(TimePoint now) const {
  return state_ == State::connecting && now >= next_;
}

std::optional<TimePoint> MqttSession::alarm() const {
  if (state_ == State::connected) return std::nullopt;
  return next_;
}

void MqttSession::begin(TimePoint now) {
  SACCADE_CHECK(state_ == State::waiting);
  state_ = State::connecting;
  next_ = now + retry_.connecting;
}

void MqttSession::connected(TimePoint now) {
  if (state_ != State::connecting) return;
  state_ = State::connected;
  since_ = now;
  fault_.clear();
  rejection_.clear();
  unheard_.clear();
  book_.connected();
}

void MqttSession::lost(TimePoint now, const std::string& words) {
  if (state_ == State::waiting) return;
  const bool was_connected = state_ == State::connected;
  fault_ = (was_connected ? "the connection to " : "no connection to ") + broker_ +
           (was_connected ? " was lost: " : ": ") + words;
  if (was_connected && now - since_ >= retry_.settled) back_off_.reset();
  wait(now, back_off_.next(uniform_()));
}

void MqttSession::refused(TimePoint now, const std::string& words, bool credentials) {
  if (state_ != State::connecting) return;
  if (!credentials) {
    lost(now, words);
    return;
  }
  fault_ = broker_ + " refuses this client: " + words;
  wait(now, retry_.refused);
}

void MqttSession::wait(TimePoint now, Duration time) {
  state_ = State::waiting;
  next_ = now + time;
  open_.clear();
  book_.lost();
  ring_.lost();
}

std::optional<Publication> MqttSession::next() {
  if (state_ != State::connected || open_.size() >= kWindow) return std::nullopt;
  Publication publication;
  publication.ticket = last_ticket_ + 1;
  if (std::optional<Retained> kept = book_.next()) {
    publication.topic = std::move(kept->topic);
    publication.payload = std::move(kept->payload);
  } else {
    publication.result = ring_.next(publication.ticket);
    if (!publication.result) return std::nullopt;
  }
  ++last_ticket_;
  open_.emplace(last_ticket_, publication.topic);
  return publication;
}

void MqttSession::acknowledged(std::int64_t ticket, Duration at) {
  if (!open_.contains(ticket)) return;
  rejection_.clear();
  ring_.sent(ticket, at);
  answered(ticket);
}

void MqttSession::rejected(std::int64_t ticket, const std::string& words) {
  const auto found = open_.find(ticket);
  if (found == open_.end()) return;
  rejection_ =
      broker_ + " does not take " + (found->second.empty() ? "a result" : found->second) + ": " + words;
  ring_.failed(ticket);
  answered(ticket);
}

void MqttSession::not_subscribed(const std::string& filter, const std::string& words) {
  if (state_ != State::connected) return;
  unheard_ += (unheard_.empty() ? "" : ", ") + filter;
  unheard_words_ = words;
}

void MqttSession::answered(std::int64_t ticket) {
  const auto found = open_.find(ticket);
  if (!found->second.empty()) book_.confirmed(found->second);
  open_.erase(found);
}

SinkAccount MqttSession::account() const {
  SinkAccount account = ring_.account();
  account.connected = state_ == State::connected;
  account.fault = fault_.empty() ? rejection_ : fault_;
  if (account.fault.empty() && !unheard_.empty()) {
    account.fault = broker_ + " refuses a subscription to " + unheard_ +
                    (unheard_words_.empty() ? "" : ": " + unheard_words_) +
                    " (allow this client to subscribe to it)";
  }
  return account;
}

}  // namespace saccade::results
