// Execution providers: which of them this program serves, and what of a machine they need. What is missing is
// said per processor; nothing falls back to the CPU by itself.
// The adapter for CUDA was run on few cards (kCudaCards); `version` says so, and `check` warns on any other.
// Threads: look_for_cuda() from any, it opens libraries; the functions of options and missing_for() are pure.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "runtime/engines/engine.hpp"

namespace saccade::runtime {

inline constexpr std::array<const char*, 2> kCudaCards = {"NVIDIA H100 80GB HBM3",
                                                          "NVIDIA H200"};  // as their driver calls them
inline constexpr const char* kCudaRunOn =
    "the cuda adapter was run on two cards alone: NVIDIA H100 80GB HBM3 and NVIDIA H200, with ONNX Runtime "
    "1.29.0";
inline constexpr const char* kCudaProviderFile = "libonnxruntime_providers_cuda.so";

// What was found of what the provider `cuda` needs.
struct CudaFacts {
  bool core = false;                    // ONNX Runtime's own library
  std::string folder;                   // where it lies
  std::string version;                  // of it
  bool provider_library = false;        // kCudaProviderFile beside it
  bool driver = false;                  // libcuda.so.1, and it starts
  int devices = 0;                      // that the driver reports
  std::vector<std::string> names = {};  // of the devices, as the driver calls them; "" where it does not say
};
// `library_folder`: as EngineLibrary; empty: the default.
[[nodiscard]] CudaFacts look_for_cuda(const std::string& library_folder);

// Names of the devices of this machine that the provider `cuda` could use; empty: none, or no driver.
[[nodiscard]] std::vector<std::string> cuda_device_names();

// What follows for profile sets that are measured on a device whose name the driver does not report; `names`:
// cuda_device_names(). Absent: it does.
[[nodiscard]] std::optional<Error> unnamed_device(int device, const std::vector<std::string>& names);

struct ProviderUse {
  std::string processor;
  std::string provider = "cpu";
  int device = 0;
};
// What keeps these processors from serving; empty: nothing. `cuda`: looked at where a processor uses it.
[[nodiscard]] Errors missing_for(const std::vector<ProviderUse>& uses, const CudaFacts& cuda);
// The same of this machine.
[[nodiscard]] Errors missing_here(const std::vector<ProviderUse>& uses, const std::string& library_folder);

// The options of a processor that belong to a profile's provenance, as the adapter gives them to the library:
// "graphs=1 cudnn_conv_algo_search=HEURISTIC …". What follows from a variant's precision is not among them.
[[nodiscard]] std::string provider_options(const std::string& provider, bool graphs, bool block);

// What the provider `cuda` is given for this engine, by name. Of the variant: fp32 is computed in fp32
// (use_tf32=0), everything else may use the tensor cores; fp16 is laid out NHWC. Without a variant as fp32.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> cuda_options(const EngineSpec& spec);

}  // namespace saccade::runtime
