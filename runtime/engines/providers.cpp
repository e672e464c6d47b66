#include "runtime/engines/providers.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "profiles/variant.hpp"
#include "runtime/engines/onnxruntime_backend.hpp"

namespace saccade::runtime {
namespace {

constexpr const char* kDocuments = "docs/accelerators.md says what is needed";

// Names of the devices that the driver reports; absent: there is no driver, or it does not start.
std::optional<std::vector<std::string>> driver_devices() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return std::nullopt;
  const auto init = reinterpret_cast<int (*)(unsigned)>(::dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(::dlsym(driver, "cuDeviceGetCount"));
  const auto name = reinterpret_cast<int (*)(char*, int, int)>(::dlsym(driver, "cuDeviceGetName"));
  int devices = 0;
  if (init == nullptr || count == nullptr) return std::nullopt;
  constexpr int kNoDevice = 100;  // CUDA_ERROR_NO_DEVICE: the driver is fine
  const int started = init(0);
  if (started == kNoDevice) return std::vector<std::string>();
  if (started != 0 || count(&devices) != 0) return std::nullopt;
  std::vector<std::string> names;
  for (int device = 0; device < devices; ++device) {
    std::array<char, 128> text{};
    const bool named = name != nullptr && name(text.data(), static_cast<int>(text.size()) - 1, device) == 0;
    names.emplace_back(named ? text.data() : "");
  }
  return names;
}

Error lacking(const ProviderUse& use, const std::string& what, const std::string& hint) {
  return {"processor '" + use.processor + "'", "provider `" + use.provider + "`: " + what, hint};
}

std::optional<Error> missing_for_cuda(const ProviderUse& use, const CudaFacts& cuda) {
  if (!cuda.core) {
    return lacking(use, "there is no library of ONNX Runtime",
                   "`engine.library` names its folder; " + std::string(kDocuments));
  }
  if (!cuda.provider_library) {
    return lacking(
        use,
        std::string(kCudaProviderFile) + " is not beside ONNX Runtime " + cuda.version + " in " + cuda.folder,
        "`engine.library` names a folder with both; " + std::string(kDocuments));
  }
  if (!cuda.driver) {
    return lacking(use, "there is no driver: libcuda.so.1 cannot be opened or does not start",
                   "install NVIDIA's driver; nvidia-smi shows whether it works");
  }
  if (cuda.devices == 0) return lacking(use, "the driver reports no device", "nvidia-smi lists what it sees");
  if (use.device >= cuda.devices) {
    return lacking(use,
                   "there is no device " + std::to_string(use.device) + ": the driver reports " +
                       std::to_string(cuda.devices),
                   "devices are counted from 0");
  }
  return std::nullopt;
}

}  // namespace

CudaFacts look_for_cuda(const std::string& library_folder) {
  CudaFacts facts;
  if (const auto place = onnxruntime_place(library_folder)) {
    facts.core = true;
    facts.folder = place->folder.string();
    facts.version = place->version;
    std::error_code failure;
    facts.provider_library = std::filesystem::exists(place->folder / kCudaProviderFile, failure);
  }
  const auto devices = driver_devices();
  facts.driver = devices.has_value();
  facts.names = devices.value_or(std::vector<std::string>());
  facts.devices = static_cast<int>(facts.names.size());
  return facts;
}

std::vector<std::string> cuda_device_names() { return driver_devices().value_or(std::vector<std::string>()); }

std::optional<Error> unnamed_device(int device, const std::vector<std::string>& names) {
  const auto at = static_cast<std::size_t>(device);
  if (at < names.size() && !names[at].empty()) return std::nullopt;
  return Error{"device " + std::to_string(device),
               "the driver reports no name for it: the profile set names no card, so that nothing can tell "
               "whether it was measured on the card that uses it",
               "`nvidia-smi -L` shows the names; update a driver that reports none, and measure again"};
}

Errors missing_for(const std::vector<ProviderUse>& uses, const CudaFacts& cuda) {
  Errors errors;
  for (const ProviderUse& use : uses) {
    if (use.provider == "tensorrt") {
      errors.push_back(lacking(use, "is not served: nobody has run it with Saccade yet",
                               "\"cuda\" serves the same cards"));
    } else if (use.provider == "webgpu") {
      errors.push_back(
          lacking(use, "is not served: a load on one thread while another one serves crashes in its library",
                  "use \"cpu\", or \"cuda\" where there is an NVIDIA card"));
    } else if (use.provider == "cuda") {
      if (auto missing = missing_for_cuda(use, cuda)) errors.push_back(*std::move(missing));
    }
  }
  return errors;
}

Errors missing_here(const std::vector<ProviderUse>& uses, const std::string& library_folder) {
  const bool cuda =
      std::any_of(uses.begin(), uses.end(), [](const ProviderUse& use) { return use.provider == "cuda"; });
  return missing_for(uses, cuda ? look_for_cuda(library_folder) : CudaFacts{});
}

std::string provider_options(const std::string& provider, bool graphs, bool block) {
  if (provider != "cuda") return "";
  return std::string("graphs=") + (graphs ? "1" : "0") +
         " cudnn_conv_algo_search=HEURISTIC arena_extend_strategy=kSameAsRequested" +
         (block ? " wait=block" : "");
}

std::vector<std::pair<std::string, std::string>> cuda_options(const EngineSpec& spec) {
  const profiles::Precision precision =
      spec.profile != nullptr ? spec.profile->precision : profiles::Precision::fp32;
  const bool fp32 = precision == profiles::Precision::fp32;
  const bool fp16 = precision == profiles::Precision::fp16;
  return {{"device_id", std::to_string(spec.device)},
          {"cudnn_conv_algo_search", "HEURISTIC"},
          {"arena_extend_strategy", "kSameAsRequested"},
          {"use_tf32", fp32 ? "0" : "1"},
          {"prefer_nhwc", fp16 ? "1" : "0"},
          {"enable_cuda_graph", spec.graphs ? "1" : "0"}};
}

}  // namespace saccade::runtime
