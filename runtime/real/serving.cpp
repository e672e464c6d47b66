#include "runtime/real/serving.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace saccade::runtime {

Serving::Serving(const FrameDesk::Setup& setup, bool announce_drops, const Clock& clock, MessageQueue& queue)
    : clock_(clock),
      queue_(queue),
      announce_drops_(announce_drops),
      slots_per_task_(setup.gate_frames + setup.capacities.size() + 2),
      desk_(setup, *this),
      frames_ready_(setup.capacities.size()) {
  while (tasks_.size() < setup.tasks) make_task();
}

// --- main loop ------------------------------------------------------------------------------------

void Serving::start(TimePoint start) {
  const std::lock_guard lock(mutex_);
  desk_.start(start);
  for (TaskState& task : tasks_) task.changed.notify_all();
}

void Serving::set_rate(const action::SetRate& rate) {
  const std::lock_guard lock(mutex_);
  desk_.set_rate(rate, clock_.now());
}

void Serving::set_demand(TaskIndex task, Fps demand) {
  const std::lock_guard lock(mutex_);
  desk_.set_demand(task, demand, clock_.now());
  tasks_.at(task).changed.notify_all();
}

void Serving::set_granted(TaskIndex task, Fps granted) {
  const std::lock_guard lock(mutex_);
  desk_.set_granted(task, granted, clock_.now());
}

void Serving::set_solving(bool pending) {
  const std::lock_guard lock(mutex_);
  desk_.set_solving(pending);
}

Duration Serving::swap(const action::Swap& swap, const std::optional<ServingEngine>& engine) {
  const std::lock_guard lock(mutex_);
  const TimePoint before = clock_.now();
  desk_.swap(swap, engine, before);
  const TimePoint after = clock_.now();
  wake(swap.task);
  return after - before;
}

std::size_t Serving::task_count() const {
  const std::lock_guard lock(mutex_);
  return tasks_.size();
}

void Serving::add_task() {
  const std::lock_guard lock(mutex_);
  desk_.add_task();
  make_task();
}

void Serving::remove_task(TaskIndex task) {
  const std::lock_guard lock(mutex_);
  desk_.remove_task(task);
}

void Serving::retime(const std::vector<Duration>& segment_starts) {
  const std::lock_guard lock(mutex_);
  desk_.retime(segment_starts, clock_.now());
}

int Serving::open_capture(TaskIndex task) {
  const std::lock_guard lock(mutex_);
  TaskState& state = tasks_.at(task);
  state.connected = true;
  state.latest.forget();  // another source, or none
  state.changed.notify_all();
  return ++state.capture;
}

void Serving::set_pushed(TaskIndex task, bool pushed) {
  const std::lock_guard lock(mutex_);
  desk_.set_pushed(task, pushed, clock_.now());
}

void Serving::stop_sources(TimePoint end) {
  const std::lock_guard lock(mutex_);
  for (TaskIndex task = 0; task < tasks_.size(); ++task) desk_.collect_ticks(task, end - Duration(1));
  sources_stopped_ = true;
  for (TaskState& task : tasks_) task.changed.notify_all();
}

void Serving::finish_frames(Duration patience) {
  std::unique_lock lock(mutex_);
  idle_.wait_for(lock, patience, [&] { return desk_.dispatcher().idle(); });
  desk_.drop_waiting(DropReason::shutdown, clock_.now());
}

void Serving::stop_workers() {
  const std::lock_guard lock(mutex_);
  workers_stopped_ = true;
  for (std::condition_variable& ready : frames_ready_) ready.notify_all();
}

void Serving::stalled(TimePoint from, TimePoint to) {
  const std::lock_guard lock(mutex_);
  const std::optional<TimePoint>& start = desk_.started();
  if (start && from >= *start && !sources_stopped_) desk_.stalled(from, to);
}

// --- capture threads ------------------------------------------------------------------------------

void Serving::prepare_frames(TaskIndex task, std::size_t values) {
  for (std::size_t i = 0; i < slots_per_task_; ++i) {
    std::vector<float> input(values);  // filled, hence in memory, while nobody waits for the mutex
    const std::lock_guard lock(mutex_);
    Slot& slot = tasks_.at(task).slots[i];
    if (!slot.used && slot.frame.input.size() != values) slot.frame.input.swap(input);
  }
}

std::optional<Serving::Tick> Serving::next_tick(TaskIndex task, int capture) {
  std::unique_lock lock(mutex_);
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
      tick.latest = &state.latest;
      return tick;
    }
    if (sources_stopped_) return std::nullopt;
    const std::optional<TimePoint> due = desk_.next_tick(task);
    due ? static_cast<void>(state.changed.wait_for(lock, *due - now)) : state.changed.wait(lock);
  }
}

bool Serving::capture_open(TaskIndex task, int capture) const {
  const std::lock_guard lock(mutex_);
  return tasks_.at(task).capture == capture;
}

bool Serving::pause(TaskIndex task, int capture, Duration time) {
  std::unique_lock lock(mutex_);
  TaskState& state = tasks_.at(task);
  return !state.changed.wait_for(lock, time, [&] { return sources_stopped_ || state.capture != capture; });
}

