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
    const Lock lock(end_mutex_);
    ending_ = true;
  }
  ended_.notify_one();
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

void Relay::relay() {
  TimePoint busy_until = clock_.now();
  do {
    if (step(clock_.now())) busy_until = clock_.now() + kLinger;
  } while (pause(clock_.now() < busy_until ? kBetweenLooks : kBetweenIdleLooks));
  step(clock_.now());
}

bool Relay::pause(Duration time) {
  const Lock lock(end_mutex_);
  ended_.wait_for(end_mutex_, time, [&]() SACCADE_REQUIRES(end_mutex_) { return ending_; });
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
    account.delivered = sink.delivered;
  }
  return all;
}

}  // namespace saccade::results
