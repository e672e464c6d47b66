#include "runtime/engine.hpp"

#include <array>
#include <utility>

#include "runtime/engines/graph_cache.hpp"
#include "runtime/engines/onnxruntime_backend.hpp"
#include "runtime/engines/opencv_backend.hpp"
#include "runtime/engines/simulated_backend.hpp"

namespace saccade::runtime {

namespace {

using MadeBackend = Result<std::unique_ptr<EngineBackend>>;
using Cache = std::optional<GraphCacheOptions>;

MadeBackend make_onnxruntime(const Cache& cache) {
  return make_onnxruntime_backend(cache ? GraphCache::open(*cache) : nullptr);
}

MadeBackend make_opencv(const Cache&) { return make_opencv_backend(); }

MadeBackend make_simulated(const Cache&) {
  return std::unique_ptr<EngineBackend>(std::make_unique<SimulatedBackend>());
}

struct Maker {
  const char* name;
  MadeBackend (*make)(const Cache&);
};

constexpr std::array kMakers{
    // in the order in which "auto" prefers them
    Maker{"onnxruntime", make_onnxruntime},
    Maker{"opencv", make_opencv},
    Maker{"simulated", make_simulated},
};

}  // namespace

Result<std::unique_ptr<EngineBackend>> make_backend(const std::string& name, const Cache& cache) {
  std::string known = "auto";
  for (const Maker& maker : kMakers) {
    if (name == maker.name) return maker.make(cache);
    if (name == "auto") {
      auto backend = maker.make(cache);
      if (backend) return backend;
    }
    known += std::string(", ") + maker.name;
  }
  return Error{"engine backend '" + name + "'", "is not known", "one of " + known};
}

std::string available_backends() {
  std::string text;
  for (const Maker& maker : kMakers) {
    const auto backend = maker.make(std::nullopt);
    if (!backend) continue;
    if (!text.empty()) text += ", ";
    text += backend.value()->version();
  }
  return text;
}

}  // namespace saccade::runtime
