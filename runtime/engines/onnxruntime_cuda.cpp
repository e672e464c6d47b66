#include "runtime/engines/onnxruntime_cuda.hpp"

#ifdef SACCADE_WITH_ONNXRUNTIME
#include <cstdint>

#include "runtime/engines/providers.hpp"

namespace saccade::runtime::onnxruntime {

Status begin_cuda(const EngineSpec& spec) {
  const Result<CudaRuntime>& cuda = CudaRuntime::get();
  if (!cuda) return cuda.errors();
  if (spec.block) {
    // Of the process, and only before its first context: later calls fail and change nothing.
    static const Status blocking = cuda.value().block_when_waiting();
    if (!blocking) return blocking;
  }
  return cuda.value().begin_thread(spec.device);
}

Result<DeviceStream> add_cuda(const Library& library, const EngineSpec& spec, OrtSessionOptions& options) {
  const OrtApi& api = *library.api;
  const std::string where = "processor '" + spec.processor.str() + "'";
  const Result<CudaRuntime>& cuda = CudaRuntime::get();
  if (!cuda) return cuda.errors();
  Result<DeviceStream> stream = cuda.value().make_stream();
  if (!stream) return stream;
  std::vector<const char*> names;
  std::vector<const char*> values;
  const auto wanted = cuda_options(spec);
  for (const auto& [name, value] : wanted) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  OrtCUDAProviderOptionsV2* made = nullptr;
  auto failed = failure(api, api.CreateCUDAProviderOptions(&made));
  const Handle<OrtCUDAProviderOptionsV2> provider(made, Released{&api});
  if (!failed)
    failed = failure(api, api.UpdateCUDAProviderOptions(made, names.data(), values.data(), names.size()));
  if (!failed) {
    failed = failure(
        api, api.UpdateCUDAProviderOptionsWithValue(made, "user_compute_stream", stream.value().get()));
  }
  if (!failed) failed = failure(api, api.SessionOptionsAppendExecutionProvider_CUDA_V2(&options, made));
  if (!failed)
    failed = failure(api, api.AddSessionConfigEntry(&options, "session.disable_cpu_ep_fallback", "1"));
  if (failed) return Error{where, "execution provider 'cuda' cannot be used: " + *failed, kCudaHint};
  return stream;
}

DeviceBinding::DeviceBinding(const Library& library, OrtSession& session, const CudaRuntime& cuda,
                             void* stream)
    : library_(library),
      session_(session),
      cuda_(cuda),
      stream_(stream),
      memory_(nullptr, Released{library.api}),
      allocator_(nullptr, Released{library.api}),
      binding_(nullptr, Released{library.api}) {}

DeviceBinding::~DeviceBinding() {
  binding_.reset();
  for (std::vector<Bound>* all : {&inputs_, &outputs_}) {
    for (Bound& bound : *all) {
      bound.value.reset();
      if (bound.device != nullptr) allocator_->Free(allocator_.get(), bound.device);
    }
  }
}

Result<std::unique_ptr<DeviceBinding>> DeviceBinding::make(const Library& library, OrtSession& session,
                                                           int device, void* stream,
                                                           const std::vector<DevicePort>& inputs,
                                                           const std::vector<DevicePort>& outputs) {
  const Result<CudaRuntime>& cuda = CudaRuntime::get();
  if (!cuda) return cuda.errors();
  std::unique_ptr<DeviceBinding> binding(new DeviceBinding(library, session, cuda.value(), stream));
  if (const auto failed = binding->bind(device, inputs, outputs)) return Error{"CUDA", *failed, kCudaHint};
  return binding;
}

std::optional<std::string> DeviceBinding::bind(int device, const std::vector<DevicePort>& inputs,
                                               const std::vector<DevicePort>& outputs) {
  const OrtApi& api = *library_.api;
  OrtMemoryInfo* memory = nullptr;
  auto failed =
      failure(api, api.CreateMemoryInfo("Cuda", OrtArenaAllocator, device, OrtMemTypeDefault, &memory));
  memory_.reset(memory);
  if (failed) return failed;
  OrtAllocator* allocator = nullptr;
  failed = failure(api, api.CreateAllocator(&session_, memory, &allocator));
  allocator_.reset(allocator);
  if (failed) return failed;
  OrtIoBinding* binding = nullptr;
  failed = failure(api, api.CreateIoBinding(&session_, &binding));
  binding_.reset(binding);
  if (failed) return failed;
  for (const DevicePort& port : inputs) {
    if (failed = place(port, inputs_); failed) return failed;
    failed = failure(api, api.BindInput(binding, port.name.c_str(), inputs_.back().value.get()));
    if (failed) return failed;
  }
  for (const DevicePort& port : outputs) {
    if (failed = place(port, outputs_); failed) return failed;
    failed = failure(api, api.BindOutput(binding, port.name.c_str(), outputs_.back().value.get()));
    if (failed) return failed;
  }
  return std::nullopt;
}

std::optional<std::string> DeviceBinding::place(const DevicePort& port, std::vector<Bound>& all) {
  const OrtApi& api = *library_.api;
  Bound& bound = all.emplace_back(Bound{port.host, nullptr, Handle<OrtValue>(nullptr, Released{&api})});
  bound.device = allocator_->Alloc(allocator_.get(), port.host.size());
  if (bound.device == nullptr) return "the device has no memory for '" + port.name + "'";
  OrtValue* made = nullptr;
  auto failed = failure(api, api.CreateTensorWithDataAsOrtValue(memory_.get(), bound.device, port.host.size(),
                                                                port.shape.data(), port.shape.size(),
                                                                element_of(port.type), &made));
  bound.value.reset(made);
  return failed;
}

std::optional<std::string> DeviceBinding::run(const OrtRunOptions* options) {
  for (const Bound& input : inputs_) {
    if (auto failed = cuda_.to_device(input.device, input.host.data(), input.host.size(), stream_))
      return failed;
  }
  const OrtApi& api = *library_.api;
  if (auto failed = failure(api, api.RunWithBinding(&session_, options, binding_.get()))) return failed;
  for (const Bound& output : outputs_) {
    if (auto failed = cuda_.to_host(output.host.data(), output.device, output.host.size(), stream_))
      return failed;
  }
  return cuda_.synchronise(stream_);
}

}  // namespace saccade::runtime::onnxruntime
#endif
