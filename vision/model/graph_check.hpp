// A profile set held against the graphs of its models: the input's name, rank, type, channels and size, the
// constants, the outputs, the number of labels. What the exporter wrote of the stride counts as well.
// Pointers are those of the set: of the variant where it overrides the interface, else of the interface.
// Threads: pure. Errors: all of them, where = the pointer alone; what = what the graph has and the set says.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "vision/model/onnx_file.hpp"

namespace saccade::vision {

struct VariantGraph {
  std::size_t variant = 0;  // of the set
  OnnxFile graph;
};

// What is wrong with several models is said once. A set without an input's size has nothing to be checked,
// one of plain numbers (profiles/profile_set.hpp) without labels only its input.
[[nodiscard]] Errors check_graphs(const profiles::ProfileSet& set, std::span<const VariantGraph> graphs);

}  // namespace saccade::vision
