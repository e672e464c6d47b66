#include "runtime/real/loader.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "base/check.hpp"
#include "runtime/real/thread_settings.hpp"

namespace saccade::runtime {
namespace {

constexpr int kMostThreads = 2;
constexpr Duration kPatience = std::chrono::seconds(1);
constexpr int kNiceForGood = 10;  // what a loader that nobody may raise again still gets done with

struct Job {
  enum class Kind { load, warm, unload } kind = Kind::load;
  EngineKey engine = 0;
  TimePoint asked{};
  EngineSpec spec;                   // of a load
  profiles::ProfileSetPtr profiles;  // keeps spec.profile alive
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
  int nice = 0;
  bool may_raise = false;

  mutable std::mutex mutex;
  std::condition_variable changed;  // a job came, a job ended, or the end
  bool stopping = false;
  int started = 0;    // threads so far; their numbers
  int alive = 0;      // threads that have not ended
  int in_charge = 0;  // the number of the thread that takes jobs; 0 = all hang
  pid_t thread = 0;   // of the one in charge
  bool raised = false;
  std::deque<Job> jobs;
  bool busy = false;  // the thread in charge is at a job
  TimePoint begun{};  // when that job was asked for; a warm-up counts from its load

  struct Loaded {
    std::shared_ptr<Engine> engine;
    std::size_t input_size = 0;
    TimePoint asked{};
  };
  std::map<EngineKey, Loaded> engines;

  void work(int number);
  void execute(const Job& job);
  void load(const Job& job);
  void warm(const Job& job);
  void unload(const Job& job);
};

void Loader::State::work(int number) {
  name_thread("loader");
  std::unique_lock lock(mutex);
  for (;;) {
    if (in_charge == 0) in_charge = number;  // the others hang; this one is back
    if (in_charge != number || stopping) break;
    thread = thread_id();
    set_nice(thread, nice);
    raised = false;
    changed.wait(lock, [&] { return stopping || !jobs.empty(); });
    if (stopping) break;
    const Job job = std::move(jobs.front());
    jobs.pop_front();
    busy = true;
    begun = job.kind == Job::Kind::warm ? engines.at(job.engine).asked : job.asked;
    lock.unlock();
    execute(job);
    lock.lock();
    if (in_charge == number) busy = false;
    changed.notify_all();
  }
  --alive;
  changed.notify_all();
}

void Loader::State::execute(const Job& job) {
  switch (job.kind) {
    case Job::Kind::load:
      return load(job);
    case Job::Kind::warm:
      return warm(job);
    case Job::Kind::unload:
      return unload(job);
  }
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
  const Status status = loaded.engine->infer(input, logits);
  const Duration time = clock->now() - start;
  queue->post(Event(event::WarmFinished{job.engine, status.ok() ? Errors{} : status.errors(), time}));
}

void Loader::State::unload(const Job& job) {
  Loaded loaded;
  {
    const std::lock_guard lock(mutex);
    loaded = std::move(engines.at(job.engine));
    engines.erase(job.engine);
  }
  loaded.engine.reset();  // outside the lock: destruction may take its time
  queue->post(Event(event::Unloaded{job.engine}));
}

Loader::Loader(std::shared_ptr<const EngineBackend> backend, const RuntimeOptions& options,
               std::vector<ProcessorConfig> processors, std::shared_ptr<const Clock> clock,
               std::shared_ptr<MessageQueue> queue)
    : state_(std::make_shared<State>()) {
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
  start_thread();
}

Loader::~Loader() {
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  state_->changed.notify_all();
  // A hanging load is left to itself; everything else is over within the patience.
  state_->changed.wait_for(lock, kPatience, [&] { return state_->alive == 0; });
}

void Loader::start_thread() {
  ++state_->alive;
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

void Loader::warm(EngineKey engine) {
  const std::lock_guard lock(state_->mutex);
  state_->jobs.push_back({Job::Kind::warm, engine, {}, {}, {}});
  state_->changed.notify_all();
}

void Loader::unload(EngineKey engine) {
  const std::lock_guard lock(state_->mutex);
  state_->jobs.push_back({Job::Kind::unload, engine, state_->clock->now(), {}, {}});
  state_->changed.notify_all();
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
    if (state.alive < kMostThreads) {
      start_thread();
    } else {
      state.in_charge = 0;
      state.busy = false;
    }
  } else if (state.may_raise && !state.raised && now >= state.begun + state.boost_after) {
    state.raised = set_nice(state.thread, 0);
  }
}

}  // namespace saccade::runtime
