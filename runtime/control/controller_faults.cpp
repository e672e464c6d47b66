// Engines that fail, and what becomes of their variants.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "profiles/processor_kinds.hpp"
#include "runtime/control/controller.hpp"

namespace saccade::runtime {
namespace {

constexpr int kErrorsInARow = 5;

// Whether a frame may be in the engine, or get into it.
bool may_serve(const EngineSlot& slot) {
  switch (slot.state) {
    case EngineState::loading:
    case EngineState::warming:
    case EngineState::ready:
    case EngineState::active:
    case EngineState::draining:
    case EngineState::parked:
    case EngineState::held:
      return true;
    case EngineState::empty:
    case EngineState::failed:
    case EngineState::abandoned:
    case EngineState::unloading:
    case EngineState::unloaded:
      break;
  }
  return false;
}

// Whether the loader may have one engine for a stage of both.
bool may_share(const profiles::Variant& a, const profiles::Variant& b) {
  const auto& others = b.staging.stages;
  return std::any_of(a.staging.stages.begin(), a.staging.stages.end(), [&](const profiles::Stage& stage) {
    return !stage.sha256.empty() &&
           std::any_of(others.begin(), others.end(), [&](const profiles::Stage& other) {
             if (stage.sha256 != other.sha256) return false;
             return stage.runs_on(other.kind) ||
                    std::any_of(other.copies.begin(), other.copies.end(),
                                [&](const ProcessorId& copy) { return stage.runs_on(copy); });
           });
  });
}

}  // namespace

void Controller::handle(const event::InferenceEnded& ended) {
  EngineSlot* slot = rack_.find(ended.engine);
  if (!slot || slot->broken) return;
  if (ended.errors.empty()) {
    slot->errors_in_a_row = 0;
    if (++slot->good_in_a_row == Exclusions::kTrusted && up_to_date(*slot)) {
      for (const std::size_t same : profiles::same_measured(*slot->profiles, slot->variant)) {
        exclusions_.forgive(slot->task, same);
      }
    }
    return;
  }
  slot->good_in_a_row = 0;
  if (++slot->errors_in_a_row < kErrorsInARow) return;
  slot->broken = true;
  distrust_others(*slot);
  exclude(*slot, std::to_string(kErrorsInARow) + " inferences in a row failed: " + to_string(ended.errors));
}

// Which of its stages fails is not known: others of the task that may have it are loaded again before they
// serve.
void Controller::distrust_others(const EngineSlot& failed) {
  for (const EngineKey key : rack_.parked()) {
    EngineSlot& parked = rack_.at(key);
    if (parked.task == failed.task && may_share(parked.profile(), failed.profile())) unload(parked);
  }
  for (const EngineKey key : rack_.draining(failed.task)) {
    EngineSlot& draining = rack_.at(key);
    if (may_share(draining.profile(), failed.profile())) draining.broken = true;
  }
}

void Controller::handle(const event::InferenceHangs& hangs) {
  std::vector<EngineKey> engines = {hangs.engine};
  engines.insert(engines.end(), hangs.sharing.begin(), hangs.sharing.end());
  std::vector<EngineKey> failed;
  bool taken_out = false;
  for (const EngineKey engine : engines) {
    EngineSlot* const slot = rack_.find(engine);
    if (!slot || !may_serve(*slot)) continue;
    if (!std::exchange(slot->broken, true)) failed.push_back(engine);
    taken_out = take_out_of_service(*slot) || taken_out;
  }
  if (failed.empty() && !taken_out) return;
  set_rates();
  end_transition_if_done();
  // One plan after all of them: one that knew of the first alone would be outdated.
  bool excludes = false;
  for (const EngineKey engine : failed) {
    const EngineSlot& slot = rack_.at(engine);
    const bool hung = engine == hangs.engine;
    excludes = excludes || up_to_date(slot);
    if (!hung && up_to_date(slot) && exclusions_.excluded(slot.task, slot.variant)) {
      forget_standby(slot);
    } else {
      const std::string what = "an inference does not return";
      note_failure(slot, hung ? what : what + " in a stage that it shares",
                   hung ? Exclude::kind : Exclude::variant);
    }
  }
  if (excludes || !gate_.pending()) replan();
  load_next();
}

// Unlike one whose inferences fail, it cannot serve until another one is ready.
bool Controller::take_out_of_service(EngineSlot& slot) {
  const bool serves = runs_[slot.task].active == slot.key;
  if (serves) aim(slot.task, std::nullopt, Fps(0.0));  // until the next plan
  if (slot.state == EngineState::parked || slot.state == EngineState::held) unload(slot);
  return serves;
}

void Controller::give_up(const EngineSlot& failed, const std::string& why) {
  if (up_to_date(failed)) log_.failed();
  // An inference in a stage that it shares hung meanwhile.
  if (failed.broken && exclusions_.excluded(failed.task, failed.variant)) return load_next();
  exclude(failed, why);
}

void Controller::exclude(const EngineSlot& failed, const std::string& why) {
  note_failure(failed, why, Exclude::kind);
  if (up_to_date(failed)) replan();
  load_next();
}

void Controller::exclude(TaskIndex task, std::size_t variant, const std::string& why) {
  note_exclusion(task, variant, why, Exclude::kind);
  replan();
  load_next();
}

void Controller::note_failure(const EngineSlot& failed, const std::string& why, Exclude what) {
  forget_standby(failed);
  if (up_to_date(failed)) {
    note_exclusion(failed.task, failed.variant, why, what);
  } else {
    report(EventKind::fault, failed.task, variant_name(failed) + ": " + why);
  }
}

void Controller::forget_standby(const EngineSlot& failed) {
  TaskRun& run = runs_[failed.task];
  if (run.standby != failed.key) return;
  run.standby.reset();
  run.bridging = false;
}

void Controller::note_exclusion(TaskIndex task, std::size_t variant, const std::string& why, Exclude what) {
  const Duration pause = exclusions_.exclude(task, variant, now_);
  const TaskRun& run = runs_[task];
  for (const std::size_t same : profiles::same_measured(*wanted_.tasks[task].profiles, variant)) {
    const bool serves = run.active && rack_.at(*run.active).variant == same;
    if (what == Exclude::kind && same != variant && !serves) exclusions_.exclude(task, same, now_);
  }
  report(EventKind::exclude, task,
         wanted_.tasks[task].profiles->variants.at(variant).id.str() + " for " +
             std::to_string(pause.count() / 1'000'000) + " ms: " + why);
}

void Controller::abandon_hung_load() {
  EngineSlot* slot = rack_.on_the_way_up();
  if (!slot || now_ - slot->load_started < to_duration(options_.runtime.load_timeout)) return;
  load_has_ended(*slot);
  rack_.abandon(*slot);
  report(EventKind::fault, slot->task,
         variant_name(*slot) + " hangs while it loads; its loader is abandoned");
  if (rack_.left_behind() >= kLoaders)
    report(EventKind::fault, std::nullopt, "no loader is left; what runs stays");
  give_up(*slot, "its load timed out");
}

}  // namespace saccade::runtime
