#include "runtime/real/serving.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/mutex.hpp"

namespace saccade::runtime {
namespace {

// Of a frame that ends now; absent: it is not known when it was captured.
std::optional<Duration> age_at_end(const CaptureTime& captured) {
  if (captured.monotonic.count() == 0) return std::nullopt;
  return captured_now().monotonic - captured.monotonic;
}

}  // namespace

Serving::Serving(const FrameDesk::Setup& setup, bool announce_drops, const Clock& clock, MessageQueue& queue,
                 Duration inference_timeout)
    : clock_(clock),
      queue_(queue),
      announce_drops_(announce_drops),
      slots_per_task_(setup.gate_frames + setup.capacities.size() + 2),
      most_under_way_(2 * setup.capacities.size()),
      desk_(setup, *this),
      frames_ready_(setup.capacities.size()),
      workers_(setup.capacities.size(), Worker(inference_timeout)) {
  while (tasks_.size() < setup.tasks) make_task();
}

// --- main loop ------------------------------------------------------------------------------------

void Serving::start(TimePoint start) {
  const Lock lock(mutex_);
  desk_.start(start);
  for (TaskState& task : tasks_) task.changed.notify_all();
}

Duration Serving::swap(const action::Swap& swap, const std::optional<ServingEngine>& engine) {
  const Lock lock(mutex_);
  const TimePoint before = clock_.now();
  desk_.swap(swap, engine, before);
  const TimePoint after = clock_.now();
  tasks_.at(swap.task).outputs = engine && engine->decoder != nullptr ? engine->decoder->ports() : nullptr;
  wake(swap.task);
  return after - before;
}

std::size_t Serving::task_count() const {
  const Lock lock(mutex_);
  return tasks_.size();
}

void Serving::add_task() {
  const Lock lock(mutex_);
  desk_.add_task();
  make_task();
}

void Serving::name_task(TaskIndex task, std::shared_ptr<const ServedTask> name) {
  const Lock lock(mutex_);
  tasks_.at(task).name = std::move(name);
}

void Serving::renew_task(TaskIndex task) {
  const Lock lock(mutex_);
  TaskState& state = tasks_.at(task);
  state.latest.forget();
  state.precision.forget();
  state.connected = true;
  state.trouble.clear();
  state.captured.reset();
  state.counters.reset();
  state.outputs.reset();
}

void Serving::free_frames(TaskIndex task) {
  std::vector<Frame> freed;  // outside the mutex
  freed.reserve(slots_per_task_ + most_under_way_);
  const Lock lock(mutex_);
  for (Slot& slot : tasks_.at(task).slots) {
    if (!slot.used) freed.push_back(std::exchange(slot.frame, {}));
  }
}

int Serving::open_capture(TaskIndex task) {
  const Lock lock(mutex_);
  TaskState& state = tasks_.at(task);
  state.connected = true;
  state.trouble.clear();
  state.captured = facts_of(state);
  if (state.captured) state.captured->age.reset();
  state.counters.reset();
  state.latest.forget();  // another source, or none
  state.precision.forget();
  state.changed.notify_all();
  return ++state.capture;
}

void Serving::stop_sources(TimePoint end) {
  const Lock lock(mutex_);
  for (TaskIndex task = 0; task < tasks_.size(); ++task) desk_.collect_ticks(task, end - Duration(1));
  sources_stopped_ = true;
  for (TaskState& task : tasks_) task.changed.notify_all();
}

void Serving::finish_frames(Duration patience) {
  Lock lock(mutex_);
  idle_.wait_for(mutex_, patience, [&]() SACCADE_REQUIRES(mutex_) { return desk_.dispatcher().idle(); });
  desk_.drop_waiting(DropReason::shutdown, clock_.now());
}

void Serving::stop_workers() {
  const Lock lock(mutex_);
  workers_stopped_ = true;
  for (Condition& ready : frames_ready_) ready.notify_all();
}

void Serving::held(int cpu, const CpuHold& hold) {
  const Lock lock(mutex_);
  const std::optional<TimePoint>& start = desk_.started();
  if (start && hold.from >= *start && !sources_stopped_) desk_.held(cpu, hold.from, hold.to, hold.stolen);
}

// --- capture threads ------------------------------------------------------------------------------

void Serving::prepare_frames(TaskIndex task, std::size_t bytes) {
  for (std::size_t i = 0; i < slots_per_task_; ++i) {
    Frame fresh;
    renew(fresh.picture).pixels.resize(bytes);  // filled, hence in memory, while nobody waits for the mutex
    const Lock lock(mutex_);
    Slot& slot = tasks_.at(task).slots[i];
    const bool fits = slot.frame.picture && slot.frame.picture->pixels.capacity() == bytes;
    if (!slot.used && !fits) std::swap(slot.frame, fresh);
  }
}

std::optional<Serving::Tick> Serving::next_tick(TaskIndex task, int capture) {
  Lock lock(mutex_);
  TaskState& state = tasks_.at(task);
  for (;;) {
    if (state.capture != capture) return std::nullopt;
    const TimePoint now = clock_.now();
    if (!sources_stopped_) desk_.collect_ticks(task, now);
    if (const std::optional<TimePoint> passed = desk_.take_tick(task)) {
      Tick tick;
      tick.due = *passed;
      tick.media_time = tick.due - *desk_.started();
      tick.period = desk_.period(task);
      tick.number = take_slot(task);
      tick.frame = &slot(task, tick.number).frame;
      tick.frame->number = tick.number;
      tick.frame->apart = false;
      tick.frame->truths_known = false;
      tick.latest = &state.latest;
      return tick;
    }
    if (sources_stopped_) return std::nullopt;
    const std::optional<TimePoint> due = desk_.next_tick(task);
    due ? state.changed.wait_for(mutex_, *due - now) : state.changed.wait(mutex_);
  }
}

bool Serving::capture_open(TaskIndex task, int capture) const {
  const Lock lock(mutex_);
  return tasks_.at(task).capture == capture;
}

bool Serving::pause(TaskIndex task, int capture, Duration time) {
  Lock lock(mutex_);
  TaskState& state = tasks_.at(task);
  return !state.changed.wait_for(
      mutex_, time, [&]() SACCADE_REQUIRES(mutex_) { return sources_stopped_ || state.capture != capture; });
}

void Serving::set_connected(TaskIndex task, int capture, bool connected, std::string trouble) {
  const Lock lock(mutex_);
  TaskState& state = tasks_.at(task);
  if (state.capture != capture) return;
  state.connected = connected;
  state.trouble = std::move(trouble);
}

void Serving::count_capture(TaskIndex task, int capture, std::shared_ptr<const CaptureCounters> counters) {
  const Lock lock(mutex_);
  TaskState& state = tasks_.at(task);
  if (state.capture == capture) state.counters = std::move(counters);
}

std::optional<CaptureFacts> Serving::facts_of(const TaskState& state) {
  if (!state.counters) return state.captured;
  CaptureFacts facts = state.counters->read();
  facts += state.captured.value_or(CaptureFacts{});
  return facts;
}

void Serving::captured(TaskIndex task, const Tick& tick, bool got_frame) {
  const Lock lock(mutex_);
  if (!got_frame || desk_.view(task).pushed) {  // a capture that is closed may bring one more
    slot(task, tick.number).used = false;
    return;
  }
  desk_.offer(task, tick.number, tick.due, tick.period, clock_.now());
  wake(task);
}

// --- clients --------------------------------------------------------------------------------------

PushVerdict Serving::push(TaskNumber number_of_task, Frame& frame, AnswerFrame answer) {
  const TaskIndex task = task_index(number_of_task);
  const Lock lock(mutex_);
  if (sources_stopped_) return PushVerdict::ending;
  if (!desk_.started()) return PushVerdict::starting;
  if (!known(number_of_task) || !desk_.view(task).pushed) return PushVerdict::not_pushed;
  const FrameNumber number = take_slot(task);
  Slot& taken = slot(task, number);
  std::swap(taken.frame, frame);
  taken.frame.number = number;
  taken.answer = std::move(answer);
  if (!desk_.push(task, number, clock_.now())) {
    std::swap(taken.frame, frame);
    taken.answer = {};
    taken.used = false;
    return PushVerdict::full;
  }
  wake(task);
  return PushVerdict::accepted;
}

LatestFrame* Serving::latest(TaskNumber task) {
  const Lock lock(mutex_);
  return known(task) ? &tasks_.at(task_index(task)).latest : nullptr;
}

// --- workers --------------------------------------------------------------------------------------

std::optional<Serving::Job> Serving::next_job(ProcessorIndex processor, int worker) {
  Lock lock(mutex_);
  Worker& seat = workers_.at(processor);
  for (;;) {
    if (workers_stopped_ || seat.number != worker) return std::nullopt;
    const TimePoint now = clock_.now();
    if (const std::optional<Start> start = desk_.next(processor, now)) {
      seat.job = job_of(*start, worker);
      seat.job->slowdown = desk_.slowdown(processor);
      seat.watch.begins(now, seat.job->engine.profiled_in(start->stage));
      // The next frame of the gate may be for another copy of the first stage.
      if (start->stage == 0 && !start->last) wake(start->task);
      return seat.job;
    }
    if (const std::optional<TimePoint> until = desk_.dispatcher().spent_until(processor, now)) {
      frames_ready_[processor].wait_for(mutex_, *until - now);
    } else {
      frames_ready_[processor].wait(mutex_);
    }
  }
}

Serving::Job Serving::job_of(const Start& start, int worker) {
  Slot& runs = slot(start.task, start.frame);
  const Frame& frame = runs.frame;
  Job job{start,
          desk_.engine(start.engine),
          frame.input.empty() ? frame.picture.get() : nullptr,
          frame.regions,
          frame.input,
          frame.apart,
          frame.labels,
          frame.truths_known ? &frame.truths : nullptr,
          &tasks_[start.task].latest,
          &tasks_[start.task].precision,
          runs.answer != nullptr,
          worker,
          tasks_[start.task].name,
          frame.captured_at,
          generation_.load(std::memory_order_relaxed),
          frame.input.empty() ? &frame.picture : nullptr};
  if (StageChain* const chain = job.engine.chain) {
    if (start.stage == 0) {
      runs.chain = chain;
      runs.crossing = &chain->lend();
    }
    job.engine.engine = &chain->stage(start.stage, start.copy);
    job.crossing = runs.crossing;
  }
  return job;
}

bool Serving::returned(ProcessorIndex processor, const Job& job) {
  LeftBehind late;  // released outside the mutex
  const Lock lock(mutex_);
  Worker& seat = workers_.at(processor);
  if (seat.number == job.worker) {
    seat.watch.ends();
    return true;
  }
  const auto found = seat.left_behind.find(job.worker);
  SACCADE_CHECK(found != seat.left_behind.end());
  late.frame = std::move(found->second.frame);
  found->second.engine.reset();  // the thread that destroys the engine must hold the last reference
  seat.left_behind.erase(found);
  desk_.returned(job.start.engine);
  return false;
}

void Serving::wait_until(ProcessorIndex processor, TimePoint then) {
  Lock lock(mutex_);
  while (!workers_stopped_) {
    const TimePoint now = clock_.now();
    if (now >= then) return;
    frames_ready_[processor].wait_for(mutex_, then - now);
  }
}

void Serving::finished(ProcessorIndex processor, const Job& job, FrameTime time, const Status& status,
                       FrameLedger::Judged judged, FrameAnswer answer) {
  AnswerFrame awaits;
  TimePoint end;
  const std::optional<Duration> age = age_at_end(job.captured_at);
  {
    const Lock lock(mutex_);
    workers_.at(processor).watch.ends();
    end = clock_.now();
    Slot& used = slot(job.start.task, job.start.frame);
    if (job.start.last) give_back(used);  // first: the desk may report that the engine is not used any more
    if (desk_.finished(processor, job.start, end, time, status, judged, age)) wake_all();
    if (job.start.last) {  // an error has dropped it, in whatever stage
      awaits = std::exchange(used.answer, {});
      used.used = false;
    }
    if (desk_.dispatcher().idle()) idle_.notify_all();
  }
  if (!awaits) return;
  answer.variant = job.engine.variant;
  answer.processor = processor;
  answer.latency = end - job.start.due;
  answer.inference = job.start.spent.infer + time.infer;
  awaits(std::move(answer));
}

// --- inside, under the mutex ----------------------------------------------------------------------

void Serving::post(Event event) { queue_.post(std::move(event)); }

void Serving::dropped(const Drop& drop, TimePoint /*at*/) {
  Slot& ended = slot(drop.task, drop.frame);
  give_back(ended);
  ended.used = false;
  if (const AnswerFrame answer = std::exchange(ended.answer, {})) answer({.dropped = drop.reason});
  if (announce_drops_) queue_.post(drop);
}

void Serving::ticks_changed(TaskIndex task) { tasks_.at(task).changed.notify_all(); }

void Serving::make_task() { tasks_.emplace_back().slots.resize(slots_per_task_ + most_under_way_); }

bool Serving::known(TaskNumber task) const {
  const TaskIndex index = task_index(task);
  return index < tasks_.size() && task_number(index, desk_.view(index).owners) == task;
}

Serving::Slot& Serving::slot(TaskIndex task, FrameNumber number) {
  std::vector<Slot>& slots = tasks_.at(task).slots;
  return slots[number % slots.size()];
}

FrameNumber Serving::take_slot(TaskIndex task) {
  std::vector<Slot>& slots = tasks_.at(task).slots;
  const auto free = std::find_if(slots.begin(), slots.end(), [](const Slot& each) { return !each.used; });
  SACCADE_CHECK(free != slots.end());
  free->used = true;
  return ++sequence_ * slots.size() + static_cast<FrameNumber>(free - slots.begin());
}

void Serving::give_back(Slot& slot) {
  if (slot.chain != nullptr) slot.chain->take_back(*slot.crossing);
  slot.chain = nullptr;
  slot.crossing = nullptr;
}

void Serving::wake_all() {
  for (Condition& ready : frames_ready_) ready.notify_one();
}

void Serving::wake(TaskIndex task) {
  if (const auto processor = desk_.dispatcher().gate_processor(task)) frames_ready_[*processor].notify_one();
}

}  // namespace saccade::runtime
