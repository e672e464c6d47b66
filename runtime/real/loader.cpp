#include "runtime/real/loader.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "base/check.hpp"
#include "runtime/real/thread_settings.hpp"
#include "runtime/resident_memory.hpp"

namespace saccade::runtime {
namespace {

constexpr int kMostThreads = 2;
constexpr Duration kPatience = std::chrono::seconds(1);
constexpr int kNiceForGood = 10;  // what a loader that nobody may raise again still gets done with

struct Job {
  enum class Kind { load, warm } kind = Kind::load;
  EngineKey engine = 0;
  TimePoint asked{};
  EngineSpec spec;                   // of a load
  profiles::ProfileSetPtr profiles;  // keeps spec.profile alive
  int inferences = 0;                // of a warm-up
};

}  // namespace

// Held by the loader and by each of its threads, so that one left behind still has what it touches.
struct Loader::State {
  std::shared_ptr<const EngineBackend> backend;
  std::vector<ProcessorConfig> processors;
  std::shared_ptr<const Clock> clock;
  std::shared_ptr<MessageQueue> queue;
  Duration load_timeout{0};
  Duration boost_after{0};
  int nice = 0;  // as soon as something serves
  bool may_raise = false;

  mutable std::mutex mutex;
  std::condition_variable changed;  // a job came, a job ended, or the end
  bool stopping = false;
  int started = 0;    // threads so far; their numbers
  int alive = 0;      // threads that have not ended
  int loaders = 0;    // of them, but for the one that destroys
  int in_charge = 0;  // the number of the thread that takes jobs; 0 = all hang
  pid_t thread = 0;   // of the one in charge
  bool raised = false;
  bool serving = false;  // so loads are nice
  std::deque<Job> jobs;
  std::deque<EngineKey> unwanted;  // to be destroyed
  bool busy = false;               // the thread in charge is at a job
  TimePoint begun{};               // when that job was asked for; a warm-up counts from its load

  struct Loaded {
    std::shared_ptr<Engine> engine;
    std::size_t input_size = 0;
    TimePoint asked{};
  };
  std::map<EngineKey, Loaded> engines;

  void work(int number);
  void destroy();
  void load(const Job& job);
  void warm(const Job& job);
  void unload(EngineKey key);
};

void Loader::State::work(int number) {
  name_thread("loader");
  std::unique_lock lock(mutex);
  for (;;) {
    if (in_charge == 0) in_charge = number;  // the others hang; this one is back
    if (in_charge != number || stopping) break;
    thread = thread_id();
    if (serving) set_nice(thread, nice);
    raised = false;
    changed.wait(lock, [&] { return stopping || !jobs.empty(); });
    if (stopping) break;
    const Job job = std::move(jobs.front());
    jobs.pop_front();
    busy = true;
    begun = job.kind == Job::Kind::warm ? engines.at(job.engine).asked : job.asked;
    lock.unlock();
    job.kind == Job::Kind::load ? load(job) : warm(job);
    lock.lock();
    if (in_charge == number) busy = false;
    changed.notify_all();
  }
  --alive;
  --loaders;
  changed.notify_all();
}

void Loader::State::destroy() {
  name_thread("unloader");
  set_nice(thread_id(), nice);
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return stopping || !unwanted.empty(); });
    if (stopping) break;
    const EngineKey engine = unwanted.front();
    unwanted.pop_front();
    lock.unlock();
    unload(engine);
    lock.lock();
  }
  --alive;
  changed.notify_all();
}

void Loader::State::load(const Job& job) {
  const TimePoint start = clock->now();
  auto loaded = backend->load(job.spec);
  const Duration time = clock->now() - start;
  const Errors errors = loaded.ok() ? Errors{} : loaded.errors();
  if (loaded.ok()) {
    const std::lock_guard lock(mutex);
    engines[job.engine] = {std::move(loaded).value(), job.spec.input.size(), job.asked};
  }
  queue->post(Event(event::LoadFinished{job.engine, errors, time}));
}

void Loader::State::warm(const Job& job) {
  Loaded loaded;
  {
    const std::lock_guard lock(mutex);
    loaded = engines.at(job.engine);
  }
  const auto batch = static_cast<std::size_t>(loaded.engine->batch());
  const std::vector<float> input(batch * loaded.input_size);
  std::vector<float> logits(batch * loaded.engine->classes());
  const TimePoint start = clock->now();
  Status status = Done{};
  for (int i = 0; i < job.inferences && status.ok(); ++i) status = loaded.engine->infer(input, logits);
  const Duration time = clock->now() - start;
  loaded.engine.reset();  // whoever destroys it holds the last reference
  queue->post(Event(event::WarmFinished{job.engine, status.ok() ? Errors{} : status.errors(), time}));
}

