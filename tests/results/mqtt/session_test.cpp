// One broker over time: its connection, what it keeps, and the account of the results.
#include "results/mqtt/mqtt_session.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <set>

namespace saccade::results {
namespace {

using std::chrono::seconds;

TimePoint at(double s) { return TimePoint(to_duration(Seconds(s))); }

std::shared_ptr<const Result> result_number(std::int64_t frame) {
  Result result;
  result.frame = frame;
  return std::make_shared<const Result>(result);
}

MqttSession session_with(std::size_t queue, double uniform = 0.5) {
  return {"broker:1883", queue, MqttRetry{}, [uniform] { return uniform; }};
}

void connect(MqttSession& session, TimePoint now) {
  session.begin(now);
  session.connected(now);
}

TEST(MqttSession, SendsWhatIsAvailableThenTheDiscoveryThenTheStatesThenResults) {
  MqttSession session = session_with(10);
  session.take(result_number(1));
  session.book().set(Rank::state, "a", "ON");
  session.book().set(Rank::discovery, "z", "{}");
  session.book().set(Rank::available, "m", "online");
  session.book().set(Rank::state, "a", "OFF");  // the newest alone
  EXPECT_FALSE(session.next());
  for (int round = 0; round < 2; ++round) {
    connect(session, at(round * 10));
    for (const char* topic : {"m", "z", "a"}) {
      const auto next = session.next();
      ASSERT_TRUE(next);
      EXPECT_EQ(next->topic, topic);
      EXPECT_EQ(next->result, nullptr);
      if (round == 1) session.acknowledged(next->ticket, Duration(0));
    }
    const auto result = session.next();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->result->frame, 1);  // in the second round again: it was not acknowledged
    EXPECT_FALSE(session.next());
    session.lost(at(round * 10 + 1), "gone");
    session.acknowledged(result->ticket, Duration(0));  // too late
    EXPECT_EQ(session.account().sent, 0);
    EXPECT_EQ(session.account().waiting, 1);
  }
}

TEST(MqttSession, AStateThatChangesWhileItIsOnItsWayIsSentAfterIt) {
  MqttSession session = session_with(10);
  connect(session, at(0));
  session.book().set(Rank::state, "a", "ON");
  const auto first = session.next();
  session.book().set(Rank::state, "a", "OFF");
  session.book().set(Rank::state, "a", "ON");
  EXPECT_FALSE(session.next());
  session.acknowledged(first->ticket, Duration(0));
  const auto second = session.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->payload, "ON");
  session.acknowledged(second->ticket, Duration(0));
  EXPECT_TRUE(session.is_settled());
}

TEST(MqttSession, TheOldestResultGoesAndTheWindowHasAnEnd) {
  MqttSession session = session_with(100);
  for (int frame = 1; frame <= 130; ++frame) session.take(result_number(frame));
  EXPECT_EQ(session.account().dropped, 30);
  connect(session, at(0));
  std::vector<std::int64_t> tickets;
  while (const auto next = session.next()) {
    if (tickets.empty()) {
      EXPECT_EQ(next->result->frame, 31);
    }
    tickets.push_back(next->ticket);
  }
  EXPECT_EQ(tickets.size(), MqttSession::kWindow);
  for (int frame = 131; frame <= 194; ++frame) session.take(result_number(frame));  // there is room for 64
  EXPECT_EQ(session.account().dropped, 30);
  EXPECT_EQ(session.account().waiting, 164);
  session.rejected(tickets.front(), "Not authorized");
  EXPECT_EQ(session.account().failed, 1);
  EXPECT_EQ(session.account().fault, "broker:1883 does not take a result: Not authorized");
  session.acknowledged(tickets.back(), Duration(0));
  EXPECT_EQ(session.account().sent, 1);
  EXPECT_EQ(session.account().fault, "");
  session.lost(at(1), "gone");  // 62 come back to 100
  EXPECT_EQ(session.account().waiting, 100);
  connect(session, at(10));
  std::int64_t last = 0;
  while (const auto next = session.next()) {  // still in their order
    EXPECT_GT(next->result->frame, last);
    last = next->result->frame;
  }
  session.give_up();
  const SinkAccount account = session.account();
  EXPECT_EQ(account.taken, account.sent + account.dropped + account.failed);
}

