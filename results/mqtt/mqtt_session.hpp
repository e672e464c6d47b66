// One broker over time, without sockets: when to connect, what to send, and what became of it. Retained
// states are sent before results; at most `window` messages are unacknowledged. Time and randomness are
// arguments.
//
//   waiting --begin()--> connecting --connected()--> connected
//      ^--lost(), refused()--'--------lost()-----------'
//
// After connected() all retained states are sent again, and so are unacknowledged results; a broker may
// therefore see a result twice, with the same task and frame.
//
// Threads: one at a time. Errors: the last one in account().fault, with the message of the broker or the
// system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "results/back_off.hpp"
#include "results/mqtt/result_ring.hpp"
#include "results/mqtt/retained_book.hpp"

namespace saccade::results {

// Delays before the next connection attempt: `least` and `most` as in BackOffRule.
struct MqttRetry {
  Duration least = std::chrono::seconds(1);
  Duration most = std::chrono::seconds(30);
  Duration refused = std::chrono::seconds(30);     // after wrong credentials
  Duration connecting = std::chrono::seconds(10);  // until an attempt is abandoned
  Duration settled = std::chrono::seconds(10);     // a connection of this duration resets the back-off
};

struct Publication {
  std::int64_t ticket = 0;
  std::string topic;                     // of a state
  std::string payload;                   // of a state
  std::shared_ptr<const Result> result;  // null: a state, which is retained
};

class MqttSession {
 public:
  enum class State { waiting, connecting, connected };
  static constexpr std::size_t kWindow = 64;

  // `broker`: its name in faults. `uniform`: a number in [0, 1).
  MqttSession(std::string broker, std::size_t queue, MqttRetry retry, std::function<double()> uniform);

  [[nodiscard]] RetainedBook& book() { return book_; }  // may change at any time
  void take(std::shared_ptr<const Result> result) { ring_.take(std::move(result)); }

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool should_connect(TimePoint now) const { return state_ == State::waiting && now >= next_; }
  [[nodiscard]] bool has_waited_too_long(TimePoint now) const;  // for the broker's response
  // When begin() or a time-out becomes due; nothing while connected.
  [[nodiscard]] std::optional<TimePoint> alarm() const;

  void begin(TimePoint now);
  void connected(TimePoint now);
  void lost(TimePoint now, const std::string& words);
  void refused(TimePoint now, const std::string& words, bool credentials);

  // The next message to send: none unless connected, or while the window is full.
  [[nodiscard]] std::optional<Publication> next();
  // The broker has acknowledged it (with QoS 0: the socket has accepted it). Tickets of an earlier connection
  // are ignored. `at`: by the clock of Result::ended.
  void acknowledged(std::int64_t ticket, Duration at);
  void rejected(std::int64_t ticket, const std::string& words);
  // A fault until the next connection: what is not heard is not answered.
  void not_subscribed(const std::string& filter, const std::string& words);

  [[nodiscard]] bool is_settled() const { return ring_.is_empty() && book_.is_settled(); }
  void give_up() { ring_.give_up(); }  // fails all waiting results
  [[nodiscard]] SinkAccount account() const;

 private:
  void wait(TimePoint now, Duration time);
  void answered(std::int64_t ticket);

  const std::string broker_;
  const MqttRetry retry_;
  const std::function<double()> uniform_;
  BackOff back_off_;
  RetainedBook book_;
  ResultRing ring_;
  State state_ = State::waiting;
  TimePoint next_{};   // waiting: next attempt; connecting: time-out
  TimePoint since_{};  // connected
  std::int64_t last_ticket_ = 0;
  std::map<std::int64_t, std::string> open_;  // ticket to topic; empty: a result
  std::string fault_;
  std::string rejection_;
  std::string unheard_;        // filters that the broker refused on this connection
  std::string unheard_words_;  // its reason; empty: it gave none
};

}  // namespace saccade::results
