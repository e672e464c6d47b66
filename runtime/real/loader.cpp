#include "runtime/real/loader.hpp"

#include <algorithm>
#include <deque>
#include <map>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "runtime/frames/pipelines.hpp"
#include "runtime/machine/resident_memory.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "runtime/real/load_watch.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kThreadPatience = std::chrono::seconds(2);  // a load that is slow, not hanging, ends in it
constexpr int kNiceForGood =
    10;  // at which a load still finishes when its priority can never be raised again

EngineSpec placed(EngineSpec spec, const ProcessorConfig& processor) {
  spec.processor = processor.id;
  spec.provider = processor.provider;
  spec.device = processor.device;
  spec.graphs = processor.graphs;
  spec.block = processor.block;
  spec.threads = processor.threads;
  return spec;
}

struct Part {  // of an engine: the whole of it, or a copy of a stage
  EngineSpec spec;
  std::vector<int> cpus;  // of a load with several threads: theirs
  std::size_t stage = 0;
};

struct Job {
  enum class Kind { load, warm } kind = Kind::load;
  EngineKey engine = 0;
  TaskIndex task = 0;
  TimePoint requested{};
  std::vector<Part> parts;           // of a load, in order
  profiles::ProfileSetPtr profiles;  // of a load; spec.profile of each part is one of its variants
  std::size_t frames = 0;            // of a load of several parts: that are under way at most
  int inferences = 0;                // of a warm-up
};

}  // namespace

// Shared by the loader and its threads, so that a thread left behind keeps what it uses alive.
struct Loader::State {
  // `several`: some engine has threads of its own, which inherit the niceness of the thread that loads.
  State(std::shared_ptr<const EngineBackend> its_backend, const RuntimeOptions& options, bool several,
        std::shared_ptr<const Clock> its_clock, std::shared_ptr<MessageQueue> its_queue)
      : backend(std::move(its_backend)),
        clock(std::move(its_clock)),
        queue(std::move(its_queue)),
        nice(may_raise ? options.loader_nice : (several ? 0 : std::min(options.loader_nice, kNiceForGood))),
        watch(to_duration(options.loader_boost), to_duration(options.load_timeout)) {}

  const std::shared_ptr<const EngineBackend> backend;
  const std::shared_ptr<const Clock> clock;
  const std::shared_ptr<MessageQueue> queue;
  const bool may_raise = may_raise_priority();
  const int nice;  // of loads that no frame waits for

  mutable Mutex mutex;
  Condition changed;  // a job came, a thread ended, or stopping
  bool stopping SACCADE_GUARDED_BY(mutex) = false;
  bool urgent SACCADE_GUARDED_BY(mutex) = true;
  LoadWatch watch SACCADE_GUARDED_BY(mutex);   // over the threads that load
  pid_t thread SACCADE_GUARDED_BY(mutex) = 0;  // of the one in charge
  pid_t parent SACCADE_GUARDED_BY(mutex) = 0;  // the thread whose load starts threads, which inherit niceness
  std::deque<Job> jobs SACCADE_GUARDED_BY(mutex);
  std::deque<EngineKey> unwanted SACCADE_GUARDED_BY(mutex);  // to be destroyed
  struct Loaded {
    std::shared_ptr<Engine> engine;     // null: it has several stages
    std::shared_ptr<StageChain> chain;  // null: it has not
    std::shared_ptr<FrameDecoder> decoder;
    EngineSpec spec;
    TaskIndex task = 0;
    TimePoint requested{};

    [[nodiscard]] Engine& last() { return chain ? chain->last() : *engine; }
    [[nodiscard]] Status warm_up(Outputs& outputs) {
      if (chain) return chain->warm_up(outputs);
      const Status prepared = prepare_black(*engine, spec);
      return prepared.ok() ? engine->infer(outputs) : prepared;
    }
    [[nodiscard]] Status end_warm_up() { return chain ? chain->end_warm_up() : Status(Done{}); }
    [[nodiscard]] std::string remark() const { return chain ? chain->remark() : engine->remark(); }
    void let_go() {
      engine.reset();
      chain.reset();
    }
  };
  std::map<EngineKey, Loaded> engines SACCADE_GUARDED_BY(mutex);

