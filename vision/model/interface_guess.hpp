// A draft of the model interface from the files themselves: the graph's ports and shapes, exporters'
// metadata, side files, a list of labels. The origin of every field is recorded: read from a file, guessed
// (with the reason), or assumed because no file contains it. Unknown or ambiguous fields are listed with the
// place where the owner writes them; they are never decided silently.
// Pointers are those of a profile set: "/interface/input/resize", "/labels".
// The families and the sources of their layouts: vision/model/guess_output.cpp.
// Threads: pure. Errors: none; a graph that fits no family is passed through as `tensor`, and that is
// reported.
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
  std::string why;  // the reason, or for `read` the source
  bool operator==(const FieldOrigin&) const = default;
};

struct InterfaceGuess {
  std::string family;  // "YOLOv8 and later", "classifier", …; in words
  profiles::ModelInterface interface;
  std::vector<std::string> labels;   // empty: unknown
  std::vector<FieldOrigin> origins;  // of the input, constants, the decoder, labels
  Errors open;                       // to be written or confirmed: where = the pointer
  Errors conflicts;                  // contradictions; a set that contains them would be refused
};

struct LabelList {
  std::string from;  // the file
  std::vector<std::string> names;
};

[[nodiscard]] InterfaceGuess guess_interface(const OnnxFile& file, std::span<const SideFile> sides = {},
                                             const LabelList* labels = nullptr);

}  // namespace saccade::vision
