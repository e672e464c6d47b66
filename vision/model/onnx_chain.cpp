#include "vision/model/onnx_chain.hpp"

#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "text/strict_json.hpp"
#include "vision/model/onnx_nodes.hpp"

namespace saccade::vision {
namespace {

std::uint64_t bytes_of_element(std::int32_t type) {
  switch (type) {
    case onnx::TensorProto::INT8:
    case onnx::TensorProto::UINT8:
    case onnx::TensorProto::BOOL:
      return 1;
    case onnx::TensorProto::FLOAT16:
    case onnx::TensorProto::BFLOAT16:
    case onnx::TensorProto::INT16:
    case onnx::TensorProto::UINT16:
      return 2;
    case onnx::TensorProto::DOUBLE:
    case onnx::TensorProto::INT64:
    case onnx::TensorProto::UINT64:
      return 8;
    default:
      return 4;
  }
}

// What engines can hand from one stage of a network to the next.
std::optional<profiles::ElementType> handed_on(std::int32_t type) {
  switch (type) {
    case onnx::TensorProto::FLOAT:
      return profiles::ElementType::fp32;
    case onnx::TensorProto::FLOAT16:
      return profiles::ElementType::fp16;
    case onnx::TensorProto::UINT8:
      return profiles::ElementType::uint8;
    case onnx::TensorProto::INT32:
      return profiles::ElementType::int32;
    case onnx::TensorProto::INT64:
      return profiles::ElementType::int64;
    default:
      return std::nullopt;
  }
}

bool is_activation(std::string_view op) {
  static const std::set<std::string_view> ops = {"Relu",    "LeakyRelu",   "PRelu",     "Clip",
                                                 "Sigmoid", "HardSigmoid", "HardSwish", "Tanh",
                                                 "Elu",     "Erf",         "Softplus",  "BatchNormalization"};
  return ops.contains(op);
}

bool ends_block(std::string_view op) {
  static const std::set<std::string_view> ops = {
      "Add", "Concat", "MaxPool", "AveragePool", "GlobalAveragePool", "Flatten", "Resize"};
  return ops.contains(op);
}

std::uint64_t number_of_elements(const std::vector<std::int64_t>& shape) {
  std::uint64_t numbers = 1;
  for (const std::int64_t side : shape) numbers *= static_cast<std::uint64_t>(side);
  return numbers;
}

std::int64_t integer_attribute(const onnx::NodeProto& node, std::string_view name, std::int64_t otherwise) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) return attribute.i();
  }
  return otherwise;
}

// Where tensors begin and end to be needed, along the nodes in the file's order, which ONNX promises to
// respect dependencies.
class ChainMaker {
 public:
  ChainMaker(onnx::ModelProto model, std::string name, const ChainOptions& options)
      : model_(std::move(model)), name_(std::move(name)), options_(options) {}

  Result<OnnxChain> make() {
    for (const auto& tensor : graph().initializer()) {
      weights_[tensor.name()] = {{tensor.dims().begin(), tensor.dims().end()}, tensor.data_type()};
    }
    close_sides();
    if (!errors_.empty()) return errors_;
    if (auto failed = infer_shapes()) return *failed;
    collect_shapes();
    find_uses();
    cut();
    return std::move(chain_);
  }

 private:
  struct Tensor {
    std::vector<std::int64_t> shape;
    std::int32_t type = 0;
    [[nodiscard]] std::uint64_t bytes() const { return number_of_elements(shape) * bytes_of_element(type); }
  };

  [[nodiscard]] const onnx::GraphProto& graph() const { return model_.graph(); }

  // The batch is one picture, and the picture has the sides that were asked for.
  void close_sides() {
    bool first = true;
    for (auto& input : *model_.mutable_graph()->mutable_input()) {
      if (weights_.contains(input.name())) continue;
      const auto& picture = options_.picture;
      const bool shown = picture && (picture->name.empty() ? first : picture->name == input.name());
      first = false;
      auto* shape = input.mutable_type()->mutable_tensor_type()->mutable_shape();
      const onnx::TensorShapeProto written = *shape;
      for (int k = 0; k < shape->dim_size(); ++k) {
        if (is_known(written.dim(k))) continue;
        const std::optional<int> side = k == 0 ? 1 : shown ? side_of_picture(written, k) : std::nullopt;
        chain_.sized = chain_.sized || (k > 0 && side);
        if (side) {
          shape->mutable_dim(k)->set_dim_value(*side);
          continue;
        }
        errors_.push_back(
            {name_,
             "side " + std::to_string(k) + " of the input " + text::in_quotes(input.name()) +
                 " is open, so what crosses a boundary has no size",
             "say the picture's size (`saccade layers --size`; a profile set says it), or export "
             "the network for one size"});
      }
    }
  }

  static bool is_known(const onnx::TensorShapeProto::Dimension& side) {
    return side.has_dim_value() && side.dim_value() > 0;
  }

