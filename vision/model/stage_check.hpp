// Compares the stages of a variant with the graphs of their models: every tensor that a stage takes or gives
// is a port of its model, by name, type and shape, and a later stage's model takes nothing else. That stages
// fit each other is the reader's (profiles/stage_io.hpp); what the first takes and the last gives are the
// network's own ports.
// Threads: pure. Errors: all of them, where = the pointer alone, as of graph_check.hpp.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "vision/model/onnx_file.hpp"

namespace saccade::vision {

struct StageGraph {
  std::size_t variant = 0;  // of the set
  std::size_t stage = 0;    // of the variant
  OnnxFile graph;
};

[[nodiscard]] Errors check_stage_graphs(const profiles::ProfileSet& set, std::span<const StageGraph> graphs);

}  // namespace saccade::vision
