#include "vision/model/onnx_structure.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace saccade::vision {
namespace {

// The messages of onnx-ml.proto whose fields are walked; everything else is copied as it is.
enum class Message {
  model,
  graph,
  node,
  attribute,
  tensor,
  sparse_tensor,
  value_info,
  type,
  tensor_type,
  sequence_type,
  map_type,
  shape,
  function,
  training,
  annotation,
  leaf
};

struct Child {
  std::uint32_t field;
  Message message;
};

constexpr std::array kModel = {Child{7, Message::graph}, Child{8, Message::leaf}, Child{14, Message::leaf},
                               Child{20, Message::training}, Child{25, Message::function}};
constexpr std::array kGraph = {Child{1, Message::node},          Child{5, Message::tensor},
                               Child{11, Message::value_info},   Child{12, Message::value_info},
                               Child{13, Message::value_info},   Child{14, Message::annotation},
                               Child{15, Message::sparse_tensor}};
constexpr std::array kNode = {Child{5, Message::attribute}};
constexpr std::array kAttribute = {
    Child{5, Message::tensor},         Child{6, Message::graph},          Child{10, Message::tensor},
    Child{11, Message::graph},         Child{14, Message::type},          Child{15, Message::type},
    Child{22, Message::sparse_tensor}, Child{23, Message::sparse_tensor},
};
constexpr std::array kTensor = {Child{3, Message::leaf}, Child{13, Message::leaf}};
constexpr std::array kSparse = {Child{1, Message::tensor}, Child{2, Message::tensor}};
constexpr std::array kValueInfo = {Child{2, Message::type}};
constexpr std::array kType = {Child{1, Message::tensor_type}, Child{4, Message::sequence_type},
                              Child{5, Message::map_type}, Child{8, Message::tensor_type},
                              Child{9, Message::sequence_type}};
constexpr std::array kTensorType = {Child{2, Message::shape}};
constexpr std::array kSequence = {Child{1, Message::type}};
constexpr std::array kMap = {Child{2, Message::type}};
constexpr std::array kShape = {Child{1, Message::leaf}};
constexpr std::array kFunction = {Child{7, Message::node}, Child{9, Message::leaf},
                                  Child{11, Message::attribute}};
constexpr std::array kTraining = {Child{1, Message::graph}, Child{2, Message::graph}, Child{3, Message::leaf},
                                  Child{4, Message::leaf}};
constexpr std::array kAnnotation = {Child{2, Message::leaf}};

std::span<const Child> children_of(Message message) {
  switch (message) {
    case Message::model:
      return kModel;
    case Message::graph:
      return kGraph;
    case Message::node:
      return kNode;
    case Message::attribute:
      return kAttribute;
    case Message::tensor:
      return kTensor;
    case Message::sparse_tensor:
      return kSparse;
    case Message::value_info:
      return kValueInfo;
    case Message::type:
      return kType;
    case Message::tensor_type:
      return kTensorType;
    case Message::sequence_type:
      return kSequence;
    case Message::map_type:
      return kMap;
    case Message::shape:
      return kShape;
    case Message::function:
      return kFunction;
    case Message::training:
      return kTraining;
    case Message::annotation:
      return kAnnotation;
    case Message::leaf:
      return {};
  }
  return {};
}

std::optional<Message> child_of(Message message, std::uint32_t field) {
  for (const Child& child : children_of(message)) {
    if (child.field == field) return child.message;
  }
  return std::nullopt;
}

// float_data, int32_data, string_data, int64_data, raw_data, double_data, uint64_data
bool is_payload(Message message, std::uint32_t field) {
  return message == Message::tensor && ((field >= 4 && field <= 7) || (field >= 9 && field <= 11));
}

void append_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80U; value >>= 7U) out += static_cast<char>((value & 0x7FU) | 0x80U);
  out += static_cast<char>(value);
}

class StructureReader {
 public:
  StructureReader(std::istream& in, const std::string& name, const OnnxLimits& limits)
      : in_(in), name_(name), limits_(limits) {}

  // The fields up to byte `end`, appended to `out`; false after a complaint.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as the limit allows
  bool message(Message kind, std::uint64_t end, int depth, std::string& out) {
    if (depth > limits_.depth) {
      return refuse("its messages are nested deeper than " + std::to_string(limits_.depth) + " levels", "");
    }
    while (at_ < end) {
      const std::optional<std::uint64_t> tag = varint(end);
      if (!tag) return false;
      if (*tag >> 3U == 0 || *tag >> 32U != 0) return not_onnx("a field's number is wrong");
      if (++fields_ > limits_.fields) {
        return refuse("its graph has more than " + std::to_string(limits_.fields) + " entries", "");
      }
      if (!field(kind, *tag, end, depth, out)) return false;
      if (out.size() > limits_.structure_bytes) {
        return refuse("its graph without the weights is larger than " +
                          std::to_string(limits_.structure_bytes >> 20U) + " MiB",
                      "");
      }
    }
    return true;
  }

  [[nodiscard]] std::uint64_t payload_bytes() const { return payload_bytes_; }
  [[nodiscard]] Error error() const { return error_.value_or(Error{name_, "cannot be read", ""}); }