  // Side `k` of a picture's input, as the file has it; absent: it is not its height or width.
  [[nodiscard]] std::optional<int> side_of_picture(const onnx::TensorShapeProto& shape, int k) const {
    constexpr int kSides = 4;
    if (shape.dim_size() != kSides) return std::nullopt;
    const profiles::PictureInput& picture = *options_.picture;
    const auto channels = [&](int side) {
      const std::int64_t number = shape.dim(side).dim_value();
      return number == 1 || number == 3;
    };
    const bool last = picture.layout ? *picture.layout == profiles::TensorLayout::nhwc
                                     : !channels(1) && channels(kSides - 1);
    if (k == (last ? 1 : 2)) return picture.height;
    if (k == (last ? 2 : 3)) return picture.width;
    return std::nullopt;
  }

  std::optional<Errors> infer_shapes() {
    try {
      onnx::shape_inference::InferShapes(model_, onnx::OpSchemaRegistry::Instance(),
                                         onnx::ShapeInferenceOptions(false, 0, true));
    } catch (const std::exception& failure) {
      const std::string what = failure.what();
      return Errors{{name_,
                     "the shapes inside the network cannot be inferred: " + what.substr(0, what.find('\n')),
                     "export the network again, with a current version of its framework"}};
    }
    return std::nullopt;
  }

  void remember(const onnx::ValueInfoProto& value) {
    const auto& type = value.type().tensor_type();
    if (!value.type().has_tensor_type() || !type.has_shape()) return;
    Tensor tensor{{}, type.elem_type()};
    for (const auto& side : type.shape().dim()) {
      constexpr std::int64_t kMost = std::int64_t{1} << 31U;
      if (!side.has_dim_value() || side.dim_value() < 0 || side.dim_value() > kMost) return;
      tensor.shape.push_back(side.dim_value());
    }
    shapes_[value.name()] = std::move(tensor);
  }

  void collect_shapes() {
    for (const auto& value : graph().input()) remember(value);
    for (const auto& value : graph().value_info()) remember(value);
    for (const auto& value : graph().output()) remember(value);
  }

  // Of each tensor that a node or the caller makes: the last node that needs it; outputs are needed after
  // all.
  void find_uses() {
    for (const auto& input : graph().input()) {
      if (!weights_.contains(input.name())) inputs_.emplace(input.name());
    }
    live_ = inputs_;
    for (int k = 0; k < graph().node_size(); ++k) {
      for_each_needed(graph().node(k), [&](const std::string& input) { last_use_[input] = k; });
    }
    for (const auto& output : graph().output()) last_use_[output.name()] = graph().node_size();
  }

  // Made of weights alone: every engine computes it while loading.
  [[nodiscard]] bool is_constant(const onnx::NodeProto& node) const {
    bool constant = true;
    for_each_needed(node, [&](const std::string& input) {
      constant = constant && (weights_.contains(input) || constants_.contains(input));
    });
    return constant;
  }

  // Whether the engine would fuse this node with the next.
  [[nodiscard]] bool belongs_to_next(int node) const {
    if (node + 1 >= graph().node_size()) return false;
    const onnx::NodeProto& next = graph().node(node + 1);
    return is_activation(next.op_type()) && next.input_size() > 0 && live_.contains(next.input(0));
  }

  [[nodiscard]] bool block_ends_at(int node) const {
    int last = node;
    while (last > 0 && is_activation(graph().node(last).op_type())) --last;
    return ends_block(graph().node(last).op_type());
  }

  void cut() {
    chain_.groups.push_back({{}, tensors_of(live_), 0, 0, 0, 0.0});
    for (int k = 0; k < graph().node_size(); ++k) {
      add(graph().node(k), chain_.groups.back());
      for (const auto& output : graph().node(k).output()) {
        if (is_constant(graph().node(k))) {
          constants_.insert(output);
        } else if (last_use_.contains(output)) {
          live_.insert(output);
        }
      }
      std::erase_if(live_, [&](const std::string& tensor) { return needed_until(tensor) <= k; });
      if (k + 1 == graph().node_size() || live_.empty() || live_.size() > options_.max_live_tensors) continue;
      if (belongs_to_next(k) || (options_.groups == ChainGroups::coarse && !block_ends_at(k))) continue;
      if (const auto why = obstacle()) {
        chain_.unknown.push_back("after " + graph().node(k).op_type() + ": " + *why);
        continue;
      }
      chain_.groups.push_back({{}, tensors_of(live_), 0, 0, 0, 0.0});
    }
    std::set<std::string> outputs;
    for (const auto& output : graph().output()) outputs.insert(output.name());
    chain_.outputs = tensors_of(outputs);
  }

  // Why the tensors that are live cannot cross from one processor to another.
  [[nodiscard]] std::optional<std::string> obstacle() const {
    for (const std::string& tensor : live_) {
      const std::string name = text::in_quotes(tensor);
      const auto shape = shapes_.find(tensor);
      if (shape == shapes_.end()) return "the shape of " + name + " is not known";
      if (!handed_on(shape->second.type)) return name + " holds numbers of a type that no engine hands on";
      if (inputs_.contains(tensor)) return "the network's own input " + name + " is still needed";
    }
    return std::nullopt;
  }

  [[nodiscard]] int needed_until(const std::string& tensor) const {
    const auto use = last_use_.find(tensor);
    return use == last_use_.end() ? -1 : use->second;
  }

