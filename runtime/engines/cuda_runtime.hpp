// The few functions of CUDA's runtime that the adapter needs, of the copy that ONNX Runtime's provider uses
// (libcudart), opened when they are asked for; no header of NVIDIA is needed.
// Threads: any; what belongs to the thread says so. Errors: values.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/quantity.hpp"
#include "base/result.hpp"

namespace saccade::runtime {

class CudaRuntime {
 public:
  [[nodiscard]] static const Result<CudaRuntime>& get();  // opened on the first call

  // Of the calling thread, before anything else on it: the device it uses, and that its calls do not fail
  // while another thread captures a graph (nor its own captures because of them).
  [[nodiscard]] Status begin_thread(int device) const;
  // Of the process, before its first context: threads that wait for the device sleep instead of spinning.
  [[nodiscard]] Status block_when_waiting() const;

  struct StreamGone {
    const CudaRuntime* runtime;
    void operator()(void* stream) const { runtime->stream_destroy_(stream); }
  };
  using Stream = std::unique_ptr<void, StreamGone>;
  [[nodiscard]] Result<Stream> make_stream() const;  // does not wait for the default one

  // Queued on the stream; the host's memory stays until synchronise() returns. The text of a failure.
  [[nodiscard]] std::optional<std::string> to_device(void* device, const void* host, std::size_t bytes,
                                                     void* stream) const;
  [[nodiscard]] std::optional<std::string> to_host(void* host, const void* device, std::size_t bytes,
                                                   void* stream) const;
  [[nodiscard]] std::optional<std::string> synchronise(void* stream) const;
  // Of the calling thread's device, by all processes; absent: it cannot be read.
  [[nodiscard]] std::optional<Bytes> memory_in_use() const;

 private:
  [[nodiscard]] static Result<CudaRuntime> open();
  [[nodiscard]] std::optional<std::string> failure(const char* what, int code) const;

  int (*set_device_)(int) = nullptr;
  int (*set_flags_)(unsigned) = nullptr;
  int (*exchange_capture_mode_)(int*) = nullptr;
  int (*stream_create_)(void**, unsigned) = nullptr;
  int (*stream_destroy_)(void*) = nullptr;
  int (*stream_synchronise_)(void*) = nullptr;
  int (*copy_)(void*, const void*, std::size_t, int, void*) = nullptr;
  int (*memory_)(std::size_t*, std::size_t*) = nullptr;
  const char* (*error_text_)(int) = nullptr;
};

}  // namespace saccade::runtime
