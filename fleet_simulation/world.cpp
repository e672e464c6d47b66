#include "fleet_simulation/world.hpp"

#include <algorithm>

#include "fleet/plan.hpp"

namespace saccade::fleet_simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kLeast = milliseconds(1);  // between two steps of a process that has nothing to wait for
constexpr Duration kSwap = milliseconds(20);  // an engine that is ready begins to serve
constexpr Duration kCutGrace = seconds(2);    // what was on its way has arrived
constexpr std::uint64_t kSessionRequests = 1'000'000'000;  // more than one process sends

std::set<TaskId> cameras_with_room(const fleet::Problem& problem, const fleet::PlanLimits& limits) {
  const fleet::Model model(problem);
  const fleet::FleetPlan plan = fleet::plan_fleet(model, limits);
  std::set<TaskId> served;
  for (std::size_t i = 0; i < problem.cameras.size(); ++i) {
    if (!plan.assignment.served(i).off()) served.insert(problem.cameras[i].task.id);
  }
  return served;
}

}  // namespace

fleet::PlannerSettings quick_planner() {
  fleet::PlannerSettings settings;
  settings.plan.passes = 60;
  settings.plan.pairs = 40;
  settings.plan.survival = false;
  settings.plan.joint.max_nodes = 200;
  settings.plan.joint.gap = 1e-3;
  return settings;
}

SimulationResult simulate(const fleet::Problem& problem, const SimulationSettings& settings) {
  return World(problem, settings).run();
}

World::World(const fleet::Problem& problem, const SimulationSettings& settings)
    : problem_(problem),
      settings_(settings),
      dice_(settings.seed),
      delays_(settings.seed + 0x5A5A5A5AU),
      store_([this] { return delays_.between(milliseconds(1), milliseconds(8)); }),
      witness_(problem, cameras_with_room(problem, settings.decide.plan)) {
  const auto clock = [&] { return LocalClock(static_cast<std::int64_t>(dice_.below(401)) - 200); };
  for (std::size_t i = 0; i < problem.boxes.size(); ++i) {
    box_index_.emplace(problem.boxes[i].id, i);
    SimulatedBox& box = boxes_.emplace_back();
    box.client = &store_.open();
    box.clock = clock();
  }
  for (std::size_t i = 0; i < problem.cameras.size(); ++i)
    camera_index_.emplace(problem.cameras[i].task.id, i);
  for (std::size_t i = 0; i < settings.planners; ++i) {
    SimulatedPlanner& planner = planners_.emplace_back();
    planner.client = &store_.open();
    planner.clock = clock();
  }
  operator_ = &store_.open();
  // What came later has its own die: the seeds keep their stories.
  constexpr auto kLater = static_cast<std::size_t>(Fault::write_cut);
  for (std::size_t i = 0; i < kFaults; ++i) {
    const bool drawn = i < kLater ? dice_.one_in(2) : Dice(settings.seed + i).one_in(2);
    if (settings.faults[i] && (drawn || !settings.draw)) drawn_.push_back(static_cast<Fault>(i));
  }
}

void World::at(TimePoint time, std::function<void()> what) {
  queue_.emplace(std::pair{time, sequence_++}, std::move(what));
}

TimePoint World::next() const {
  TimePoint next = TimePoint::max();
  if (!queue_.empty()) next = queue_.begin()->first.first;
  if (!wakes_.empty()) next = std::min(next, wakes_.begin()->first);
  if (const auto store = store_.next()) next = std::min(next, *store);
  return std::max(next, now_);
}

void World::advance(TimePoint until) {
  while (next() <= until && !witness_.first_breach()) {
    now_ = next();
    ++result_.events;
    store_.run_until(now_);
    const std::set<std::size_t>& ready = store_.with_events();  // boxes were opened first, then planners
    for (auto i = ready.begin(); i != ready.end() && *i < boxes_.size() + planners_.size();) {
      const std::size_t process = *i;
      serve_events(process);
      i = ready.upper_bound(process);  // one that hangs stays
    }
    (void)operator_->take();
    if (!queue_.empty() && queue_.begin()->first.first <= now_) {
      const std::function<void()> what = std::move(queue_.begin()->second);
      queue_.erase(queue_.begin());
      what();
    }
    while (!wakes_.empty() && wakes_.begin()->first <= now_) {
      const std::size_t process = wakes_.begin()->second;
      wakes_.erase(wakes_.begin());
      step_process(process);
    }
  }
  now_ = std::max(now_, until);
}