  // Of the thread in charge.
  [[nodiscard]] int niceness() const SACCADE_REQUIRES(mutex) {
    const bool starts_threads = parent != 0 && parent == thread;
    return urgent || starts_threads || watch.is_boosted() ? 0 : nice;
  }
  static void start_thread(const std::shared_ptr<State>& state, const std::shared_ptr<ThreadCount>& threads)
      SACCADE_REQUIRES(state->mutex);
  [[nodiscard]] Result<std::unique_ptr<Engine>> load_part(const Part& part);
  // Of a loaded variant of the task; null: none is offered.
  [[nodiscard]] std::shared_ptr<StageEngine> find(TaskIndex task, const EngineSpec& spec) const;
  [[nodiscard]] Status load_parts(const Job& job, Loaded& loaded);
  [[nodiscard]] Result<Loaded> load_decoded(const Job& job);
  void work(int number);
  void destroy();
  void load(const Job& job);
  void warm(const Job& job);
  void unload(EngineKey key);
};

void Loader::State::work(int number) {
  name_thread("loader");
  Lock lock(mutex);
  while (!stopping && watch.takes_jobs(number)) {
    thread = thread_id();
    set_nice(thread, niceness());
    changed.wait(mutex, [&]() SACCADE_REQUIRES(mutex) { return stopping || !jobs.empty(); });
    if (stopping) break;
    const Job job = std::move(jobs.front());
    jobs.pop_front();
    // A warm-up counts from its load.
    watch.job_begins(job.kind == Job::Kind::warm ? engines.at(job.engine).requested : job.requested);
    lock.unlock();
    job.kind == Job::Kind::load ? load(job) : warm(job);
    lock.lock();
    watch.job_ends(number);
  }
  watch.thread_ended();
}

void Loader::State::destroy() {
  name_thread("unloader");
  set_nice(thread_id(), nice);
  Lock lock(mutex);
  for (;;) {
    changed.wait(mutex, [&]() SACCADE_REQUIRES(mutex) { return stopping || !unwanted.empty(); });
    if (stopping) break;
    const EngineKey engine = unwanted.front();
    unwanted.pop_front();
    lock.unlock();
    unload(engine);
    lock.lock();
  }
}

// Threads that the library starts meanwhile are to be as the worker: on its CPUs, and not nice.
Result<std::unique_ptr<Engine>> Loader::State::load_part(const Part& part) {
  if (part.cpus.empty()) return backend->load(part.spec);
  const std::vector<int> before = allowed_cpus();
  pin_to(part.cpus);
  {
    const Lock lock(mutex);
    parent = thread_id();
    set_nice(parent, 0);
  }
  auto engine = backend->load(part.spec);
  {
    const Lock lock(mutex);
    if (parent == thread_id()) parent = 0;  // else this load was abandoned
    set_nice(thread_id(), niceness());
  }
  pin_to(before);
  return engine;
}

std::shared_ptr<StageEngine> Loader::State::find(TaskIndex task, const EngineSpec& spec) const {
  const Lock lock(mutex);
  for (const auto& [key, loaded] : engines) {
    if (loaded.task != task || !loaded.chain) continue;
    if (auto stage = loaded.chain->offered(spec)) return stage;
  }
  return nullptr;
}

Status Loader::State::load_parts(const Job& job, Loaded& loaded) {
  StageChain::Stages stages(job.parts.back().stage + 1);
  for (const Part& part : job.parts) {
    const bool whole = job.parts.size() == 1;
    StageChain::Copies& copies = stages[part.stage];
    if (auto shared = whole ? nullptr : find(job.task, part.spec)) {
      copies.push_back(std::move(shared));
      continue;
    }
    auto engine = load_part(part);
    if (!engine) return engine.errors();
    if (whole) {
      loaded.engine = std::move(engine).value();
      return Done{};
    }
    copies.push_back(std::make_shared<StageEngine>(std::move(engine).value(), part.spec));
  }
  loaded.chain = std::make_shared<StageChain>(std::move(stages), job.frames);
  return Done{};
}

