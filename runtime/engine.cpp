#include "runtime/engine.hpp"

#include <array>
#include <utility>

#include "runtime/engines/onnxruntime_backend.hpp"
#include "runtime/engines/opencv_backend.hpp"
#include "runtime/engines/simulated_backend.hpp"

namespace saccade::runtime {

namespace {

Result<std::unique_ptr<EngineBackend>> make_simulated_backend() {
  return std::unique_ptr<EngineBackend>(std::make_unique<SimulatedBackend>());
}

struct Maker {
  const char* name;
  Result<std::unique_ptr<EngineBackend>> (*make)();
};

constexpr std::array kMakers{
    // in the order in which "auto" prefers them
    Maker{"onnxruntime", make_onnxruntime_backend},
    Maker{"opencv", make_opencv_backend},
    Maker{"simulated", make_simulated_backend},
};

}  // namespace

Result<std::unique_ptr<EngineBackend>> make_backend(const std::string& name) {
  std::string known = "auto";
  for (const Maker& maker : kMakers) {
    if (name == maker.name) return maker.make();
    if (name == "auto") {
      auto backend = maker.make();
      if (backend) return backend;
    }
    known += std::string(", ") + maker.name;
  }
  return Error{"engine backend '" + name + "'", "is not known", "one of " + known};
}

std::string available_backends() {
  std::string text;
  for (const Maker& maker : kMakers) {
    const auto backend = maker.make();
    if (!backend) continue;
    if (!text.empty()) text += ", ";
    text += backend.value()->version();
  }
  return text;
}

}  // namespace saccade::runtime
