#include "runtime/simulation/simulated_shell_impl.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "runtime/run/limits.hpp"

namespace saccade::runtime {
namespace {

constexpr std::uint64_t kBurstOneIn = 8;       // clients that send several frames at once
constexpr std::uint64_t kLongestBurst = 6;     // more than a gate and a bucket hold
constexpr std::int64_t kMaxNodes = 1'000'000;  // far more than a plan of a few dozen tasks needs

std::uint64_t number(TimePoint time) { return static_cast<std::uint64_t>(time.time_since_epoch().count()); }

}  // namespace

void SimulatedShell::Impl::step() {
  SACCADE_CHECK(!queue_.empty());
  const QueueEntry entry = queue_.pop();
  now_ = entry.at;
  ++events_;
  hash_.mix(number(now_), static_cast<std::uint64_t>(entry.what) << 32U | entry.index, entry.key);
  happen(entry);
  invariants_.after_event(now_, queue_.size());
  if (asked_ && !stopping_) invariants_.after_controller(now_);
  asked_ = false;
}

void SimulatedShell::Impl::happen(const QueueEntry& entry) {
  switch (entry.what) {
    case Happening::tick:
      if (!stopping_ && entry.key == tick_versions_[entry.index]) tick(entry.index);
      break;
    case Happening::frames_pushed:
      if (!stopping_ && entry.key == tick_versions_[entry.index]) frames_pushed(entry.index);
      break;
    case Happening::frame_ends:
      frame_ends(entry.index);
      break;
    case Happening::processor_free:
      processors_[entry.index].wakes.reset();
      start_frame(entry.index);
      break;
    case Happening::news:
      hear_news();
      break;
    case Happening::plan_ready:
      if (!stopping_) plan_ready();
      break;
    case Happening::job_ends:
      if (!stopping_ && entry.key == job_numbers_[entry.index]) job_ends(entry.index);
      break;
    case Happening::load_overdue:
      loader_.leave_behind(entry.key);
      start_jobs();
      break;
    case Happening::controller_tick:
      if (!stopping_ && entry.key == controller_version_) {
        controller_tick_.reset();
        ask(event::Tick{});
      }
      break;
    case Happening::look_around:
      if (!stopping_) look_around();
      break;
    case Happening::state:
      if (stopping_) break;
      while (conductor_.take_state(now_)) continue;
      reshape();
      if (const auto at = conductor_.next_state_at()) queue_.push(*at, Happening::state);
      break;
    case Happening::weather:
      if (!stopping_ && entry.key == weather_version_) weather();
      break;
    case Happening::calm_check:
      if (stopping_) break;
      entry.key == 0 ? invariants_.calm_begins() : invariants_.calm_ends(now_);
      break;
    case Happening::change_wanted:
      change_at_the_end();
      break;
  }
}

void SimulatedShell::Impl::tick(TaskIndex task) {
  desk_.collect_ticks(task, now_);
  const FaultSource::Camera camera = faults_.camera(places_[task], now_ - start_);
  if (camera.late_until) {
    queue_.push(start_ + *camera.late_until, Happening::tick, task, tick_versions_[task]);
    return;
  }
  while (const auto due = desk_.take_tick(task)) {
    if (!arrived(task, *due) || !camera.delivers) continue;
    invariants_.received(task, ++last_frame_, *due, desk_.period(task), now_);
    desk_.offer(task, last_frame_, *due, desk_.period(task), now_);
  }
  const bool well = camera.fault == nullptr;
  if (well != (camera_well_[task] != 0)) {
    camera_well_[task] = well ? 1 : 0;
    conductor_.tell(now_, {well ? EventKind::source_back : EventKind::fault,
                           conductor_.roster().config(task).id.str(), well ? "" : camera.fault});
  }
  start_from_gate(task);
  schedule_tick(task);
}

bool SimulatedShell::Impl::arrived(TaskIndex task, TimePoint due) {
  const auto* source = std::get_if<ReplaySource>(&conductor_.roster().config(task).source);
  if (source == nullptr) return true;
  auto replay = replays_.find(task);
  if (replay == replays_.end() || replay->second.first.arrivals != source->arrivals) {
    replay = replays_.insert_or_assign(task, std::pair{*source, Arrivals(*source)}).first;
  }
  return replay->second.second.take(due - start_);
}

void SimulatedShell::Impl::frames_pushed(TaskIndex task) {
  const std::uint64_t frames = clients_.one_in(kBurstOneIn) ? 1 + clients_.below(kLongestBurst) : 1;
  for (std::uint64_t i = 0; i < frames; ++i) {
    const bool room = invariants_.pushed(task, ++last_frame_, desk_.period(task), now_);
    const bool taken = desk_.push(task, last_frame_, now_);
    hash_.mix(last_frame_, taken ? 1U : 0U);
    invariants_.push_answered(task, taken == room);
  }
  start_from_gate(task);
  schedule_tick(task);
}

void SimulatedShell::Impl::frame_ends(ProcessorIndex index) {
  const Running running = *processors_[index].running;
  processors_[index].running.reset();
  invariants_.ended(index, now_);
  Status status = Done{};
  const EngineModel& engine = engines_.at(running.start.engine);
  if (faults_.inference_fails(places_[running.start.task], engine.variant, now_ - start_)) {
    status = Error{"engine", "the inference failed", ""};
  }
  const bool others = desk_.finished(index, running.start, now_, now_ - running.since, status, {});
  start_frame(index);
  if (others) start_frames();
}

void SimulatedShell::Impl::hear_news() {
  const Event event = news_.pop_front();
  if (!stopping_) return ask(event);
  invariants_.hears(event, now_);
  if (std::holds_alternative<event::FramesLost>(event) || std::holds_alternative<event::Swapped>(event)) {
    conductor_.note(event, now_);
  }
}

void SimulatedShell::Impl::plan_ready() {
  const scheduler::Snapshot snapshot = std::move(*solving_);
  solving_.reset();
  if (solve_fails_) {
    ask(event::PlanReady{scheduler::blank_plan(snapshot, policy_.name()), solve_time_});
    return;
  }
  const TimePoint before = clock_.now();
  scheduler::Plan plan = policy_.decide(snapshot, {.stop = {}, .max_nodes = kMaxNodes});
  solver_cpu_ += clock_.now() - before;
  ask(event::PlanReady{std::move(plan), solve_time_});
}

void SimulatedShell::Impl::job_ends(std::size_t loader) {
  const LoaderModel::Job job = loader_.end(loader);
  const EngineKey key = job.engine;
  const auto outcome = outcomes_.extract(key);
  Errors errors = outcome ? std::move(outcome.mapped()) : Errors{};
  const Duration time = now_ - engines_.at(key).begun;
  switch (job.kind) {
    case LoaderModel::Kind::load:
      if (!errors.empty()) engines_.erase(key);
      ask(event::LoadFinished{key, std::move(errors), time});
      break;
    case LoaderModel::Kind::warm:
      ask(event::WarmFinished{key, std::move(errors), time});
      break;
    case LoaderModel::Kind::unload:
      engines_.erase(key);
      ask(event::Unloaded{key});
      break;
  }
  start_jobs();
}

void SimulatedShell::Impl::look_around() {
  if (!conductor_.controller().solving()) {
    std::vector<MeasuredProcessor> measured = desk_.look(now_);
    for (const MeasuredProcessor& each : measured) {
      if (!each.guard) continue;
      hash_.mix(each.processor, static_cast<std::uint64_t>(std::llround(each.guard->value() * 1e6)));
    }
    if (!measured.empty()) ask(event::Measured{std::move(measured)});
  }
  if (options_.decoding) look_at_decoding();
  for (const TaskIndex task : desk_.lost_sources(now_)) ask(event::SourceLost{task});
  invariants_.now_and_then(now_);
  queue_.push(now_ + kLookAround, Happening::look_around);
}

void SimulatedShell::Impl::look_at_decoding() {
  if (!decoding_.due(now_)) return;
  const SharedDecoding& shared = *options_.decoding;
  const Duration so_far = std::clamp(now_ - start_ - shared.from, Duration(0), shared.until - shared.from);
  const std::vector<std::optional<Duration>> times{so_far * shared.percent / 100};
  std::vector<DecodingLoad::Change> changed = decoding_.look(times, now_);
  for (const auto& [processor, share] : changed)
    hash_.mix(processor, static_cast<std::uint64_t>(std::llround(share * 1e6)));
  if (!changed.empty()) ask(event::Decoding{std::move(changed)});
}

void SimulatedShell::Impl::ask(const Event& event) {
  asked_ = true;
  invariants_.hears(event, now_);
  conductor_.on(event, now_);
  watch_plan();
  schedule_controller();
}

void SimulatedShell::Impl::schedule_tick(TaskIndex task) {
  ++tick_versions_[task];
  if (desk_.view(task).pushed) {
    if (!conductor_.roster().position(task)) return;  // removed: its clients send no more
    const Duration pause = clients_.between(Duration(0), 2 * desk_.period(task));
    queue_.push(now_ + pause, Happening::frames_pushed, task, tick_versions_[task]);
    return;
  }
  if (const auto due = desk_.next_tick(task)) {
    queue_.push(std::max(*due, now_), Happening::tick, task, tick_versions_[task]);
  }
}

void SimulatedShell::Impl::schedule_controller() {
  const std::optional<TimePoint> next = conductor_.controller().next_tick();
  if (next == controller_tick_) return;
  controller_tick_ = next;
  ++controller_version_;
  if (next) queue_.push(std::max(*next, now_), Happening::controller_tick, 0, controller_version_);
}

void SimulatedShell::Impl::start_frames() {
  for (ProcessorIndex p = 0; p < processors_.size(); ++p) start_frame(p);
}

void SimulatedShell::Impl::start_frame(ProcessorIndex index) {
  Processor& processor = processors_[index];
  if (processor.running) return;
  const std::optional<Start> start = desk_.next(index, now_);
  if (!start) {
    const auto until = desk_.dispatcher().spent_until(index, now_);
    if (until && until != processor.wakes) {
      processor.wakes = until;
      queue_.push(*until, Happening::processor_free, index);
    }
    return;
  }
  processor.running = Running{*start, now_};
  invariants_.started(index, *start, now_);
  hash_.mix(start->frame, start->engine);
  std::int64_t percent = faults_.inference_percent(places_[start->task], index, now_ - start_);
  percent = percent * slower_by_others(index) / 100;
  const Duration time = engines_.at(start->engine).stages.at(start->stage).draw(dice_) * percent / 100;
  queue_.push(now_ + slowed_down(time, index), Happening::frame_ends, index);
  // The next frame of the gate may be for another copy of the first stage.
  if (start->stage == 0 && !start->last) start_from_gate(start->task);
}

void SimulatedShell::Impl::start_from_gate(TaskIndex task) {
  if (const auto processor = desk_.dispatcher().gate_processor(task)) start_frame(*processor);
}

Duration SimulatedShell::Impl::slowed_down(Duration time, ProcessorIndex index) const {
  const double factor = desk_.slowdown(index) / slowdown_of(profiled_through_, index);
  return factor == 1.0 ? time : Duration(std::llround(static_cast<double>(time.count()) * factor));
}

std::int64_t SimulatedShell::Impl::slower_by_others(ProcessorIndex index) const {
  const Duration at = now_ - start_;
  const auto during = [&](const auto& other) { return at >= other.from && at < other.until; };
  std::int64_t percent = 100;
  if (const auto& neighbour = options_.neighbour;
      neighbour && neighbour->processor == index && during(*neighbour)) {
    percent = percent * neighbour->percent / 100;
  }
  if (const auto& decoding = options_.decoding; decoding && during(*decoding)) {
    const double taken = decoding->places.load(index, static_cast<double>(decoding->percent) / 100.0);
    percent = std::llround(static_cast<double>(percent) / (1.0 - std::min(taken, 0.9)));
  }
  return percent;
}

void SimulatedShell::Impl::start_jobs() {
  while (const auto begun = loader_.begin()) {
    const EngineKey key = begun->job.engine;
    EngineModel& engine = engines_.at(key);
    engine.begun = now_;
    FaultSource::Fate fate;
    Duration time{0};
    switch (begun->job.kind) {
      case LoaderModel::Kind::load:
        fate = faults_.load(places_[engine.task], engine.variant, now_ - start_);
        time = engine.load.draw(dice_);
        break;
      case LoaderModel::Kind::warm:
        fate = faults_.warm_up(places_[engine.task], engine.variant, engine.warm_up, now_ - start_);
        for (int i = 0; i < engine.warm_up; ++i) {
          for (std::size_t k = 0; k < engine.stages.size(); ++k) {
            for (std::size_t copy = 0; copy < engine.copies[k]; ++copy) time += engine.stages[k].draw(dice_);
          }
        }
        break;
      case LoaderModel::Kind::unload:
        fate = faults_.unload(now_ - start_);
        time = unload_latency_.draw(dice_);
        break;
    }
    time = fate.takes.value_or(time * fate.factor);
    if (!fate.errors.empty()) outcomes_[key] = std::move(fate.errors);
    job_numbers_[begun->loader] = ++last_job_;
    queue_.push(now_ + time, Happening::job_ends, begun->loader, last_job_);
    const TimePoint limit = begun->job.asked + to_duration(config_.runtime.load_timeout);
    if (now_ + time > limit) queue_.push(std::max(limit, now_), Happening::load_overdue, 0, key);
  }
}

}  // namespace saccade::runtime