// The engine and what reads its outputs.
Result<Loader::State::Loaded> Loader::State::load_decoded(const Job& job) {
  Loaded loaded{nullptr, nullptr, nullptr, job.parts.front().spec, job.task, job.requested};
  loaded.spec.profile = nullptr;  // outlives the load only
  if (auto done = load_parts(job, loaded); !done) return done.errors();
  const EngineSpec& last = job.parts.back().spec;
  auto decoder = FrameDecoder::make(profiles::interface_of(*job.profiles, *last.profile),
                                    job.profiles->labels.size(), loaded.last(), last.model.string());
  if (!decoder) return decoder.errors();
  loaded.decoder = std::make_shared<FrameDecoder>(std::move(decoder).value());
  return loaded;
}

void Loader::State::load(const Job& job) {
  const TimePoint start = clock->now();
  auto loaded = load_decoded(job);
  const Duration time = clock->now() - start;
  const Errors errors = loaded.ok() ? Errors{} : loaded.errors();
  const std::string remark = loaded.ok() ? loaded.value().remark() : "";
  if (loaded.ok()) {
    const Lock lock(mutex);
    engines[job.engine] = std::move(loaded).value();
  }
  queue->post(Event(event::LoadFinished{job.engine, errors, time, remark}));
}

void Loader::State::warm(const Job& job) {
  Loaded loaded;
  {
    const Lock lock(mutex);
    loaded = engines.at(job.engine);
  }
  const TimePoint start = clock->now();
  Status status = Done{};
  Outputs outputs;
  for (int i = 0; i < job.inferences && status.ok(); ++i) {
    status = loaded.warm_up(outputs);
    if (status.ok() && i == 0) status = loaded.decoder->fits(outputs);
  }
  if (status.ok()) status = loaded.end_warm_up();
  const Duration time = clock->now() - start;
  loaded.let_go();  // the thread that destroys it must hold the last reference
  queue->post(Event(event::WarmFinished{job.engine, status.ok() ? Errors{} : status.errors(), time}));
}

void Loader::State::unload(EngineKey key) {
  Loaded loaded;
  {
    const Lock lock(mutex);
    loaded = std::move(engines.at(key));
    engines.erase(key);
  }
  loaded.let_go();  // outside the lock: destruction may take its time
  queue->post(Event(event::Unloaded{key}));
}

Loader::Loader(std::shared_ptr<const EngineBackend> backend, const RuntimeOptions& options,
               std::vector<ProcessorConfig> processors, std::shared_ptr<const Clock> clock,
               std::shared_ptr<MessageQueue> queue)
    : processors_(std::move(processors)),
      state_(std::make_shared<State>(
          std::move(backend), options,
          std::any_of(processors_.begin(), processors_.end(),
                      [](const auto& p) { return p.threads > 1 || p.provider != "cpu"; }),
          std::move(clock), std::move(queue))) {
  give_large_blocks_back();
  if (state_->nice != options.loader_nice) {
    state_->queue->post(
        action::Report{EventKind::loader, "",
                       "nice=" + std::to_string(state_->nice) +
                           " reason=\"this process may not raise the loader's priority again\""});
  }
  const Lock lock(state_->mutex);
  State::start_thread(state_, threads_);
  ThreadCount::start(threads_, [state = state_] { state->destroy(); });
}

Loader::~Loader() {
  {
    const Lock lock(state_->mutex);
    state_->stopping = true;
    state_->changed.notify_all();
  }
  // A hanging load is left to itself; everything else ends within the patience, and the state with the
  // engines is let go by this thread.
  (void)threads_->wait_for_none(kThreadPatience);
}

void Loader::State::start_thread(const std::shared_ptr<State>& state,
                                 const std::shared_ptr<ThreadCount>& threads) {
  ThreadCount::start(threads, [state, number = state->watch.start_thread()] { state->work(number); });
}

