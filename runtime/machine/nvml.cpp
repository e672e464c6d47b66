#include "runtime/machine/nvml.hpp"

#include <dlfcn.h>

#include <array>

namespace saccade::runtime {
namespace {

constexpr int kSuccess = 0;
constexpr int kChip = 0;      // NVML_TEMPERATURE_GPU
constexpr int kSlowdown = 1;  // NVML_TEMPERATURE_THRESHOLD_SLOWDOWN

template <class Function>
void find(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
}

}  // namespace

std::shared_ptr<const Nvml> Nvml::open(const std::string& library) {
  if (library.empty()) return nullptr;
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  auto nvml = std::make_shared<Nvml>();
  Functions& functions = nvml->functions_;
  find(handle, "nvmlInit_v2", functions.init);
  find(handle, "nvmlDeviceGetCount_v2", functions.count);
  find(handle, "nvmlDeviceGetHandleByIndex_v2", functions.handle);
  find(handle, "nvmlDeviceGetName", functions.name);
  find(handle, "nvmlDeviceGetTotalEnergyConsumption", functions.energy);
  find(handle, "nvmlDeviceGetTemperature", functions.temperature);
  find(handle, "nvmlDeviceGetTemperatureThreshold", functions.threshold);
  unsigned count = 0;
  if (functions.init == nullptr || functions.count == nullptr || functions.handle == nullptr ||
      functions.init() != kSuccess || functions.count(&count) != kSuccess) {
    return nullptr;
  }
  for (unsigned card = 0; card < count; ++card) {
    Device device = nullptr;
    if (functions.handle(card, &device) == kSuccess) nvml->cards_.push_back(device);
  }
  if (nvml->cards_.empty()) return nullptr;
  return nvml;
}

std::string Nvml::name(std::size_t card) const {
  std::array<char, 96> text{};
  if (functions_.name == nullptr || functions_.name(cards_.at(card), text.data(), text.size()) != kSuccess) {
    return "";
  }
  text.back() = '\0';
  return text.data();
}

std::optional<std::uint64_t> Nvml::millijoules(std::size_t card) const {
  unsigned long long count = 0;
  if (functions_.energy == nullptr || functions_.energy(cards_.at(card), &count) != kSuccess)
    return std::nullopt;
  return count;
}

std::optional<double> Nvml::celsius(std::size_t card) const {
  unsigned degrees = 0;
  if (functions_.temperature == nullptr ||
      functions_.temperature(cards_.at(card), kChip, &degrees) != kSuccess) {
    return std::nullopt;
  }
  return degrees;
}

std::optional<double> Nvml::slowdown_celsius(std::size_t card) const {
  unsigned degrees = 0;
  if (functions_.threshold == nullptr ||
      functions_.threshold(cards_.at(card), kSlowdown, &degrees) != kSuccess || degrees == 0) {
    return std::nullopt;
  }
  return degrees;
}

}  // namespace saccade::runtime
