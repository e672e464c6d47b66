// The contents of an ONNX file as a plain value: its ports with types and shapes, metadata, producer, the
// number of nodes by operator, the size of its weights. The only reader of ONNX files; the weights are never
// loaded (vision/model/onnx_structure.hpp).
// Initializers that older files list among the inputs are excluded. Names and metadata are untrusted: they
// may be long or misleading, and no size is taken from them unchecked.
// Source: onnx/onnx-ml.proto. Threads: functions without state. Errors: Result with the file's name; nothing
// throws and nothing is printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "profiles/interface.hpp"
#include "vision/model/onnx_structure.hpp"

namespace saccade::vision {

// A number, the file's name for an open dimension ("batch"), or unknown.
using OnnxDimension = std::variant<std::monostate, std::int64_t, std::string>;
using OnnxShape = std::vector<OnnxDimension>;  // outermost first

struct OnnxPort {
  std::string name;
  std::string type;  // of the elements: "float", "float16", "uint8", …; "sequence", "map", …
  std::optional<OnnxShape> shape;  // absent: even the number of dimensions is unknown
  std::string made_by;             // of an output: operator of the node that produces it; empty: none
  bool operator==(const OnnxPort&) const = default;
};

// Absent: a type that the product does not support.
[[nodiscard]] std::optional<profiles::ElementType> element_type(const OnnxPort& port);
// "[1, 3, height, ?]"; "[…]" if nothing is known.
[[nodiscard]] std::string shape_text(const OnnxPort& port);

struct OnnxFile {
  std::vector<OnnxPort> inputs;
  std::vector<OnnxPort> outputs;
  std::vector<std::pair<std::string, std::int64_t>> opsets;   // domain ("" = ONNX itself), version
  std::vector<std::pair<std::string, std::string>> metadata;  // in the file's order
  std::map<std::string, std::size_t> operators;  // number of nodes by operator, including subgraphs
  std::size_t nodes = 0;                         // their sum
  std::uint64_t weight_bytes = 0;                // of all tensors in the file
  std::map<std::string, std::uint64_t> weights;  // number of elements by type, as for a port
  std::uint64_t file_bytes = 0;
  std::int64_t ir_version = 0;
  std::string producer;  // name and version: "pytorch 2.1.0"
  bool operator==(const OnnxFile&) const = default;

  [[nodiscard]] const std::string* find_metadata(const std::string& key) const;  // null: none
};

[[nodiscard]] Result<OnnxFile> read_onnx_file(const std::filesystem::path& path,
                                              const OnnxLimits& limits = {});
// The same from a stream of `size` bytes; `name` replaces the file's name in errors.
[[nodiscard]] Result<OnnxFile> parse_onnx(std::istream& in, std::uint64_t size, const std::string& name,
                                          const OnnxLimits& limits = {});

}  // namespace saccade::vision
