#include "runtime/engines/cuda_memory.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/engines/cuda_runtime.hpp"

namespace saccade::runtime {
namespace {

constexpr auto kBetweenSamples = std::chrono::milliseconds(2);

class CudaMemory final : public DeviceMemoryMeter {
 public:
  CudaMemory(const CudaRuntime& cuda, int device) : cuda_(cuda), device_(device) {}
  ~CudaMemory() override { stop(); }
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  // On a thread of its own: the calling one may never have chosen a device, nor be in relaxed mode.
  std::optional<Bytes> used() override {
    std::optional<Bytes> used;
    std::thread([&] { used = sample(); }).join();
    return used;
  }
  void watch() override {
    stop();
    most_.reset();
    ends_ = false;
    sampler_ = std::thread([this] {
      if (!cuda_.begin_thread(device_)) return;
      do {
        if (const auto now = cuda_.memory_in_use()) most_ = std::max(most_.value_or(*now), *now);
        std::this_thread::sleep_for(kBetweenSamples);
      } while (!ends_);
    });
  }
  std::optional<Bytes> most() override {
    stop();
    return most_;
  }

 private:
  [[nodiscard]] std::optional<Bytes> sample() const {
    if (!cuda_.begin_thread(device_)) return std::nullopt;
    return cuda_.memory_in_use();
  }
  void stop() {
    ends_ = true;
    if (sampler_.joinable()) sampler_.join();
  }

  const CudaRuntime& cuda_;
  const int device_;
  std::atomic<bool> ends_ = true;
  std::optional<Bytes> most_;  // the sampler's until it has ended
  std::thread sampler_;
};

}  // namespace

Result<std::unique_ptr<DeviceMemoryMeter>> cuda_memory_meter(int device) {
  const Result<CudaRuntime>& cuda = CudaRuntime::get();
  if (!cuda) return cuda.errors();
  return std::unique_ptr<DeviceMemoryMeter>(std::make_unique<CudaMemory>(cuda.value(), device));
}

}  // namespace saccade::runtime