  [[nodiscard]] std::vector<LiveTensor> tensors_of(const std::set<std::string>& names) const {
    std::vector<LiveTensor> tensors;
    for (const std::string& name : names) {
      const auto found = shapes_.find(name);
      if (found == shapes_.end()) continue;
      tensors.push_back({name, found->second.shape, found->second.bytes(), handed_on(found->second.type)});
    }
    return tensors;
  }

  void add(const onnx::NodeProto& node, ChainGroup& group) {
    group.operators.push_back(node.op_type());
    std::uint64_t working = 0;
    for (const std::string& tensor : live_) working += bytes_of(tensor);
    for (const auto& output : node.output()) working += bytes_of(output);
    group.working_bytes = std::max(group.working_bytes, working);
    for (const auto& input : node.input()) {
      const auto weight = weights_.find(input);
      if (weight != weights_.end() && counted_.insert(input).second)
        group.weight_bytes += weight->second.bytes();
    }
    count_work(node, group);
  }

  [[nodiscard]] std::uint64_t bytes_of(const std::string& tensor) const {
    const auto found = shapes_.find(tensor);
    return found == shapes_.end() ? 0 : found->second.bytes();
  }

  [[nodiscard]] const Tensor* find(const onnx::NodeProto& node, int input) const {
    if (input >= node.input_size()) return nullptr;
    const auto shape = shapes_.find(node.input(input));
    if (shape != shapes_.end()) return &shape->second;
    const auto weight = weights_.find(node.input(input));
    return weight == weights_.end() ? nullptr : &weight->second;
  }

  // Multiply-adds, and the paper's weights: of a convolution input area * kernel area * channels in *
  // filters.
  void count_work(const onnx::NodeProto& node, ChainGroup& group) const {
    const Tensor *input = find(node, 0), *weight = find(node, 1);
    const auto output = node.output_size() > 0 ? shapes_.find(node.output(0)) : shapes_.end();
    if (input == nullptr || output == shapes_.end()) return;
    const std::string& op = node.op_type();
    if (op == "Conv" && weight != nullptr && weight->shape.size() == 4 && input->shape.size() == 4) {
      const std::uint64_t per_output =
          number_of_elements(weight->shape) /
          static_cast<std::uint64_t>(std::max<std::int64_t>(weight->shape[0], 1));
      group.multiply_adds += number_of_elements(output->second.shape) * per_output;
      const auto in = input->shape;
      group.work += static_cast<double>(in[2] * in[3] * weight->shape[2] * weight->shape[3]) *
                    static_cast<double>(weight->shape[1] * weight->shape[0]);
    } else if (op == "Gemm" || op == "MatMul") {
      const std::int64_t inner = op == "Gemm" && integer_attribute(node, "transA", 0) != 0
                                     ? input->shape.front()
                                     : (input->shape.empty() ? 0 : input->shape.back());
      const std::uint64_t products =
          number_of_elements(output->second.shape) * static_cast<std::uint64_t>(inner);
      group.multiply_adds += products;
      group.work += static_cast<double>(products);
    } else if (op.ends_with("Pool")) {
      group.work += static_cast<double>(number_of_elements(input->shape));
    }
  }

  onnx::ModelProto model_;
  std::string name_;
  ChainOptions options_;
  Errors errors_;
  std::map<std::string, Tensor> weights_, shapes_;
  std::unordered_map<std::string, int> last_use_;
  std::set<std::string> inputs_, live_, counted_, constants_;
  OnnxChain chain_;
};

}  // namespace

std::uint64_t OnnxChain::bytes_before(std::size_t group) const {
  std::uint64_t sum = 0;
  for (const LiveTensor& tensor : groups[group].inputs) sum += tensor.bytes;
  return sum;
}

Result<OnnxChain> read_onnx_chain(const std::filesystem::path& path, const ChainOptions& options) {
  const Result<OnnxFile> file = read_onnx_file(path);  // and all that it complains of
  if (!file) return file.errors();
  std::ifstream in(path, std::ios::binary);
  const auto structure = read_onnx_structure(in, file.value().file_bytes, path.string());
  if (!structure) return structure.errors();
  const google::protobuf::LogSilencer silence;
  onnx::ModelProto model;
  const std::string& bytes = structure.value().bytes;
  if (!model.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Error{path.string(), "this is not an ONNX file: its fields have the wrong types",
                 "export the network as ONNX"};
  }
  return ChainMaker(std::move(model), path.string(), options).make();
}

std::string operators_text(const ChainGroup& group) {
  std::vector<std::pair<std::string, int>> counts;
  for (const std::string& op : group.operators) {
    const auto known =
        std::find_if(counts.begin(), counts.end(), [&](const auto& count) { return count.first == op; });
    if (known == counts.end()) {
      counts.emplace_back(op, 1);
    } else {
      ++known->second;
    }
  }
  std::string text;
  for (const auto& [op, count] : counts) {
    if (!text.empty()) text += ", ";
    text += count == 1 ? op : std::to_string(count) + " " + op;
  }
  return text;
}

}  // namespace saccade::vision
