#include "runtime/simulation/invariants.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/frames/source_watch.hpp"
#include "scheduler/plan_check.hpp"

namespace saccade::runtime {
namespace {

constexpr std::size_t kLongestQueue = 2000;
constexpr int kMostAtOnce = 100'000;  // events
constexpr Duration kMostAbove = Duration(std::chrono::seconds(2));
constexpr Duration kLooks = std::chrono::milliseconds(300);  // sources are polled ten times a second
constexpr Duration kLongestFrame =
    Duration(std::chrono::seconds(10));  // the slowest, ten times as long and throttled

}  // namespace

Invariants::Invariants(const RunConfig& config, const Controller& controller, const FrameDesk& desk)
    : config_(config), controller_(controller), desk_(desk), tasks_(config.tasks.size()) {
  for (const scheduler::Processor& processor : config.timeline.front().snapshot.processors) {
    ProcessorBook& book = processors_.emplace_back();
    book.capacity = processor.capacity;
    book.guard = desk.kept_guard(processors_.size() - 1).value_or(processor.guard).value();
  }
  for (TaskIndex task = 0; task < tasks_.size(); ++task) tasks_[task].pushed = config.tasks[task].pushed();
}

void Invariants::broken(const char* invariant, std::string found) {
  if (!breach_) breach_ = Breach{now_ - start_, invariant, std::move(found)};
}

// --- tasks come and go ----------------------------------------------------------------------------

void Invariants::task_added(TaskIndex task, bool pushed) {
  tasks_.resize(std::max(tasks_.size(), task + 1));
  tasks_[task].pushed = pushed;
  tasks_[task].removed = false;
}

void Invariants::task_removed(TaskIndex task, TimePoint now) {
  TaskBook& book = tasks_.at(task);
  book.removed = true;
  book.removed_at = now;
  require(!book.engine, "a task that is removed is served no more", "task", task);
}

void Invariants::task_renewed(TaskIndex task) {
  const TaskBook& book = tasks_.at(task);
  require(book.removed && !book.engine && book.gate.empty() && book.under_way.empty(),
          "an index is free before another task has it", "task", task);
  require(std::none_of(engines_.begin(), engines_.end(),
                       [&](const auto& engine) { return engine.second.task == task; }),
          "a task whose index is free has no engine", "task", task);
  tasks_[task] = TaskBook();
  std::erase_if(failures_, [&](const auto& failure) { return failure.first.first == task; });
}

void Invariants::reconfigured(bool taken) { require(taken, "a valid configuration is taken over"); }

// --- frames ---------------------------------------------------------------------------------------

void Invariants::received(TaskIndex task, FrameNumber frame, TimePoint due, Duration period, TimePoint now) {
  now_ = now;
  TaskBook& book = tasks_[task];
  ++book.received;
  require(!book.removed, "no frame comes for a task that was removed", "task", task);
  book.heard = now;
  if (book.lost && !book.back) book.back = now;
  book.gate.push_back({frame, due + period});
  touched_ = task;
  refill(book, due);
  book.bucket -= kFrame;  // given back when the frame is refused
}

bool Invariants::pushed(TaskIndex task, FrameNumber frame, Duration period, TimePoint now) {
  TaskBook& book = tasks_[task];
  require(book.pushed, "only a task whose frames are pushed takes them", "task", task);
  if (book.gate.size() < config_.runtime.gate_frames) {
    received(task, frame, now, period, now);
    return true;
  }
  now_ = now;
  ++book.rejected;
  touched_ = task;
  return false;
}

void Invariants::push_answered(TaskIndex task, bool as_expected) {
  require(as_expected, "a pushed frame is rejected where the gate is full, and only there", "task", task);
}

void Invariants::refill(TaskBook& book, TimePoint until) {
  if (until <= book.filled) return;
  // Rounded up, in favour of the frame.
  const std::int64_t micros = (until - book.filled).count() / 1000 + 1;
  const std::int64_t until_full = book.rate > 0 ? kBucket * kFrame / book.rate + 1 : 0;
  book.bucket = micros > until_full && book.rate > 0
                    ? kBucket
                    : std::min(kBucket, book.bucket + micros * book.rate / kFrame + 1);
  book.filled = until;
}

void Invariants::dropped(const Drop& drop) {
  TaskBook& book = tasks_[drop.task];
  ++book.ended;
  touched_ = drop.task;
  if (drop.cause == LossCause::switching) ++book.lost_to_switch;
  if (holds_back(drop)) ++book.held_back;
  const auto under_way = std::find_if(book.under_way.begin(), book.under_way.end(),
                                      [&](const UnderWay& each) { return each.frame == drop.frame; });
  if (under_way != book.under_way.end()) {
    require(drop.reason == DropReason::engine_error || drop.reason == DropReason::shutdown,
            "a frame that has begun is dropped by an error or the end alone", "frame", drop.frame);
    book.under_way.erase(under_way);
    return;
  }
  const auto found = std::find_if(book.gate.begin(), book.gate.end(),
                                  [&](const Waiting& waiting) { return waiting.frame == drop.frame; });
  if (drop.reason == DropReason::engine_error) {
    require(found == book.gate.end(), "an engine's error drops the frame that ran");
    return;
  }
  require(found != book.gate.end(), "each frame ends exactly once", "frame", drop.frame);
  if (found == book.gate.end()) return;
  if (drop.reason == DropReason::stale) {
    require(found == book.gate.begin(), "a new frame displaces the oldest", "frame", drop.frame);
    require(!book.pushed, "a pushed frame displaces none", "frame", drop.frame);
  }
  if (drop.reason == DropReason::over_quota || drop.reason == DropReason::no_engine ||
      drop.reason == DropReason::inactive) {
    if (found + 1 == book.gate.end()) book.bucket = std::min(kBucket, book.bucket + kFrame);
  }
  book.gate.erase(found);
}

// --- checks ---------------------------------------------------------------------------------------

void Invariants::check_task(TaskIndex task) {
  const TaskBook& book = tasks_[task];
  std::int64_t running = 0;
  for (const ProcessorBook& processor : processors_) {
    if (processor.running && processor.running->task == task) ++running;
  }
  const auto between_stages = std::count_if(book.under_way.begin(), book.under_way.end(),
                                            [](const UnderWay& frame) { return !frame.runs; });
  const auto waiting = static_cast<std::int64_t>(book.gate.size()) + between_stages;
  const TaskFrames& frames = desk_.ledger().task(task);
  require(frames.received == book.received, "each received frame is counted", "task", task);
  require(frames.rejected == book.rejected, "what is rejected is counted, and not received", "task", task);
  require(frames.in_flight == waiting + running, "each frame ends exactly once", "task", task);
  require(frames.processed + frames.dropped_total() == book.received - waiting - running,
          "each frame ends as processed or dropped", "task", task);
  require(book.gate.size() == desk_.dispatcher().waiting(task), "what waits is in the gate", "task", task);
  require(book.gate.size() <= config_.runtime.gate_frames, "gates are bounded", "task", task);
  require(book.under_way.size() == desk_.dispatcher().under_way(task), "what has begun is under way", "task",
          task);
}

void Invariants::after_event(TimePoint now, std::size_t queued) {
  now_ = now;
  at_once_ = now == last_event_ ? at_once_ + 1 : 1;
  last_event_ = now;
  require(at_once_ <= kMostAtOnce, "time goes on", "events at one instant", at_once_);
  if (touched_) check_task(*touched_);
  touched_.reset();
  require(queued <= kLongestQueue, "the event queue is bounded", "entries", queued);
  for (ProcessorIndex p = 0; p < processors_.size(); ++p) {
    if (processors_[p].running) continue;
    if (const auto first = first_waiting(p)) {
      require(spent(processors_[p], now), "no processor idles while a frame waits", "task", first->task);
    }
  }
}

void Invariants::check_plan() {
  const auto& plan = controller_.plan();
  if (plan && plan != plan_) {
    plan_ = plan;
    planned_ = now_;
    const auto solved = solved_.find(plan->generation);
    require(solved != solved_.end(), "a plan was asked for", "generation", plan->generation);
    if (solved == solved_.end()) return;
    const auto violations = scheduler::check_plan(
        solved->second, *plan,
        plan->within_limits ? scheduler::CheckScope::all : scheduler::CheckScope::time_only);
    if (!violations.empty()) {
      broken("a plan that runs obeys its snapshot",
             violations.front().constraint + ": " + violations.front().what);
    }
    for (TaskIndex i = 0; i < tasks_.size(); ++i) {
      const scheduler::Assignment& assignment = plan->tasks[i];
      const scheduler::Task& task = solved->second.tasks[i];
      if (!assignment.variant || !task.min_accuracy || assignment.accuracy >= *task.min_accuracy) continue;
      const auto& named_limits = plan->violated_limits;
      require(std::find(named_limits.begin(), named_limits.end(), "min_accuracy:" + task.id.str()) !=
                  named_limits.end(),
              "an accuracy below its floor is reported", "task", i);
    }
    solved_.erase(solved_.begin(), solved);
  }
  const bool newest = plan && plan->generation == controller_.generation();
  require(newest || solving_ || stays_, "a plan of an older generation is about to be replaced", "generation",
          plan ? plan->generation : 0);
  if (!newest) return;
  if (controller_.in_transition()) return check_transition(*plan);
  for (TaskIndex i = 0; i < tasks_.size(); ++i) {
    require(controller_.serving(i) == plan->tasks[i].variant, "without a transition the plan is what runs",
            "task", i);
    require(!tasks_[i].lost || plan->tasks[i].granted.value() == 0.0,
            "a task whose source is lost is granted nothing", "task", i);
  }
}

// What engines of the plan need is theirs. Of what that leaves of the corrected processor the old engines get
// no more, and none of them less than it needs if all of them fit.
void Invariants::check_transition(const scheduler::Plan& plan) {
  const scheduler::Snapshot& solved = solved_.at(plan.generation);
  std::vector<double> left;
  for (ProcessorIndex p = 0; p < processors_.size(); ++p) {
    left.push_back(processors_[p].budget(desk_.drift().correction(p)));
  }
  std::vector<double> used(left.size(), 0.0);
  std::vector<double> needed(left.size(), 0.0);
  bool lowered = false;
  for (TaskIndex i = 0; i < tasks_.size(); ++i) {
    if (!tasks_[i].engine) continue;
    const EngineBook& engine = engines_.at(*tasks_[i].engine);
    const scheduler::Task& task = solved.tasks[i];
    const double granted = plan.tasks[i].granted.value();
    const bool ready = !engine.broken && plan.tasks[i].variant == engine.variant &&
                       engine.profiles == task.profiles && engine.batch == task.regions;
    const double rate = tasks_[i].told.value();
    for (ProcessorIndex p = 0; p < left.size(); ++p) {
      const double time = engine.frame[p] * desk_.drift().correction(p);
      if (ready) {
        left[p] -= time * granted;
      } else {
        used[p] += time * rate;
        needed[p] += time * granted;
      }
    }
    if (ready) continue;
    lowered = lowered || rate < granted * (1.0 - 1e-6);
  }
  bool all_fit = true;
  for (ProcessorIndex p = 0; p < left.size(); ++p) {
    require(used[p] <= std::max(0.0, left[p]) + 1e-6, "rates of a transition fit the corrected processor",
            "processor", p);
    all_fit = all_fit && needed[p] <= left[p];
  }
  const bool max_min = config_.runtime.shares == scheduler::Shares::max_min;
  require(!max_min || !all_fit || !lowered, "no rate of a transition is lowered where all fit");
}

void Invariants::after_controller(TimePoint now) {
  now_ = now;
  for (TaskIndex task = 0; task < tasks_.size(); ++task) check_task(task);
  check_memory();
  check_plan();
  check_urgency();
}

void Invariants::check_urgency() {
  if (!controller_.plan()) return;
  bool lowered = false;
  bool without = false;
  for (const TaskBook& book : tasks_) {
    lowered = lowered || (book.engine && book.told < book.granted);
    without = without || (book.granted.value() > 0.0 && !book.engine);  // or is off until the next plan
  }
  require(urgent_ || !lowered, "loads are urgent while rates are lowered");
  require(!urgent_ || lowered || without, "loads are urgent only while frames wait for them");
}

void Invariants::now_and_then(TimePoint now) {
  now_ = now;
  settled_in_calm_ = settled_in_calm_ || controller_.settled();
  for (const auto& [key, engine] : engines_) {
    if (engine.life > Life::warming || engine.given_up) continue;
    require(
        now - engine.since <= to_duration(config_.runtime.load_timeout) + Duration(std::chrono::seconds(1)),
        "a load that hangs is given up", "engine", key);
  }
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    tasks_[task].removed ? check_removed(task) : check_source(task);
    check_wait(task);
  }
  if (!above_since_ || now - *above_since_ <= kMostAbove) return;
  require(excess_reported_ && *excess_reported_ >= *above_since_,
          "memory is below a lowered limit after 2 s, or that was reported", "bytes",
          controller_.reserved().value());
}