TEST(MqttSession, TriesAgainLaterAndLater) {
  for (const double uniform : {0.0, 0.25, 0.999}) {
    MqttSession session = session_with(1, uniform);
    TimePoint now = at(0);
    for (const double longest : {2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0}) {
      ASSERT_TRUE(session.should_connect(now));
      session.begin(now);
      EXPECT_TRUE(session.has_waited_too_long(now + seconds(10)));
      session.lost(now, "Connection refused");
      ASSERT_TRUE(session.alarm());
      EXPECT_NEAR(to_seconds(*session.alarm() - now).value(), 1.0 + uniform * (longest - 1.0), 1e-6);
      EXPECT_FALSE(session.should_connect(now + seconds(1) - Duration(1)));
      now = *session.alarm();
    }
    EXPECT_EQ(session.account().fault, "no connection to broker:1883: Connection refused");
    connect(session, now);  // one that does not last changes nothing
    EXPECT_FALSE(session.alarm());
    session.lost(now + seconds(9), "gone");
    EXPECT_NEAR(to_seconds(*session.alarm() - (now + seconds(9))).value(), 1.0 + uniform * 29.0, 1e-6);
    now = *session.alarm();
    connect(session, now);
    now += seconds(11);
    session.lost(now, "gone");
    EXPECT_NEAR(to_seconds(*session.alarm() - now).value(), 1.0 + uniform, 1e-6);
    EXPECT_EQ(session.account().fault, "the connection to broker:1883 was lost: gone");
  }
}

TEST(MqttSession, WrongCredentialsAreTriedAgainEveryThirtySeconds) {
  MqttSession session = session_with(1);
  TimePoint now = at(0);
  for (int attempt = 0; attempt < 3; ++attempt) {
    session.begin(now);
    session.refused(now, "not authorised", true);
    session.lost(now, "closed");  // as sockets are
    EXPECT_EQ(session.account().fault, "broker:1883 refuses this client: not authorised");
    EXPECT_EQ(*session.alarm() - now, seconds(30));
    now = *session.alarm();
  }
  session.begin(now);
  session.refused(now, "server unavailable", false);
  EXPECT_LE(*session.alarm() - now, seconds(2));
}

// A broker and the way to it, which may break anywhere.
class ModelBroker {
 public:
  explicit ModelBroker(bool acknowledges) : acknowledges_(acknowledges) {}

  void send(const Publication& publication) { way_.push_back(publication); }
  bool receive_one() {
    if (way_.empty()) return false;
    const Publication got = way_.front();
    way_.pop_front();
    if (got.result) {
      results_.insert(got.result->frame);
    } else if (got.payload.empty()) {
      kept_.erase(got.topic);
    } else {
      kept_[got.topic] = got.payload;
    }
    if (acknowledges_ || !got.result) answers_.push_back(got.ticket);
    return true;
  }
  std::optional<std::int64_t> answer() {
    if (answers_.empty()) return std::nullopt;
    const std::int64_t ticket = answers_.front();
    answers_.pop_front();
    return ticket;
  }
  void cut(bool forgets) {
    way_.clear();
    answers_.clear();
    if (forgets) kept_.clear();
    kept_["available"] = "offline";  // the last will
  }
  [[nodiscard]] const std::map<std::string, std::string>& kept() const { return kept_; }
  [[nodiscard]] bool has_result(std::int64_t frame) const { return results_.contains(frame); }
  [[nodiscard]] std::size_t results() const { return results_.size(); }

 private:
  bool acknowledges_;
  std::deque<Publication> way_;
  std::deque<std::int64_t> answers_;
  std::map<std::string, std::string> kept_;
  std::set<std::int64_t> results_;
};

// Random events against the session, with what should be kept written down beside it.
class RandomEvents {
 public:
  RandomEvents(bool acknowledges, unsigned seed)
      : acknowledges_(acknowledges),
        broker_(acknowledges),
        random_(seed),
        session_("broker:1883", 20, MqttRetry{}, [] { return 0.5; }) {
    set(Rank::available, "available", "online");
  }

  void one() {
    now_ += std::chrono::milliseconds(below(200));
    switch (below(16)) {
      case 0:
      case 1:
        session_.take(result_number(++taken_));
        break;
      case 2:
      case 3:
      case 4:
        change_a_state();
        break;
      case 5:
        session_.book().repeat(Rank::discovery);
        break;
      case 6:
      case 7:
        try_to_connect();
        break;
      case 8:
        if (below(20) == 0) cut();
        break;
      default:
        move();
    }
    check();
  }

  // Connects if it must and moves until nothing is left.
  void settle() {
    while (session_.state() != MqttSession::State::connected) {
      now_ += seconds(40);
      try_to_connect();
    }
    do {
      pump(1000);
      while (broker_.receive_one()) continue;
      while (const auto ticket = broker_.answer()) acknowledge(*ticket);
    } while (!session_.is_settled());
    EXPECT_EQ(broker_.kept(), newest_);
    EXPECT_EQ(session_.account().waiting, 0);
    check();
  }

