#include "runtime/simulation/faults.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kLongestStorm = Duration(std::chrono::seconds(300));
constexpr Duration kFlap = std::chrono::milliseconds(50);  // up and down: 10 Hz
constexpr std::int64_t kTenTimes = 10;
constexpr std::int64_t kStarved = 20;
constexpr Bytes kNothingFits{1000.0};

bool is_change_of_demand(Fault fault) { return fault == Fault::demand_flaps || fault == Fault::demand_jumps; }

}  // namespace

const std::array<FaultPoint, kFaultPoints>& fault_points() {
  static constexpr std::array<FaultPoint, kFaultPoints> kPoints{{
      {"load_fails", "an engine does not load: out of memory"},
      {"load_hangs", "a load does not come back for half to three times the load time-out"},
      {"load_slow", "a load takes ten times as long"},
      {"corrupt_model", "a model file cannot be read for a while"},
      {"wrong_hash", "a model file has another hash for a while"},
      {"warm_up_fails", "an engine loads but does not warm up"},
      {"inference_throws", "every inference of a task fails for a while"},
      {"inference_slow", "a task's inferences take ten times as long for a while"},
      {"processor_slow", "a processor takes 1.4 to 2.5 times as long for a while: throttling, a neighbour"},
      {"loader_starved", "loads, warm-ups and unloads take twenty times as long for a while"},
      {"memory_lowered", "the memory limit falls below what is in use for a while"},
      {"limits_infeasible", "no variant fits into the memory limit for a while"},
      {"camera_stalls", "a camera has no new frame for a while"},
      {"camera_disconnects", "a camera is gone for a while and says so"},
      {"camera_bursts", "a capture is held up and brings its ticks late, all at once"},
      {"wrong_frame_size", "a camera's frames are refused for their size for a while"},
      {"solver_times_out", "a solve ends at its deadline with nothing"},
      {"solver_returns_nothing", "a solve comes back at once with nothing"},
      {"demand_flaps", "a demand goes up and down at 10 Hz for a while"},
      {"demand_jumps", "a demand is halved, doubled or tripled for a while"},
      {"task_removed", "a task is removed in the middle of a transition and added again"},
      {"objective_changes", "the objective changes for a while"},
      {"invalid_reload", "a state that is not valid is to be loaded"},
      {"shutdown_in_load", "the run ends in the middle of a load"},
  }};
  return kPoints;
}

// --- The weather ----------------------------------------------------------------------------------

FaultDriver::FaultDriver(const Setup& setup)
    : dice_(setup.seed ^ 0x5361636361646521U),
      mean_gap_(std::clamp(setup.duration / 900, Duration(std::chrono::seconds(1)),
                           Duration(std::chrono::seconds(60)))),
      load_timeout_(setup.load_timeout),
      solver_deadline_(setup.solver_deadline),
      throws_(setup.tasks),
      slow_(setup.tasks),
      cameras_(setup.tasks),
      late_(setup.tasks),
      processors_(setup.processors),
      percents_(setup.processors, 100) {
  const bool single = setup.points.count() == 1;
  for (std::size_t i = 0; i < kFaultPoints; ++i) {
    const bool chosen = single || dice_.one_in(2);
    if (!setup.points[i] || !chosen) continue;
    enabled_[i] = true;
    if (static_cast<Fault>(i) != Fault::shutdown_in_load) points_.push_back(static_cast<Fault>(i));
  }
  const auto cycles = std::max<Duration::rep>(1, setup.duration / (kLongestStorm + kCalm));
  const Duration cycle = setup.duration / cycles;
  for (Duration::rep i = 0; i < cycles && cycle > kCalm; ++i) {
    storms_.emplace_back(i * cycle, (i + 1) * cycle - kCalm);
  }
  if (points_.empty()) storms_.clear();
}

