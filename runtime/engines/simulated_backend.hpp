// An engine without a library: its output is a deterministic function of its input, and it takes no time
// unless configured to. Simulations and tests impose time and faults from outside: by hooks, which may wait,
// advance a clock or fail, and by a plan of faults. Without classes its one output is its input.
// A variant without a model file loads; a model file that is named must exist and match its hash.
// Threads: as EngineBackend. Hooks are called on the thread that loads or infers, several concurrently.
// Errors: those of the file, of the hooks and of the plan.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "runtime/engines/engine.hpp"

namespace saccade::runtime {

struct SimulatedBehaviour {
  std::function<Status(const EngineSpec&)> before_load{};       // may be empty
  std::function<Status(const EngineSpec&)> before_inference{};  // may be empty
  int failing_loads = 0;       // number of the backend's first loads that fail
  int failing_inferences = 0;  // number of every engine's first inferences that fail
};

class SimulatedBackend final : public EngineBackend {
 public:
  explicit SimulatedBackend(SimulatedBehaviour behaviour = {});

  [[nodiscard]] std::string name() const override { return "simulated"; }
  [[nodiscard]] std::string version() const override { return "simulated"; }
  [[nodiscard]] Result<std::unique_ptr<Engine>> load(const EngineSpec& spec) const override;

 private:
  std::shared_ptr<const SimulatedBehaviour> behaviour_;  // shared with the engines
  mutable std::atomic<int> loads_to_fail_;
};

}  // namespace saccade::runtime
