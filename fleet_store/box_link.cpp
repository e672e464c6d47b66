#include "fleet_store/box_link.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace saccade::fleet_store {
namespace {

SessionSettings box_session(const BoxLinkSettings& settings) {
  const Keys keys(settings.fleet);
  SessionSettings session;
  session.key = keys.alive(settings.box);
  session.value = [box = settings.box, number = settings.session](Duration lease) {
    return session_text(box, number, lease);
  };
  session.follow = keys.assign(settings.box);
  session.prefix = false;
  // Boxes do not list all at once.
  const int sum = std::accumulate(settings.box.begin(), settings.box.end(), 0);
  session.list_again += std::chrono::milliseconds(97 * (std::abs(sum) % 100));
  return session;
}

}  // namespace

BoxLink::BoxLink(const BoxLinkSettings& settings)
    : keys_(settings.fleet), settings_(settings), session_(box_session(settings), settings.first_request) {}

bool BoxLink::boot(const std::optional<std::string>& saved, TimePoint now) {
  std::optional<fleet::Held<fleet::AssignDocument>> held;
  if (saved) {
    const auto read = read_saved(*saved);
    if (read) held = read.value();
  }
  const bool good = !saved || held;
  agent_.boot(std::move(held), now);
  session_.set_lease(agent_.lease(), now);
  step(now);
  return good;
}

void BoxLink::on(const Event& event, TimePoint now) {
  if (event.request == write_ && write_ != 0) {
    write_ = 0;
    on_write(event.answer, now);
  } else {
    (void)session_.on(event, now);
  }
  step(now);
}

// Of the list that says what is to be replaced, or of the write itself. A write whose outcome is not known
// may still be done: not any more, once the next one is.
void BoxLink::on_write(const Answer& answer, TimePoint now) {
  if (const auto* listed = std::get_if<answer::Listed>(&answer)) {
    state_revision_ = listed->entries.empty() ? 0 : listed->entries.front().changed;
    return;
  }
  const auto* done = std::get_if<answer::Committed>(&answer);
  if (done != nullptr && done->done) {
    state_revision_ = done->revision;
  } else {
    if (!unwritten_) unwritten_ = writing_;
    state_revision_.reset();
    write_again_ = now + std::chrono::milliseconds(500);
  }
  writing_.reset();
}

void BoxLink::report(const TaskId& camera, std::int64_t epoch, fleet::CameraStatus status,
                     const std::string& reason, TimePoint now) {
  agent_.report(camera, epoch, status, reason, now);
  step(now);
}

void BoxLink::ready(std::vector<TaskId> standby, TimePoint now) {
  agent_.ready(std::move(standby), now);
  step(now);
}

// What the mirror has of the assignment. A missing document changes nothing.
void BoxLink::follow(TimePoint now) {
  for (const std::string& key : session_.take_changed()) {
    const auto entry = session_.mirror().find(key);
    if (entry == session_.mirror().end()) continue;
    const auto read = read_assign(entry->second.value);
    if (read) {
      (void)agent_.assigned({read.value(), entry->second.changed}, now);
    } else {
      ++unreadable_;
    }
  }
}

const Entry* BoxLink::assignment() const {
  const auto entry = session_.mirror().find(keys_.assign(settings_.box));
  return entry == session_.mirror().end() ? nullptr : &entry->second;
}

// The assignment of the store, read under the lease that is held, is the one that is obeyed.
bool BoxLink::follows() const {
  if (!session_.read_under_claim()) return false;
  const Entry* entry = assignment();
  return entry != nullptr && entry->changed == agent_.applied();
}

void BoxLink::act(TimePoint now) {
  for (fleet::agent::Action& action : agent_.take()) {
    if (auto* start = std::get_if<fleet::agent::Start>(&action)) {
      orders_.emplace_back(std::move(*start));
    } else if (auto* stop = std::get_if<fleet::agent::Stop>(&action)) {
      orders_.emplace_back(std::move(*stop));
    } else if (auto* standby = std::get_if<fleet::agent::StandBy>(&action)) {
      orders_.emplace_back(std::move(*standby));
    } else if (auto* save = std::get_if<fleet::agent::Save>(&action)) {
      orders_.emplace_back(SaveText{saved_text(save->assignment)});
    } else if (auto* publish = std::get_if<fleet::agent::Publish>(&action)) {
      unwritten_ = last_state_ = std::move(publish->state);
      write_again_ = now;
    }
  }
}

void BoxLink::write_state() {
  if (!unwritten_ || !session_.claim() || session_.changing() || write_ != 0) return;
  write_ = session_.new_number();
  const std::string key = keys_.state(settings_.box);
  if (!state_revision_) {
    requests_.push_back({write_, request::List{key, false}});
    return;
  }
  const std::string own = keys_.alive(settings_.box);
  requests_.push_back({write_, request::Commit{{{own, Compare::What::created, *session_.claim()},
                                                {key, Compare::What::changed, *state_revision_}},
                                               {{key, to_text(*unwritten_)}},
                                               {}}});
  writing_ = std::exchange(unwritten_, std::nullopt);
}

void BoxLink::step(TimePoint now) {
  session_.step(now);
  follow(now);
  session_.set_lease(agent_.lease(), now);
  if (follows()) {
    const TimePoint allowed = session_.paid() + agent_.longest_lease();
    agent_.leased(std::min(session_.lasts_until(), allowed) - kFenceMargin, now);
  }
  agent_.step(now);
  act(now);
  if (session_.claim() && wrote_under_ != session_.claim()) {  // what was written before may be old
    wrote_under_ = session_.claim();
    state_revision_.reset();
    if (!unwritten_) unwritten_ = last_state_;
    write_again_ = now;
  }
  if (write_again_ && now >= *write_again_) write_state();
  for (Numbered& request : session_.take()) requests_.push_back(std::move(request));
}

std::optional<TimePoint> BoxLink::next() const {
  std::optional<TimePoint> next = session_.next();
  const auto no_later = [&](TimePoint at) { next = next ? std::min(*next, at) : at; };
  if (const auto agent = agent_.next()) no_later(*agent);
  const bool may_write = unwritten_ && write_ == 0 && session_.claim() && !session_.changing();
  if (may_write && write_again_) no_later(*write_again_);
  return next;
}

}  // namespace saccade::fleet_store