std::optional<Duration> FaultDriver::next() const {
  std::optional<Duration> next;
  const auto earlier = [&](Duration at) { next = next ? std::min(*next, at) : at; };
  if (stormy_) {
    earlier(storms_[spell_].second);
    earlier(next_strike_);
    for (const Change& change : changes_) earlier(change.next);
  } else if (spell_ < storms_.size()) {
    earlier(storms_[spell_].first);
  }
  return next;
}

FaultSource::Turn FaultDriver::turn(Duration now, const MemoryAmounts& reserved) {
  Turn turn;
  if (!stormy_ && spell_ < storms_.size() && now >= storms_[spell_].first) {
    stormy_ = true;
    next_strike_ = now + mean_gap_;
  }
  if (stormy_ && now >= storms_[spell_].second) {
    stormy_ = false;
    ++spell_;
    calm_down();
    turn.calm = turn.reshape = true;
    return turn;
  }
  if (!stormy_) return turn;
  if (now >= next_strike_) strike(now, reserved, turn);
  for (Change& change : changes_) {
    if (change.next > now) continue;
    turn.reshape = true;
    change.next = change.flap.count() > 0 ? std::min(now + change.flap, change.until) : change.until;
  }
  std::erase_if(changes_, [&](const Change& change) { return change.until <= now; });
  return turn;
}

void FaultDriver::calm_down() {
  armed_.fill(0);
  models_.clear();
  for (std::vector<Spell>* spells : {&throws_, &slow_, &cameras_, &late_, &processors_}) {
    std::fill(spells->begin(), spells->end(), Spell{});
  }
  starved_ = {};
  changes_.clear();
}

Duration FaultDriver::for_about(double low, double high) {
  return dice_.between(to_duration(Seconds(low)), to_duration(Seconds(high)));
}

void FaultDriver::strike(Duration now, const MemoryAmounts& reserved, Turn& turn) {
  next_strike_ = now + dice_.between(mean_gap_ / 5, mean_gap_ * 9 / 5);
  const Fault fault = points_[dice_.below(points_.size())];
  const auto task = static_cast<std::size_t>(dice_.below(throws_.size()));
  const auto spell = [&](double low, double high) { return Spell{now + for_about(low, high), false, fault}; };
  switch (fault) {
    case Fault::load_fails:
    case Fault::load_hangs:
    case Fault::load_slow:
    case Fault::corrupt_model:
    case Fault::wrong_hash:
    case Fault::warm_up_fails:
      armed_[index(fault)] = 1;
      make_loads_happen(now);
      break;
    case Fault::solver_times_out:
    case Fault::solver_returns_nothing:
      armed_[index(fault)] = static_cast<int>(1 + dice_.below(4));
      make_loads_happen(now);
      break;
    case Fault::inference_throws:
      throws_[task] = spell(0.05, 2.0);
      break;
    case Fault::inference_slow:
      slow_[task] = spell(0.1, 2.0);
      break;
    case Fault::processor_slow: {
      const auto processor = static_cast<std::size_t>(dice_.below(processors_.size()));
      processors_[processor] = spell(3.0, 30.0);
      percents_[processor] = static_cast<std::int64_t>(140 + dice_.below(111));
      break;
    }
    case Fault::loader_starved:
      starved_ = spell(1.0, 8.0);
      make_loads_happen(now);
      break;
    case Fault::camera_stalls:
    case Fault::camera_disconnects:
    case Fault::wrong_frame_size:
      cameras_[task] = spell(0.2, 6.0);
      break;
    case Fault::camera_bursts:
      late_[task] = spell(0.05, 1.0);
      break;
    case Fault::memory_lowered:
    case Fault::limits_infeasible:
    case Fault::demand_flaps:
    case Fault::demand_jumps:
    case Fault::task_removed:
    case Fault::objective_changes:
      strike_state(fault, task, now, reserved);
      break;
    case Fault::invalid_reload:
      turn.reload = true;
      break;
    case Fault::shutdown_in_load:
      SACCADE_CHECK(false);  // comes at the end of the run
  }
}

