// ONNX Runtime's CUDA execution provider: the options of its sessions, and the memory of the device that an
// engine keeps bound. What was measured on a card stands in docs/accelerators.md.
// - Every node runs on the device: with a node that cannot, the session is refused, instead of a part of it
//   that runs on the CPU in silence.
// - A session works on a stream of its own. With EngineSpec::graphs its launches are captured once, at the
//   engine's batch, and replayed, which needs inputs and outputs that stay where they are.
// - Options: providers.hpp.
// Threads: begin_cuda() first on the engine's own thread, everything else there as well. Errors: values.
#pragma once

#ifdef SACCADE_WITH_ONNXRUNTIME
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "runtime/engines/cuda_runtime.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/engines/onnxruntime_library.hpp"

namespace saccade::runtime::onnxruntime {

inline constexpr const char* kCudaHint =
    "the card, its driver or its memory failed, or the network has nodes that run on the CPU alone; "
    "docs/accelerators.md";

using DeviceStream = CudaRuntime::Stream;

[[nodiscard]] Status begin_cuda(const EngineSpec& spec);  // on the calling thread
// Adds the provider to the options of a session, and makes the stream that the session works on.
[[nodiscard]] Result<DeviceStream> add_cuda(const Library& library, const EngineSpec& spec,
                                            OrtSessionOptions& options);

// An input or output: its memory on the host, and what it is to the graph.
struct DevicePort {
  std::string name;
  std::span<std::byte> host;
  std::vector<std::int64_t> shape;
  profiles::ElementType type = profiles::ElementType::fp32;
};

class DeviceBinding {
 public:
  // `library`, `session`, `stream` and the memory of the ports outlive it.
  [[nodiscard]] static Result<std::unique_ptr<DeviceBinding>> make(const Library& library,
                                                                   OrtSession& session, int device,
                                                                   void* stream,
                                                                   const std::vector<DevicePort>& inputs,
                                                                   const std::vector<DevicePort>& outputs);
  ~DeviceBinding();
  DeviceBinding(const DeviceBinding&) = delete;
  DeviceBinding& operator=(const DeviceBinding&) = delete;

  // Copies the inputs to the device, runs, copies the outputs back and waits. The text of a failure.
  [[nodiscard]] std::optional<std::string> run(const OrtRunOptions* options);

 private:
  struct Bound {
    std::span<std::byte> host;
    void* device = nullptr;
    Handle<OrtValue> value;
  };
  DeviceBinding(const Library& library, OrtSession& session, const CudaRuntime& cuda, void* stream);
  [[nodiscard]] std::optional<std::string> bind(int device, const std::vector<DevicePort>& inputs,
                                                const std::vector<DevicePort>& outputs);
  [[nodiscard]] std::optional<std::string> place(const DevicePort& port, std::vector<Bound>& all);

  const Library& library_;
  OrtSession& session_;
  const CudaRuntime& cuda_;
  void* stream_;
  Handle<OrtMemoryInfo> memory_;
  Handle<OrtAllocator> allocator_;
  Handle<OrtIoBinding> binding_;
  std::vector<Bound> inputs_;
  std::vector<Bound> outputs_;
};

}  // namespace saccade::runtime::onnxruntime
#endif
