#include "vision/model/onnx_file.hpp"

#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "text/strict_json.hpp"
#include "text/utf8.hpp"

namespace saccade::vision {
namespace {

constexpr std::size_t kMostPorts = 256;
constexpr std::size_t kLongestName = 512;
constexpr int kMostDimensions = 16;

// Names that may stand in a file of ours and in a line of output.
bool is_usable_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && text::is_plain_line(name);
}

// ONNX's own words, TensorProto.DataType.
const char* type_name(std::int32_t type) {
  static constexpr const char* kNames[] = {
      "undefined", "float",   "uint8",  "int8",   "uint16", "int16",     "int32",      "int64",   "string",
      "bool",      "float16", "double", "uint32", "uint64", "complex64", "complex128", "bfloat16"};
  constexpr auto kCount = static_cast<std::int32_t>(std::size(kNames));
  return type >= 0 && type < kCount ? kNames[type] : "unknown";
}

// What a class of the library becomes; complaints are collected.
class ModelSummary {
 public:
  explicit ModelSummary(const std::string& name) : name_(name) {}

  OnnxFile summarise(const onnx::ModelProto& model) {
    OnnxFile file;
    file.ir_version = model.ir_version();
    file.producer = model.producer_name();
    if (!model.producer_version().empty()) file.producer += " " + model.producer_version();
    for (const auto& opset : model.opset_import()) file.opsets.emplace_back(opset.domain(), opset.version());
    for (const auto& entry : model.metadata_props()) file.metadata.emplace_back(entry.key(), entry.value());
    const onnx::GraphProto& graph = model.graph();
    count_nodes(graph, file);
    std::set<std::string_view> weights;
    for (const auto& tensor : graph.initializer()) weights.insert(tensor.name());
    for (const auto& tensor : graph.sparse_initializer()) weights.insert(tensor.values().name());
    for (const auto& input : graph.input()) {
      if (!weights.contains(input.name())) file.inputs.push_back(port(input, "input", file.inputs.size()));
    }
    for (const auto& output : graph.output()) {
      file.outputs.push_back(port(output, "output", file.outputs.size()));
    }
    find_makers(graph, file.outputs);
    check_ports(file);
    return file;
  }

  [[nodiscard]] const Errors& errors() const { return errors_; }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): the structure's reader has limited the depth
  void count_nodes(const onnx::GraphProto& graph, OnnxFile& file) {
    for (const auto& tensor : graph.initializer()) add_tensor(tensor, file);
    for (const auto& tensor : graph.sparse_initializer()) add_tensor(tensor.values(), file);
    for (const auto& node : graph.node()) {
      const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
      ++file.operators[standard ? node.op_type() : node.domain() + "." + node.op_type()];
      ++file.nodes;
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_t()) add_tensor(attribute.t(), file);
        for (const auto& tensor : attribute.tensors()) add_tensor(tensor, file);
        if (attribute.has_g()) count_nodes(attribute.g(), file);
        for (const auto& inner : attribute.graphs()) count_nodes(inner, file);
      }
    }
  }

  // What the dimensions claim is not trusted for more than a comparison.
  void add_tensor(const onnx::TensorProto& tensor, OnnxFile& file) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;
    std::uint64_t numbers = 1;
    for (const std::int64_t size : tensor.dims()) {
      const auto side = static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0));
      numbers = side == 0 ? 0 : std::min(numbers, kMost / side) * side;
    }
    std::uint64_t& sum = file.weights[type_name(tensor.data_type())];
    sum = std::min(sum + numbers, kMost);
    check_data(tensor);
  }

  void check_data(const onnx::TensorProto& tensor) {
    if (external_ || tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
    external_ = true;
    std::string where;
    for (const auto& entry : tensor.external_data()) {
      if (entry.key() == "location") where = entry.value();
    }
    errors_.push_back(
        {name_, "its weights lie in another file, " + text::in_quotes(where),
         "save the model as one file, as onnx.save_model(onnx.load(FILE), OUT) does below 2 GiB"});
  }

  OnnxPort port(const onnx::ValueInfoProto& value, const std::string& role, std::size_t index) {
    OnnxPort port;
    port.name = value.name();
    if (!is_usable_name(port.name)) {
      complain("the name of " + role + " " + std::to_string(index) + ", " + text::in_quotes(port.name) +
               ", is empty, too long or no text");
    }
    const onnx::TypeProto& type = value.type();
    if (type.value_case() != onnx::TypeProto::kTensorType) {
      port.type = type.has_sequence_type() ? "sequence" : type.has_map_type() ? "map" : "unknown";
      return port;
    }
    port.type = type_name(type.tensor_type().elem_type());
    if (!type.tensor_type().has_shape()) return port;
    const onnx::TensorShapeProto& shape = type.tensor_type().shape();
    if (shape.dim_size() > kMostDimensions) {
      complain("the " + role + " " + text::in_quotes(port.name) + " has " + std::to_string(shape.dim_size()) +
               " dimensions");
      return port;
    }
    port.shape.emplace();
    for (const auto& dimension : shape.dim()) port.shape->push_back(read_dimension(dimension, port.name));
    return port;
  }

  // Some writers mark an open dimension by 0 or -1.
  OnnxDimension read_dimension(const onnx::TensorShapeProto::Dimension& dimension, const std::string& port) {
    if (dimension.has_dim_value()) {
      if (dimension.dim_value() <= 0) return std::monostate{};
      constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
      if (dimension.dim_value() > kMost) {
        complain("a dimension of " + text::in_quotes(port) + " is " + std::to_string(dimension.dim_value()));
        return std::monostate{};
      }
      return dimension.dim_value();
    }
    if (dimension.has_dim_param() && is_usable_name(dimension.dim_param())) return dimension.dim_param();
    return std::monostate{};
  }

  // Nodes that only change the type or the shape are passed over.
  static void find_makers(const onnx::GraphProto& graph, std::vector<OnnxPort>& outputs) {
    static const std::set<std::string_view> passing = {"Cast",    "Identity",  "Reshape",  "Squeeze",
                                                       "Flatten", "Unsqueeze", "Transpose"};
    std::unordered_map<std::string_view, const onnx::NodeProto*> makers;
    for (const auto& node : graph.node()) {
      for (const auto& output : node.output()) makers.emplace(output, &node);
    }
    constexpr int kMostSteps = 8;  // and an end to graphs that are circles
    for (OnnxPort& port : outputs) {
      std::string_view value = port.name;
      for (int step = 0; step < kMostSteps; ++step) {
        const auto maker = makers.find(value);
        if (maker == makers.end()) break;
        const onnx::NodeProto& node = *maker->second;
        port.made_by = node.op_type();
        if (!passing.contains(node.op_type()) || node.input_size() == 0) break;
        value = node.input(0);
      }
    }
  }

  void check_ports(const OnnxFile& file) {
    if (file.outputs.empty()) complain("it has no outputs");
    if (file.inputs.empty()) complain("it has no inputs");
    for (const auto* ports : {&file.inputs, &file.outputs}) {
      std::set<std::string_view> names;
      for (const OnnxPort& port : *ports) {
        if (!names.insert(port.name).second)
          complain("the name " + text::in_quotes(port.name) + " is given twice");
      }
      if (ports->size() > kMostPorts)
        complain("it has " + std::to_string(ports->size()) + " inputs or outputs");
    }
  }

  void complain(std::string what) {
    constexpr std::size_t kMostComplaints = 20;
    if (errors_.size() < kMostComplaints)
      errors_.push_back({name_, std::move(what), "export the network again"});
  }

  const std::string& name_;
  Errors errors_;
  bool external_ = false;
};

}  // namespace