void FaultDriver::strike_state(Fault fault, std::size_t task, Duration now, const MemoryAmounts& reserved) {
  switch (fault) {
    case Fault::memory_lowered: {
      const double share = static_cast<double>(20 + dice_.below(70)) / 100.0;
      // With the host's memory alone nothing is drawn for it.
      const std::size_t memory = reserved.size() > 1 ? dice_.below(reserved.size()) : 0;
      const double left = reserved.of(memory).value() * share;
      change({fault, fault, 0, left, memory, now, now + for_about(1.0, 8.0)});
      break;
    }
    case Fault::limits_infeasible: {
      const std::size_t memory = reserved.size() > 1 ? dice_.below(reserved.size()) : 0;
      change({fault, fault, 0, kNothingFits.value(), memory, now, now + for_about(0.2, 4.0)});
      break;
    }
    case Fault::demand_flaps:
      change({fault, fault, task, 3.0, 0, now, now + for_about(1.0, 4.0), kFlap});
      break;
    case Fault::demand_jumps: {
      constexpr std::array<double, 3> kFactors{0.5, 2.0, 3.0};
      change({fault, fault, task, kFactors[dice_.below(3)], 0, now, now + for_about(1.0, 10.0)});
      break;
    }
    case Fault::task_removed: {
      make_loads_happen(now);
      const Duration from = now + for_about(0.001, 0.06);
      change({fault, fault, task, 0.0, 0, from, from + for_about(0.005, 3.0)});
      break;
    }
    case Fault::objective_changes:
      change({fault, fault, 0, 0.0, 0, now, now + for_about(0.2, 5.0)});
      break;
    default:
      SACCADE_CHECK(false);  // strikes no state
  }
}

void FaultDriver::change(Change change) {
  change.next = change.from;
  changes_.push_back(change);
}

void FaultDriver::make_loads_happen(Duration now) {
  change({std::nullopt, Fault::objective_changes, 0, 0.0, 0, now, now + for_about(0.1, 2.0)});
}

// The limit of one memory.
void FaultDriver::lower(const Change& change, scheduler::Snapshot& wanted) {
  const auto memories = scheduler::device_memories(wanted);
  const Bytes context =
      change.memory == 0 ? scheduler::host_context(wanted) : memories.at(change.memory - 1).context;
  Bytes lowered(change.value);
  // A limit that does not leave its contexts anything is no state, but a mistake.
  if (context > Bytes(0.0)) lowered = std::max(lowered, context + kNothingFits);
  scheduler::Limits& limits = wanted.limits;
  if (change.memory == 0) {
    limits.memory = limits.memory ? std::min(*limits.memory, lowered) : lowered;
    return;
  }
  const std::string& name = memories.at(change.memory - 1).name;
  const auto known = limits.memories.find(name);
  limits.memories[name] = known == limits.memories.end() ? lowered : std::min(known->second, lowered);
}

FaultSource::Wish FaultDriver::wanted(const scheduler::Snapshot& state, Duration now) {
  Wish wish{state, {}};
  scheduler::Snapshot& wanted = wish.snapshot;
  for (Change& change : changes_) {
    if (now < change.from || now >= change.until) continue;
    const scheduler::Snapshot before = wanted;
    scheduler::Task& task = wanted.tasks.at(change.task);
    if (is_change_of_demand(change.kind)) {
      const bool up = change.flap.count() == 0 || (now - change.from) / change.flap % 2 == 0;
      if (up) task.demand = change.value * task.demand;
    } else if (change.kind == Fault::task_removed) {
      const bool there =
          std::find(wish.removed.begin(), wish.removed.end(), change.task) == wish.removed.end();
      if (!there || wish.removed.size() + 1 == wanted.tasks.size()) continue;
      wish.removed.insert(std::upper_bound(wish.removed.begin(), wish.removed.end(), change.task),
                          change.task);
    } else if (change.kind == Fault::objective_changes) {
      using scheduler::Objective;
      wanted.objective =
          wanted.objective == Objective::min_memory ? Objective::max_accuracy : Objective::min_memory;
    } else {
      lower(change, wanted);
    }
    if (!scheduler::validate(wanted).empty()) {  // something it needs was not measured
      wanted = before;
    } else if (change.fault && !change.counted) {
      change.counted = true;
      hit(*change.fault);
    }
  }
  return wish;
}

