// A draft of a profile set: the drafts of its files' interfaces become one interface and each variant's
// overrides. The first file provides the interface. Fields that no file contains are listed with their place
// in the set (provenance.guessed), and so are open questions.
// Threads: pure. Errors: all files that contradict themselves or the first one, at once.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "vision/model/interface_guess.hpp"
#include "vision/model/onnx_file.hpp"

namespace saccade::vision {

struct ModelDraft {
  std::string file;    // its name in errors
  std::string model;   // relative to the folder of the set
  std::string sha256;  // may be empty
  OnnxFile graph;
  InterfaceGuess guess;
};

// Why the files cannot be variants of one profile set; empty: they can. A variant may differ from the others
// in the size, layout, type and normalisation of its input and in the names and layout of its outputs.
[[nodiscard]] Errors differences(std::span<const ModelDraft> models);

struct SetDraft {
  profiles::ProfileSet set;          // without a device and without measures
  std::vector<FieldOrigin> origins;  // of the set's fields, and of variants if they differ
  Errors open;                       // to be written or confirmed: where = the pointer into the set
};

// The common part of the files' names; empty: none.
[[nodiscard]] std::string network_from(std::span<const ModelDraft> models);

// `network`: its name. `models` is not empty.
[[nodiscard]] Result<SetDraft> draft_set(const std::string& network, std::span<const ModelDraft> models);

// The id of a variant from its file name: without folder and extension; other characters become "-".
[[nodiscard]] std::string id_from(const std::string& model);

}  // namespace saccade::vision
