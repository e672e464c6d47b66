// The inputs of `saccade inspect` and `saccade adopt`: model files, a list of labels, side files.
// Threads: functions without state. Errors: all that is wrong with the files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/report/options.hpp"
#include "base/result.hpp"
#include "vision/model/interface_guess.hpp"
#include "vision/model/set_draft.hpp"
#include "vision/model/side_file.hpp"

namespace saccade::app {

inline const OptionSpec kLabelsOption{"labels", "FILE", "what the classes are called, one per line"};
inline const OptionSpec kLikeOption{
    "like", "SIDE.json", "preprocessor_config.json or config.json of the network, of Hugging Face or timm",
    true};

struct SideSources {
  std::optional<vision::LabelList> labels;
  std::vector<vision::SideFile> sides;
};

// The files that the two options name.
[[nodiscard]] Result<SideSources> read_side_sources(const Invocation& call);

// The model's graph and the draft of its interface; its name in a set and its hash are left open.
[[nodiscard]] Result<vision::ModelDraft> read_model_draft(const std::string& file,
                                                          const SideSources& sources);

}  // namespace saccade::app
