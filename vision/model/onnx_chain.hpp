// A network file as a chain of groups between possible cuts: what crosses each cut, and what each group
// contains. A cut is possible where few tensors are live, including skip connections; a group between two
// cuts can be placed on a processor of its own (placement/chain.hpp). Shapes are inferred by the ONNX
// library; the weights are not loaded. An open batch size is taken as 1, an open height and width of the
// picture as the sides that the caller names. Groups: `fine` cuts wherever the tensors allow it, but never
// between a layer and its activation, which engines fuse; `coarse` only where a block ends: after an
// addition, a concatenation or a pooling. Paper 000 III-A (modules as single nodes), paper 002 V (groups),
// paper 001 (1), (2) (weights of layers). Threads: functions without state. Errors: Result with the file's
// name; nothing throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profiles/interface.hpp"
#include "vision/model/onnx_file.hpp"

namespace saccade::vision {

enum class ChainGroups { fine, coarse };

struct ChainOptions {
  std::size_t max_live_tensors = 1;
  ChainGroups groups = ChainGroups::fine;
  // Height and width of the picture's input where the file leaves them open; its name and layout say which
  // sides those are. Absent: an open side is an error.
  std::optional<profiles::PictureInput> picture = {};
};

struct LiveTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::uint64_t bytes = 0;
  std::optional<profiles::ElementType> type = {};  // absent: one that engines do not hand on
  bool operator==(const LiveTensor&) const = default;
};

struct ChainGroup {
  std::vector<std::string> operators;  // in the file's order
  std::vector<LiveTensor>
      inputs;  // what crosses the boundary before it; of the first group the file's inputs
  std::uint64_t weight_bytes = 0;
  std::uint64_t multiply_adds = 0;  // of convolutions and matrix products
  std::uint64_t working_bytes = 0;  // peak of live tensors inside
  double work = 0.0;                // paper 001: its layers' weights
  bool operator==(const ChainGroup&) const = default;
};

struct OnnxChain {
  std::vector<ChainGroup> groups;
  std::vector<LiveTensor> outputs = {};  // of the network, as far as their shapes are known
  // Places that would be cuts if the shapes of their tensors were known, engines could hand them on, and the
  // network's own input were not needed behind them.
  std::vector<std::string> unknown = {};
  bool sized = false;  // the file leaves sides open that ChainOptions::picture closed
  bool operator==(const OnnxChain&) const = default;

  [[nodiscard]] std::uint64_t bytes_before(std::size_t group) const;  // of all its inputs
};

[[nodiscard]] Result<OnnxChain> read_onnx_chain(const std::filesystem::path& path,
                                                const ChainOptions& options = {});

// "2 Conv, 2 Relu, Add", in the order of first appearance.
[[nodiscard]] std::string operators_text(const ChainGroup& group);

}  // namespace saccade::vision
