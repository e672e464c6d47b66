#include "fleet_store/planner_link.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace saccade::fleet_store {
namespace {

constexpr Duration kLeaderMargin = std::chrono::seconds(2);
constexpr Duration kSilent = std::chrono::seconds(5);
constexpr std::size_t kWriteBytes = 1'200'000;
constexpr Duration kPauseOfWrites = std::chrono::seconds(2);  // of deciding, after what was refused
constexpr Duration kPauseOfLarge = std::chrono::seconds(30);  // of one box's document
constexpr Duration kTellLarge = std::chrono::minutes(2);

std::size_t bytes_of(const Put& put) { return put.key.size() + put.value.size(); }

using Cameras = std::vector<fleet::AssignedCamera>;

bool serves(const Cameras& cameras, const TaskId& id) {
  return std::any_of(cameras.begin(), cameras.end(), [&](const fleet::AssignedCamera& each) {
    return each.id == id && each.role == fleet::Role::serve;
  });
}

// Than numbers, which are of no use without the documents that they were drawn for.
bool says_more(fleet::PlanDocument plan, const fleet::PlanDocument& than) {
  plan.term = than.term;
  plan.number = than.number;
  plan.last_epoch = than.last_epoch;
  return plan != than;
}

SessionSettings planner_session(const PlannerLinkSettings& settings) {
  const Keys keys(settings.fleet);
  SessionSettings session;
  session.key = keys.leader();
  session.value = [text = session_text(settings.planner, settings.session)](Duration) { return text; };
  session.lease = settings.lease;
  session.follow = keys.root();
  return session;
}

}  // namespace

PlannerLink::PlannerLink(const PlannerLinkSettings& settings, ReadConfigured read)
    : keys_(settings.fleet),
      settings_(settings),
      read_(std::move(read)),
      session_(planner_session(settings), settings.first_request) {}

void PlannerLink::on(const Event& event, TimePoint now) {
  if (event.request == write_ && write_ != 0) {
    write_ = 0;
    const auto* done = std::get_if<answer::Committed>(&event.answer);
    if (done != nullptr) wait_for_ = done->revision;
    if (done != nullptr && done->done) refused_.reset();
    const auto* failed = std::get_if<answer::Failed>(&event.answer);
    if (failed != nullptr && failed->outcome == answer::Outcome::refused) {  // at once it would be again
      refused_ = largest_ + ": " + failed->what;
      paused_until_ = now + kPauseOfWrites;
    }
    if (done == nullptr || !done->done) {
      session_.list_again();
      wait_for_list_ = session_.lists() + 1;
    }
  } else {
    (void)session_.on(event, now);
  }
  step(now);
}

void PlannerLink::probed(const fleet::BoxId& box, bool answered, TimePoint now,
                         std::optional<Duration> reached) {
  if (!planner_) return;
  planner_->judge().probed(box, answered, now, reached);
  step(now);
}

void PlannerLink::release_brake(TimePoint now) {
  if (!planner_) return;
  planner_->judge().release();
  step(now);
}

std::vector<fleet::BoxId> PlannerLink::take_probes() {
  return planner_ ? planner_->judge().take_probes() : std::vector<fleet::BoxId>{};
}

void PlannerLink::follow_key(const std::string& key, const Entry* entry) {
  const Keys::Parts parts = keys_.parts(key);
  const fleet::BoxId box(parts.id);
  const auto held = [&](auto& target, const auto& read) {
    target.revision = entry->changed;
    if (read) target.document = read.value();
    if (!read) ++unreadable_;  // what was read before stays
  };
  if (parts.kind == "alive") {
    if (entry == nullptr) view_.alive.erase(box);
    if (entry != nullptr) view_.alive[box] = lease_of_session(entry->value);
  } else if (parts.kind == "assign") {
    if (entry == nullptr) view_.assigned.erase(box);
    if (entry != nullptr) held(view_.assigned[box], read_assign(entry->value));
  } else if (parts.kind == "state") {
    if (entry == nullptr) view_.states.erase(box);
    if (entry != nullptr) held(view_.states[box], read_state(entry->value));
  } else if (parts.kind == "plan") {
    if (entry == nullptr) view_.plan = {};
    if (entry != nullptr) held(view_.plan, read_plan(entry->value));
  } else if (parts.kind == "release" && entry != nullptr && planner_ && term_ && entry->changed > *term_) {
    planner_->judge().release();
  }
}

void PlannerLink::follow(TimePoint now) {
  for (const std::string& key : session_.take_changed()) {
    const auto found = session_.mirror().find(key);
    follow_key(key, found == session_.mirror().end() ? nullptr : &found->second);
    const std::string kind = keys_.parts(key).kind;
    changed_ = changed_ || kind == "camera" || kind == "box" || kind == "report" || kind == "policy" ||
               kind == "profiles" || kind == "pin";
  }
  if (!read_at_ || now >= may_read()) read_configured(now);
}

void PlannerLink::read_configured(TimePoint now) {
  if (!changed_) return;
  changed_ = false;
  read_at_ = now;
  std::optional<Configured> read = read_(session_.mirror());
  if (!read) {
    ++unreadable_;
    return;
  }
  view_.problem = std::move(read->problem);
  view_.tasks = std::move(read->tasks);
  view_.pins = std::move(read->pins);
  view_.apis = std::move(read->apis);
  mute_ = std::move(read->mute);
  ++view_.problem_version;
}

void PlannerLink::lead(TimePoint now) {
  if (session_.claim() == term_) return;
  term_ = session_.claim();
  planner_.reset();
  judged_.reset();
  paused_until_.reset();
  too_large_.clear();
  refused_.reset();
  write_ = 0;
  wait_for_ = 0;
  wait_for_list_ = 0;
  if (!term_) return;
  planner_.emplace(settings_.decide);
  wait_for_ = *term_;
  silent_ = false;
  (void)now;
}

