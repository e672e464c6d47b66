#include "runtime/control/switch_log.hpp"

#include <utility>

#include "base/check.hpp"

namespace saccade::runtime {

template <class Change>
void SwitchLog::count(const Change& change) {
  auto next = std::make_shared<SwitchTotals>(*totals_);
  change(*next);
  totals_ = std::move(next);
}

void SwitchLog::resize(std::size_t tasks) {
  SACCADE_CHECK(tasks >= tasks_.size());
  tasks_.resize(tasks);
}

void SwitchLog::forget(TaskIndex task) {
  tasks_.at(task) = Task();
  for (SwitchRecord& record : records_) {
    if (record.task == task) record.task = kNoTask;
  }
}

void SwitchLog::begin(TaskIndex task, std::optional<std::size_t> from) {
  tasks_.at(task).pending = Pending{from, from.has_value(), 0};
}

void SwitchLog::done(TaskIndex task, const EngineSlot& loaded, bool bridge, TimePoint now) {
  Task& state = tasks_.at(task);
  SACCADE_CHECK(state.pending);
  const Pending pending = *std::exchange(state.pending, std::nullopt);
  if (bridge) state.pending = Pending{loaded.variant, pending.both_fit, 0};
  if (!std::exchange(state.has_served, true)) return;
  SwitchRecord record;
  record.at = now;
  record.task = task;
  record.from = pending.from;
  record.to = loaded.variant;
  record.load_time = loaded.load_time;
  record.warm_time = loaded.warm_time;
  record.frames_lost = pending.lost;
  record.both_fit = pending.both_fit;
  record.bridge = bridge;
  state.engine = loaded.key;
  state.latest = now;
  keep(state, record);
  count([&](SwitchTotals& totals) {
    ++totals.done;
    totals.load_times.add(loaded.load_time);
    totals.warm_times.add(loaded.warm_time);
  });
}

void SwitchLog::call_off(TaskIndex task, TimePoint now) {
  Task& state = tasks_.at(task);
  const std::optional<Pending> pending = std::exchange(state.pending, std::nullopt);
  if (!pending || pending->lost == 0) return;
  SwitchRecord record;
  record.at = now;
  record.task = task;
  record.from = record.to = pending->from;
  record.frames_lost = pending->lost;
  state.engine.reset();
  keep(state, record);
  count([](SwitchTotals& totals) { ++totals.called_off; });
}

void SwitchLog::frames_lost(TaskIndex task, std::int64_t frames) {
  Task& state = tasks_.at(task);
  if (state.pending) {
    state.pending->lost += frames;
  } else if (SwitchRecord* record = state.record ? kept(*state.record) : nullptr) {
    record->frames_lost += frames;
  }
}

void SwitchLog::did_not_fit(TaskIndex task) {
  if (auto& pending = tasks_.at(task).pending) pending->both_fit = false;
}

void SwitchLog::exchanged(EngineKey engine, Duration time) {
  for (const Task& task : tasks_) {
    if (task.engine != engine) continue;
    if (SwitchRecord* record = kept(*task.last_record)) record->swap_time = time;
    count([&](SwitchTotals& totals) { totals.swap_times.add(time); });
  }
}

void SwitchLog::failed() {
  count([](SwitchTotals& totals) { ++totals.failed; });
}

void SwitchLog::begin_transition() {
  for (Task& task : tasks_) task.record.reset();
}

void SwitchLog::keep(Task& task, const SwitchRecord& record) {
  if (records_.size() == 2 * kKept) {
    records_.erase(records_.begin(), records_.begin() + kKept);
    forgotten_ += kKept;
  }
  task.record = task.last_record = forgotten_ + records_.size();
  records_.push_back(record);
}

SwitchRecord* SwitchLog::kept(std::size_t number) {
  return number < forgotten_ ? nullptr : &records_.at(number - forgotten_);
}

}  // namespace saccade::runtime
