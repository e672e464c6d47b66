#include "vision/model/graph_check.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiles/interface_io.hpp"
#include "text/strict_json.hpp"
#include "vision/decode/decoder.hpp"
#include "vision/model/gathered.hpp"
#include "vision/model/guess_facts.hpp"

namespace saccade::vision {
namespace {

using profiles::ElementType;
using profiles::ModelInterface;
using profiles::TensorLayout;
using text::in_quotes;

std::string port_text(const OnnxPort& port) {
  return in_quotes(port.name) + " " + port.type + " " + shape_text(port);
}

std::string graph_ports_text(const std::vector<OnnxPort>& ports) {
  std::string text;
  for (const OnnxPort& port : ports) text += (text.empty() ? "" : ", ") + port_text(port);
  return text;
}

const OnnxPort* find_port(const std::vector<OnnxPort>& ports, const std::string& name) {
  const auto found =
      std::find_if(ports.begin(), ports.end(), [&](const OnnxPort& port) { return port.name == name; });
  return found == ports.end() ? nullptr : &*found;
}

std::string meant(const std::string& name, const std::vector<OnnxPort>& ports) {
  std::vector<std::string> names;
  for (const OnnxPort& port : ports) names.push_back(port.name);
  const std::string nearest = text::nearest(name, names);
  return "it has " + graph_ports_text(ports) +
         (nearest.empty() ? "" : "; did you mean " + in_quotes(nearest) + "?");
}

bool says(const OnnxDimension& dimension, std::int64_t number) { return number_of(dimension) == number; }

// One variant against its graph.
class GraphCheck {
 public:
  GraphCheck(const profiles::ProfileSet& set, std::size_t variant, const OnnxFile& graph)
      : set_(set),
        graph_(graph),
        interface_(profiles::interface_of(set, set.variants[variant])),
        overrides_(profiles::overrides_of(interface_, profiles::interface_of(set, profiles::Variant{}))),
        place_("/variants/" + std::to_string(variant)) {}

  Errors all() {
    const OnnxPort* picture = find_picture_port();
    if (picture != nullptr) check_picture(*picture);
    check_constants(picture);
    check_output_types();
    const bool plain = interface_ == profiles::plain_interface(set_.input);
    if (!plain || !set_.labels.empty()) check_decoder();
    return std::move(errors_);
  }

 private:
  void tell(std::string pointer, std::string what, std::string hint) {
    errors_.push_back({std::move(pointer), std::move(what), std::move(hint)});
  }

  // Where a key of `input` or `decoder` is written.
  [[nodiscard]] std::string pointer(const std::string& part, const std::string& key) const {
    const text::JsonValue& members = part == "input" ? overrides_.input : overrides_.decoder;
    const std::string& owner = members.find(key.substr(0, key.find('/'))) != nullptr ? place_ : kInterface;
    return owner + "/" + part + (key.empty() ? "" : "/" + key);
  }

  [[nodiscard]] bool is_constant(const std::string& name) const {
    return std::any_of(interface_.constants.begin(), interface_.constants.end(),
                       [&](const profiles::ConstantInput& constant) { return constant.name == name; });
  }

  const OnnxPort* find_picture_port() {
    const std::string& name = interface_.input.name;
    if (!name.empty()) {
      const OnnxPort* port = find_port(graph_.inputs, name);
      if (port == nullptr)
        tell(pointer("input", "name"), "the graph has no input " + in_quotes(name),
             meant(name, graph_.inputs));
      return port;
    }
    const OnnxPort* only = nullptr;
    for (const OnnxPort& port : graph_.inputs) {
      if (is_constant(port.name)) continue;
      if (only != nullptr) {
        tell(pointer("input", "name"), "the graph has several inputs and none is named",
             "name the one that takes the picture; " + meant("", graph_.inputs));
        return nullptr;
      }
      only = &port;
    }
    if (only == nullptr) tell(pointer("input", ""), "every input of the graph is a constant", "");
    return only;
  }

  void check_picture(const OnnxPort& port) {
    check_type(port);
    if (!port.shape) return;
    const OnnxShape& shape = *port.shape;
    if (shape.size() != 4) {
      tell(pointer("input", "name"),
           "the graph's input " + port_text(port) + " has " + std::to_string(shape.size()) +
               " dimensions; a picture has 4",
           "name the input that takes the picture, or export the network with one");
      return;
    }
    if (number_of(shape[0]).value_or(1) != 1) {
      tell(pointer("input", ""), "the batch of " + shape_text(port) + " is fixed",
           "export with an open batch or a batch of 1");
    }
    if (check_channels(port)) check_size(port);
    check_stride();
  }

