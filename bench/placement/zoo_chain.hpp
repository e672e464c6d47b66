// The shipped fp32 networks with modelled times, for tests and for `saccade bench placement`. Seconds a
// multiply-add and a byte are orders of magnitude of a core, not measurements. Threads: functions without
// state.
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "placement/chain.hpp"
#include "vision/model/onnx_chain.hpp"

namespace saccade::bench {

// Two processors of which the second computes 2.5 times slower and moves memory 1.2 times slower, so that the
// ratio differs by layer and network. `with_energy`: of layers and transfers, too.
[[nodiscard]] inline placement::Chain modelled_chain(const vision::OnnxChain& network, bool with_energy) {
  constexpr double kMultiplyAdd[] = {2e-11, 5e-11}, kByte[] = {5e-10, 6e-10}, kWatts[] = {8.0, 2.5};
  placement::Chain chain;
  chain.processors = {{ProcessorId("fast")}, {ProcessorId("slow")}};
  for (std::size_t k = 0; k < network.groups.size(); ++k) {
    const vision::ChainGroup& group = network.groups[k];
    placement::Layer layer;
    layer.name = std::to_string(k);
    layer.weights = Bytes(static_cast<double>(group.weight_bytes));
    layer.working = Bytes(static_cast<double>(group.working_bytes));
    layer.work = group.work;
    const auto bytes = static_cast<double>(group.weight_bytes + group.working_bytes);
    for (int p = 0; p < 2; ++p) {
      const double seconds = kMultiplyAdd[p] * static_cast<double>(group.multiply_adds) + kByte[p] * bytes;
      const std::optional<Joules> energy =
          with_energy ? std::optional(Joules(seconds * kWatts[p])) : std::nullopt;
      layer.on.push_back(placement::LayerCost{Seconds(seconds), energy});
    }
    chain.layers.push_back(std::move(layer));
    if (k > 0)
      chain.boundaries.push_back({Bytes(static_cast<double>(network.bytes_before(k))), true, {}, {}});
  }
  const Joules fixed_energy(with_energy ? 1e-6 : 0.0);
  chain.links.assign(
      2, std::vector<placement::Link>(2, placement::Link{Seconds(1e-5), 1e-10, fixed_energy, 0.0}));
  return chain;
}

// Sorted; without the detector, whose graphs have open sides: what crosses a boundary there has no size.
// `failure`: the folder cannot be read.
[[nodiscard]] inline std::vector<std::filesystem::path> fp32_networks(const std::filesystem::path& folder,
                                                                      std::error_code& failure) {
  std::vector<std::filesystem::path> files;
  for (std::filesystem::recursive_directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::filesystem::path& file = entry->path();
    if (file.parent_path().filename() == "yard-detector") continue;
    if (file.filename().string().ends_with("-fp32.onnx")) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace saccade::bench
