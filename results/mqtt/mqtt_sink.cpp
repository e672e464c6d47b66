#include "results/mqtt/mqtt_sink.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "base/mutex.hpp"
#include "results/bell.hpp"
#include "results/mqtt/control_gate.hpp"
#include "results/mqtt/mqtt_connection.hpp"

namespace saccade::results {
namespace {

MqttSettings with_defaults(MqttSettings settings, const std::string& node) {
  if (settings.client_id.empty()) settings.client_id = "saccade-" + topic_word(node) + "-" + settings.id;
  if (settings.prefix.empty()) settings.prefix = "saccade/" + node;
  return settings;
}

std::function<double()> random_numbers() {
  return [engine = std::mt19937_64(std::random_device{}())]() mutable {
    return std::uniform_real_distribution<double>(0.0, 1.0)(engine);
  };
}

}  // namespace

class MqttSink::Worker {
 public:
  Worker(MqttSettings settings, MqttContext context);

  void run();
  // False: it did not end in time.
  bool end();

  template <class Change>
  void change(Change apply) {
    {
      const Lock lock(mutex_);
      apply(session_, topics_);
    }
    bell_.ring();
  }
  void take_snapshot(const std::string& task, std::function<std::string()> make) {
    {
      const Lock lock(mutex_);
      to_draw_[task] = std::move(make);
    }
    bell_.ring();
  }
  [[nodiscard]] SinkAccount account() const {
    const Lock lock(mutex_);
    return session_.account();
  }
  [[nodiscard]] std::vector<std::string> labels(const std::string& task) const {
    return context_.labels(task);
  }

 private:
  enum class End { none, sending, stopping, over };

  void draw();
  void connect();
  void send();
  void wait();
  void hear();
  [[nodiscard]] bool is_controlled() const { return settings_.control && context_.control; }
  [[nodiscard]] bool change_task(const MqttEvent& event);
  void hear(const MqttEvent& event) SACCADE_REQUIRES(mutex_);
  void approach_the_end();
  [[nodiscard]] int milliseconds_to_wait() const;

  const MqttSettings settings_;
  const MqttContext context_;
  const SteadyClock clock_;
  const Topics names_;
  const Bell bell_;
  std::unique_ptr<MqttConnection> connection_;  // of the thread alone
  bool subscribes_ = false;                     // of the thread alone: not yet on this connection
  bool only_ipv4_ = false;                      // the next attempt; every second one, until one connects
  ControlGate gate_;                            // of the thread alone