SimulationResult World::run() {
  configure();
  for (std::size_t i = 0; i < planners_.size(); ++i) start_planner(i);
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    after(dice_.between(milliseconds(0), seconds(5)), [this, i] { start_box(i); });
  }
  const TimePoint end = TimePoint{} + settings_.duration;
  calm_since_ = now_;
  TimePoint turn = now_ + settings_.calm;
  for (TimePoint second = now_ + seconds(1); second <= end; second += seconds(1)) {
    advance(second);
    witness_.look(now_, calm_since_);
    if (witness_.first_breach()) break;
    if (calm_since_ && now_ >= turn && !drawn_.empty()) {
      storm_ends_ = turn = now_ + settings_.storm;
      calm_since_.reset();
      storm();
    } else if (!calm_since_ && now_ >= turn) {
      heal();
      turn = now_ + settings_.calm;
    }
  }
  witness_.report(result_);
  result_.hash = hash_.value();
  return result_;
}

// --- processes

void World::wake_process(std::size_t process, Process& of, std::optional<TimePoint> local) {
  wakes_.erase({of.wakes, process});
  if (!local || !of.runs) return;
  of.wakes = std::max(of.clock.real(*local), now_ + kLeast);
  wakes_.insert({of.wakes, process});
}

void World::start_box(std::size_t index) {
  SimulatedBox& box = boxes_[index];
  if (box.link) return;
  box.runs = true;
  box.hangs = false;
  ++box.session;
  fleet_store::BoxLinkSettings settings;
  settings.fleet = "sim";
  settings.box = problem_.boxes[index].id.str();
  settings.session = box.session;
  settings.first_request = static_cast<std::uint64_t>(box.session) * kSessionRequests;
  box.link.emplace(settings);
  if (!box.link->boot(box.disk, box.clock.at(now_))) witness_.breach(now_, "memory", settings.box);
  flush_box(index);
}

void World::stop_box(std::size_t index) {
  SimulatedBox& box = boxes_[index];
  if (!box.link) return;
  box.client->forget();
  box.link.reset();
  box.engines.clear();
  box.standby.clear();
  box.stopped.clear();
  box.runs = false;
  wakes_.erase({box.wakes, index});
  witness_.box_halted(index, now_);
}

void World::halt_box(std::size_t index, bool halt) {
  SimulatedBox& box = boxes_[index];
  if (!box.link || box.hangs == halt) return;
  box.hangs = halt;
  box.runs = !halt;
  if (halt) {
    wakes_.erase({box.wakes, index});
    witness_.box_halted(index, now_);
    return;
  }
  if (box.cut_since) box.cut_since = now_;  // what had arrived is read now
  box.link->step(box.clock.at(now_));
  flush_box(index);
  std::map<TaskId, bool> open;
  for (const auto& [camera, engine] : box.engines) open.emplace(camera, engine.serves);
  witness_.box_resumed(index, open, now_);
  report_standby(index);
}

void World::start_planner(std::size_t index) {
  SimulatedPlanner& planner = planners_[index];
  if (planner.link) return;
  planner.runs = true;
  ++planner.session;
  fleet_store::PlannerLinkSettings settings;
  settings.fleet = "sim";
  settings.planner = "planner-" + std::to_string(index);
  settings.session = planner.session;
  settings.decide = settings_.decide;
  settings.decide.most_documents = planner.room.value_or(settings.decide.most_documents);
  settings.first_request = static_cast<std::uint64_t>(planner.session) * kSessionRequests;
  planner.link.emplace(settings, [this](const auto& entries) { return read(entries); });
  planner.link->step(planner.clock.at(now_));
  flush_planner(index);
}

