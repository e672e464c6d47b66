#include "vision/model/onnx_cut.hpp"

#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/check.hpp"
#include "text/strict_json.hpp"
#include "vision/model/onnx_nodes.hpp"

namespace saccade::vision {
namespace {

onnx::TensorProto::DataType data_type_of(profiles::ElementType type) {
  switch (type) {
    case profiles::ElementType::fp32:
      return onnx::TensorProto::FLOAT;
    case profiles::ElementType::fp16:
      return onnx::TensorProto::FLOAT16;
    case profiles::ElementType::uint8:
      return onnx::TensorProto::UINT8;
    case profiles::ElementType::int8:
      return onnx::TensorProto::INT8;
    case profiles::ElementType::int32:
      return onnx::TensorProto::INT32;
    case profiles::ElementType::int64:
      break;
  }
  return onnx::TensorProto::INT64;
}

// As the graph declares it where it does, with the shape that was inferred.
void declare(const LiveTensor& tensor, const onnx::ValueInfoProto* declared, onnx::ValueInfoProto& port) {
  if (declared != nullptr) port = *declared;
  port.set_name(tensor.name);
  auto* type = port.mutable_type()->mutable_tensor_type();
  if (tensor.type) type->set_elem_type(data_type_of(*tensor.type));
  type->clear_shape();
  auto* shape = type->mutable_shape();
  for (const std::int64_t side : tensor.shape) shape->add_dim()->set_dim_value(side);
}

Result<std::string> read_whole(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in && !in.eof()) return Error{path.string(), "cannot be read", ""};
  return bytes;
}

}  // namespace

struct OnnxCutter::Whole {
  onnx::ModelProto model;
  OnnxChain chain;
  std::vector<int> starts;                      // the first node of each group, and the number of nodes
  std::unordered_map<std::string, int> makers;  // the node that makes a tensor
  std::unordered_map<std::string, const onnx::TensorProto*> weights;
  std::unordered_set<std::string> constants;  // tensors that are made of weights alone

  void index() {
    starts.push_back(0);
    for (const ChainGroup& group : chain.groups)
      starts.push_back(starts.back() + static_cast<int>(group.operators.size()));
    SACCADE_CHECK(starts.back() == model.graph().node_size());
    for (const auto& weight : model.graph().initializer()) weights[weight.name()] = &weight;
    for (int k = 0; k < model.graph().node_size(); ++k) {
      const onnx::NodeProto& node = model.graph().node(k);
      bool constant = true;
      for_each_needed(node, [&](const std::string& name) {
        constant = constant && (weights.contains(name) || constants.contains(name));
      });
      for (const std::string& output : node.output()) {
        if (output.empty()) continue;
        makers[output] = k;
        if (constant) constants.insert(output);
      }
    }
  }

  // The nodes of [first, last), and those before that make constants for them; ascending.
  [[nodiscard]] std::set<int> nodes_of(int first, int last) const {
    std::set<int> nodes;
    std::vector<int> wanted;
    for (int k = first; k < last; ++k) wanted.push_back(k);
    while (!wanted.empty()) {
      const int k = wanted.back();
      wanted.pop_back();
      if (!nodes.insert(k).second) continue;
      for_each_needed(model.graph().node(k), [&](const std::string& name) {
        const auto maker = makers.find(name);
        if (maker != makers.end() && constants.contains(name)) wanted.push_back(maker->second);
      });
    }
    return nodes;
  }

  [[nodiscard]] const onnx::ValueInfoProto* declared(const std::string& name) const {
    for (const auto* ports : {&model.graph().input(), &model.graph().output()}) {
      for (const auto& port : *ports) {
        if (port.name() == name) return &port;
      }
    }
    return nullptr;
  }

  // Everything but the graph's nodes, weights and ports.
  [[nodiscard]] onnx::ModelProto frame(std::size_t first, std::size_t last) const {
    onnx::ModelProto part;
    part.set_ir_version(model.ir_version());
    part.set_producer_name("saccade");
    *part.mutable_opset_import() = model.opset_import();
    *part.mutable_functions() = model.functions();
    part.mutable_graph()->set_name(model.graph().name() + " " + std::to_string(first) + "-" +
                                   std::to_string(last - 1));
    return part;
  }
};

Result<OnnxCutter> OnnxCutter::open(const std::filesystem::path& path, const ChainOptions& options) {
  auto chain = read_onnx_chain(path, options);  // and all that it complains of
  if (!chain) return chain.errors();
  const auto bytes = read_whole(path);
  if (!bytes) return bytes.errors();
  const google::protobuf::LogSilencer silence;
  auto whole = std::make_shared<Whole>();
  if (!whole->model.ParsePartialFromArray(bytes.value().data(), static_cast<int>(bytes.value().size())))
    return Error{path.string(), "this is not an ONNX file", "export the network as ONNX"};
  Errors errors;
  for (const auto& weight : whole->model.graph().initializer()) {
    if (weight.data_location() != onnx::TensorProto::EXTERNAL) continue;
    errors.push_back({path.string(),
                      "the weight " + text::in_quotes(weight.name()) +
                          " lies in another file, so a part of "
                          "the network would not find it",
                      "save the network as one file"});
  }
  if (!errors.empty()) return errors;
  whole->chain = std::move(chain).value();
  whole->index();
  return OnnxCutter(std::move(whole));
}

const OnnxChain& OnnxCutter::chain() const { return whole_->chain; }

CutModel OnnxCutter::cut(std::size_t first, std::size_t last) const {
  const Whole& whole = *whole_;
  SACCADE_CHECK(first < last && last <= whole.chain.groups.size());
  const std::set<int> nodes = whole.nodes_of(whole.starts[first], whole.starts[last]);
  onnx::ModelProto part = whole.frame(first, last);
  onnx::GraphProto& graph = *part.mutable_graph();
  std::set<std::string> needed, made;
  for (const int k : nodes) {
    const onnx::NodeProto& node = whole.model.graph().node(k);
    *graph.add_node() = node;
    for_each_needed(node, [&](const std::string& name) { needed.insert(name); });
    made.insert(node.output().begin(), node.output().end());
  }
  const bool ends = last == whole.chain.groups.size();
  const std::vector<LiveTensor>& leaving = ends ? whole.chain.outputs : whole.chain.groups[last].inputs;
  for (const std::string& name : needed) {
    const auto weight = whole.weights.find(name);
    if (weight != whole.weights.end()) *graph.add_initializer() = *weight->second;
  }
  CutModel model;
  for (const LiveTensor& tensor : whole.chain.groups[first].inputs) {
    if (!needed.contains(tensor.name) || made.contains(tensor.name)) continue;
    declare(tensor, whole.declared(tensor.name), *graph.add_input());
    model.inputs.push_back(tensor);
  }
  for (const LiveTensor& tensor : leaving) {
    if (!made.contains(tensor.name)) continue;
    declare(tensor, whole.declared(tensor.name), *graph.add_output());
    model.outputs.push_back(tensor);
  }
  if (ends) {  // outputs whose shapes are not known
    for (const auto& output : whole.model.graph().output()) {
      const bool known = std::any_of(leaving.begin(), leaving.end(),
                                     [&](const LiveTensor& tensor) { return tensor.name == output.name(); });
      if (known || !made.contains(output.name())) continue;
      *graph.add_output() = output;
      model.outputs.push_back({output.name(), {}, 0, {}});
    }
  }
  part.SerializePartialToString(&model.bytes);
  return model;
}

}  // namespace saccade::vision
