#include "runtime/control/controller.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/control/executable.hpp"

namespace saccade::runtime {
namespace {

// Whether what an engine holds is of a memory that is exceeded. On the host alone every engine is a
// candidate.
bool helps(const MemoryAmounts& held, const std::vector<std::size_t>& exceeded, std::size_t memories) {
  if (memories == 1) return true;
  return std::any_of(exceeded.begin(), exceeded.end(),
                     [&](std::size_t memory) { return held.of(memory) > Bytes(0.0); });
}

}  // namespace

MemoryAmounts Controller::loading(TaskIndex task, std::size_t variant) const {
  const profiles::Variant& of = wanted_.tasks[task].profiles->variants[variant];
  return memory_loading(of, devices_of(of, wanted_, places_));
}

MemoryAmounts Controller::serving_memory(TaskIndex task, std::size_t variant) const {
  const profiles::Variant& of = wanted_.tasks[task].profiles->variants[variant];
  return memory_serving(of, devices_of(of, wanted_, places_));
}

void Controller::park_or_unload(EngineSlot& slot) {
  const Bytes memory = rack_.memory().reserved(slot.key).total();
  const Bytes cache = options_.runtime.warm_cache;
  const TaskRun& run = runs_[slot.task];
  const bool hold = run.source_lost && up_to_date(slot);
  const bool kept = hold || (cache.value() > 0.0 && memory <= cache);
  if (!kept || run.removed || slot.broken || rack_.memory().over_limit()) {
    unload(slot);
    return;
  }
  // The latest to leave is the likeliest to come back: the oldest ones make room for it.
  while (!hold && rack_.cached_memory() + memory > cache) unload(*rack_.oldest_cached());
  slot.apply(hold ? EngineEvent::held : EngineEvent::parked);
  report(EventKind::park, slot.task, variant_name(slot));
}

void Controller::keep_within_cache() {
  for (const EngineKey key : rack_.parked()) {
    EngineSlot& slot = rack_.at(key);
    const TaskRun& run = runs_[slot.task];
    const bool held = slot.state == EngineState::held;
    const bool hold = up_to_date(slot) && (run.source_lost || keeps_spare(slot));
    if (held && !hold) {
      slot.apply(EngineEvent::parked);
      slot.spare = false;
    }
    // Without a cache engines are only held: the same rule as when they are parked, and the only one that
    // applies to engines whose memory was not measured.
    const bool cached = slot.state == EngineState::parked;
    if (run.removed || (cached && options_.runtime.warm_cache.value() <= 0.0)) unload(slot);
  }
  while (rack_.cached_memory() > options_.runtime.warm_cache) unload(*rack_.oldest_cached());
}

void Controller::evict_parked_above_limit() {
  const MemoryLedger& memory = rack_.memory();
  while (!memory.exceeded(memory.used() - rack_.coming_back(), false).empty()) {
    EngineSlot* parked = rack_.oldest_parked();
    if (!parked) return;
    unload(*parked);
  }
}

void Controller::watch_limit() {
  // A fallback that exceeds the limit runs as decided; that was reported with it.
  if (fallback_ || !rack_.memory().over_limit()) {
    above_since_.reset();
    return;
  }
  if (!above_since_) {
    above_since_ = now_;
    excess_ = Excess::seen;
  }
  const Duration above = now_ - *above_since_;
  if (excess_ == Excess::seen && above >= kUnloadAfter) {
    excess_ = Excess::unloaded;
    unload_what_exceeds_the_limit();
  }
  if (excess_ == Excess::unloaded && above >= kReportAfter) {
    excess_ = Excess::reported;
    const auto megabytes = [](Bytes bytes) { return std::to_string(bytes.value() / 1e6) + " MB"; };
    const MemoryLedger& memory = rack_.memory();
    const std::size_t exceeded = memory.exceeded(memory.used()).front();
    const std::string where =
        exceeded == 0 ? "" : " of " + scheduler::device_memories(wanted_).at(exceeded - 1).name;
    report(EventKind::infeasible, std::nullopt,
           megabytes(memory.used().of(exceeded)) + where + " are in use, " +
               megabytes(*memory.limit(exceeded)) +
               " allowed; no more can be given back before the loader is free");
  }
}

void Controller::unload_what_exceeds_the_limit() {
  // Loads hang or are slow, or the solver returns nothing: the limit holds regardless. Engines that are being
  // replaced go first, then those of the lower class, then the larger ones.
  std::vector<TaskIndex> serving;
  for (TaskIndex i = 0; i < runs_.size(); ++i) {
    if (runs_[i].active) serving.push_back(i);
  }
  std::stable_sort(serving.begin(), serving.end(), [&](TaskIndex a, TaskIndex b) {
    if (runs_[a].switching != runs_[b].switching) return runs_[a].switching;
    const int class_a = wanted_.tasks[a].priority;
    const int class_b = wanted_.tasks[b].priority;
    if (class_a != class_b) return class_a < class_b;
    return rack_.memory().reserved(*runs_[a].active).total() >
           rack_.memory().reserved(*runs_[b].active).total();
  });
  bool off = false;
  for (const TaskIndex task : serving) {
    const MemoryLedger& memory = rack_.memory();
    const std::vector<std::size_t> exceeded = memory.exceeded(memory.used() - rack_.coming_back(), false);
    if (exceeded.empty()) break;
    if (!helps(memory.reserved(*runs_[task].active), exceeded, memory.limits().devices.size() + 1)) continue;
    report(EventKind::infeasible, task,
           "its engine is let go: the memory limit is exceeded and no load replaces it");
    if (runs_[task].switching) {
      log_.did_not_fit(task);
      take_out(task);
    } else {
      aim(task, std::nullopt, Fps(0.0));  // until the next plan
      off = true;
    }
  }
  set_rates();
  end_transition_if_done();
  if (off && !gate_.pending()) replan();
}

}  // namespace saccade::runtime
