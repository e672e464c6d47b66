// What a node of an ONNX graph takes, with what graphs inside it (branches, loops) take from outside: shared
// by the readers of graphs, and by nobody else. Threads: functions without state. Errors: none.
#pragma once

#include <onnx/onnx_pb.h>

#include <functional>
#include <string>
#include <unordered_set>

namespace saccade::vision {

// `visit(name)` for every tensor that the node needs and does not make itself; names may come twice. Not a
// template: each graph inside would be another instance of it, without end.
// NOLINTNEXTLINE(misc-no-recursion): graphs inside nodes; read_onnx_structure() bounds the depth
// (not a template: each graph inside would be a new instance, without end)
inline void for_each_needed(const onnx::NodeProto& node,
                            const std::function<void(const std::string&)>& visit) {
  for (const std::string& input : node.input()) {
    if (!input.empty()) visit(input);
  }
  const auto inside = [&](const onnx::GraphProto& graph) {
    std::unordered_set<std::string> own;
    for (const auto& input : graph.input()) own.insert(input.name());
    for (const auto& weight : graph.initializer()) own.insert(weight.name());
    for (const auto& inner : graph.node()) own.insert(inner.output().begin(), inner.output().end());
    const auto from_outside = [&](const std::string& name) {
      if (!own.contains(name)) visit(name);
    };
    for (const auto& inner : graph.node()) for_each_needed(inner, from_outside);
    for (const auto& output : graph.output()) from_outside(output.name());
  };
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) inside(attribute.g());
    for (const auto& graph : attribute.graphs()) inside(graph);
  }
}

}  // namespace saccade::vision