void Loader::load(const action::Load& load, TimePoint requested) {
  Job job;
  job.kind = Job::Kind::load;
  job.engine = load.engine;
  job.task = load.task;
  job.requested = requested;
  job.profiles = load.profiles;
  const EngineSpec whole = engine_spec(*load.profiles, load.variant, load.batch);
  const profiles::Staging& staging = load.profiles->variants.at(load.variant).staging;
  const auto add = [&](const EngineSpec& spec, ProcessorIndex processor, std::size_t stage) {
    const ProcessorConfig& config = processors_.at(processor);
    job.parts.push_back({placed(spec, config), config.threads > 1 ? config.cpus : std::vector<int>(), stage});
  };
  if (staging.empty()) add(whole, load.processor, 0);
  const std::vector<EngineSpec> specs = stage_specs(whole, *load.profiles, staging);
  for (std::size_t number = 0; number < specs.size(); ++number) {
    const profiles::Stage& stage = staging.stages[number];
    for (std::size_t k = 0; k < stage.processors(); ++k)
      add(specs[number], processor_index(processors_, stage.processor(k)), number);
  }
  job.frames =
      most_under_way(static_cast<std::size_t>(std::max(1, staging.max_in_flight)), processors_.size());
  const Lock lock(state_->mutex);
  for (const EngineKey broken : load.broken) {
    const auto found = state_->engines.find(broken);
    if (found != state_->engines.end() && found->second.chain) found->second.chain->withdraw();
  }
  state_->jobs.push_back(std::move(job));
  state_->changed.notify_all();
}

void Loader::warm(const action::Warm& warm) {
  const Lock lock(state_->mutex);
  state_->jobs.push_back({Job::Kind::warm, warm.engine, 0, {}, {}, {}, 0, warm.inferences});
  state_->changed.notify_all();
}

void Loader::unload(EngineKey engine) {
  const Lock lock(state_->mutex);
  state_->unwanted.push_back(engine);
  state_->changed.notify_all();
}

void Loader::set_urgency(bool urgent) {
  const Lock lock(state_->mutex);
  state_->urgent = urgent;
  // A thread that starts later does it itself.
  if (state_->thread != 0) set_nice(state_->thread, state_->niceness());
}

Engine& Loader::engine(EngineKey key, std::size_t stage, std::size_t copy) const {
  return *share(key, stage, copy);
}

StageChain* Loader::chain(EngineKey key) const {
  const Lock lock(state_->mutex);
  const auto found = state_->engines.find(key);
  SACCADE_CHECK(found != state_->engines.end());
  return found->second.chain.get();
}

FrameDecoder& Loader::decoder(EngineKey key) const {
  const Lock lock(state_->mutex);
  const auto found = state_->engines.find(key);
  SACCADE_CHECK(found != state_->engines.end());
  return *found->second.decoder;
}

std::shared_ptr<Engine> Loader::share(EngineKey key, std::size_t stage, std::size_t copy) const {
  const Lock lock(state_->mutex);
  const auto found = state_->engines.find(key);
  SACCADE_CHECK(found != state_->engines.end());
  const std::shared_ptr<StageChain>& chain = found->second.chain;
  return chain ? std::shared_ptr<Engine>(chain, &chain->stage(stage, copy)) : found->second.engine;
}

std::vector<EngineKey> Loader::sharing(EngineKey key, std::size_t stage, std::size_t copy) const {
  const Lock lock(state_->mutex);
  const auto found = state_->engines.find(key);
  SACCADE_CHECK(found != state_->engines.end());
  std::vector<EngineKey> others;
  if (!found->second.chain) return others;
  const std::shared_ptr<StageEngine>& shared = found->second.chain->stages().at(stage).at(copy);
  for (const auto& [other, loaded] : state_->engines) {
    if (other != key && loaded.chain && loaded.chain->has(shared)) others.push_back(other);
  }
  return others;
}

void Loader::watch(TimePoint now) {
  const Lock lock(state_->mutex);
  switch (state_->watch.look(now)) {
    case LoadWatch::Due::nothing:
      break;
    case LoadWatch::Due::boost:
      if (state_->may_raise && set_nice(state_->thread, 0)) state_->watch.boosted();
      break;
    case LoadWatch::Due::new_thread:
      State::start_thread(state_, threads_);
      break;
  }
}

}  // namespace saccade::runtime