// --- Asked when a job begins and per frame -------------------------------------------------------

bool FaultDriver::in(Spell& spell, Duration now) {
  if (now >= spell.until) return false;
  if (!spell.counted) hit(spell.fault);
  spell.counted = true;
  return true;
}

FaultSource::Fate FaultDriver::load(TaskIndex task, std::size_t variant, Duration now) {
  Fate fate;
  const auto armed = [&](Fault fault) {
    if (armed_[index(fault)] == 0) return false;
    --armed_[index(fault)];
    return true;
  };
  for (const Fault fault : {Fault::corrupt_model, Fault::wrong_hash}) {
    if (armed(fault)) models_[{task, variant}] = {now + for_about(1.0, 20.0), false, fault};
  }
  const auto model = models_.find({task, variant});
  if (model != models_.end() && now < model->second.until) {
    hit(model->second.fault);
    fate.errors.push_back({"model", fault_points()[index(model->second.fault)].what, ""});
  } else if (armed(Fault::load_fails)) {
    hit(Fault::load_fails);
    fate.errors.push_back({"engine", fault_points()[index(Fault::load_fails)].what, ""});
  } else if (armed(Fault::load_hangs)) {
    hit(Fault::load_hangs);
    fate.takes = dice_.between(load_timeout_ / 2, 3 * load_timeout_);
  } else if (armed(Fault::load_slow)) {
    hit(Fault::load_slow);
    fate.factor = kTenTimes;
  }
  fate.factor *= loader_factor(now);
  return fate;
}

FaultSource::Fate FaultDriver::warm_up(TaskIndex /*task*/, std::size_t /*variant*/, int /*inferences*/,
                                       Duration now) {
  Fate fate;
  if (armed_[index(Fault::warm_up_fails)] > 0) {
    --armed_[index(Fault::warm_up_fails)];
    hit(Fault::warm_up_fails);
    fate.errors.push_back({"engine", fault_points()[index(Fault::warm_up_fails)].what, ""});
  }
  fate.factor = loader_factor(now);
  return fate;
}

FaultSource::Fate FaultDriver::unload(Duration now) {
  Fate fate;
  fate.factor = loader_factor(now);
  return fate;
}

std::int64_t FaultDriver::loader_factor(Duration now) { return in(starved_, now) ? kStarved : 1; }

bool FaultDriver::inference_fails(TaskIndex task, std::size_t /*variant*/, Duration now) {
  return in(throws_[task], now);
}

std::int64_t FaultDriver::inference_percent(TaskIndex task, ProcessorIndex processor, Duration now) {
  std::int64_t percent = in(processors_[processor], now) ? percents_[processor] : 100;
  if (in(slow_[task], now)) percent *= kTenTimes;
  return percent;
}

FaultSource::Camera FaultDriver::camera(TaskIndex task, Duration now) {
  Camera camera;
  if (in(late_[task], now)) camera.late_until = late_[task].until;
  if (!in(cameras_[task], now)) return camera;
  camera.delivers = false;
  if (cameras_[task].fault == Fault::camera_disconnects) camera.fault = "the camera is gone";
  if (cameras_[task].fault == Fault::wrong_frame_size) camera.fault = "frames of another size are refused";
  return camera;
}

FaultSource::Fate FaultDriver::solve() {
  Fate fate;
  for (const Fault fault : {Fault::solver_times_out, Fault::solver_returns_nothing}) {
    if (armed_[index(fault)] == 0) continue;
    --armed_[index(fault)];
    hit(fault);
    fate.errors.push_back({"solver", fault_points()[index(fault)].what, ""});
    if (fault == Fault::solver_times_out) fate.takes = solver_deadline_;
    break;
  }
  return fate;
}

}  // namespace saccade::runtime
