// The precision of a model file: by its operators and the types of its weights, else by its name.
// Threads: pure. Errors: none.
#pragma once

#include <string>

#include "profiles/variant.hpp"
#include "vision/model/interface_guess.hpp"
#include "vision/model/onnx_file.hpp"

namespace saccade::vision {

struct PrecisionGuess {
  profiles::Precision precision = profiles::Precision::fp32;
  Origin origin = Origin::assumed;
  std::string why;
};

// `name`: the file's, with or without its folder.
[[nodiscard]] PrecisionGuess guess_precision(const OnnxFile& graph, const std::string& name);

}  // namespace saccade::vision
