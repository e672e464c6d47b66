#include "fleet_store/session.hpp"

#include <algorithm>

namespace saccade::fleet_store {

Duration pay_every(Duration lease) {
  return std::clamp((lease - kLeaseMargin) / 2, Duration(std::chrono::milliseconds(100)), lease / 3);
}

void Session::send(std::uint64_t& slot, Request request) {
  slot = new_number();
  requests_.push_back({slot, std::move(request)});
}

bool Session::on(const Event& event, TimePoint now) {
  term_ = std::max(term_, event.term);
  if (!std::holds_alternative<answer::Failed>(event.answer) &&
      !std::holds_alternative<answer::WatchEnded>(event.answer)) {
    last_answer_ = now;
    if (!std::holds_alternative<answer::Watched>(event.answer)) reached_ = now;
  }
  const auto is = [&](std::uint64_t& slot) {
    if (slot != event.request || slot == 0) return false;
    slot = 0;
    return true;
  };
  if (event.request == watch_ && watch_ != 0) {
    if (!on_watch(event.answer, now)) watch_ = 0;
  } else if (is(lease_request_)) {
    on_lease(event.answer, now);
  } else if (is(payment_)) {
    on_payment(event.answer, now);
  } else if (is(change_)) {
    on_change(event.answer, now);
  } else if (is(revoke_)) {
    on_revoked(event.answer, now);
  } else if (is(list_)) {
    on_list(event.answer, now);
  } else {
    return false;
  }
  step(now);
  return true;
}

void Session::lose_lease(TimePoint now) {
  if (lease_ != 0) {
    given_up_ = {lease_};
    if (changing()) given_up_.push_back(next_->lease);
  }
  next_.reset();
  change_ = 0;
  state_ = Lease::none;
  lease_ = 0;
  claim_.reset();
  payment_ = 0;
  lease_at_ = now + settings_.retry;
}

void Session::on_lease(const Answer& answer, TimePoint now) {
  if (const auto* granted = std::get_if<answer::Granted>(&answer)) {
    lease_ = granted->lease;
    paid_ = payment_sent_;
    state_ = Lease::claiming;
    lease_at_ = now;
    return;
  }
  if (const auto* committed = std::get_if<answer::Committed>(&answer)) {
    if (committed->done) {
      claim_ = committed->revision;
      state_ = Lease::held;
      lease_at_ = now;  // it is paid at once
      stale_ = true;    // and what is followed is read under it
      return;
    }
    ++refused_claims_;
    lease_at_ = now + settings_.retry;  // another holds the key
    free_key();
    return;
  }
  lose_lease(now);  // also where the outcome is unknown: that lease ends by itself
}

// If the key hangs on a lease of this session, it is free once that lease is revoked; if not, nothing
// changes.
void Session::free_key() {
  if (given_up_.empty() || revoke_ != 0) return;
  revoking_ = given_up_.back();
  send(revoke_, request::Revoke{revoking_});
}

void Session::on_revoked(const Answer& answer, TimePoint now) {
  const auto* failed = std::get_if<answer::Failed>(&answer);
  if (failed != nullptr && failed->outcome != answer::Outcome::refused) return;  // tried again
  std::erase(given_up_, revoking_);
  lease_at_ = std::min(lease_at_, now);
}

void Session::on_payment(const Answer& answer, TimePoint now) {
  if (const auto* kept = std::get_if<answer::Kept>(&answer)) {
    if (!kept->alive) {
      lose_lease(now);
      return;
    }
    paid_ = payment_sent_;
    lease_at_ = state_ == Lease::held ? payment_sent_ + pay_every(length_) : now;
    return;
  }
  lease_at_ =
      std::max(now, payment_sent_ + settings_.retry);  // after a member that hangs, at once to another
}

void Session::apply(const answer::Listed& listed) {
  std::map<std::string, Entry> now;
  for (const Entry& entry : listed.entries) {
    const auto known = mirror_.find(entry.key);
    if (known == mirror_.end() || known->second.changed != entry.changed) changed_.push_back(entry.key);
    now.emplace(entry.key, entry);
  }
  for (const auto& [key, entry] : mirror_) {
    if (!now.contains(key)) changed_.push_back(key);
  }
  mirror_ = std::move(now);
}

void Session::on_list(const Answer& answer, TimePoint now) {
  const auto* listed = std::get_if<answer::Listed>(&answer);
  if (listed == nullptr) {
    list_at_ = now + settings_.retry;
    stale_ = true;
    return;
  }
  listed_ = listed->revision;
  ++lists_;
  list_at_ = now + settings_.list_again;
  if (mirrored_ && listed->revision < *mirrored_) return;  // the watch is ahead of it
  apply(*listed);
  mirrored_ = listed->revision;
  if (watch_ != 0) return;
  watched_since_ = now;
  send(watch_, request::Watch{settings_.follow, settings_.prefix, listed->revision + 1});
}

bool Session::on_watch(const Answer& answer, TimePoint now) {
  const auto* watched = std::get_if<answer::Watched>(&answer);
  if (watched == nullptr) {  // ended, or refused
    mirrored_.reset();
    stale_ = true;
    list_at_ = std::max(now, watched_since_ + settings_.retry);  // one that is refused at once, too
    return false;
  }
  if (!mirrored_) return true;
  for (const answer::Watched::Change& change : watched->changes) {
    if (change.changed <= *mirrored_) continue;  // repeated
    changed_.push_back(change.key);
    if (change.value) {
      mirror_[change.key] = {change.key, *change.value, change.created, change.changed};
    } else {
      mirror_.erase(change.key);
    }
  }
  mirrored_ = std::max(*mirrored_, watched->revision);
  return true;
}

void Session::set_lease(Duration lease, TimePoint now) {
  if (settings_.lease == lease) return;
  settings_.lease = lease;
  step(now);
}

TimePoint Session::lasts_until() const {
  const TimePoint until = paid_ + length_;
  return changing() ? std::min(until, next_->sent + next_->length) : until;
}

bool Session::wants_change() const { return state_ == Lease::held && (next_ || length_ != settings_.lease); }

// A lease to move to that is not the one wanted any more, or has been waiting, ends by itself.
void Session::step_change(TimePoint now) {
  if (!wants_change() || change_ != 0 || now < change_at_) return;
  if (next_ && (next_->length != settings_.lease || now >= next_->sent + next_->length / 2)) next_.reset();
  if (!wants_change()) return;
  if (!next_) {
    next_ = Next{0, settings_.lease, now, false};
    send(change_, request::Grant{settings_.lease});
    return;
  }
  next_->moving = true;
  send(change_, request::Commit{{{settings_.key, Compare::What::created, *claim_}},
                                {{settings_.key, settings_.value(next_->length), next_->lease}},
                                {}});
}

void Session::on_change(const Answer& answer, TimePoint now) {
  if (const auto* granted = std::get_if<answer::Granted>(&answer)) {
    next_->lease = granted->lease;
    return;
  }
  const auto* committed = std::get_if<answer::Committed>(&answer);
  if (committed != nullptr && committed->done) return adopt_next(now);
  const auto* failed = std::get_if<answer::Failed>(&answer);
  const bool unknown = failed != nullptr && failed->outcome == answer::Outcome::unknown;
  if (committed != nullptr || (unknown && next_->moving)) {  // the key is gone, or on either lease
    lose_lease(now);
    return;
  }
  next_.reset();
  change_at_ = now + settings_.retry;
}

void Session::adopt_next(TimePoint now) {
  lease_ = next_->lease;
  length_ = next_->length;
  paid_ = next_->sent;
  next_.reset();
  payment_ = 0;  // of the lease before
  lease_at_ = now;
}

void Session::list_again() { stale_ = true; }

void Session::step_lease(TimePoint now) {
  if (state_ != Lease::none && now >= lasts_until()) lose_lease(now);
  if (lease_request_ != 0 || payment_ != 0 || now < lease_at_) return;
  if (state_ == Lease::none) {
    payment_sent_ = now;
    state_ = Lease::granting;
    paid_ = now;
    length_ = settings_.lease;
    send(lease_request_, request::Grant{settings_.lease});
  } else if (state_ == Lease::claiming) {
    if (now >= payment_sent_ + pay_every(length_)) {
      payment_sent_ = now;
      send(payment_, request::Keep{lease_});
      return;
    }
    if (mirror_.contains(settings_.key)) {  // another holds it, as far as is known
      lease_at_ = now + settings_.retry;
      free_key();
      return;
    }
    send(lease_request_, request::Commit{{{settings_.key, Compare::What::created, 0}},
                                         {{settings_.key, settings_.value(length_), lease_}},
                                         {}});
  } else if (state_ == Lease::held) {
    payment_sent_ = now;
    send(payment_, request::Keep{lease_});
  }
}

void Session::step_mirror(TimePoint now) {
  if (list_ != 0) return;
  if (!stale_ && now < list_at_) return;
  if (stale_ && !mirrored_ && now < list_at_) return;
  stale_ = false;
  send(list_, request::List{settings_.follow, settings_.prefix});
}

void Session::step(TimePoint now) {
  step_lease(now);
  step_change(now);
  step_mirror(now);
}

std::optional<TimePoint> Session::next() const {
  std::optional<TimePoint> next;
  const auto no_later = [&](TimePoint at) { next = next ? std::min(*next, at) : at; };
  if (state_ != Lease::none) no_later(lasts_until());
  if (wants_change() && change_ == 0) no_later(change_at_);
  if (lease_request_ == 0 && payment_ == 0) no_later(lease_at_);
  if (list_ == 0) no_later(list_at_);
  return next;
}

}  // namespace saccade::fleet_store
