// The part of the planner that makes the plan of the whole fleet, and moves cameras to where that would have
// them, a few at a time.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "fleet/control/planner.hpp"
#include "fleet/control/scene.hpp"

namespace saccade::fleet {
namespace {

constexpr Duration kBlockedRound = std::chrono::seconds(2);
constexpr Duration kCutRound =
    std::chrono::minutes(5);  // after a plan that the deadline cut off and that moved nothing
constexpr std::size_t kLeastInFlight = 4;
constexpr double kGrain = 1e-9;
constexpr double kNoGain = 1e3;  // a moving cost that only what is served in addition outweighs

// What is served if no camera moves: those that have a box, there; the others, as a plan has them.
struct Unmoved {
  Unmoved(const Model& model, const FleetPlan& plan, const Assignment& kept) {
    for (std::size_t i = 0; i < model.items().size(); ++i) {
      const Item& item = model.items()[i];
      const Served& by = item.home == kNone ? plan.assignment.served(i) : kept.served(i);
      served.push_back(by.off() ? 0.0 : by.rate);
      lost = lost || (served[i] < item.rate && !model.allowed(item).empty());
      off += item.home != kNone && by.off() ? 1 : 0;
    }
  }
  std::vector<double> served;  // frames/s
  bool lost = false;           // some demand is not served
  std::size_t off = 0;         // cameras that have a box, and are not served there
};

// The same fleet, whose plans move cameras to serve more, and not for accuracy.
Problem for_serving(Problem problem, std::size_t most_moves) {
  problem.policy.moving_cost = kNoGain;
  problem.policy.most_moves = most_moves;
  return problem;
}

// Whether a plan serves more than if nothing moved, by more than its moves cost, and nothing less in the
// classes that this takes. `model`: with the moving costs of the policy.
bool is_worth_its_moves(const Model& model, const FleetPlan& plan, const Unmoved& unmoved) {
  std::vector<double> gained(model.ranks(), 0.0);
  double cost = 0.0;
  for (std::size_t i = 0; i < model.items().size(); ++i) {
    const Item& item = model.items()[i];
    const Served& served = plan.assignment.served(i);
    if (!model.problem().cameras[i].task.active()) continue;
    const double rate = served.off() ? 0.0 : served.rate;
    gained[item.rank] += item.weight * (rate - unmoved.served[i]) / item.rate;
    if (!served.off() && item.home != kNone && served.box != item.home) cost += item.moving_cost;
  }
  double total = 0.0;
  for (const double gain : gained) {
    if (gain < -kGrain) return false;
    total += gain;
    if (total > cost + kGrain) return true;
  }
  return false;
}

}  // namespace

void Planner::Course::take(const FleetPlan& plan) {
  moves = plan.moves;
  to.clear();
  for (std::size_t i = 0; i < problem.cameras.size(); ++i) to.push_back(plan.assignment.served(i).box);
}

Cause Planner::Course::cause(std::size_t camera, const Box& from) const {
  if (from.state == BoxState::draining || from.state == BoxState::retired) return Cause::drain;
  if (stranded.contains(camera)) return Cause::order;
  return serves_more ? Cause::unserved : Cause::improvement;
}

std::size_t Planner::most_in_flight(const Scene& scene) const {
  const double all = static_cast<double>(scene.view.problem.cameras.size());
  return std::max(kLeastInFlight, static_cast<std::size_t>(settings_.in_flight * all));
}

Planner::When Planner::may_move(const Scene& scene, const Camera& camera, const BoxId& from, const BoxId& to,
                                Cause cause) const {
  if (judge_.health(from) != BoxHealth::alive) return When::later;
  const auto excluded = excluded_.find({camera.task.id, to});
  if (excluded != excluded_.end() && scene.now < excluded->second) return When::later;
  const auto rests = rests_.find(camera.task.id);
  const bool rested = rests == rests_.end() || scene.now >= rests->second;
  if (cause == Cause::improvement && tokens_ < 1.0) return When::later;
  if ((cause == Cause::improvement || cause == Cause::unserved) && !rested) return When::later;
  if (scene.closed(to)) return When::soon;
  if (full(scene, camera.exclusive ? from : to) || scene.in_flight >= most_in_flight(scene))
    return When::soon;
  std::size_t arriving = 0;
  for (const AssignedCamera& each : scene.draft.cameras(to)) arriving += each.role == Role::take_over ? 1 : 0;
  const bool busy = arriving >= settings_.arriving || not_serving(scene, to) >= settings_.starting;
  return busy ? When::soon : When::now;
}

void Planner::move(Scene& scene, const Camera& camera, const BoxId& to, Cause cause) {
  const TaskId& id = camera.task.id;
  const BoxId& from = scene.at(id)->serve->box;
  if (cause == Cause::improvement) tokens_ -= 1.0;
  rests_[id] = scene.now + settings_.rest;
  ++figures_.moves;
  move_times_.begin_move(id, from, scene.now);
  if (camera.exclusive) {
    scene.release(from, id, cause);
    return;
  }
  scene.draft.add(to, camera, Role::take_over, cause);
  deadline_[{id, to}] = scene.now + to_duration(scene.view.problem.policy.handover);
  scene.touched.insert(id);
  ++scene.in_flight;
}

bool Planner::Course::holds(const Planner& planner, const Scene& scene) const {
  return problem_version == scene.view.problem_version && health_changes == planner.judge_.changes() &&
         withdrawn == planner.figures_.withdrawn && scene.now < until;
}

void Planner::round(Scene& scene) {
  if (scene.now < *due_) return;
  due_ = scene.now + settings_.round;
  const double per_hour = hourly_moves(scene.view.problem.policy, scene.view.problem.cameras.size());
  const Duration since = scene.now - tokens_at_.value_or(scene.now);
  // What the leader before has spent is not known: one that continues a fleet begins with nothing.
  if (!tokens_at_ && scene.view.plan.document.number > 0) tokens_ = 0.0;
  tokens_ = std::min(per_hour, tokens_ + per_hour * to_seconds(since).value() / 3600.0);
  tokens_at_ = scene.now;
  const auto budget = static_cast<std::size_t>(std::floor(tokens_));
  const std::uint64_t key = inputs_key(scene);
  const bool settled = key == settled_key_ && budget <= settled_budget_ && scene.now < settled_until_;
  if (settled || !scene.draft.empty() || scene.view.problem.boxes.empty()) {
    if (!scene.draft.empty()) due_ = scene.now + settings_.coalesce;
    return;
  }
  const bool anew = !course_ || !course_->holds(*this, scene);
  if (anew) chart(scene, budget);
  const When next = follow(scene, *course_);
  if (next == When::soon) due_ = scene.now + kBlockedRound;
  if (next == When::now && !anew) due_ = scene.now + settings_.coalesce;  // all are where they were to be
  if (next == When::now && anew && course_->complete) {
    settled_until_ = course_->rests;
    settled_key_ = key;  // a plan that used its budget up may be followed by a better one
    settled_budget_ =
        course_->moves < budget && !course_->cut ? std::numeric_limits<std::size_t>::max() : budget;
  }
  // What the deadline cut off is not settled: the next round goes on from where the cameras are then.
  if (next == When::now && anew && !course_->complete) due_ = scene.now + kCutRound;
  if (next != When::soon) course_.reset();
  if (!scene.draft.empty()) ++scene.draft.plan().number;
}

// Whether a box's assignment would be one more than a write has documents for: the change would count as
// made.
bool Planner::full(const Scene& scene, const BoxId& box) const {
  return scene.draft.documents() >= settings_.most_documents && !scene.draft.edits(box);
}

// Who may not move now stays, in a plan whose moves are to be made at once: cameras that rest, or whose box
// is not alive; and a box that did not take a camera over is none for it. When the first of these rests ends.
std::optional<TimePoint> Planner::hold(const Scene& scene, const Course& course, Problem& problem) const {
  std::optional<TimePoint> first;
  for (std::size_t i = 0; i < problem.cameras.size(); ++i) {
    Camera& camera = problem.cameras[i];
    if (!camera.serving || course.stranded.contains(i)) continue;
    const auto rests = rests_.find(camera.task.id);
    const bool resting = rests != rests_.end() && scene.now < rests->second;
    if (resting) first = std::min(first.value_or(rests->second), rests->second);
    if (resting || judge_.health(*camera.serving) != BoxHealth::alive) camera.where.boxes = {*camera.serving};
  }
  for (const auto& [pair, until] : excluded_) {
    const std::size_t camera = scene.bearings.camera(pair.first);
    if (scene.now < until && camera != kNone) problem.cameras[camera].where.avoid.push_back(pair.second);
  }
  return first;
}

// Plans the whole fleet.
void Planner::chart(Scene& scene, std::size_t budget) {
  auto course = std::make_shared<Course>();
  const TimePoint began = settings_.clock ? settings_.clock() : TimePoint{};
  PresentFleet& fleet = present(scene);
  course->problem = fleet.problem();
  std::optional<std::size_t>& most = course->problem.policy.most_moves;
  const std::optional<std::size_t> policy = most;
  most = std::min(policy.value_or(budget), budget);
  PlanLimits limits = settings_.plan;
  const auto at = [&](TimePoint end) { return [this, end] { return settings_.clock() >= end; }; };
  if (settings_.clock) {
    limits.stop = at(began + settings_.deadline);
    limits.stop_prices = at(began + settings_.deadline / 2);
    limits.rounds = kSearchRounds;
  }
  const Model model(course->problem);
  const FleetPlan plan = plan_fleet(model, limits);
  course->complete = !limits.stop || !limits.stop();
  course->take(plan);
  for (std::size_t i = 0; i < model.items().size(); ++i) {
    if (course->problem.cameras[i].serving && model.items()[i].home == kNone) course->stranded.insert(i);
  }
  // Only where moving costs something is moving to serve more told from other moving.
  const bool costs = course->problem.policy.objective == scheduler::Objective::max_accuracy;
  if (course->complete && costs && (plan.moves > 0 || !loses_nothing(plan.losses))) {
    const Unmoved unmoved(model, plan, fleet.assignment(limits.joint));
    const std::size_t free = budget + unmoved.off + most_in_flight(scene);  // the rest, the next plan finds
    Problem serving = for_serving(course->problem, std::min(policy.value_or(free), free));
    const std::optional<TimePoint> held = hold(scene, *course, serving);
    if (unmoved.lost && held) course->rests = *held;
    if (settings_.clock) {
      const TimePoint now = settings_.clock();
      limits.stop_prices = at(now + (began + settings_.deadline - now) / 2);
    }
    limits.survival = false;
    const Model of_serving(serving);
    if (unmoved.lost) {
      const FleetPlan more = plan_fleet(of_serving, limits);
      course->serves_more = more.moves > 0 && is_worth_its_moves(model, more, unmoved);
      if (course->serves_more) course->take(more);
    }
    course->cut = limits.stop && limits.stop();
  }
  if (settings_.clock) plan_times_.push_back(settings_.clock() - began);
  ++figures_.rounds;
  figures_.value = plan.value;
  figures_.bound = plan.bound;
  figures_.forecast = std::make_shared<const Forecast>(forecast_of(plan));
  course->problem_version = scene.view.problem_version;
  course->health_changes = judge_.changes();
  course->withdrawn = figures_.withdrawn;
  course->until = scene.now + settings_.round;
  course_ = std::move(course);
}

// Does of a plan what may be done now; when the rest of it may be: `now` if there is none.
Planner::When Planner::follow(Scene& scene, const Course& course) {
  const Problem& problem = course.problem;
  When rest = When::now;
  for (std::size_t i = 0; i < problem.cameras.size(); ++i) {
    const Camera& camera = problem.cameras[i];
    const TaskId& id = camera.task.id;
    if (course.to[i] == kNone || scene.touched.contains(id) || scene.released.contains(id)) continue;
    const BoxId& to = problem.boxes[course.to[i]].id;
    const Whereabouts::Camera* at = scene.at(id);
    if (at == nullptr) {
      rest = When::soon;
      if (scene.closed(to) || full(scene, to) || judge_.health(to) != BoxHealth::alive) continue;
      if (not_serving(scene, to) >= settings_.starting) continue;
      scene.draft.add(to, camera, Role::serve, cause_of_placing(id));
      scene.touched.insert(id);
    } else if (at->serve && !at->take_over && at->serve->box != to) {
      const Cause cause = course.cause(i, *scene.box(at->serve->box));
      const When when = may_move(scene, camera, at->serve->box, to, cause);
      if (when == When::now) move(scene, camera, to, cause);
      rest = when == When::later && rest != When::soon ? When::later : When::soon;
    }
  }
  return rest;
}

}  // namespace saccade::fleet
