// The loaded ONNX Runtime library, and what its adapter's files share: its function table, handles of its
// objects, and its element types. Used only by runtime/engines/onnxruntime_*.
// Threads: any; the library is loaded once. Errors: values; no call of the library throws.
#pragma once

#ifdef SACCADE_WITH_ONNXRUNTIME
#include <onnxruntime_c_api.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "profiles/interface.hpp"

namespace saccade::runtime::onnxruntime {

inline constexpr const char* kWhere = "ONNX Runtime";
// A build of the library that is linked with a shared ONNX registers every operator twice and prints that, a
// thousand times, when it first builds a graph.
inline constexpr const char* kHarmlessNoise = "Schema error";

// Lives until the process ends.
struct Library {
  const OrtApi* api = nullptr;
  OrtEnv* env = nullptr;
  OrtMemoryInfo* cpu_memory = nullptr;
  std::string version;
  std::filesystem::path folder;  // where its file lies
};

// Loads it on the first call, from `folder` where it is not empty. Errors of later calls: it was loaded from
// another folder.
[[nodiscard]] Result<const Library*> shared_library(const std::string& folder);

// The error message of a failed call; nothing if it succeeded.
[[nodiscard]] std::optional<std::string> failure(const OrtApi& api, OrtStatus* status);

struct Released {
  const OrtApi* api;
  void operator()(OrtSession* session) const { api->ReleaseSession(session); }
  void operator()(OrtSessionOptions* options) const { api->ReleaseSessionOptions(options); }
  void operator()(OrtRunOptions* options) const { api->ReleaseRunOptions(options); }
  void operator()(OrtValue* value) const { api->ReleaseValue(value); }
  void operator()(OrtTypeInfo* info) const { api->ReleaseTypeInfo(info); }
  void operator()(OrtCUDAProviderOptionsV2* options) const { api->ReleaseCUDAProviderOptions(options); }
  void operator()(OrtIoBinding* binding) const { api->ReleaseIoBinding(binding); }
  void operator()(OrtAllocator* allocator) const { api->ReleaseAllocator(allocator); }
  void operator()(OrtMemoryInfo* info) const { api->ReleaseMemoryInfo(info); }
  void operator()(OrtTensorTypeAndShapeInfo* info) const { api->ReleaseTensorTypeAndShapeInfo(info); }
};
template <class T>
using Handle = std::unique_ptr<T, Released>;

[[nodiscard]] ONNXTensorElementDataType element_of(profiles::ElementType type);
// Absent: not a type of any interface.
[[nodiscard]] std::optional<profiles::ElementType> type_of(ONNXTensorElementDataType element);

}  // namespace saccade::runtime::onnxruntime
#endif
