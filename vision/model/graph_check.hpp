// Compares a profile set with the graphs of its models: the input's name, rank, type, channels and size, the
// constants, the outputs, the number of labels, and the stride recorded by the exporter. Pointers are those
// of the set: of the variant if it overrides the interface, else of the interface.
// Threads: pure. Errors: all of them, where = the pointer alone; what = the graph's value and the set's.
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

// A mistake common to several models is reported once. For a set without an input size nothing can be
// checked; for one of format 1 (profiles/profile_set.hpp) without labels only its input.
[[nodiscard]] Errors check_graphs(const profiles::ProfileSet& set, std::span<const VariantGraph> graphs);

}  // namespace saccade::vision
