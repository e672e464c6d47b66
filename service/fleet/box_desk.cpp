#include "service/fleet/box_desk.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "text/json_text.hpp"

namespace saccade::service {
namespace {

using fleet::CameraStatus;

constexpr Duration kServeAgain = std::chrono::milliseconds(250);
// A process that ended a moment ago may hold the box's key for as long as its lease.
constexpr Duration kConflictMargin = std::chrono::seconds(5);

bool has(const std::map<TaskId, text::JsonValue>& tasks, const TaskId& id, const text::JsonValue& task) {
  const auto found = tasks.find(id);
  return found != tasks.end() && text::write_json(found->second) == text::write_json(task);
}

}  // namespace

BoxDesk::BoxDesk(const fleet_store::BoxLinkSettings& settings, BoxNetworks networks,
                 std::map<std::string, std::string> papers, BoxHands hands)
    : link_(settings),
      alive_key_(fleet_store::Keys(settings.fleet).alive(settings.box)),
      networks_(std::move(networks)),
      papers_(std::move(papers), [this] { return link_.new_number(); }),
      hands_(std::move(hands)) {}

bool BoxDesk::boot(const std::optional<std::string>& saved, TimePoint now) {
  const bool good = link_.boot(saved, now);
  settle(now);
  return good;
}

void BoxDesk::on(const fleet_store::Event& event, TimePoint now) {
  if (!papers_.on(event, now)) link_.on(event, now);
  settle(now);
}

void BoxDesk::observe(const std::vector<ObservedTask>& tasks, TimePoint now) {
  std::vector<TaskId> ready;
  for (const ObservedTask& task : tasks) {
    if (task.spare && standby_.contains(TaskId(task.id))) ready.emplace_back(task.id);
    processed_[task.id] = task.processed;
    const auto found = cameras_.find(TaskId(task.id));
    if (found == cameras_.end() || found->second.serves || dirty_) continue;
    Camera& camera = found->second;
    if (task.processed < camera.processed) camera.processed = 0;  // another task, which counts from the start
    const bool works = task.pushed ? task.has_engine : task.processed > camera.processed;
    if (!works) continue;
    camera.serves = true;
    link_.report(found->first, camera.of.epoch, CameraStatus::serving, "", now);
  }
  link_.ready(std::move(ready), now);
  settle(now);
}

void BoxDesk::replace_papers(const std::map<std::string, std::string>& papers, TimePoint now) {
  papers_.replace(papers, now);
}

void BoxDesk::step(TimePoint now) {
  link_.step(now);
  settle(now);
}

void BoxDesk::settle(TimePoint now) {
  carry_out(now);
  // A camera that has failed may be an order of its own.
  for (int i = 0; i < 2 && dirty_ && (!again_ || now >= *again_); ++i) {
    serve(now);
    carry_out(now);
  }
  const auto claim = link_.session().claim();
  if (claim) papers_.hold(alive_key_, *claim, now);
  papers_.step(now);
  look_for_conflict(now);
  standing_.outdated = link_.refuses();
  standing_.connected = link_.attached() && !standing_.outdated;
  if (standing_.connected) standing_.current_at = now;
  standing_.reached = link_.session().reached();
  standing_.cameras = cameras_.size();
  standing_.standby = standby_.size();
  standing_.refused = link_.refused();
  standing_.moved = link_.moved(now);
  standing_.papers_written = papers_.all_written();
}

void BoxDesk::carry_out(TimePoint now) {
  for (fleet_store::BoxOrder& order : link_.take_orders()) {
    if (auto* start = std::get_if<fleet::agent::Start>(&order)) {
      const TaskId id = start->camera.id;
      Result<text::JsonValue> task = task_of_camera(id.str(), start->camera.task, networks_);
      if (!task) {
        link_.report(id, start->camera.epoch, CameraStatus::failed, to_string(task.errors()), now);
        continue;
      }
      cameras_[id] = {start->camera, processed_[id.str()], false};
      tasks_[id] = std::move(task).value();
      dirty_ = true;
    } else if (const auto* stop = std::get_if<fleet::agent::Stop>(&order)) {
      cameras_.erase(stop->id);
      tasks_.erase(stop->id);
      dirty_ = true;
    } else if (const auto* standby = std::get_if<fleet::agent::StandBy>(&order)) {
      stand_by(standby->cameras);
    } else if (const auto* save = std::get_if<fleet_store::SaveText>(&order)) {
      hands_.save(save->text);
    }
  }
}

void BoxDesk::stand_by(const std::vector<fleet::StandbyCamera>& cameras) {
  standby_.clear();
  for (const fleet::StandbyCamera& camera : cameras) {
    Result<text::JsonValue> task = task_of_standby(camera.id.str(), camera.task, networks_);
    if (task) standby_[camera.id] = std::move(task).value();
  }
  dirty_ = true;
}

// What the service has from now on, unless it refuses: then it goes on with what it had.
BoxHands::Answer BoxDesk::apply(const Lineup& lineup) {
  std::vector<text::JsonValue> tasks;
  for (const auto& [id, task] : lineup.cameras) tasks.push_back(task);
  for (const auto& [id, task] : lineup.standby) tasks.push_back(task);
  BoxHands::Answer answer = hands_.serve(std::move(tasks));
  if (answer.done) served_ = lineup;
  return answer;
}

void BoxDesk::serve(TimePoint now) {
  again_.reset();
  Lineup wanted{tasks_, standby_};
  std::erase_if(wanted.standby, [&](const auto& each) { return tasks_.contains(each.first); });
  const BoxHands::Answer answer = apply(wanted);
  if (answer.done) {
    dirty_ = false;
  } else if (answer.later || !serve_one_by_one(wanted, now)) {
    again_ = now + kServeAgain;
  }
}

// Of what is refused, all but one: refusals change nothing, so that each may be tried.
BoxHands::Answer BoxDesk::apply_without_one(Lineup& lineup) {
  BoxHands::Answer answer;
  for (const auto part : {&Lineup::standby, &Lineup::cameras}) {
    for (const auto& [id, task] : lineup.*part) {
      Lineup less = lineup;
      (less.*part).erase(id);
      answer = apply(less);
      if (answer.done) lineup = std::move(less);
      if (answer.done || answer.later) return answer;
    }
  }
  return answer;
}

// What is served already and still wanted, without what is refused of it now: nothing, as a rule.
std::optional<BoxDesk::Lineup> BoxDesk::keep_served(const Lineup& wanted) {
  Lineup kept = served_;
  std::erase_if(kept.cameras, [&](const auto& each) { return !wanted.cameras.contains(each.first); });
  std::erase_if(kept.standby,
                [&](const auto& each) {  // one that is to be served now keeps its engine until then
                  return !wanted.cameras.contains(each.first) && !wanted.standby.contains(each.first);
                });
  BoxHands::Answer answer = apply(kept);
  if (!answer.done && !answer.later) answer = apply_without_one(kept);
  while (!answer.done && !answer.later && !(kept.cameras.empty() && kept.standby.empty())) {
    auto& last = kept.standby.empty() ? kept.cameras : kept.standby;
    last.erase(std::prev(last.end()));
    answer = apply(kept);
  }
  if (!answer.done) return std::nullopt;
  return kept;
}

// Which of them cannot be served. Every set that is not refused is served at once: so each is what is served
// already and one more, and no camera that stays is ever left out. False: to be tried again.
bool BoxDesk::serve_one_by_one(const Lineup& wanted, TimePoint now) {
  std::optional<Lineup> kept = keep_served(wanted);
  if (!kept) return false;
  Lineup good = *std::move(kept);
  std::vector<std::pair<TaskId, std::string>> bad;
  std::size_t withdrawn = 0;  // what was served of these as an earlier task
  for (const auto& [id, task] : wanted.cameras) {
    if (has(good.cameras, id, task)) continue;
    Lineup more = good;
    more.cameras[id] = task;
    more.standby.erase(id);
    BoxHands::Answer answer = apply(more);
    if (!answer.done && !answer.later && !more.standby.empty()) {  // which makes way for a camera
      more.standby.clear();
      answer = apply(more);
    }
    if (answer.later) return false;
    if (answer.done) {
      good = std::move(more);
      continue;
    }
    withdrawn += good.cameras.erase(id) + good.standby.erase(id);
    bad.emplace_back(id, answer.why);
  }
  std::vector<TaskId> not_ready;
  for (const auto& [id, task] : wanted.standby) {
    if (has(good.standby, id, task)) continue;
    Lineup more = good;
    more.standby[id] = task;
    const BoxHands::Answer answer = apply(more);
    if (answer.later) return false;
    if (answer.done) {
      good = std::move(more);
      continue;
    }
    withdrawn += good.standby.erase(id);
    not_ready.push_back(id);
  }
  if (withdrawn > 0 && !apply(good).done) return false;
  dirty_ = false;
  for (const TaskId& id : not_ready) standby_.erase(id);
  for (const auto& [id, why] : bad) fail(id, why, now);
  return true;
}

void BoxDesk::fail(const TaskId& id, const std::string& why, TimePoint now) {
  const std::int64_t epoch = cameras_.at(id).of.epoch;
  cameras_.erase(id);
  tasks_.erase(id);
  link_.report(id, epoch, CameraStatus::failed, why, now);
}

// Another process that pays for the key all the time. Once this one has been the box, it stays it.
void BoxDesk::look_for_conflict(TimePoint now) {
  const fleet_store::Session& session = link_.session();
  has_held_ = has_held_ || session.claim().has_value();
  if (has_held_ || session.refused_claims() == 0) return;
  if (!refused_since_) refused_since_ = now;
  standing_.conflict = now >= *refused_since_ + link_.longest_lease() + kConflictMargin;
}

std::optional<TimePoint> BoxDesk::next() const {
  std::optional<TimePoint> next = link_.next();
  const auto no_later = [&](TimePoint at) { next = next ? std::min(*next, at) : at; };
  if (dirty_ && again_) no_later(*again_);
  if (const auto papers = papers_.next()) no_later(*papers);
  if (refused_since_ && !has_held_ && !standing_.conflict) {
    no_later(*refused_since_ + link_.longest_lease() + kConflictMargin);
  }
  return next;
}

std::vector<fleet_store::Numbered> BoxDesk::take_requests() {
  std::vector<fleet_store::Numbered> requests = link_.take_requests();
  for (fleet_store::Numbered& request : papers_.take()) requests.push_back(std::move(request));
  return requests;
}

}  // namespace saccade::service
