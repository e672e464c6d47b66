#include "runtime/engines/onnxruntime_library.hpp"

#ifdef SACCADE_WITH_ONNXRUNTIME
#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "runtime/engines/stderr_filter.hpp"

namespace saccade::runtime::onnxruntime {
namespace {

using profiles::ElementType;

constexpr std::array kElements{
    std::pair{ElementType::fp32, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT},
    std::pair{ElementType::fp16, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16},
    std::pair{ElementType::uint8, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8},
    std::pair{ElementType::int8, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8},
    std::pair{ElementType::int32, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32},
    std::pair{ElementType::int64, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64},
};

// In a folder that is named the library must lie; it is looked for nowhere else then.
std::vector<std::string> candidates(const std::string& folder) {
  if (folder.empty()) return {SACCADE_ONNXRUNTIME_LIBRARY, "libonnxruntime.so.1"};
  std::vector<std::string> files;
  for (const char* name : {"libonnxruntime.so.1", "libonnxruntime.so"})
    files.push_back((std::filesystem::path(folder) / name).string());
  return files;
}

std::filesystem::path folder_of(void* symbol) {
  Dl_info info{};
  if (::dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code failure;
  return std::filesystem::weakly_canonical(info.dli_fname, failure).parent_path();
}

Result<Library> open_library(const std::string& folder) {
  void* handle = nullptr;
  std::string reason = "not found";
  for (const std::string& file : candidates(folder)) {
    handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) break;
    const char* said = ::dlerror();
    if (said != nullptr) reason = said;
  }
  if (handle == nullptr) {
    return Error{kWhere, "cannot be loaded: " + reason,
                 folder.empty() ? "scripts/setup provides it" : "`engine.library` names its folder"};
  }
  using GetApiBase = const OrtApiBase*(ORT_API_CALL*)();
  const auto get_api_base = reinterpret_cast<GetApiBase>(::dlsym(handle, "OrtGetApiBase"));
  if (get_api_base == nullptr) return Error{kWhere, "the library has no OrtGetApiBase", ""};

  Library library;
  library.folder = folder_of(reinterpret_cast<void*>(get_api_base));
  library.version = get_api_base()->GetVersionString();
  const StderrFilter quiet(kHarmlessNoise);
  library.api = get_api_base()->GetApi(ORT_API_VERSION);
  if (library.api == nullptr) {
    return Error{kWhere,
                 "version " + library.version + " does not offer C API " + std::to_string(ORT_API_VERSION) +
                     ", which Saccade was built with",
                 "install one version of the library and its headers, and build again"};
  }
  // Errors come back as values; the library's own log says nothing that they do not.
  auto failed =
      failure(*library.api, library.api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "saccade", &library.env));
  if (!failed) {
    failed = failure(*library.api, library.api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault,
                                                                    &library.cpu_memory));
  }
  if (failed) return Error{kWhere, "cannot be started: " + *failed, ""};
  return library;
}

}  // namespace

Result<const Library*> shared_library(const std::string& folder) {
  static const auto* const from = new std::string(folder);  // never destroyed, as what follows
  static const auto* const library = new Result<Library>(open_library(*from));
  if (!folder.empty() && folder != *from) {
    return Error{kWhere, "was loaded from " + (from->empty() ? "its default folder" : *from) + " before",
                 "restart the program to load it from " + folder};
  }
  if (!library->ok()) return library->errors();
  return &library->value();
}

std::optional<std::string> failure(const OrtApi& api, OrtStatus* status) {
  if (status == nullptr) return std::nullopt;
  std::string text = api.GetErrorMessage(status);
  api.ReleaseStatus(status);
  return text;
}

ONNXTensorElementDataType element_of(ElementType type) {
  for (const auto& [ours, theirs] : kElements) {
    if (ours == type) return theirs;
  }
  check_failed("known element type", __FILE__, __LINE__);
}

std::optional<ElementType> type_of(ONNXTensorElementDataType element) {
  for (const auto& [ours, theirs] : kElements) {
    if (theirs == element) return ours;
  }
  return std::nullopt;
}

}  // namespace saccade::runtime::onnxruntime
#endif
