// Cuts a network file at the boundaries of its chain into models of their own, each of which an engine loads
// as it would load the whole: the nodes between two boundaries, the weights they need, and as inputs and
// outputs the tensors that cross, with the shapes that were inferred for one picture (of the options' size).
// Constants that are made by nodes before the boundary are made again behind it.
// A tensor that crosses a group without being needed in it is no port of the group's model: whoever runs the
// models in turn keeps it and gives it to the one that takes it.
// The file is read whole, weights included. Paper 000 III-B (sub-graphs of one network).
// Order: open, then cut as often as wanted. Threads: immutable after open. Errors: Result with the file's
// name; nothing throws.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "vision/model/onnx_chain.hpp"

namespace saccade::vision {

struct CutModel {
  std::string bytes;                // an ONNX file
  std::vector<LiveTensor> inputs;   // in the order of the graph's inputs
  std::vector<LiveTensor> outputs;  // in the order of the graph's outputs
};

class OnnxCutter {
 public:
  [[nodiscard]] static Result<OnnxCutter> open(const std::filesystem::path& path,
                                               const ChainOptions& options = {});

  [[nodiscard]] const OnnxChain& chain() const;

  // Groups [first, last) of the chain, first < last <= groups (checked).
  [[nodiscard]] CutModel cut(std::size_t first, std::size_t last) const;

 private:
  struct Whole;
  explicit OnnxCutter(std::shared_ptr<const Whole> whole) : whole_(std::move(whole)) {}
  std::shared_ptr<const Whole> whole_;
};

}  // namespace saccade::vision
