#include "runtime/engines/onnxruntime_library.hpp"

#ifdef SACCADE_WITH_ONNXRUNTIME
#include <dlfcn.h>

#include <array>
#include <utility>

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

Result<Library> open_library() {
  void* handle = nullptr;
  for (const char* file : {SACCADE_ONNXRUNTIME_LIBRARY, "libonnxruntime.so.1"}) {
    handle = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) break;
  }
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    return Error{kWhere, std::string("cannot be loaded: ") + (reason != nullptr ? reason : "not found"),
                 "scripts/setup provides it"};
  }
  using GetApiBase = const OrtApiBase*(ORT_API_CALL*)();
  const auto get_api_base = reinterpret_cast<GetApiBase>(::dlsym(handle, "OrtGetApiBase"));
  if (get_api_base == nullptr) return Error{kWhere, "the library has no OrtGetApiBase", ""};

  Library library;
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

const Result<Library>& shared_library() {
  static const auto* const library = new Result<Library>(open_library());  // never destroyed
  return *library;
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