void Invariants::check_source(TaskIndex task) {
  const TaskBook& book = tasks_[task];
  if (book.pushed || book.demand.value() == 0.0 || book.heard < start_) return;
  const Duration patience =
      std::max(SourceWatch::kMostPatience, to_duration(Seconds(3.0 / book.demand.value())));
  require(book.lost || now_ - book.heard <= patience + kLooks, "a source that is silent is lost", "task",
          task);
  require(!book.back || now_ - *book.back <= kLooks, "a source that delivers again is back", "task", task);
}

void Invariants::check_removed(TaskIndex task) {
  if (now_ - tasks_[task].removed_at <= kLongestFrame) return;
  for (const auto& [key, engine] : engines_) {
    require(engine.task != task || engine.life != Life::out, "a task that was removed keeps no engine",
            "engine", key);
  }
}

void Invariants::run_ends(TimePoint now) {
  now_ = now;
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    const TaskBook& book = tasks_[task];
    const TaskFrames& frames = desk_.ledger().task(task);
    require(frames.in_flight == 0, "every frame is accounted for at the end", "task", task);
    require(frames.received == frames.processed + frames.dropped_total(),
            "every frame is accounted for at the end", "task", task);
    const std::int64_t lost = frames.dropped_by_cause[static_cast<std::size_t>(LossCause::switching)];
    require(lost == book.lost_to_switch && lost == book.lost_told,
            "every frame lost to a switch is told and counted", "task", task);
  }
}

}  // namespace saccade::runtime
