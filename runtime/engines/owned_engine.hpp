// An engine on an accelerator, on a thread of its own (device_threads.hpp): what `make` returns is made,
// warmed up, run and destroyed there. It is warmed up while it loads, since the first inferences are the load
// on such a device: plans are chosen per layer and shape, then a graph is captured, then it is replayed once.
// So the time of a load is that of creation and warm-up at the batch that serves. Inferences of a warm-up
// that may capture, and destructions, are never under way together (DeviceThreads::rare). With
// EngineSpec::graphs, a network whose launches cannot be captured is loaded without; the engine's remark says
// so. prepare() and take() touch the host's memory alone and stay on the calling thread. Threads: as Engine.
// Errors: those of `make` and of the warm-up.
#pragma once

#include <functional>
#include <memory>

#include "runtime/engines/device_threads.hpp"
#include "runtime/engines/engine.hpp"

namespace saccade::runtime {

inline constexpr int kPlanCaptureReplay = 3;  // inferences until an engine is warm

// Called on the engine's thread, with the spec or, without graphs, with one that differs in that alone.
using MakeEngine = std::function<Result<std::unique_ptr<Engine>>(const EngineSpec&)>;

// The failure that says that launches cannot be captured, by its message; null: there is none.
[[nodiscard]] const Error* find_capture_failure(const Errors& errors);

[[nodiscard]] Result<std::unique_ptr<Engine>> make_owned_engine(DeviceThreads& threads,
                                                                const EngineSpec& spec,
                                                                const MakeEngine& make);

}  // namespace saccade::runtime