  void finish() {
    settle();
    const SinkAccount account = session_.account();
    EXPECT_EQ(account.taken, taken_);
    EXPECT_GT(account.sent, 0);
    EXPECT_GT(account.dropped, 0);
    if (acknowledges_) {
      EXPECT_GE(static_cast<std::int64_t>(broker_.results()), account.sent);
    }
  }

 private:
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }

  void set(Rank rank, const std::string& topic, const std::string& payload) {
    if (payload.empty()) {
      session_.book().clear(rank, topic);
      newest_.erase(topic);
    } else {
      session_.book().set(rank, topic, payload);
      newest_[topic] = payload;
    }
  }
  void change_a_state() {
    const int topic = below(40);
    const Rank rank = topic < 5 ? Rank::discovery : Rank::state;
    set(rank, "topic" + std::to_string(topic), below(4) == 0 ? "" : std::to_string(below(1000)));
  }
  void try_to_connect() {
    if (session_.state() == MqttSession::State::connecting) {
      if (below(3) == 0) {
        session_.lost(now_, "Connection refused");
      } else if (below(5) == 0) {
        session_.refused(now_, "not authorised", below(2) == 0);
      } else {
        session_.connected(now_);
      }
    } else if (session_.should_connect(now_)) {
      session_.begin(now_);
    }
  }
  void cut() {
    if (session_.state() != MqttSession::State::connected) return;
    for (int some = below(5); some > 0; --some) broker_.receive_one();
    broker_.cut(below(3) == 0);
    session_.lost(now_, "cut");
  }
  void pump(int most) {
    for (; most > 0; --most) {
      const auto next = session_.next();
      if (!next) break;
      broker_.send(*next);
      if (next->result) frames_[next->ticket] = next->result->frame;
      if (next->result && !acknowledges_) acknowledge(next->ticket);  // with QoS 0 the socket has it
    }
  }
  void move() {
    pump(below(4));
    for (int some = below(4); some > 0; --some) broker_.receive_one();
    for (int some = below(4); some > 0; --some) {
      if (const auto ticket = broker_.answer()) acknowledge(*ticket);
    }
  }
  void acknowledge(std::int64_t ticket) {
    const std::int64_t before = session_.account().sent;
    session_.acknowledged(ticket, Duration(0));
    const auto frame = frames_.find(ticket);
    if (frame == frames_.end()) return;
    EXPECT_EQ(session_.account().sent, before + 1);
    if (acknowledges_) {
      EXPECT_TRUE(broker_.has_result(frame->second));
    }
    frames_.erase(frame);
  }
  void check() {
    const SinkAccount account = session_.account();
    ASSERT_EQ(account.taken, account.sent + account.dropped + account.failed + account.waiting);
    ASSERT_EQ(account.taken, taken_);
    ASSERT_LE(account.waiting, static_cast<std::int64_t>(20 + MqttSession::kWindow));
    ASSERT_EQ(account.connected, account.fault.empty() && session_.state() == MqttSession::State::connected);
  }

  const bool acknowledges_;
  ModelBroker broker_;
  std::mt19937 random_;
  MqttSession session_;
  TimePoint now_{};
  std::int64_t taken_ = 0;
  std::map<std::int64_t, std::int64_t> frames_;  // of tickets
  std::map<std::string, std::string> newest_;
};

TEST(MqttSession, AfterAnyMillionEventsTheBrokerKeepsTheNewestStatesAndTheAccountHolds) {
  for (const bool acknowledges : {false, true}) {
    RandomEvents events(acknowledges, 20261123U);
    for (int event = 0; event < 500'000 && !testing::Test::HasFailure(); ++event) {
      events.one();
      if (event % 5'000 == 0) events.settle();
    }
    events.finish();
  }
}

TEST(MqttSession, ASubscriptionThatIsRefusedIsAFaultUntilTheNextConnection) {
  MqttSession session = session_with(10);
  connect(session, at(0));
  session.not_subscribed("a/task/+/set", "Not authorized");
  const std::string fault =
      "broker:1883 refuses a subscription to a/task/+/set: Not authorized (allow this client to subscribe to "
      "it)";
  EXPECT_EQ(session.account().fault, fault);
  session.take(result_number(1));
  session.acknowledged(session.next()->ticket, Duration(0));
  EXPECT_EQ(session.account().fault, fault) << "what is sent does not help what is not heard";
  session.not_subscribed("ha/status", "");
  EXPECT_EQ(
      session.account().fault,
      "broker:1883 refuses a subscription to a/task/+/set, ha/status (allow this client to subscribe to it)");
  session.lost(at(1), "gone");
  connect(session, at(10));
  EXPECT_EQ(session.account().fault, "");
}

}  // namespace
}  // namespace saccade::results