void World::stop_planner(std::size_t index) {
  SimulatedPlanner& planner = planners_[index];
  if (!planner.link) return;
  planner.client->forget();
  planner.link.reset();
  planner.runs = false;
  planner.led = false;
  wakes_.erase({planner.wakes, boxes_.size() + index});
}

void World::serve_events(std::size_t process) {
  const bool is_box = process < boxes_.size();
  Process& of = is_box ? static_cast<Process&>(boxes_[process]) : planners_[process - boxes_.size()];
  if (!of.runs) return;
  for (const fleet_store::Event& event : of.client->take()) {
    if (is_box) boxes_[process].link->on(event, of.clock.at(now_));
    if (!is_box) planners_[process - boxes_.size()].link->on(event, of.clock.at(now_));
  }
  if (is_box) flush_box(process);
  if (!is_box) flush_planner(process - boxes_.size());
}

void World::step_process(std::size_t process) {
  if (process < boxes_.size()) {
    boxes_[process].link->step(boxes_[process].clock.at(now_));
    flush_box(process);
    return;
  }
  SimulatedPlanner& planner = planners_[process - boxes_.size()];
  planner.link->step(planner.clock.at(now_));
  flush_planner(process - boxes_.size());
}

void World::flush_box(std::size_t index) {
  SimulatedBox& box = boxes_[index];
  for (fleet_store::Numbered& request : box.link->take_requests()) {
    box.client->submit(request.number, std::move(request.request));
  }
  for (const fleet_store::BoxOrder& each : box.link->take_orders()) order(index, each);
  wake_process(index, box, box.link->next());
}

