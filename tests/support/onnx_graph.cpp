#include "tests/support/onnx_graph.hpp"

namespace saccade::test {
namespace {

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7U) bytes += static_cast<char>((value & 127U) | 128U);
  return bytes + static_cast<char>(value);
}
std::string number(int field, std::int64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3U) + varint(static_cast<std::uint64_t>(value));
}
std::string text(int field, const std::string& value) {
  return varint(static_cast<std::uint64_t>(field) << 3U | 2U) + varint(value.size()) + value;
}

std::string port(const OnnxPort& port) {
  std::string shape;
  for (std::size_t i = 0; i < port.shape.size(); ++i) {
    const std::string open = text(2, port.name + std::to_string(i));
    shape += text(1, port.shape[i] < 0 ? open : number(1, port.shape[i]));
  }
  const std::string tensor = number(1, static_cast<std::int64_t>(port.type)) + text(2, shape);
  return text(1, port.name) + text(2, text(1, tensor));
}

std::string node(const OnnxNode& node) {
  std::string bytes;
  for (const std::string& name : node.inputs) bytes += text(1, name);
  for (const std::string& name : node.outputs) bytes += text(2, name);
  bytes += text(4, node.op);
  constexpr int kInt = 2;  // AttributeProto.AttributeType
  for (const auto& [name, value] : node.attributes)
    bytes += text(5, text(1, name) + number(3, value) + number(20, kInt));
  return bytes;
}

std::string tensor(const OnnxConstant& constant) {
  std::string bytes;
  for (const std::int64_t side : constant.port.shape) bytes += number(1, side);
  return bytes + number(2, static_cast<std::int64_t>(constant.port.type)) + text(8, constant.port.name) +
         text(9, constant.bytes);
}

}  // namespace

std::string onnx_model(const std::vector<OnnxPort>& inputs, const std::vector<OnnxPort>& outputs,
                       const std::vector<OnnxNode>& nodes, const std::vector<OnnxConstant>& constants) {
  std::string graph;
  for (const OnnxNode& each : nodes) graph += text(1, node(each));
  graph += text(2, "made by a test");
  for (const OnnxConstant& each : constants) graph += text(5, tensor(each));
  for (const OnnxPort& each : inputs) graph += text(11, port(each));
  for (const OnnxPort& each : outputs) graph += text(12, port(each));
  return number(1, 8) + text(7, graph) + text(8, text(1, "") + number(2, 13));
}

}  // namespace saccade::test
