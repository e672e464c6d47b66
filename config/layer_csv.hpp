// A saccade-layers/1 file from a table that others measured: one layer per line, in the network's order; the
// first line names the columns, in any order. `name` and one column `seconds:PROCESSOR` per processor are
// required; `layers`, `weight_bytes`, `working_bytes`, `work`, `joules:PROCESSOR`, and of the boundary before
// the layer `bytes`, `cut` (true or false), `tensors` (separated by semicolons), `apart_seconds:PROCESSOR`
// and `transfer_seconds:FROM:TO` (or `impossible`) are optional. Units and rules are those of the keys of
// the same names (layer_file.hpp), whose reader checks the table; an empty cell = not measured, and of
// `seconds` that the layer does not run there.
// Threads: functions without state. Errors: Result, all at once, with file:line:column; values from the
// command line are named by their option.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/layer_file.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {

inline constexpr std::size_t kMostLayerTableMebibytes = 16;

// What a table of layers does not contain.
struct LayerTableContext {
  struct Link {
    std::string from, to;
    double fixed_seconds = 0.0, seconds_per_byte = 0.0;
  };
  struct Whole {
    std::string processor;
    double seconds = 0.0;  // frame time of the whole network in one engine
  };
  std::string network;
  std::string model;  // relative to the file that is made; empty: none
  std::string sha256;
  std::string paid_by;  // as `transfers_paid_by`; empty: its default
  std::vector<Link> links = {};
  std::vector<Whole> whole = {};
};

struct ImportedLayers {
  text::JsonValue document;  // a saccade-layers/1 file
  LayerFile file;            // what it says
};

[[nodiscard]] Result<ImportedLayers> import_layers(const std::filesystem::path& path,
                                                   const LayerTableContext& context);
// The same from text; `name` replaces the file's name in errors.
[[nodiscard]] Result<ImportedLayers> import_layers_text(std::string_view text, const std::string& name,
                                                        const LayerTableContext& context);

}  // namespace saccade::config