void World::flush_planner(std::size_t index) {
  SimulatedPlanner& planner = planners_[index];
  for (fleet_store::Numbered& request : planner.link->take_requests()) {
    if (const auto* commit = std::get_if<fleet_store::request::Commit>(&request.request))
      look_at_write(*commit);
    planner.client->submit(request.number, std::move(request.request));
  }
  for (const fleet::BoxId& box : planner.link->take_probes()) probe(index, box);
  if (planner.link->leading() && !planner.led) {
    ++result_.leaders;
    hash_.mix(static_cast<std::uint64_t>(now_.time_since_epoch().count()), 1'000 + index);
  }
  planner.led = planner.link->leading();
  wake_process(boxes_.size() + index, planner, planner.link->next());
}

void World::order(std::size_t index, const fleet_store::BoxOrder& order) {
  SimulatedBox& box = boxes_[index];
  const auto time = static_cast<std::uint64_t>(now_.time_since_epoch().count());
  if (const auto* save = std::get_if<fleet_store::SaveText>(&order)) {
    box.disk = save->text;
  } else if (const auto* start = std::get_if<fleet::agent::Start>(&order)) {
    const TaskId& camera = start->camera.id;
    const std::int64_t epoch = start->camera.epoch;
    hash_.mix(time, index, camera_index_.at(camera), static_cast<std::uint64_t>(epoch));
    ++result_.starts;
    if (start->camera.cause == fleet::Cause::improvement) witness_.improved(epoch, now_);
    if (start->camera.cause == fleet::Cause::unserved) ++result_.unserved;
    const auto stopped = box.stopped.find(camera);
    const bool again = stopped != box.stopped.end() && stopped->second == epoch;
    witness_.started(index, camera, epoch, box.engines.contains(camera) || again, now_);
    box.engines[camera] = {epoch, ++generation_, false};
    note_standby_start(index, start->camera);
    load(index, camera);
  } else if (const auto* standby = std::get_if<fleet::agent::StandBy>(&order)) {
    stand_by(index, standby->cameras);
  } else if (const auto* stop = std::get_if<fleet::agent::Stop>(&order)) {
    hash_.mix(time, index, camera_index_.at(stop->id), 7U);
    box.engines.erase(stop->id);
    box.stopped[stop->id] = stop->epoch;
    const bool cut = box.cut_since && now_ > *box.cut_since + kCutGrace;
    witness_.stopped_by_order(index, stop->id, cut, now_);
  }
}

// The engine of a camera is loaded, or it is not.
void World::load(std::size_t index, const TaskId& camera) {
  const Engine engine = boxes_[index].engines.at(camera);
  const bool fails = boxes_[index].engines_fail;
  const Duration takes = dice_.between(milliseconds(300), seconds(3));
  const auto standby = boxes_[index].standby.find(camera);
  const bool ready = standby != boxes_[index].standby.end() && standby->second;
  after(ready ? kSwap : takes, [this, index, camera, engine, fails] {
    SimulatedBox& box = boxes_[index];
    const auto found = box.engines.find(camera);
    if (found == box.engines.end() || found->second.generation != engine.generation) return;
    if (box.hangs) {
      load(index, camera);
      return;
    }
    if (fails) {
      box.engines.erase(found);
      witness_.ended(index, camera, now_);
    } else {
      found->second.serves = true;
      witness_.serves(index, camera, now_);
    }
    box.link->report(camera, engine.epoch, fails ? fleet::CameraStatus::failed : fleet::CameraStatus::serving,
                     fails ? "memory" : "", box.clock.at(now_));
    flush_box(index);
  });
}

void World::probe(std::size_t planner, const fleet::BoxId& box) {
  const std::int64_t session = planners_[planner].session;
  const bool answers = boxes_[box_index_.at(box)].runs && boxes_[box_index_.at(box)].reachable;
  after(answers ? milliseconds(5) : seconds(1), [this, planner, session, box, answers] {
    SimulatedPlanner& asked = planners_[planner];
    if (!asked.link || asked.session != session) return;
    const SimulatedBox& of = boxes_[box_index_.at(box)];
    std::optional<Duration> reached;
    if (answers && of.link && of.link->session().reached()) {
      reached = of.clock.at(now_) - *of.link->session().reached();
    }
    asked.link->probed(box, answers, asked.clock.at(now_), reached);
    flush_planner(planner);
  });
}

// --- the operator

void World::set_key(const std::string& key, const std::optional<std::string>& value) {
  fleet_store::request::Commit commit;
  if (value) commit.puts.push_back({key, *value});
  if (!value) commit.deletions.push_back(key);
  operator_->submit(++operator_requests_, commit);
  set_keys_.insert(key);
}

void World::configure() {
  for (const fleet::Box& box : problem_.boxes) set_key(keys_.box(box.id.str()), to_string(box.state));
  for (const fleet::Camera& camera : problem_.cameras) {
    set_key(keys_.camera(camera.task.id.str()), "task of " + camera.task.id.str());
  }
  set_keys_.clear();
}

std::optional<fleet_store::Configured> World::read(
    const std::map<std::string, fleet_store::Entry>& entries) const {
  fleet_store::Configured configured;
  configured.problem.policy = problem_.policy;
  const auto policy = entries.find(keys_.policy());
  if (policy != entries.end()) {
    configured.problem.policy.lease = Seconds(std::stod(policy->second.value));
  }
  for (auto it = entries.lower_bound(keys_.box("")); it != entries.end(); ++it) {
    const fleet_store::Keys::Parts parts = keys_.parts(it->first);
    if (parts.kind != "box") break;
    fleet::Box box = problem_.boxes[box_index_.at(fleet::BoxId(parts.id))];
    if (it->second.value == "draining") box.state = fleet::BoxState::draining;
    configured.problem.boxes.push_back(std::move(box));
  }
  for (auto it = entries.lower_bound(keys_.camera("")); it != entries.end(); ++it) {
    const fleet_store::Keys::Parts parts = keys_.parts(it->first);
    if (parts.kind != "camera") break;
    const TaskId id(parts.id);
    configured.problem.cameras.push_back(problem_.cameras[camera_index_.at(id)]);
    configured.tasks.emplace(id, it->second.value);
  }
  return configured;
}

}  // namespace saccade::fleet_simulation