std::optional<profiles::ElementType> element_type(const OnnxPort& port) {
  using profiles::ElementType;
  static const std::map<std::string_view, ElementType> types = {
      {"float", ElementType::fp32}, {"float16", ElementType::fp16}, {"uint8", ElementType::uint8},
      {"int8", ElementType::int8},  {"int32", ElementType::int32},  {"int64", ElementType::int64}};
  const auto found = types.find(port.type);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

std::string shape_text(const OnnxPort& port) {
  if (!port.shape) return "[...]";
  std::string text;
  for (const OnnxDimension& dimension : *port.shape) {
    if (!text.empty()) text += ", ";
    if (const auto* number = std::get_if<std::int64_t>(&dimension)) {
      text += std::to_string(*number);
    } else if (const auto* symbol = std::get_if<std::string>(&dimension)) {
      text += *symbol;
    } else {
      text += "?";
    }
  }
  return "[" + text + "]";
}

const std::string* OnnxFile::find_metadata(const std::string& key) const {
  for (const auto& [name, value] : metadata) {
    if (name == key) return &value;
  }
  return nullptr;
}

Result<OnnxFile> parse_onnx(std::istream& in, std::uint64_t size, const std::string& name,
                            const OnnxLimits& limits) {
  const Result<OnnxStructure> structure = read_onnx_structure(in, size, name, limits);
  if (!structure) return structure.errors();
  const google::protobuf::LogSilencer silence;  // what is wrong is said by the caller
  onnx::ModelProto model;
  const std::string& bytes = structure.value().bytes;
  if (!model.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Error{name, "this is not an ONNX file: its fields have the wrong types",
                 "export the network as ONNX"};
  }
  if (!model.has_graph() || model.graph().node_size() == 0 || model.opset_import_size() == 0) {
    const std::string missing = !model.has_graph()               ? "graph"
                                : model.graph().node_size() == 0 ? "nodes in its graph"
                                                                 : "version of the operators";
    return Error{name, "this is no complete ONNX file: it has no " + missing,
                 "it is cut off or is something else: copy or export it again"};
  }
  ModelSummary summary(name);
  OnnxFile file = summary.summarise(model);
  if (!summary.errors().empty()) return summary.errors();
  file.weight_bytes = structure.value().payload_bytes;
  file.file_bytes = size;
  return file;
}

Result<OnnxFile> read_onnx_file(const std::filesystem::path& path, const OnnxLimits& limits) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) {
    const bool exists = std::filesystem::exists(path, failure);
    return Error{path.string(), exists ? "this is not a file" : "there is no such file", "check the path"};
  }
  const std::uint64_t size = std::filesystem::file_size(path, failure);
  std::ifstream in(path, std::ios::binary);
  if (failure || !in) {
    return Error{path.string(), std::string("the file cannot be read: ") + std::strerror(errno),
                 "check its permissions"};
  }
  return parse_onnx(in, size, path.string(), limits);
}

}  // namespace saccade::vision
