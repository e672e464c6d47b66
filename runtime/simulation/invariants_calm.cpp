// Calms: what must hold once no fault is in effect any more, and what a transition may cost then.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "runtime/simulation/invariants.hpp"

namespace saccade::runtime {
namespace {

// Of a load that takes 1.5 times its profiled time once in a hundred times, and never twice (latency.hpp).
constexpr std::int64_t kLongestLoad = 2;
// Frames leave the old engines, these are destroyed, the new ones are warmed up, and plans are made.
constexpr Duration kBesides = std::chrono::milliseconds(500);

Duration load_time(const profiles::Variant& variant) {
  return to_duration(variant.load_time.value_or(Seconds(0.01)));
}

}  // namespace

void Invariants::granted(TaskIndex task, Fps granted) {
  TaskBook& book = tasks_.at(task);
  book.granted = granted;
  if (granted.value() == 0.0 || book.engine) {
    book.awaits.reset();
  } else if (!book.awaits) {
    book.awaits = now_;  // it was off: its engine is still to be loaded
  }
}

// Whether the frame is one that its task's transition had to lose: nothing serves, or only at a lowered rate.
bool Invariants::holds_back(const Drop& drop) const {
  const TaskBook& book = tasks_[drop.task];
  if (drop.reason == DropReason::no_engine) return book.awaits.has_value();
  return drop.reason == DropReason::over_quota && drop.cause == LossCause::switching &&
         book.told < book.granted;
}

// The task's engine goes, and the one that the plan wants is not there yet.
void Invariants::check_let_go(TaskIndex task) {
  const auto& plan = controller_.plan();
  if (!plan || exceeds_limit(in_use())) return;  // a lowered limit takes engines without successor
  const auto solved = solved_.find(plan->generation);
  if (solved == solved_.end()) return;  // told elsewhere
  std::vector<Exchange> exchanges;
  for (TaskIndex i = 0; i < plan->tasks.size(); ++i) {
    const bool of_all = config_.runtime.transition == TransitionMode::keep_old;
    const std::optional<std::size_t> variant = plan->tasks[i].variant;
    if (!variant || (!of_all && i != task) || (i != task && is_excluded(i))) continue;
    const scheduler::Task& wanted = solved->second.tasks.at(i);
    const std::optional<EngineKey>& serves = tasks_[i].engine;
    const EngineBook* old = serves ? &engines_.at(*serves) : nullptr;
    if (old != nullptr && old->variant == *variant && old->profiles == wanted.profiles && !old->broken)
      continue;
    const profiles::Variant& next = wanted.profiles->variants.at(*variant);
    const std::set<std::string> memories = memories_of(next, wanted.regions);
    exchanges.push_back({needs(next, memories, true), needs(next, memories, false),
                         old != nullptr ? old->serving : MemoryBook()});
  }
  require(!some_order_fits(exchanges), "an engine serves until its successor is there, where that fits",
          "task", task);
  require(std::none_of(engines_.begin(), engines_.end(),
                       [](const auto& each) {
                         return each.second.life == Life::out || each.second.life == Life::going;
                       }),
          "what serves nothing goes before an engine that serves", "task", task);
}

// A plan names no variant that is excluded: it was excluded since, and the report says for how long.
void Invariants::note_excluded(const action::Report& report, TimePoint now) {
  const auto& plan = controller_.plan();
  if (!plan) return;
  const auto solved = solved_.find(plan->generation);
  for (TaskIndex i = 0; i < plan->tasks.size() && solved != solved_.end(); ++i) {
    const std::optional<std::size_t> variant = plan->tasks[i].variant;
    if (!variant || plan->tasks[i].task.str() != report.task) continue;
    const std::string words = solved->second.tasks.at(i).profiles->variants.at(*variant).id.str() + " for ";
    if (!report.detail.starts_with(words)) continue;
    const std::int64_t pause = std::strtoll(report.detail.c_str() + words.size(), nullptr, 10);
    tasks_.at(i).excluded = {plan->generation, now + std::chrono::milliseconds(pause)};
  }
}

bool Invariants::is_excluded(TaskIndex task) const {
  const auto& [generation, until] = tasks_[task].excluded;
  return generation == controller_.plan()->generation && now_ < until;
}

// By what has been exchanged, one bit each: which engines are there then does not depend on the order.
bool Invariants::some_order_fits(const std::vector<Exchange>& exchanges) const {
  std::vector<bool> reached(std::size_t{1} << exchanges.size(), false);
  reached[0] = true;
  for (std::size_t done = 0; done < reached.size(); ++done) {
    if (!reached[done]) continue;
    MemoryBook used = in_use();
    for (std::size_t i = 0; i < exchanges.size(); ++i) {
      if ((done >> i & 1U) == 0) continue;
      for (const auto& [memory, bytes] : exchanges[i].serving) used[memory] += bytes;
      for (const auto& [memory, bytes] : exchanges[i].old) used[memory] -= bytes;
    }
    for (std::size_t i = 0; i < exchanges.size(); ++i) {
      if ((done >> i & 1U) != 0) continue;
      MemoryBook loading = used;
      for (const auto& [memory, bytes] : exchanges[i].loading) loading[memory] += bytes;
      if (!exceeds_limit(loading)) reached[done | std::size_t{1} << i] = true;
    }
  }
  return reached.back();
}

// In a calm nothing fails: the engines that a plan wants are there after the time that their loads take.
void Invariants::check_wait(TaskIndex task) {
  const TaskBook& book = tasks_[task];
  if (!in_calm_ || !book.awaits) return;
  require(now_ - std::max(*book.awaits, planned_) <= longest_wait(),
          "a task without engine waits for the loads of the plan alone", "task", task);
}

Duration Invariants::longest_wait() const {
  Duration loads{0};
  Duration pauses{0};
  const auto solved = solved_.find(plan_->generation);
  if (solved == solved_.end()) return kBesides;
  for (TaskIndex i = 0; i < plan_->tasks.size(); ++i) {
    const std::optional<std::size_t> variant = plan_->tasks[i].variant;
    if (!variant) continue;
    const scheduler::Task& wanted = solved->second.tasks.at(i);
    loads += load_time(wanted.profiles->variants.at(*variant));
    pauses += pause_on(memories_of(wanted.profiles->variants.at(*variant), wanted.regions));
  }
  for (const auto& [key, engine] : engines_) {  // one that an older plan wanted is finished first
    if (engine.life > Life::warming) continue;
    loads += load_time(engine.profiles->variants.at(engine.variant));
    pauses += pause_on(memories_of(engine.profiles->variants.at(engine.variant), engine.batch));
  }
  return kLongestLoad * loads + pauses + kBesides;
}

void Invariants::reloaded(bool refused) { require(refused, "a state that is not valid changes nothing"); }

void Invariants::calm_begins() {
  in_calm_ = true;
  settled_in_calm_ = false;
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    tasks_[task].granted_before = desk_.ledger().task(task).granted;
    tasks_[task].held_back_before = tasks_[task].held_back;
    tasks_[task].rejected_before = desk_.ledger().task(task).rejected;
    tasks_[task].processed_before = desk_.ledger().task(task).processed + desk_.ledger().task(task).in_flight;
  }
}

