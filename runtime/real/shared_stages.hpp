// The stages that are loaded and warm. A further variant of a task that has an equal stage – the same file by
// its hash, the same inputs, outputs and batch, on the same processor – uses the engine that is there: one
// load and one warm-up less, and its memory once. A processor runs one stage at a time (Engine), so the two
// variants are never in it together. Tasks share nothing: an inference that hangs takes variants of its own
// task out of service only. Once an engine was stopped (Engine::stop()), each further call of it is an error,
// and find() gives it no more.
// Threads: any. Errors: none.
#pragma once

#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "runtime/control/actions.hpp"
#include "runtime/engines/engine.hpp"

namespace saccade::runtime {

class SharedStages {
 public:
  SharedStages();
  ~SharedStages();
  SharedStages(const SharedStages&) = delete;
  SharedStages& operator=(const SharedStages&) = delete;

  // As find() may give it, later.
  [[nodiscard]] static std::shared_ptr<Engine> sharable(std::unique_ptr<Engine> engine,
                                                        const EngineSpec& spec);
  // Null: none. EngineSpec::profile says nothing here; a spec without a hash has no equal.
  [[nodiscard]] std::shared_ptr<Engine> find(TaskIndex task, const EngineSpec& spec);
  // `engine`: from sharable(), and warm. Given to others while somebody holds it.
  void offer(TaskIndex task, const EngineSpec& spec, const std::shared_ptr<Engine>& engine);

 private:
  class Stage;
  struct Offered;
  Mutex mutex_;
  std::vector<Offered> offered_ SACCADE_GUARDED_BY(mutex_);
};

}  // namespace saccade::runtime