  void check_type(const OnnxPort& port) {
    const auto type = element_type(port);
    const auto& said = interface_.input.type;
    if (type != ElementType::fp32 && type != ElementType::fp16 && type != ElementType::uint8) {
      tell(pointer("input", "name"), "the graph's input " + port_text(port) + " takes no pixels",
           "pixels are float, float16 or uint8: name another input, or export the network with one");
    } else if (said && said != type) {
      tell(pointer("input", "type"),
           std::string("the graph takes ") + to_string(*type) + "; the set says " + to_string(*said),
           std::string("write \"") + to_string(*type) + "\", or leave the key out");
    } else if (type == ElementType::uint8 && !said && interface_.input.scale != 1.0) {
      tell(pointer("input", "scale"),
           "the graph takes uint8, pixels as they are; scale is " + text::to_text(interface_.input.scale),
           "write \"type\": \"uint8\", and leave scale, mean and std out");
    }
  }

  [[nodiscard]] int channels() const {
    return interface_ == profiles::plain_interface(set_.input)
               ? set_.input.channels
               : profiles::channels_of(interface_.input.color);
  }

  [[nodiscard]] bool channels_are_last(const OnnxShape& shape) const {
    if (interface_.input.layout) return interface_.input.layout == TensorLayout::nhwc;
    return !says(shape[1], channels()) && says(shape[3], channels());
  }

  // False: the sizes cannot be told apart.
  bool check_channels(const OnnxPort& port) {
    const OnnxShape& shape = *port.shape;
    const bool last = channels_are_last(shape);
    const auto has = number_of(shape[last ? 3 : 1]);
    if (!has || *has == channels()) return true;
    if (says(shape[last ? 1 : 3], channels())) {
      tell(pointer("input", "layout"),
           "the graph takes " + shape_text(port) + ", channels " + (last ? "first" : "last") +
               "; the set says " + (last ? "nhwc" : "nchw"),
           std::string("write \"") + (last ? "nchw" : "nhwc") + "\", or leave the key out");
      return false;
    }
    tell(pointer("input", "color"),
         "the graph takes " + shape_text(port) + ": " + std::to_string(*has) + " channels; " +
             to_string(interface_.input.color) + " has " + std::to_string(channels()),
         *has == 1   ? "write \"gray\""
         : *has == 3 ? "write \"rgb\" or \"bgr\""
                     : "export the network with 3 channels or 1");
    return true;
  }

  void check_size(const OnnxPort& port) {
    const OnnxShape& shape = *port.shape;
    const bool last = channels_are_last(shape);
    const profiles::PictureInput& input = interface_.input;
    for (const auto& [key, said, at] : {std::tuple{"height", input.height, last ? 1U : 2U},
                                        std::tuple{"width", input.width, last ? 2U : 3U}}) {
      const auto has = number_of(shape[at]);
      if (!has || *has == said) continue;
      tell(pointer("input", key),
           "the graph takes " + shape_text(port) + ": " + key + " " + std::to_string(*has) +
               "; the set says " + std::to_string(said),
           "write " + std::to_string(*has) + ", or export the network with an open " + key);
    }
  }

  // Of an exporter that says it.
  void check_stride() {
    Draft ignored;
    const auto stride = ultralytics_facts(graph_, ignored).stride;
    if (!stride) return;
    const profiles::PictureInput& input = interface_.input;
    for (const auto& [key, said] : {std::pair{"height", input.height}, {"width", input.width}}) {
      if (said % *stride == 0) continue;
      tell(pointer("input", key),
           std::string(key) + " is " + std::to_string(said) + "; the network's stride is " +
               std::to_string(*stride),
           "write a multiple of it, for example " + std::to_string((said / *stride + 1) * *stride));
    }
  }

  void check_constants(const OnnxPort* picture) {
    for (std::size_t i = 0; i < interface_.constants.size(); ++i) {
      const profiles::ConstantInput& constant = interface_.constants[i];
      const std::string place = kInterface + "/constants/" + std::to_string(i);
      const OnnxPort* port = find_port(graph_.inputs, constant.name);
      if (port == nullptr) {
        tell(place + "/name", "the graph has no input " + in_quotes(constant.name),
             meant(constant.name, graph_.inputs));
        continue;
      }
      if (element_type(*port) != constant.type) {
        tell(place + "/type",
             "the graph takes " + port_text(*port) + "; the set says " + to_string(constant.type),
             "write the graph's type");
      }
      check_value_count(*port, constant.value.size(), place + "/value");
    }
    if (picture == nullptr) return;  // the missing one would be told twice
    for (const OnnxPort& port : graph_.inputs) {
      if (&port == picture || is_constant(port.name)) continue;
      tell(kInterface + "/constants", "the graph also takes " + port_text(port) + ", which nothing gives",
           "add {\"name\": \"" + port.name + "\", \"type\": ..., \"value\": [numbers, or input_width, ...]}");
    }
  }