  mutable Mutex mutex_;  // never held while anything outside is waited for
  Condition ended_;
  MqttSession session_ SACCADE_GUARDED_BY(mutex_);
  TaskTopics topics_ SACCADE_GUARDED_BY(mutex_);
  std::map<std::string, std::function<std::string()>> to_draw_ SACCADE_GUARDED_BY(mutex_);  // by task
  End end_ SACCADE_GUARDED_BY(mutex_) = End::none;
  std::optional<TimePoint> end_by_ SACCADE_GUARDED_BY(mutex_);
  bool has_ended_ SACCADE_GUARDED_BY(mutex_) = false;
};

MqttSink::Worker::Worker(MqttSettings settings, MqttContext context)
    : settings_(with_defaults(std::move(settings), context.node)),
      context_(std::move(context)),
      names_(settings_.prefix),
      session_(settings_.host + ":" + std::to_string(settings_.port), settings_.queue, context_.retry,
               random_numbers()),
      topics_(
          {settings_.prefix, settings_.home_assistant, context_.node, context_.version, settings_.snapshots},
          context_.grace) {
  const Lock lock(mutex_);
  topics_.start(session_.book());
}

void MqttSink::Worker::run() {
  block_broken_pipes();
  for (;;) {
    connect();
    draw();
    send();
    wait();
    hear();
    approach_the_end();
    const Lock lock(mutex_);
    if (end_ != End::over) continue;
    session_.give_up();
    break;
  }
  connection_.reset();
  const Lock lock(mutex_);
  has_ended_ = true;
  ended_.notify_all();
}

void MqttSink::Worker::connect() {
  {
    const Lock lock(mutex_);
    if (!session_.should_connect(clock_.now()) || end_ != End::none) return;
    session_.begin(clock_.now());
  }
  // A broker whose name leads to ::1 first may listen at 127.0.0.1 alone.
  const bool is_ipv4 =
      std::exchange(only_ipv4_, !only_ipv4_) && settings_.host.find(':') == std::string::npos;
  const auto addresses = is_ipv4 ? MqttConnection::Addresses::ipv4 : MqttConnection::Addresses::any;
  saccade::Result<std::unique_ptr<MqttConnection>> made =
      MqttConnection::open(settings_, names_.available(), addresses);
  if (made) {
    connection_ = std::move(made).value();
    return;
  }
  const Lock lock(mutex_);
  session_.lost(clock_.now(), made.errors().front().what);
}

// One at a time, so that what waits to be sent is sent in between. Without a connection pictures wait: the
// newest of each task.
void MqttSink::Worker::draw() {
  std::string task;
  std::function<std::string()> make;
  {
    const Lock lock(mutex_);
    if (to_draw_.empty() || session_.state() != MqttSession::State::connected) return;
    task = to_draw_.begin()->first;
    make = std::move(to_draw_.begin()->second);
    to_draw_.erase(to_draw_.begin());
    if (!to_draw_.empty()) bell_.ring();
  }
  std::string jpeg = make();
  if (jpeg.empty()) return;
  const Lock lock(mutex_);
  topics_.snapshot(task, std::move(jpeg), session_.book());
}

// What may go, goes; a result is written down here, outside the lock.
void MqttSink::Worker::send() {
  if (!connection_) return;
  for (;;) {
    std::optional<Publication> next;
    {
      const Lock lock(mutex_);
      next = session_.next();
    }
    if (!next) break;
    if (next->result) {
      connection_->publish(next->ticket, names_.result(next->result->task), context_.record(*next->result),
                           settings_.qos, false);
    } else {
      // At QoS 1 whatever the results have: a state is done with only when the broker has it.
      connection_->publish(next->ticket, next->topic, next->payload, 1, true);
    }
  }
  if (!std::exchange(subscribes_, false)) return;
  std::vector<std::string> filters;
  {
    const Lock lock(mutex_);
    filters = topics_.filters();
  }
  if (is_controlled()) filters.push_back(names_.change_filter());
  for (const std::string& filter : filters) connection_->subscribe(filter);
}

void MqttSink::Worker::wait() {
  pollfd files[2] = {{bell_.file(), POLLIN, 0}, {-1, 0, 0}};
  if (connection_) {
    files[1].fd = connection_->socket();
    files[1].events = static_cast<short>(connection_->wants_to_write() ? POLLIN | POLLOUT : POLLIN);
  }
  // Events that publish() itself made come over no socket: at QoS 0, that the result is sent.
  const bool is_due = connection_ && (files[1].fd < 0 || connection_->has_events());
  poll(files, 2, is_due ? 0 : milliseconds_to_wait());
  if ((files[0].revents & POLLIN) != 0) bell_.silence();
  if (!connection_) return;
  const bool is_broken = (files[1].revents & (POLLERR | POLLHUP)) != 0;
  connection_->serve((files[1].revents & POLLIN) != 0 || is_broken,
                     (files[1].revents & POLLOUT) != 0 || is_broken);
}

int MqttSink::Worker::milliseconds_to_wait() const {
  using std::chrono::ceil;
  using std::chrono::milliseconds;
  const Lock lock(mutex_);
  Duration longest = connection_ ? context_.between_looks : Duration(std::chrono::hours(1));
  const TimePoint now = clock_.now();
  if (const std::optional<TimePoint> alarm = session_.alarm()) longest = std::min(longest, *alarm - now);
  const std::optional<TimePoint> clears = topics_.alarm();
  if (connection_ && clears) longest = std::min(longest, *clears - now);
  if (end_by_) longest = std::min(longest, *end_by_ - now);
  return static_cast<int>(std::max<std::int64_t>(ceil<milliseconds>(longest).count(), 0));
}

void MqttSink::Worker::hear() {
  if (!connection_) return;
  std::vector<MqttEvent> events = connection_->take_events();
  std::erase_if(events, [this](const MqttEvent& event) { return change_task(event); });
  const Lock lock(mutex_);
  for (const MqttEvent& event : events) hear(event);
  topics_.clear_strangers(clock_.now(), session_.book());
  if (session_.has_waited_too_long(clock_.now()))
    session_.lost(
        clock_.now(),
        "no answer within " +
            std::to_string(
                std::chrono::duration_cast<std::chrono::seconds>(context_.retry.connecting).count()) +
            " s");
  if (session_.state() == MqttSession::State::waiting) connection_.reset();
}

// One after the other, outside the lock: the change goes to the run, which tells the sinks of it. False: the
// event is none.
bool MqttSink::Worker::change_task(const MqttEvent& event) {
  constexpr std::int64_t kNoTicket = 0;  // the answer is in no account
  if (event.kind != MqttEvent::Kind::message || !is_controlled()) return false;
  const std::optional<std::string> task = names_.changed_task(event.topic);
  if (!task) return false;
  if (event.words.empty()) return true;  // that somebody cleared a retained message
  const std::optional<std::string> refused = gate_.refuse(event.words.size(), event.was_kept, clock_.now());
  connection_->publish(kNoTicket, names_.change_answer(*task),
                       refused ? *refused : context_.control(*task, event.words), 1, false);
  return true;
}

void MqttSink::Worker::hear(const MqttEvent& event) {
  switch (event.kind) {
    case MqttEvent::Kind::connected:
      session_.connected(clock_.now());
      only_ipv4_ = !only_ipv4_;  // what worked comes first the next time
      subscribes_ = true;
      break;
    case MqttEvent::Kind::refused:
      session_.refused(clock_.now(), event.words, event.credentials);
      break;
    case MqttEvent::Kind::lost:
      session_.lost(clock_.now(), event.words);
      break;
    case MqttEvent::Kind::acknowledged:
      session_.acknowledged(event.ticket, monotonic_now());
      break;
    case MqttEvent::Kind::rejected:
      session_.rejected(event.ticket, event.words);
      break;
    case MqttEvent::Kind::message:
      topics_.found(event.topic, event.words, event.was_kept, clock_.now(), session_.book());
      break;
    case MqttEvent::Kind::not_subscribed:
      session_.not_subscribed(event.topic, event.words);
      break;
  }
}

bool MqttSink::Worker::end() {
  constexpr int kShare = 2;  // half of the time for what waits, the other half for `stopped`
  const Duration time = to_duration(Seconds(kEndSeconds));
  bell_.ring();
  const Lock lock(mutex_);
  end_ = End::sending;
  end_by_ = clock_.now() + time / kShare;
  bell_.ring();
  return ended_.wait_for(mutex_, time + std::chrono::seconds(1),
                         [&]() SACCADE_REQUIRES(mutex_) { return has_ended_; });
}

void MqttSink::Worker::approach_the_end() {
  constexpr Duration kForStopped = std::chrono::milliseconds(500);
  const Lock lock(mutex_);
  if (end_ == End::none) return;
  if (session_.state() != MqttSession::State::connected) {
    end_ = End::over;
    return;
  }
  const bool is_late = clock_.now() >= *end_by_;
  if (!session_.is_settled() && !is_late) return;
  if (end_ == End::sending) {
    end_ = End::stopping;
    end_by_ = clock_.now() + kForStopped;
    topics_.stop(session_.book());
    bell_.ring();
  } else {
    connection_->disconnect();
    end_ = End::over;
  }
}

MqttSink::MqttSink(MqttSettings settings, MqttContext context)
    : worker_(std::make_shared<Worker>(std::move(settings), std::move(context))),
      thread_([worker = worker_] { worker->run(); }) {}

MqttSink::~MqttSink() {
  if (worker_->end()) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

void MqttSink::take(const std::shared_ptr<const Result>& result) {
  worker_->change([&](MqttSession& session, TaskTopics&) { session.take(result); });
}

void MqttSink::take(const PresenceChange& change) {
  worker_->change([&](MqttSession& session, TaskTopics& topics) { topics.presence(change, session.book()); });
}

void MqttSink::tell(const TaskState& state) {
  worker_->change([&](MqttSession& session, TaskTopics& topics) { topics.state(state, session.book()); });
}

void MqttSink::take_snapshot(const std::string& task, std::function<std::string()> draw) {
  worker_->take_snapshot(task, std::move(draw));
}

void MqttSink::task_is_there(const std::string& task) {
  const std::vector<std::string> labels = worker_->labels(task);
  worker_->change(
      [&](MqttSession& session, TaskTopics& topics) { topics.task_is_there(task, labels, session.book()); });
}

void MqttSink::task_is_gone(const std::string& task) {
  worker_->change(
      [&](MqttSession& session, TaskTopics& topics) { topics.task_is_gone(task, session.book()); });
}

SinkAccount MqttSink::account() const { return worker_->account(); }

}  // namespace saccade::results
