#include "runtime/simulation/invariants.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/frames/source_watch.hpp"

namespace saccade::runtime {
namespace {

constexpr std::size_t kMostLoads = 100;    // in a second
constexpr int kErrorsThatBreak = 5;        // a fresh engine takes the place of such a one
constexpr std::size_t kMostFailures = 10;  // of one variant in ten seconds: 0.25 s, doubling up to 5 s

void forget_before(std::deque<TimePoint>& times, TimePoint since) {
  while (!times.empty() && times.front() <= since) times.pop_front();
}

}  // namespace

// --- events and actions of the controller ---------------------------------------------------------

void Invariants::wants(const scheduler::Snapshot& wanted, TimePoint now) {
  now_ = now;
  wanted_ = wanted;
}

void Invariants::hears(const Event& event, TimePoint now) {
  now_ = now;
  const auto done = [&](EngineKey key, const Errors& errors, Life before, Life after) {
    const auto found = engines_.find(key);
    if (found == engines_.end() || found->second.life != before) {
      return require(false, "only what was begun is finished", "engine", key);
    }
    found->second.life = after;
    const bool ended = after != Life::loaded || !errors.empty();
    if (ended && !found->second.given_up) load_ended(found->second, now);
    if (errors.empty()) return;
    auto& failures = failures_[{found->second.task, found->second.variant}];
    forget_before(failures, now - Duration(std::chrono::seconds(10)));
    failures.push_back(now);
    require(failures.size() <= kMostFailures, "a variant that fails is not tried without end", "task",
            found->second.task);
    if (before == Life::loading) engines_.erase(found);
  };
  if (const auto* ready = std::get_if<event::PlanReady>(&event)) {
    if (ready->plan.status != scheduler::PlanStatus::unknown) limited_ = ready->plan.within_limits;
  } else if (const auto* loaded = std::get_if<event::LoadFinished>(&event)) {
    done(loaded->engine, loaded->errors, Life::loading, Life::loaded);
  } else if (const auto* warm = std::get_if<event::WarmFinished>(&event)) {
    done(warm->engine, warm->errors, Life::warming, warm->errors.empty() ? Life::warm : Life::out);
  } else if (const auto* gone = std::get_if<event::Unloaded>(&event)) {
    require(engines_.erase(gone->engine) == 1, "an engine is destroyed once", "engine", gone->engine);
  } else if (const auto* run = std::get_if<event::InferenceEnded>(&event)) {
    const auto found = engines_.find(run->engine);
    if (found == engines_.end()) return;
    EngineBook& engine = found->second;
    engine.errors = run->errors.empty() ? 0 : engine.errors + 1;
    engine.broken = engine.broken || engine.errors == kErrorsThatBreak;
  } else if (const auto* measured = std::get_if<event::Measured>(&event)) {
    for (const MeasuredProcessor& each : measured->processors) check_measured(each);
  } else if (const auto* decoding = std::get_if<event::Decoding>(&event)) {
    for (const auto& [processor, share] : decoding->processors) processors_.at(processor).decoding = share;
  } else if (const auto* lost = std::get_if<event::FramesLost>(&event)) {
    tasks_[lost->task].lost_told += lost->frames;
  } else if (const auto* silent = std::get_if<event::SourceLost>(&event)) {
    TaskBook& book = tasks_[silent->task];
    require(now - book.heard >= SourceWatch::kLeastPatience, "a source that delivers is not lost", "task",
            silent->task);
    require(!book.pushed, "clients that send nothing are no lost source", "task", silent->task);
    if (book.demand.value() > 0.0) book.lost = now;
  } else if (const auto* back = std::get_if<event::SourceBack>(&event)) {
    tasks_[back->task].lost.reset();
    tasks_[back->task].back.reset();
  }
}

void Invariants::check_measured(const MeasuredProcessor& measured) {
  const ProcessorIndex p = measured.processor;
  require(measured.correction == desk_.drift().correction(p), "a correction is the one that frames show",
          "processor", p);
  if (!measured.guard) return;
  ProcessorBook& book = processors_.at(p);
  book.guard = measured.guard->value();
  require(config_.processors.at(p).auto_guard.has_value(), "a guard that is a number does not change",
          "processor", p);
  require(
      book.guard >= std::min(0.01, book.capacity / 2.0) && book.guard <= std::min(0.5, book.capacity / 2.0),
      "a guard stays within its bounds", "guard", book.guard);
}

// Of profiled time, plans get what decoding leaves, or what the correction leaves, if that is less.
double Invariants::ProcessorBook::budget(double correction) const {
  const double whole = capacity - guard;
  if (decoding <= 0.0) return whole;
  const double without = std::max(whole - decoding, 0.1 * whole);
  return correction <= 1.0 ? without : correction * std::min(whole / correction, without);
}

void Invariants::solve(const scheduler::Snapshot& snapshot, TimePoint now) {
  stays_ = false;
  solved_[snapshot.generation] = snapshot;
  for (ProcessorIndex p = 0; p < processors_.size(); ++p) {
    require(snapshot.processors.at(p).correction == desk_.drift().correction(p) &&
                snapshot.processors[p].guard.value() == processors_[p].guard,
            "plans know corrections and guards", "processor", p);
    const double budget = snapshot.processors[p].capacity - snapshot.processors[p].guard.value();
    require(std::abs(budget - processors_[p].budget(desk_.drift().correction(p))) < 1e-9,
            "plans leave time for decoding once, here or in the correction", "processor", p);
  }
  forget_before(solves_, now - Duration(std::chrono::seconds(1)));
  solves_.push_back(now);
  const double gap = config_.runtime.coalesce.value();
  require(gap <= 0.0 || static_cast<double>(solves_.size()) <= 1.0 / gap + 2.0,
          "changes are gathered into few solves", "solves", solves_.size());
}

ProcessorIndex Invariants::processor_of(const ProcessorId& id) const {
  const auto found = std::find_if(config_.processors.begin(), config_.processors.end(),
                                  [&](const ProcessorConfig& processor) { return processor.id == id; });
  return static_cast<ProcessorIndex>(found - config_.processors.begin());
}

void Invariants::load(const action::Load& load, TimePoint now) {
  const profiles::Variant& variant = load.profiles->variants.at(load.variant);
  require(!engines_.contains(load.engine), "an engine is loaded once", "engine", load.engine);
  std::size_t on_the_way = 0;
  std::size_t hanging = 0;
  for (const auto& [key, engine] : engines_) {
    if (engine.life != Life::loading && engine.life != Life::loaded && engine.life != Life::warming) continue;
    (engine.given_up ? hanging : on_the_way) += 1;
  }
  require(on_the_way == 0 && hanging < kLoaders, "one engine is loaded at a time", "on their way",
          on_the_way + hanging);
  EngineBook book;
  book.task = load.task;
  book.variant = load.variant;
  book.frame.assign(processors_.size(), 0.0);
  const std::set<std::string> memories = memories_of(variant, load.batch);
  check_pause(memories, now);
  for (const auto& [id, time] : profiles::time_per_frame(variant, load.batch)) {
    book.frame.at(processor_of(id)) = time.value();
  }
  book.loading = needs(variant, memories, true);
  book.serving = needs(variant, memories, false);
  if (variant.staging.empty()) book.stages = {{load.processor}};
  for (const profiles::Stage& stage : variant.staging.stages) {
    std::vector<ProcessorIndex>& places = book.stages.emplace_back();
    for (std::size_t k = 0; k < stage.processors(); ++k) places.push_back(processor_of(stage.processor(k)));
  }
  require(book.stages.front().front() == load.processor && book.frame.at(load.processor) > 0.0,
          "an engine is loaded for the processors of its variant", "engine", load.engine);
  book.profiles = load.profiles;
  book.batch = load.batch;
  book.since = now;
  engines_[load.engine] = book;
  forget_before(loads_, now - Duration(std::chrono::seconds(1)));
  loads_.push_back(now);
  require(loads_.size() <= kMostLoads, "engines are not loaded without end");
}

void Invariants::warm(EngineKey engine) {
  const auto found = engines_.find(engine);
  require(found != engines_.end() && found->second.life == Life::loaded, "what is loaded is warmed up",
          "engine", engine);
  if (found != engines_.end()) found->second.life = Life::warming;
}

void Invariants::unload(EngineKey engine) {
  const auto found = engines_.find(engine);
  require(found != engines_.end() && found->second.life != Life::going, "an engine is destroyed once",
          "engine", engine);
  if (found == engines_.end()) return;
  for (const TaskBook& task : tasks_) {
    require(task.engine != engine, "no engine is destroyed that serves", "engine", engine);
    require(std::none_of(task.under_way.begin(), task.under_way.end(),
                         [&](const UnderWay& frame) { return frame.engine == engine; }),
            "no engine is destroyed with a frame in it", "engine", engine);
  }
  for (const ProcessorBook& processor : processors_) {
    require(!processor.running || processor.running->engine != engine,
            "no engine is destroyed with a frame in it", "engine", engine);
  }
  found->second.life = Life::going;
}

void Invariants::swap(const action::Swap& swap, TimePoint now) {
  now_ = now;
  TaskBook& task = tasks_.at(swap.task);
  require(task.engine == swap.old, "a swap takes out what serves", "task", swap.task);
  if (swap.follows && swap.old) check_let_go(swap.task);
  if (!swap.follows) {
    task.awaits.reset();
  } else if (!task.awaits) {
    task.awaits = now;
  }
  if (swap.old) engines_.at(*swap.old).life = Life::out;
  task.engine = swap.engine;
  task.processor = swap.processor;
  if (!swap.engine) return;
  const auto found = engines_.find(*swap.engine);
  const bool fit = found != engines_.end() && found->second.task == swap.task &&
                   (found->second.life == Life::warm || found->second.life == Life::out);
  require(fit, "only a warm engine is swapped in", "engine", *swap.engine);
  if (found == engines_.end()) return;
  found->second.life = Life::serving;
  const bool in_use = std::any_of(task.under_way.begin(), task.under_way.end(),
                                  [&](const UnderWay& frame) { return frame.engine == *swap.engine; });
  if (!in_use) found->second.began = 0;
  task.most = most_of(found->second);
}

// 0: it has no stages.
std::size_t Invariants::most_of(const EngineBook& engine) const {
  const profiles::Staging& staging = engine.profiles->variants.at(engine.variant).staging;
  if (staging.empty()) return 0;
  return std::min(static_cast<std::size_t>(std::max(1, staging.max_in_flight)), 2 * processors_.size());
}

void Invariants::rate(const action::SetRate& rate) {
  TaskBook& task = tasks_.at(rate.task);
  const auto micro = static_cast<std::int64_t>(std::ceil(rate.rate.value() * 1e6));
  // Frames are judged by when they were due, which may lie before the change: its bucket starts full.
  if (micro != task.rate) task.bucket = kBucket;
  task.told = rate.rate;
  task.rate = micro;
  if (controller_.plan() && rate.task < controller_.plan()->tasks.size()) {
    const double granted = controller_.plan()->tasks.at(rate.task).granted.value();
    require(rate.rate.value() <= granted * (1.0 + kTolerance), "a rate is not above what the plan grants",
            "task", rate.task);
  }
}

void Invariants::demand(TaskIndex task, Fps demand) {
  TaskBook& book = tasks_.at(task);
  if ((book.demand.value() > 0.0) != (demand.value() > 0.0)) {
    book.heard = now_;
    book.lost.reset();
    book.back.reset();
  }
  book.demand = demand;
}

void Invariants::report(const action::Report& report, TimePoint now) {
  if (report.event == EventKind::exclude) note_excluded(report, now);
  if (report.event == EventKind::infeasible) {
    excess_reported_ = now;
    if (report.detail.find("what runs stays") != std::string::npos) stays_ = true;
  }
  if (report.event == EventKind::fault &&
      report.detail.find("its loader is abandoned") != std::string::npos) {
    for (auto& [key, engine] : engines_) {
      if (engine.life > Life::warming || engine.given_up) continue;
      engine.given_up = true;
      load_ended(engine, now);
    }
  }
}

}  // namespace saccade::runtime
