// Loads and warms engines, one at a time, and destroys them, away from everything that serves. Once something
// serves it is nice, so that a load on that core does not hold up frames; before, every load is one that a
// whole service waits for, and other programs would hold up. A load that takes longer than the boost
// delay gets normal priority where the process may raise it (where it may not, the loader is not
// nicer than 10 and says so once). A load that hangs past its time limit (the controller gives it up
// by itself, at the same limit) cannot be interrupted: its thread is left behind and a second one
// takes over, at most two in all. What a thread that was left behind brings at last is told as usual.
// Engines are destroyed on a thread of their own, so that their memory comes back whatever a load does.
// Threads: one in charge inside and one that destroys; everything else is called by the main loop. Outcomes
// come back as event::LoadFinished, WarmFinished and Unloaded.
#pragma once

#include <memory>
#include <vector>

#include "runtime/engine.hpp"
#include "runtime/real/message_queue.hpp"
#include "runtime/run_config.hpp"

namespace saccade::runtime {

class Loader {
 public:
  // `clock` and `queue` are shared: a thread that was left behind may use them after the loader's end.
  Loader(std::shared_ptr<const EngineBackend> backend, const RuntimeOptions& options,
         std::vector<ProcessorConfig> processors, std::shared_ptr<const Clock> clock,
         std::shared_ptr<MessageQueue> queue);
  ~Loader();  // waits for a job in progress for a second at most
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // `asked` is when the controller asked for it: both count the load's time limit from there.
  void load(const action::Load& load, TimePoint asked);
  void warm(const action::Warm& warm);
  void unload(EngineKey engine);

  void be_nice();  // from now on: the first engines serve

  // A loaded engine; it lives until it is unloaded.
  [[nodiscard]] Engine& engine(EngineKey key) const;

  // Raises a slow load, leaves a hanging one behind. To be called several times a second.
  void watch(TimePoint now);

 private:
  struct State;
  void take_over();

  std::shared_ptr<State> state_;
};

}  // namespace saccade::runtime
