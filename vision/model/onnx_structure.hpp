// An ONNX file without its weights: the protobuf encoding of the model with the payload of every tensor above
// a few kilobytes omitted and counted. A model of two gigabytes can thus be inspected in the memory of its
// graph, and nothing that a malicious file claims (lengths, depths, counts) costs more than the limits below
// before the library sees it. Reads the stream once, forwards, and skips what it omits.
// Source: onnx/onnx-ml.proto (field numbers), protobuf's wire format.
// Threads: functions without state. Errors: Result, with the file's name and the byte; nothing throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>

#include "base/result.hpp"

namespace saccade::vision {

struct OnnxLimits {
  std::uint64_t file_bytes = (std::uint64_t{1} << 31U) - 1;  // protobuf's own limit for one message
  std::size_t structure_bytes = 64U << 20U;                  // what remains without the weights
  std::size_t fields = 1'000'000;                            // each costs some hundred bytes of memory
  int depth = 40;                                            // graphs in nodes in graphs
  std::size_t kept_payload_bytes = 4096;                     // of a tensor: shapes, axes, scales
};

struct OnnxStructure {
  std::string bytes;                // a ModelProto
  std::uint64_t payload_bytes = 0;  // of all tensors, kept or not
};

// `size` bytes of `in`; `name`: the file's name in errors.
[[nodiscard]] Result<OnnxStructure> read_onnx_structure(std::istream& in, std::uint64_t size,
                                                        const std::string& name,
                                                        const OnnxLimits& limits = {});

}  // namespace saccade::vision
