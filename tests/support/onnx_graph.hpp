// ONNX models of a few nodes, written byte by byte, for tests that need a graph of their own (fields as in
// onnx.proto3 of ONNX 1.12, operator set 13).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace saccade::test {

// As TensorProto.DataType has them.
enum class OnnxType { fp32 = 1, uint8 = 2, int32 = 6, int64 = 7, fp16 = 10 };

struct OnnxPort {
  std::string name;
  OnnxType type = OnnxType::fp32;
  std::vector<std::int64_t> shape;  // negative: open
};
struct OnnxNode {
  std::string op;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::pair<std::string, std::int64_t>> attributes = {};
};
struct OnnxConstant {  // an initializer
  OnnxPort port;
  std::string bytes;
};

[[nodiscard]] std::string onnx_model(const std::vector<OnnxPort>& inputs,
                                     const std::vector<OnnxPort>& outputs, const std::vector<OnnxNode>& nodes,
                                     const std::vector<OnnxConstant>& constants = {});

}  // namespace saccade::test
