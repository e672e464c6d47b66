// Placements of one variant's measured layers as variants of a profile set: which variant a layer file
// describes, where its layers begin in the network's file, and the variants with their stages and cut models.
// Threads: one. Errors: all of a layer file at once: a model by another hash, a cut where the network has
// none, with the reason.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "config/layer_file.hpp"
#include "placement/columns.hpp"
#include "profiles/profile_set.hpp"
#include "vision/model/onnx_cut.hpp"

namespace saccade::app {

// A layer file, the variant that it describes, and the network that it was made of.
struct PlacedLayers {
  config::LayerFile file;
  std::size_t variant = 0;  // of the set
  placement::Costs costs;   // joined at the legal boundaries
  std::vector<std::size_t>
      starts;  // by joined layer: the layer of the file it begins with, and the number of layers
  std::vector<std::size_t>
      groups;  // by joined layer: the group of the cutter's chain, and the number of groups
  vision::OnnxCutter cutter;
};

// `name`: the layer file's, in complaints. `errors`: what is wrong with it already, told with the rest.
[[nodiscard]] Result<PlacedLayers> placed_layers(const profiles::ProfileSet& set, config::LayerFile file,
                                                 const std::string& name, Errors errors = {});

// Whether the set gains a variant by the placement: one on several processors, or on a processor that the
// set's device does not have yet.
[[nodiscard]] bool is_new(const profiles::ProfileSet& set, const PlacedLayers& layers,
                          const placement::Column& column);
// The variant as the planner sees it: its costs and, on several processors, its stages with their times. Cuts
// no model.
[[nodiscard]] profiles::Variant planned_variant(const profiles::ProfileSet& set, const PlacedLayers& layers,
                                                const placement::Column& column, const std::string& id);
// The variant as the placement runs it: one with stages, or, on one processor, the whole with its time there.
// Models and hashes of stages are left empty.
[[nodiscard]] profiles::Variant variant_of(const profiles::ProfileSet& set, const PlacedLayers& layers,
                                           const placement::Column& column, const std::string& id);

// By their groups [first, last): the hash of each cut model that is written.
using WrittenStages = std::map<std::pair<std::size_t, std::size_t>, std::string>;
// Cuts the models of the variant's stages, those that are not there yet, into files below `set_folder` whose
// names begin with `names`, as in FOLDER/MODEL.
[[nodiscard]] Status write_stages(const PlacedLayers& layers, const std::filesystem::path& set_folder,
                                  const std::string& names, WrittenStages& written,
                                  profiles::Variant& variant);

// Adds the variants of the columns to the set where they are new, their cut models below its folder. The
// indices of what was added.
[[nodiscard]] Result<std::vector<std::size_t>> add_variants(const PlacedLayers& layers,
                                                            const std::vector<placement::Column>& columns,
                                                            profiles::ProfileSet& set);

}  // namespace saccade::app