  void check_value_count(const OnnxPort& port, std::size_t given, const std::string& place) {
    if (!port.shape) return;
    std::size_t known = 1;
    bool open = false;
    for (const OnnxDimension& dimension : *port.shape) {
      const auto size = number_of(dimension);
      open = open || !size;
      if (size) known *= std::min<std::size_t>(static_cast<std::size_t>(*size), kManyValues / known + 1);
    }
    if (open ? given % known == 0 : given == known) return;
    tell(place,
         "the graph takes " + port_text(port) + ": " + std::to_string(known) + " values; the set gives " +
             std::to_string(given),
         "");
  }

  // Names of the outputs that the decoder reads, with their keys.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> used_outputs() const {
    std::vector<std::pair<std::string, std::string>> used;
    if (const auto* ssd = std::get_if<profiles::SsdDecoder>(&interface_.decoder)) {
      used = {{"outputs/boxes", ssd->boxes},
              {"outputs/scores", ssd->scores},
              {"outputs/classes", ssd->classes},
              {"outputs/count", ssd->count}};
    } else if (const auto* detr = std::get_if<profiles::DetrDecoder>(&interface_.decoder)) {
      used = {{"outputs/boxes", detr->boxes},
              {"outputs/logits", detr->logits},
              {"outputs/labels", detr->labels},
              {"outputs/scores", detr->scores}};
    } else if (const auto* tensor = std::get_if<profiles::TensorDecoder>(&interface_.decoder)) {
      for (std::size_t i = 0; i < tensor->outputs.size(); ++i)
        used.emplace_back("outputs/" + std::to_string(i), tensor->outputs[i]);
      for (const OnnxPort& port : graph_.outputs) {
        if (tensor->outputs.empty()) used.emplace_back("outputs", port.name);
      }
    } else if (const auto* yolo = std::get_if<profiles::YoloDecoder>(&interface_.decoder)) {
      used = {{"outputs", yolo->output}};
    } else {
      used = {{"outputs", std::get<profiles::ClassifyDecoder>(interface_.decoder).output}};
    }
    if (used.size() == 1 && used[0].second.empty() && graph_.outputs.size() == 1)
      used[0].second = graph_.outputs[0].name;
    return used;
  }

  void check_output_types() {
    for (const auto& [key, name] : used_outputs()) {
      const OnnxPort* port = find_port(graph_.outputs, name);
      if (port == nullptr || element_type(*port)) continue;
      tell(pointer("decoder", key), "the graph's output " + port_text(*port) + " holds nothing that is read",
           "export it as float, float16, uint8, int32 or int64");
    }
  }

  void check_decoder() {
    std::vector<OutputPort> ports;
    for (const OnnxPort& port : graph_.outputs) {
      OutputPort known{port.name, std::nullopt, element_type(port)};
      if (port.shape) {
        known.shape.emplace();
        for (const OnnxDimension& dimension : *port.shape)
          known.shape->push_back(number_of(dimension).value_or(-1));
      }
      ports.push_back(std::move(known));
    }
    const auto decoder = Decoder::make(interface_, set_.labels.size(),
                                       {interface_.input.width, interface_.input.height}, ports);
    if (decoder) return;
    for (Error error : decoder.errors()) {
      error.where = decoder_pointer(error);
      if (error.where == "/labels" && set_.labels.empty())
        error.what += "; the graph gives " + graph_ports_text(graph_.outputs);
      errors_.push_back(std::move(error));
    }
  }

  // The decoder's complaints name fields; a set has the names of outputs in `outputs`.
  [[nodiscard]] std::string decoder_pointer(const Error& error) const {
    const std::string prefix = kInterface + "/decoder";
    if (!error.where.starts_with(prefix)) return error.where;
    const bool unlabelled = set_.labels.empty() && interface_.task != profiles::NetworkTask::tensor;
    if (unlabelled || error.what.find("labels has ") != std::string::npos) return "/labels";
    std::string key = error.where.substr(std::min(prefix.size() + 1, error.where.size()));
    static const std::vector<std::string> roles = {"boxes", "scores", "classes", "count", "logits", "labels"};
    if (key == "output") key = "outputs";
    if (std::find(roles.begin(), roles.end(), key) != roles.end()) key = "outputs/" + key;
    return pointer("decoder", key);
  }

  static constexpr std::size_t kManyValues = 1'000'000;
  inline static const std::string kInterface = "/interface";

  const profiles::ProfileSet& set_;
  const OnnxFile& graph_;
  ModelInterface interface_;
  profiles::InterfaceOverrides overrides_;
  std::string place_;
  Errors errors_;
};

}  // namespace

Errors check_graphs(const profiles::ProfileSet& set, std::span<const VariantGraph> graphs) {
  if (set.input.size() == 0) return {};
  Gathered gathered(graphs.size());
  for (const VariantGraph& graph : graphs) {
    for (const Error& error : GraphCheck(set, graph.variant, graph.graph).all())
      gathered.add(error, set.variants[graph.variant].model);
  }
  return gathered.take();
}

}  // namespace saccade::vision