void Serving::set_connected(TaskIndex task, int capture, bool connected) {
  const std::lock_guard lock(mutex_);
  TaskState& state = tasks_.at(task);
  if (state.capture == capture) state.connected = connected;
}

void Serving::captured(TaskIndex task, const Tick& tick, bool got_frame) {
  const std::lock_guard lock(mutex_);
  if (!got_frame || desk_.view(task).pushed) {  // a capture that is closed may bring one more
    slot(task, tick.number).used = false;
    return;
  }
  desk_.offer(task, tick.number, tick.due, tick.period, clock_.now());
  wake(task);
}

// --- clients --------------------------------------------------------------------------------------

PushVerdict Serving::push(TaskIndex task, std::vector<float>& input, AnswerFrame answer) {
  const std::lock_guard lock(mutex_);
  if (sources_stopped_) return PushVerdict::ending;
  if (!desk_.started()) return PushVerdict::starting;
  if (task >= tasks_.size() || !desk_.view(task).pushed) return PushVerdict::not_pushed;
  const FrameNumber number = take_slot(task);
  Slot& taken = slot(task, number);
  taken.frame.input.swap(input);
  taken.frame.labels.clear();
  taken.answer = std::move(answer);
  if (!desk_.push(task, number, clock_.now())) {
    taken.frame.input.swap(input);
    taken.answer = {};
    taken.used = false;
    return PushVerdict::full;
  }
  wake(task);
  return PushVerdict::accepted;
}

LatestFrame& Serving::latest(TaskIndex task) {
  const std::lock_guard lock(mutex_);
  return tasks_.at(task).latest;
}

// --- workers --------------------------------------------------------------------------------------

std::optional<Serving::Job> Serving::next_job(ProcessorIndex processor) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (workers_stopped_) return std::nullopt;
    const TimePoint now = clock_.now();
    if (const std::optional<Start> start = desk_.next(processor, now)) {
      Slot& runs = slot(start->task, start->frame);
      return Job{*start, desk_.engine(start->engine), &runs.frame, &tasks_[start->task].latest,
                 runs.answer != nullptr};
    }
    if (const std::optional<TimePoint> until = desk_.dispatcher().spent_until(processor, now)) {
      frames_ready_[processor].wait_for(lock, *until - now);
    } else {
      frames_ready_[processor].wait(lock);
    }
  }
}

void Serving::finished(ProcessorIndex processor, const Job& job, Duration inference, const Status& status,
                       FrameLedger::Judged judged, std::vector<float> logits) {
  AnswerFrame answer;
  TimePoint end;
  {
    const std::lock_guard lock(mutex_);
    end = clock_.now();
    desk_.finished(processor, job.start, end, inference, status, judged);  // an error has dropped it
    Slot& ended = slot(job.start.task, job.start.frame);
    answer = std::exchange(ended.answer, {});
    ended.used = false;
    if (desk_.dispatcher().idle()) idle_.notify_all();
  }
  if (!answer) return;
  answer({std::nullopt, std::move(logits), job.engine.variant, processor, end - job.start.due, inference});
}

// --- readers --------------------------------------------------------------------------------------

LatestFrame::Look Serving::look(TaskIndex task) {
  const std::lock_guard lock(mutex_);
  return tasks_.at(task).latest.look();
}

Serving::View Serving::view() const {
  const std::lock_guard lock(mutex_);
  View view;
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    const FrameDesk::TaskView& now = desk_.view(task);
    view.tasks.push_back({desk_.ledger().task(task), now, tasks_[task].connected && !now.source_lost});
  }
  for (ProcessorIndex processor = 0; processor < frames_ready_.size(); ++processor) {
    view.busy.push_back(desk_.dispatcher().busy(processor));
    view.corrections.push_back(desk_.drift().correction(processor));
  }
  return view;
}

std::optional<double> Serving::drift(ProcessorIndex processor, TimePoint now) {
  const std::lock_guard lock(mutex_);
  return desk_.drift(processor, now);
}

std::vector<TaskIndex> Serving::lost_sources(TimePoint now) {
  const std::lock_guard lock(mutex_);
  if (!desk_.started() || sources_stopped_) return {};
  // A capture that is held up takes no ticks: they are demanded all the same.
  for (TaskIndex task = 0; task < tasks_.size(); ++task) desk_.collect_ticks(task, now);
  return desk_.lost_sources(now);
}

RunSummary Serving::summarise(std::vector<RunTask> tasks, const std::vector<SwitchRecord>& switches,
                              TimePoint end) {
  const std::lock_guard lock(mutex_);
  return desk_.summarise(std::move(tasks), switches, end);
}

// --- inside, under the mutex ----------------------------------------------------------------------

void Serving::tell(Event event) { queue_.post(std::move(event)); }

void Serving::dropped(const Drop& drop, TimePoint /*at*/) {
  Slot& ended = slot(drop.task, drop.frame);
  ended.used = false;
  if (const AnswerFrame answer = std::exchange(ended.answer, {})) answer({.dropped = drop.reason});
  if (announce_drops_) queue_.post(drop);
}

void Serving::make_task() { tasks_.emplace_back().slots.resize(slots_per_task_); }

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

void Serving::wake(TaskIndex task) {
  if (const auto processor = desk_.view(task).processor) frames_ready_[*processor].notify_one();
}

}  // namespace saccade::runtime
