// Loads and warms engines, one at a time, and destroys them, away from every thread that serves. Outcomes are
// posted as event::LoadFinished, WarmFinished and Unloaded.
//
// Priority: urgent loads run at normal priority, because frames wait for them; others run nice, so that a
// load does not delay frames on the same core. One that takes longer than `loader_boost` gets normal
// priority, where the process may raise it. Where it may not, the loader is never nicer than 10, also for
// urgent loads once others ran, and a Report says so once.
//
// An engine with several threads is loaded at normal priority and on its processor's CPUs, since its threads
// inherit both; where the process may not raise a priority again, the loader is then never nice, and neither
// where an engine is on a card.
//
// Hanging loads: a load or warm-up beyond `load_timeout` cannot be interrupted (the controller abandons it at
// the same limit). Its thread is abandoned and a second one replaces it, at most kLoaders in all; what an
// abandoned thread eventually achieves is posted as usual. Engines are destroyed on a thread of their own, so
// that their memory is released whatever a load does; a stage that a load has taken to share, after that
// load.
//
// The stages of a variant, and the copies of each, load one after the other as one job, each for its
// processor; one that fails, fails the variant. They are warmed up together, one behind the other.
//
// Equal stages of a task's variants (StageEngine::equals()) share one engine: what a loaded variant of the
// task offers is not loaded again, does not run in the warm-up, and is destroyed with the last variant that
// has it. A stage is offered once its warm-up has succeeded, and not while its last call failed, nor once it
// was stopped or a variant that has it is broken (action::Load): it is then loaded again, and tested by its
// warm-up. A warm-up fails if a stage of its variant was stopped before its end. Tasks share nothing.
//
// An engine whose outputs do not match its variant's interface is refused: at load time if the graph declares
// them, otherwise by the first inference of its warm-up.
//
// Threads: all members are called by the main loop. Errors: those of an engine are in its event.
#pragma once

#include <memory>
#include <vector>

#include "runtime/engines/engine.hpp"
#include "runtime/engines/frame_decoder.hpp"
#include "runtime/engines/stages.hpp"
#include "runtime/machine/thread_count.hpp"
#include "runtime/real/message_queue.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::runtime {

class Loader {
 public:
  // `clock` and `queue` are shared: an abandoned thread may use them after the loader's destruction.
  Loader(std::shared_ptr<const EngineBackend> backend, const RuntimeOptions& options,
         std::vector<ProcessorConfig> processors, std::shared_ptr<const Clock> clock,
         std::shared_ptr<MessageQueue> queue);
  // Destroys all engines. Waits at most two seconds for a job in progress; if it hangs, its thread
  // destroys what it uses once it returns.
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // `requested`: when the controller requested it; both count the load's time limit from there.
  void load(const action::Load& load, TimePoint requested);
  void warm(const action::Warm& warm);  // a loaded engine
  void unload(EngineKey engine);        // that no thread uses any more

  void set_urgency(bool urgent);  // of all loads, from now on; at first they are urgent

  // A loaded engine, or a copy of a stage of it if it has several; valid until unload().
  [[nodiscard]] Engine& engine(EngineKey key, std::size_t stage = 0, std::size_t copy = 0) const;
  [[nodiscard]] StageChain* chain(EngineKey key) const;      // of a loaded engine; null: it has no stages
  [[nodiscard]] FrameDecoder& decoder(EngineKey key) const;  // of a loaded engine; likewise
  // The other loaded engines that have the engine of this stage and copy, too; those that are not warm yet
  // included.
  [[nodiscard]] std::vector<EngineKey> sharing(EngineKey key, std::size_t stage, std::size_t copy = 0) const;
  // For an inference that does not return.
  [[nodiscard]] std::shared_ptr<Engine> share(EngineKey key, std::size_t stage = 0,
                                              std::size_t copy = 0) const;

  // Boosts a slow load, abandons a hanging one. Call several times per second.
  void watch(TimePoint now);

  // Of threads that have not ended; may be called after the loader's destruction.
  [[nodiscard]] std::shared_ptr<const ThreadCount> threads() const { return threads_; }

 private:
  struct State;

  const std::vector<ProcessorConfig> processors_;
  const std::shared_ptr<ThreadCount> threads_ = std::make_shared<ThreadCount>();
  const std::shared_ptr<State> state_;
};

}  // namespace saccade::runtime