bool PlannerLink::may_decide(TimePoint now) const {
  return planner_ && write_ == 0 && (!paused_until_ || now >= *paused_until_) && session_.mirrored() &&
         *session_.mirrored() >= wait_for_ && session_.lists() >= wait_for_list_ &&
         now < session_.lasts_until() - kLeaderMargin;
}

void PlannerLink::decide(TimePoint now) {
  if (now - session_.last_answer() > kSilent) {
    silent_ = true;
  } else if (std::exchange(silent_, false) && planner_) {
    planner_->judge().unsettle(now);
  }
  if (!may_decide(now)) return;
  paused_until_.reset();
  view_.revision = *session_.mirrored();
  view_.store_term = session_.term();
  if (judged_ != view_.problem_version) {
    judged_ = view_.problem_version;
    planner_->judge().boxes(view_.problem.boxes, now);
    for (const fleet::Box& box : view_.problem.boxes) {
      planner_->judge().set_can_probe(box.id, !mute_.contains(box.id));
    }
  }
  for (int i = 0; i < 2; ++i) {  // once more without the boxes that turned out to be closed
    mind_too_large(now);
    const std::optional<fleet::Write> decided = planner_->step(view_, *term_, now);
    if (!decided || write(*decided, now)) break;
  }
}

void PlannerLink::mind_too_large(TimePoint now) {
  std::erase_if(too_large_, [&](const auto& each) { return now >= each.second.at + kTellLarge; });
  view_.closed.clear();
  for (const auto& [box, large] : too_large_) {
    if (large.problem_version == view_.problem_version && now < large.at + kPauseOfLarge)
      view_.closed.insert(box);
  }
}

// A document that the store would refuse keeps only itself from being written, and those of boxes that it
// takes cameras from: they are to serve them meanwhile. What takes comes before what gives (fleet::Write).
bool PlannerLink::write(const fleet::Write& write, TimePoint now) {
  request::Commit commit;
  commit.compares.push_back({keys_.leader(), Compare::What::created, *term_});
  commit.compares.push_back({keys_.plan(), Compare::What::changed, view_.plan.revision});
  commit.puts.push_back({keys_.plan(), to_text(write.plan)});
  const std::size_t plan_bytes = bytes_of(commit.puts.front());
  std::size_t bytes = plan_bytes;
  std::size_t most = 0;
  std::set<TaskId> waiting;  // cameras that a document gains that is left out
  for (const auto& [box, document] : write.assigned) {
    Put put{keys_.assign(box.str()), to_text(document)};
    const auto known = view_.assigned.find(box);
    const bool large = plan_bytes + bytes_of(put) > kMostBytes;
    if (large) too_large_[box] = {bytes_of(put), now, view_.problem_version};
    if (!large) too_large_.erase(box);
    const bool is_known = known != view_.assigned.end();
    const Cameras before = is_known ? known->second.document.cameras : Cameras{};
    const Cameras& after = document.cameras;
    const bool gives = std::any_of(before.begin(), before.end(), [&](const fleet::AssignedCamera& each) {
      return waiting.contains(each.id) && !serves(after, each.id);
    });
    if (large || gives) {
      for (const fleet::AssignedCamera& each : document.cameras) {
        if (!serves(before, each.id)) waiting.insert(each.id);
      }
      continue;
    }
    bytes += put.value.size();
    if (bytes > kWriteBytes && commit.puts.size() > 1) break;  // the others next time
    if (bytes_of(put) > most) {
      most = bytes_of(put);
      largest_ = "the largest document was that of " + box.str() + " with " + std::to_string(most) + " bytes";
    }
    const std::int64_t revision = is_known ? known->second.revision : 0;
    commit.compares.push_back({put.key, Compare::What::changed, revision});
    commit.puts.push_back(std::move(put));
  }
  if (most == 0 && !write.assigned.empty() && !says_more(write.plan, view_.plan.document)) return false;
  if (most == 0) largest_ = "the document of the plan with " + std::to_string(plan_bytes) + " bytes";
  write_ = session_.new_number();
  requests_.push_back({write_, std::move(commit)});
  return true;
}

void PlannerLink::step(TimePoint now) {
  session_.step(now);
  follow(now);
  lead(now);
  decide(now);
  for (Numbered& request : session_.take()) requests_.push_back(std::move(request));
}

std::optional<TimePoint> PlannerLink::next() const {
  std::optional<TimePoint> next = session_.next();
  const auto no_later = [&](TimePoint at) { next = next ? std::min(*next, at) : at; };
  if (changed_) no_later(may_read());
  if (!planner_ || write_ != 0) return next;
  if (paused_until_) {
    no_later(*paused_until_);
    return next;
  }
  if (planner_->next()) no_later(*planner_->next());
  for (const auto& [box, large] : too_large_) {
    if (view_.closed.contains(box)) no_later(large.at + kPauseOfLarge);
  }
  return next;
}

Errors PlannerLink::complaints() const {
  Errors complaints;
  for (const auto& [box, large] : too_large_) {
    complaints.push_back({"assign/" + box.str(),
                          "is too large for the store, with " + std::to_string(large.bytes) +
                              " bytes: the box goes on with what it was assigned before",
                          "give it fewer cameras (max_cameras), or shorten their documents"});
  }
  if (refused_)
    complaints.push_back({"assign", "the store refuses what the planner writes: " + *refused_, ""});
  return complaints;
}

}  // namespace saccade::fleet_store
