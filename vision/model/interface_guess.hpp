// A draft of the model interface from what the files themselves say: the graph's ports and shapes, metadata
// that exporters leave in them, side files, a list of labels. For every field it is kept where it is from:
// read from a file, guessed (and why), or assumed because nothing says it. What cannot be known or has
// several meanings is listed with the place where the owner writes it; it is never decided in silence.
// Pointers are those of a profile set: "/interface/input/resize", "/labels".
// The families and where their layouts are from: vision/model/guess_output.cpp.
// Threads: pure. Errors: none; a graph that fits no family is handed on as `tensor`, and that is said.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profiles/interface.hpp"
#include "vision/model/onnx_file.hpp"
#include "vision/model/side_file.hpp"

namespace saccade::vision {

enum class Origin { read, guessed, assumed };
[[nodiscard]] const char* to_string(Origin origin);

struct FieldOrigin {
  std::string pointer;
  Origin origin = Origin::guessed;
  std::string why;  // read: from where
  bool operator==(const FieldOrigin&) const = default;
};

struct InterfaceGuess {
  std::string family;  // "YOLOv8 and later", "classifier", …; in words
  profiles::ModelInterface interface;
  std::vector<std::string> labels;   // empty: not known
  std::vector<FieldOrigin> origins;  // of the input, constants, the decoder, labels
  Errors open;                       // to be written or confirmed: where = the pointer
  Errors conflicts;                  // what contradicts itself; a set with it would be refused
};

struct LabelList {
  std::string from;  // the file
  std::vector<std::string> names;
};

[[nodiscard]] InterfaceGuess guess_interface(const OnnxFile& file, std::span<const SideFile> sides = {},
                                             const LabelList* labels = nullptr);

}  // namespace saccade::vision
