// The worker threads, one per processor. An inference that does not return within its limit is stopped, once
// every engine that has its stage is out of service; if it still does not return, its worker is abandoned and
// another one replaces it, until too many are abandoned: then the processor is out of service.
//
// Call order: start(); watch() several times a second; end() once Serving has finished the frames. Threads:
// used by the main loop, count() by any. The threads are detached and keep what they use alive, so that one
// that hangs in an engine delays nothing. Errors: reported through the conductor.
#pragma once

#include <memory>
#include <vector>

#include "runtime/machine/thread_count.hpp"
#include "runtime/real/loader.hpp"
#include "runtime/real/serving.hpp"
#include "runtime/run/conductor.hpp"

namespace saccade::runtime {

class Workers {
 public:
  // `clock` and `queue`: those of serving, kept with it. `loader` and `conductor` outlive start() to end().
  Workers(std::vector<ProcessorConfig> processors, std::shared_ptr<const Clock> clock,
          std::shared_ptr<MessageQueue> queue, std::shared_ptr<Serving> serving, Loader& loader,
          Conductor& conductor);

  void start();
  void watch(TimePoint now);  // inferences that do not return
  // Waits at most `patience`; inferences that have not returned by then are abandoned.
  void end(Duration patience);
  // Of threads that have not ended; may be called after the destruction of this.
  [[nodiscard]] std::shared_ptr<const ThreadCount> threads() const { return threads_; }

 private:
  void start_worker(ProcessorIndex processor, int number);

  const std::vector<ProcessorConfig> processors_;
  const std::shared_ptr<const Clock> clock_;
  const std::shared_ptr<MessageQueue> queue_;
  const std::shared_ptr<Serving> serving_;
  Loader& loader_;
  Conductor& conductor_;
  const std::shared_ptr<ThreadCount> threads_ = std::make_shared<ThreadCount>();
};

}  // namespace saccade::runtime