void Invariants::calm_ends(TimePoint now) {
  now_ = now;
  in_calm_ = false;
  require(settled_in_calm_, "ten seconds after the last fault all is settled");
  std::size_t serving = 0;
  for (TaskIndex i = 0; i < tasks_.size(); ++i) {
    const TaskBook& book = tasks_[i];
    const TaskFrames& frames = desk_.ledger().task(i);
    serving += book.engine ? 1U : 0U;
    const std::int64_t granted = frames.granted - book.granted_before;
    // What clients send too fast is not let in: it may have been granted by then.
    const std::int64_t done =
        frames.processed + frames.in_flight - book.processed_before + frames.rejected - book.rejected_before;
    const std::int64_t held_back = book.held_back - book.held_back_before;
    // Two frames may lie on the other side of the window.
    if (100 * (done + held_back + 2) < 99 * granted) {
      broken("at least 99 % of the granted frames are processed in a calm",
             "task " + std::to_string(i) + ": " + std::to_string(done) + " of " + std::to_string(granted) +
                 ", a transition held back " + std::to_string(held_back));
    }
    require(!book.lost, "ten seconds after the last fault no source is lost", "task", i);
    require(!controller_.settled() || book.demand.value() == 0.0 || book.granted.value() == 0.0 ||
                book.engine.has_value(),
            "a granted task is served", "task", i);
  }
  if (config_.runtime.warm_cache.value() == 0.0 && controller_.settled()) {
    const auto spares = static_cast<std::size_t>(std::count_if(
        config_.tasks.begin(), config_.tasks.end(), [](const TaskConfig& task) { return task.standby; }));
    require(engines_.size() >= serving && engines_.size() <= serving + spares, "no engine is left over",
            "engines", engines_.size());
  }
}

}  // namespace saccade::runtime