 private:
  enum Wire : std::uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  // NOLINTNEXTLINE(misc-no-recursion)
  bool field(Message kind, std::uint64_t tag, std::uint64_t end, int depth, std::string& out) {
    const auto number = static_cast<std::uint32_t>(tag >> 3U);
    const bool payload = is_payload(kind, number);
    std::string scalar;
    switch (tag & 7U) {
      case kVarint: {
        const std::optional<std::uint64_t> value = varint(end);
        if (!value) return false;
        append_varint(*value, scalar);
        break;
      }
      case kFixed64:
        if (!copy(8, end, scalar)) return false;
        break;
      case kFixed32:
        if (!copy(4, end, scalar)) return false;
        break;
      case kBytes:
        return length_delimited(kind, tag, end, depth, out);
      default:
        return not_onnx("it uses an encoding that ONNX does not have");
    }
    if (payload) {  // numbers of a tensor one by one, as old writers have them: never needed
      payload_bytes_ += scalar.size();
      --fields_;
      return true;
    }
    append_varint(tag, out);
    out += scalar;
    return true;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  bool length_delimited(Message kind, std::uint64_t tag, std::uint64_t end, int depth, std::string& out) {
    const auto number = static_cast<std::uint32_t>(tag >> 3U);
    const std::optional<std::uint64_t> length = varint(end);
    if (!length) return false;
    if (*length > end - at_) return cut_off(*length, end);
    const bool payload = is_payload(kind, number);
    if (payload) payload_bytes_ += *length;
    if (payload && *length > limits_.kept_payload_bytes) return skip(*length);
    std::string content;
    if (const std::optional<Message> child = child_of(kind, number)) {
      if (!message(*child, at_ + *length, depth + 1, content)) return false;
    } else if (*length > limits_.structure_bytes) {
      return refuse("it has a text of " + std::to_string(*length) + " bytes",
                    "metadata belong beside the model, not into it");
    } else if (!copy(*length, end, content)) {
      return false;
    }
    append_varint(tag, out);
    append_varint(content.size(), out);
    out += content;
    return true;
  }

  std::optional<std::uint64_t> varint(std::uint64_t end) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (at_ >= end) {
        cut_off(1, end);
        return std::nullopt;
      }
      const int byte = in_.get();
      if (byte < 0) {
        cut_off(1, end);
        return std::nullopt;
      }
      ++at_;
      if (shift < 64) value |= (static_cast<std::uint64_t>(byte) & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
    not_onnx("a number has more than ten bytes");
    return std::nullopt;
  }

  // In pieces, so that a length is believed only as far as there are bytes.
  bool copy(std::uint64_t length, std::uint64_t end, std::string& out) {
    if (length > end - at_) return cut_off(length, end);
    constexpr std::uint64_t kPiece = 1U << 16U;
    while (length > 0) {
      const std::size_t piece = static_cast<std::size_t>(std::min(length, kPiece));
      const std::size_t before = out.size();
      out.resize(before + piece);
      in_.read(out.data() + before, static_cast<std::streamsize>(piece));
      if (static_cast<std::size_t>(in_.gcount()) != piece) return cut_off(length, end);
      at_ += piece;
      length -= piece;
    }
    return true;
  }

  bool skip(std::uint64_t length) {
    in_.seekg(static_cast<std::streamoff>(length), std::ios::cur);
    if (!in_) return refuse("it cannot be read", "");
    at_ += length;
    return true;
  }

  bool cut_off(std::uint64_t length, std::uint64_t end) {
    return refuse("it ends too early: byte " + std::to_string(at_) + " is followed by " +
                      std::to_string(end - std::min(at_, end)) + " bytes where at least " +
                      std::to_string(length) + " should be",
                  "it is cut off or is no ONNX file: copy or export it again");
  }
  bool not_onnx(const std::string& why) {
    return refuse("this is not an ONNX file: " + why + " (byte " + std::to_string(at_) + ")",
                  "export the network as ONNX");
  }
  bool refuse(std::string what, std::string hint) {
    if (!error_) error_ = Error{name_, std::move(what), std::move(hint)};
    return false;
  }

  std::istream& in_;
  const std::string& name_;
  const OnnxLimits& limits_;
  std::uint64_t at_ = 0;
  std::size_t fields_ = 0;
  std::uint64_t payload_bytes_ = 0;
  std::optional<Error> error_;
};

// What else people have at hand when they have no ONNX file; empty: not known.
std::string other_format(std::string_view head) {
  if (head.starts_with("PK\x03\x04")) return "a zip archive, as PyTorch's .pt files are";
  if (head.size() >= 8 && head.substr(4, 4) == "TFL3") return "a TensorFlow Lite model";
  if (head.starts_with("\x89HDF")) return "an HDF5 file, as Keras writes them";
  if (head.starts_with("<?xml") || head.starts_with("<net")) return "XML, as OpenVINO's models are";
  if (head.starts_with("{")) return "a JSON file";
  if (head.starts_with("version https://git-lfs"))
    return "a placeholder of Git LFS: the model itself is not here";
  if (head.starts_with("ftrt") || head.starts_with("ptrt")) return "a TensorRT engine";
  return {};
}

}  // namespace

Result<OnnxStructure> read_onnx_structure(std::istream& in, std::uint64_t size, const std::string& name,
                                          const OnnxLimits& limits) {
  if (size == 0) return Error{name, "the file is empty", "copy or export the model again"};
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(size, 32)), '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (const std::string other = other_format(head); in && !other.empty()) {
    return Error{name, "this is " + other + ", not an ONNX file", "export the network as ONNX"};
  }
  if (size > limits.file_bytes) {
    return Error{name,
                 "the file has " + std::to_string(size >> 20U) + " MiB, more than the " +
                     std::to_string(limits.file_bytes >> 20U) + " MiB that are read",
                 ""};
  }
  in.clear();
  in.seekg(0);
  OnnxStructure structure;
  StructureReader reader(in, name, limits);
  if (!reader.message(Message::model, size, 0, structure.bytes)) return reader.error();
  structure.payload_bytes = reader.payload_bytes();
  return structure;
}

}  // namespace saccade::vision
