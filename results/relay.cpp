#include "results/relay.hpp"

#include <pthread.h>

#include <utility>

namespace saccade::results {

Relay::Relay(std::vector<std::string> processors, std::vector<Channel> channels, const Clock& clock,
             std::size_t places)
    : clock_(clock), ring_(places), channels_(std::move(channels)), hub_(std::move(processors)) {
  const Lock lock(hub_mutex_);
  for (const Channel& channel : channels_) hub_.add(channel.filter, *channel.sink, channel.presence);
}

void Relay::end() {
  {
    const Lock lock(wake_mutex_);
    ending_ = true;
  }
  awake_.notify_one();
  if (thread_.joinable()) thread_.join();
  std::vector<Channel> ending;  // outside the mutex: sinks may take their time
  {
    const Lock lock(hub_mutex_);
    hub_.clear();
    ending.swap(channels_);
  }
  std::vector<std::thread> ends;  // all at once: the slowest counts, not their sum
  ends.reserve(ending.size());
  for (Channel& channel : ending)
    ends.emplace_back([sink = std::move(channel.sink)]() mutable { sink.reset(); });
  for (std::thread& end : ends) end.join();
}

void Relay::run() {
  thread_ = std::thread([this] {
    ::pthread_setname_np(::pthread_self(), "saccade-results");
    relay();
  });
}

void Relay::wake() {
  bool first = false;
  {
    const Lock lock(wake_mutex_);
    first = !std::exchange(news_, true);
  }
  if (first) awake_.notify_one();
}

void Relay::relay() {
  TimePoint busy_until = clock_.now();
  do {
    if (step(clock_.now())) busy_until = clock_.now() + kLinger;
  } while (pause(busy_until));
  step(clock_.now());
}

bool Relay::pause(TimePoint busy_until) {
  std::optional<Duration> patience;  // absent: for ever
  if (clock_.now() < busy_until) {
    patience = kBetweenLooks;
  } else {
    asleep_ = true;
    const Lock lock(hub_mutex_);
    if (ring_.counts().waiting > 0) {
      patience = Duration(0);
    } else if (const std::optional<TimePoint> next = hub_.next_end()) {
      patience = *next - clock_.now();
    }
  }
  Lock lock(wake_mutex_);
  const auto told = [&]() SACCADE_REQUIRES(wake_mutex_) { return news_ || ending_; };
  patience ? static_cast<void>(awake_.wait_for(wake_mutex_, *patience, told))
           : awake_.wait(wake_mutex_, told);
  asleep_ = false;
  news_ = false;
  return !ending_;
}

void Relay::set_tasks(const std::set<std::string>& tasks) {
  const Lock lock(hub_mutex_);
  hub_.set_tasks(tasks);
}

void Relay::tell(const TaskState& state) {
  const Lock lock(hub_mutex_);
  for (const Channel& channel : channels_) {
    if (channel.filter.wants_task(state.task)) channel.sink->tell(state);
  }
}

bool Relay::step(TimePoint now) {
  for (bool took = false;; took = true) {
    const Lock lock(hub_mutex_);  // for each anew: who asks for the accounts does not wait for all
    if (!ring_.take(sighting_)) {
      hub_.pass(now);
      return took;
    }
    hub_.see(sighting_, now);
  }
}

std::vector<DeliveryAccount> Relay::accounts() const {
  std::vector<DeliveryAccount> all;
  const Lock lock(hub_mutex_);
  const HandOver::Counts ring = ring_.counts();  // of one instant; only step() takes out, and it waits
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const SinkAccount sink = channels_[i].sink->account();
    DeliveryAccount& account = all.emplace_back();
    account.id = channels_[i].id;
    account.type = channels_[i].type;
    account.produced = ring.put;
    account.filtered = hub_.filtered(i);
    account.sent = sink.sent;
    account.dropped = sink.dropped + ring.overwritten;
    account.failed = sink.failed;
    account.waiting = sink.waiting + ring.waiting;
    account.connected = sink.connected;
    account.fault = sink.fault;
    account.readers = sink.readers;
  }
  return all;
}

}  // namespace saccade::results