void Loader::State::unload(EngineKey key) {
  Loaded loaded;
  {
    const std::lock_guard lock(mutex);
    loaded = std::move(engines.at(key));
    engines.erase(key);
  }
  loaded.engine.reset();  // outside the lock: destruction may take its time
  queue->post(Event(event::Unloaded{key}));
}

Loader::Loader(std::shared_ptr<const EngineBackend> backend, const RuntimeOptions& options,
               std::vector<ProcessorConfig> processors, std::shared_ptr<const Clock> clock,
               std::shared_ptr<MessageQueue> queue)
    : state_(std::make_shared<State>()) {
  give_large_blocks_back();
  state_->backend = std::move(backend);
  state_->processors = std::move(processors);
  state_->clock = std::move(clock);
  state_->queue = std::move(queue);
  state_->load_timeout = to_duration(options.load_timeout);
  state_->boost_after = to_duration(options.loader_boost);
  state_->may_raise = may_raise_priority();
  state_->nice = state_->may_raise ? options.loader_nice : std::min(options.loader_nice, kNiceForGood);
  if (state_->nice != options.loader_nice) {
    state_->queue->post(
        action::Report{"loader", "",
                       "nice=" + std::to_string(state_->nice) +
                           " reason=\"this process may not raise the loader's priority again\""});
  }
  const std::lock_guard lock(state_->mutex);
  take_over();
  ++state_->alive;
  std::thread([state = state_] { state->destroy(); }).detach();
}

Loader::~Loader() {
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  state_->changed.notify_all();
  // A hanging load is left to itself; everything else is over within the patience.
  state_->changed.wait_for(lock, kPatience, [&] { return state_->alive == 0; });
}

void Loader::take_over() {
  ++state_->alive;
  ++state_->loaders;
  state_->in_charge = ++state_->started;
  state_->busy = false;
  // Detached: nothing waits for a thread whose load may hang.
  std::thread([state = state_, number = state_->started] { state->work(number); }).detach();
}

void Loader::load(const action::Load& load, TimePoint asked) {
  const profiles::Variant& variant = load.profiles->variants.at(load.variant);
  Job job;
  job.kind = Job::Kind::load;
  job.engine = load.engine;
  job.asked = asked;
  job.profiles = load.profiles;
  job.spec.model = variant.model.empty() ? std::filesystem::path() : load.profiles->directory / variant.model;
  job.spec.sha256 = variant.sha256;
  job.spec.batch = load.batch;
  job.spec.input = load.profiles->input;
  job.spec.classes = load.profiles->labels.size();
  job.spec.processor = state_->processors.at(load.processor).id;
  job.spec.provider = state_->processors.at(load.processor).provider;
  job.spec.profile = &variant;
  const std::lock_guard lock(state_->mutex);
  state_->jobs.push_back(std::move(job));
  state_->changed.notify_all();
}

void Loader::warm(const action::Warm& warm) {
  const std::lock_guard lock(state_->mutex);
  state_->jobs.push_back({Job::Kind::warm, warm.engine, {}, {}, {}, warm.inferences});
  state_->changed.notify_all();
}

void Loader::unload(EngineKey engine) {
  const std::lock_guard lock(state_->mutex);
  state_->unwanted.push_back(engine);
  state_->changed.notify_all();
}

void Loader::be_nice() {
  const std::lock_guard lock(state_->mutex);
  state_->serving = true;
  if (state_->thread != 0)
    set_nice(state_->thread, state_->nice);  // a thread that comes later does it itself
}

Engine& Loader::engine(EngineKey key) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->engines.find(key);
  SACCADE_CHECK(found != state_->engines.end());
  return *found->second.engine;
}

void Loader::watch(TimePoint now) {
  const std::lock_guard lock(state_->mutex);
  State& state = *state_;
  if (!state.busy) return;
  if (now >= state.begun + state.load_timeout) {
    if (state.loaders < kMostThreads) {
      take_over();
    } else {
      state.in_charge = 0;
      state.busy = false;
    }
  } else if (state.may_raise && !state.raised && now >= state.begun + state.boost_after) {
    state.raised = set_nice(state.thread, 0);
  }
}

}  // namespace saccade::runtime
