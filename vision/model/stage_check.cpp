#include "vision/model/stage_check.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "profiles/interface_io.hpp"
#include "text/strict_json.hpp"

namespace saccade::vision {
namespace {

using profiles::StageTensor;

std::string tensor_text(const StageTensor& tensor) {
  std::string sides;
  for (const std::int64_t side : tensor.shape) sides += (sides.empty() ? "" : ", ") + std::to_string(side);
  return std::string(profiles::to_string(tensor.type)) + " [" + sides + "]";
}

std::string typed_port_text(const OnnxPort& port) {
  const auto type = element_type(port);
  return (type ? std::string(profiles::to_string(*type)) : port.type) + " " + shape_text(port);
}

std::string all_ports_text(const std::vector<OnnxPort>& ports) {
  std::string text;
  for (const OnnxPort& port : ports)
    text += (text.empty() ? "" : ", ") + text::in_quotes(port.name) + " " + typed_port_text(port);
  return text.empty() ? "none" : text;
}

// Sides that the graph leaves open take any number.
bool may_be(const OnnxPort& port, const StageTensor& tensor) {
  if (element_type(port) != tensor.type) return false;
  if (!port.shape) return true;
  return std::equal(port.shape->begin(), port.shape->end(), tensor.shape.begin(), tensor.shape.end(),
                    [](const OnnxDimension& dimension, std::int64_t side) {
                      const auto* number = std::get_if<std::int64_t>(&dimension);
                      return number == nullptr || *number == side;
                    });
}

class StagePorts {
 public:
  StagePorts(std::string pointer, Errors& errors) : pointer_(std::move(pointer)), errors_(errors) {}

  // `key`: "takes" or "gives".
  void compare(const std::string& key, const std::vector<StageTensor>& tensors,
               const std::vector<OnnxPort>& ports) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const StageTensor& tensor = tensors[i];
      const auto port = std::find_if(ports.begin(), ports.end(),
                                     [&](const OnnxPort& each) { return each.name == tensor.name; });
      const std::string where = pointer_ + "/" + key + "/" + std::to_string(i);
      if (port == ports.end()) {
        tell(where, "the stage " + key + " " + text::in_quotes(tensor.name) + ", but its model has " +
                        all_ports_text(ports));
      } else if (!may_be(*port, tensor)) {
        tell(where, "the stage " + key + " " + text::in_quotes(tensor.name) + " as " + tensor_text(tensor) +
                        ", but its model has " + typed_port_text(*port));
      }
    }
  }

  // Of a later stage: no port is left without a tensor.
  void all_are_taken(const std::vector<StageTensor>& takes, const std::vector<OnnxPort>& ports) {
    for (const OnnxPort& port : ports) {
      const bool taken = std::any_of(takes.begin(), takes.end(),
                                     [&](const StageTensor& tensor) { return tensor.name == port.name; });
      if (!taken)
        tell(pointer_ + "/takes",
             "the stage's model takes " + text::in_quotes(port.name) + ", which `takes` does not name");
    }
  }

 private:
  void tell(std::string where, std::string what) {
    errors_.push_back({std::move(where), std::move(what),
                       "the file is of another cut: cut the network again (`saccade place`)"});
  }

  std::string pointer_;
  Errors& errors_;
};

}  // namespace

Errors check_stage_graphs(const profiles::ProfileSet& set, std::span<const StageGraph> graphs) {
  Errors errors;
  for (const StageGraph& each : graphs) {
    const auto& stages = set.variants[each.variant].staging.stages;
    const profiles::Stage& stage = stages[each.stage];
    StagePorts ports("/variants/" + std::to_string(each.variant) + "/stages/" + std::to_string(each.stage),
                     errors);
    ports.compare("takes", stage.takes, each.graph.inputs);
    if (each.stage > 0) ports.all_are_taken(stage.takes, each.graph.inputs);
    ports.compare("gives", stage.gives, each.graph.outputs);
  }
  return errors;
}

}  // namespace saccade::vision
