#include "runtime/engines/cuda_runtime.hpp"

#include <dlfcn.h>

namespace saccade::runtime {
namespace {

constexpr const char* kPlace = "CUDA";
constexpr int kRelaxed = 2;            // cudaStreamCaptureModeRelaxed
constexpr unsigned kNonBlocking = 1;   // cudaStreamNonBlocking
constexpr unsigned kBlockingSync = 4;  // cudaDeviceScheduleBlockingSync
constexpr int kToDevice = 1;           // cudaMemcpyHostToDevice
constexpr int kToHost = 2;             // cudaMemcpyDeviceToHost

template <class Function>
bool found(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
  return function != nullptr;
}

}  // namespace

const Result<CudaRuntime>& CudaRuntime::get() {
  static const auto* const runtime = new Result<CudaRuntime>(open());  // never closed
  return *runtime;
}

Result<CudaRuntime> CudaRuntime::open() {
  void* library = nullptr;
  for (const char* file : {"libcudart.so.13", "libcudart.so.12"}) {
    library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) {
    return Error{kPlace, "its runtime (libcudart.so.13 or .12) cannot be opened",
                 "it comes with the CUDA toolkit; docs/accelerators.md"};
  }
  CudaRuntime runtime;
  const bool whole = found(library, "cudaSetDevice", runtime.set_device_) &&
                     found(library, "cudaSetDeviceFlags", runtime.set_flags_) &&
                     found(library, "cudaThreadExchangeStreamCaptureMode", runtime.exchange_capture_mode_) &&
                     found(library, "cudaStreamCreateWithFlags", runtime.stream_create_) &&
                     found(library, "cudaStreamDestroy", runtime.stream_destroy_) &&
                     found(library, "cudaStreamSynchronize", runtime.stream_synchronise_) &&
                     found(library, "cudaMemcpyAsync", runtime.copy_) &&
                     found(library, "cudaMemGetInfo", runtime.memory_) &&
                     found(library, "cudaGetErrorString", runtime.error_text_);
  if (!whole) return Error{kPlace, "its runtime lacks a function that is needed", "install CUDA 12 or 13"};
  return runtime;
}

std::optional<std::string> CudaRuntime::failure(const char* what, int code) const {
  if (code == 0) return std::nullopt;
  return std::string(what) + ": " + error_text_(code) + " (" + std::to_string(code) + ")";
}

Status CudaRuntime::begin_thread(int device) const {
  int mode = kRelaxed;
  auto failed = failure("the capture mode of a thread", exchange_capture_mode_(&mode));
  if (!failed) failed = failure("the choice of the device", set_device_(device));
  if (failed) return Error{kPlace, *failed, "nvidia-smi shows the state of the card"};
  return Done{};
}

Status CudaRuntime::block_when_waiting() const {
  if (const auto failed = failure("the way of waiting", set_flags_(kBlockingSync)))
    return Error{kPlace, *failed, "write \"wait\": \"spin\""};
  return Done{};
}

Result<CudaRuntime::Stream> CudaRuntime::make_stream() const {
  void* stream = nullptr;
  if (const auto failed = failure("a stream", stream_create_(&stream, kNonBlocking)))
    return Error{kPlace, *failed, "nvidia-smi shows the state of the card"};
  return Stream(stream, StreamGone{this});
}

std::optional<std::string> CudaRuntime::to_device(void* device, const void* host, std::size_t bytes,
                                                  void* stream) const {
  return failure("the copy to the device", copy_(device, host, bytes, kToDevice, stream));
}

std::optional<std::string> CudaRuntime::to_host(void* host, const void* device, std::size_t bytes,
                                                void* stream) const {
  return failure("the copy from the device", copy_(host, device, bytes, kToHost, stream));
}

std::optional<std::string> CudaRuntime::synchronise(void* stream) const {
  return failure("the device", stream_synchronise_(stream));
}

std::optional<Bytes> CudaRuntime::memory_in_use() const {
  std::size_t free = 0;
  std::size_t total = 0;
  if (memory_(&free, &total) != 0) return std::nullopt;
  return Bytes(static_cast<double>(total) - static_cast<double>(free));
}

}  // namespace saccade::runtime
