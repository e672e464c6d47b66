#include "fleet_store/simulated_store.hpp"

#include <algorithm>
#include <utility>

namespace saccade::fleet_store {

void SimulatedStore::Client::forget() {
  open_.clear();
  watches_.clear();
  (void)take();
  std::erase_if(store_.watching_, [&](const Watching& watching) { return watching.client == this; });
}

void SimulatedStore::Client::cut(bool cut) {
  if (cut && !cut_) store_.end_watches(this, kWatchGrace);
  cut_ = cut;
}

SimulatedStore::Client& SimulatedStore::open() {
  clients_.push_back(std::make_unique<Client>(*this, clients_.size()));
  return *clients_.back();
}

void SimulatedStore::at(TimePoint time, std::function<void()> what) {
  queue_.emplace(std::pair{time, sequence_++}, std::move(what));
}

std::optional<TimePoint> SimulatedStore::next() const {
  std::optional<TimePoint> next;
  if (!queue_.empty()) next = queue_.begin()->first.first;
  const std::optional<TimePoint> expiry = majority_ ? history_.next_expiry() : std::nullopt;
  if (expiry && (!next || *expiry < *next)) next = expiry;
  return next;
}

void SimulatedStore::run_until(TimePoint now) {
  for (std::optional<TimePoint> due = next(); due && *due <= now; due = next()) {
    now_ = std::max(now_, *due);
    expire();
    if (queue_.empty() || queue_.begin()->first.first > now_) continue;
    const std::function<void()> what = std::move(queue_.begin()->second);
    queue_.erase(queue_.begin());
    what();
  }
  now_ = std::max(now_, now);
}

void SimulatedStore::expire() {
  if (!majority_) return;
  const std::int64_t before = history_.revision();
  history_.expire(now_);
  if (history_.revision() != before) publish();
}

void SimulatedStore::submit(Client& client, std::uint64_t number, const Request& request) {
  if (const auto* end = std::get_if<request::EndWatch>(&request)) {
    std::erase_if(watching_, [&](const Watching& watching) {
      return watching.client == &client && watching.number == end->watch;
    });
    if (client.watches_.erase(end->watch) > 0) give(client, end->watch, answer::WatchEnded{});
    return;
  }
  client.open_.insert(number);
  if (std::holds_alternative<request::Watch>(request)) client.watches_.insert(number);
  at(now_ + delay_() + client.slow_, [this, &client, number, request] { arrive(client, number, request); });
  const bool changes = may_change(request);
  at(now_ + kRequestTime, [this, &client, number, changes] {
    if (client.open_.erase(number) == 0) return;
    if (client.watches_.erase(number) > 0) {
      give(client, number, answer::WatchEnded{});
      return;
    }
    const auto outcome = changes ? answer::Outcome::unknown : answer::Outcome::unavailable;
    give(client, number, answer::Failed{outcome, "no answer in time"});
  });
}

void SimulatedStore::arrive(Client& client, std::uint64_t number, const Request& request) {
  if (client.cut_ || !majority_) return;
  if (const auto* list = std::get_if<request::List>(&request)) {
    answer(client, number, history_.list(*list));
  } else if (const auto* write = std::get_if<request::Commit>(&request)) {
    commit(client, number, *write);
  } else if (const auto* grant = std::get_if<request::Grant>(&request)) {
    answer(client, number, history_.grant(grant->time, now_));
  } else if (const auto* keep = std::get_if<request::Keep>(&request)) {
    answer(client, number, answer::Kept{history_.keep(keep->lease, now_)});
  } else if (const auto* lease = std::get_if<request::Revoke>(&request)) {
    history_.revoke(lease->lease);
    publish();
    answer(client, number, answer::Revoked{});
  } else if (const auto* watch = std::get_if<request::Watch>(&request)) {
    begin_watch(client, number, *watch);
  } else if (const auto* compact_request = std::get_if<request::Compact>(&request)) {
    if (history_.compact(compact_request->before)) {
      answer(client, number, answer::Compacted{});
    } else {
      answer(client, number, answer::Failed{answer::Outcome::refused, "no such history"});
    }
  }
}

void SimulatedStore::commit(Client& client, std::uint64_t number, const request::Commit& commit) {
  const std::string refusal = history_.refusal(commit);
  if (!refusal.empty()) {
    answer(client, number, answer::Failed{answer::Outcome::refused, refusal});
    return;
  }
  const Client::Lose lose = std::exchange(client.lose_, Client::Lose::none);
  if (lose == Client::Lose::late) {  // a member that is slow to hand it on
    at(now_ + 2 * kRequestTime, [this, commit] {
      if (!majority_) return;
      (void)history_.commit(commit);
      publish();
    });
    return;
  }
  const answer::Committed done = history_.commit(commit);
  publish();
  if (lose == Client::Lose::none) answer(client, number, done);
}

void SimulatedStore::begin_watch(Client& client, std::uint64_t number, const request::Watch& watch) {
  if (client.open_.erase(number) == 0) return;
  if (watch.from < history_.compacted()) {
    client.watches_.erase(number);
    at(now_ + delay_() + client.slow_,
       [this, &client, number] { give(client, number, answer::WatchEnded{history_.compacted()}); });
    return;
  }
  watching_.push_back({&client, number, watch, {}});
  publish();
}

void SimulatedStore::publish() {
  for (Watching& watching : watching_) {
    std::vector<answer::Watched::Change> changes = history_.changes(watching.of);
    watching.of.from = history_.revision() + 1;
    if (changes.empty()) continue;
    const std::int64_t last = changes.back().changed;
    watching.last = std::max(watching.last, now_ + delay_() + watching.client->slow_);
    at(watching.last,
       [this, client = watching.client, number = watching.number,
        watched = answer::Watched{last, std::move(changes)}] { deliver(*client, number, watched); });
  }
}

void SimulatedStore::deliver(Client& client, std::uint64_t number, const answer::Watched& watched) {
  if (client.cut_ || !client.watches_.contains(number)) return;
  const bool twice = std::exchange(client.repeat_, false);
  give(client, number, watched);
  if (twice) give(client, number, watched);
}

void SimulatedStore::answer(Client& client, std::uint64_t number, Answer answer) {
  at(now_ + delay_() + client.slow_, [this, &client, number, answer = std::move(answer)] {
    if (!client.cut_ && client.open_.erase(number) > 0) give(client, number, answer);
  });
}

void SimulatedStore::give(Client& client, std::uint64_t number, Answer answer) {
  client.arrived_.push_back({number, term_, std::move(answer)});
  with_events_.insert(client.number_);
}

// Its changes are lost from now on; the client notices later.
void SimulatedStore::end_watches(const Client* client, Duration after) {
  for (const Watching& watching : watching_) {
    if (client != nullptr && watching.client != client) continue;
    at(now_ + after, [this, ended = watching.client, number = watching.number] {
      if (ended->watches_.erase(number) > 0) give(*ended, number, answer::WatchEnded{});
    });
  }
  std::erase_if(watching_,
                [&](const Watching& watching) { return client == nullptr || watching.client == client; });
}

void SimulatedStore::lose_majority() {
  if (!majority_) return;
  majority_ = false;
  at(now_ + kWatchGrace, [this, outage = ++outage_] {
    if (!majority_ && outage == outage_) end_watches(nullptr, Duration{});
  });
}

void SimulatedStore::restore_majority(bool renew) {
  if (majority_) return;
  majority_ = true;
  ++term_;
  if (renew) history_.renew_all(now_);
  expire();
}

void SimulatedStore::revoke(std::int64_t lease) {
  if (history_.revoke(lease)) publish();
}

void SimulatedStore::compact() { history_.compact(history_.revision()); }

}  // namespace saccade::fleet_store
