// saccade-layers/1: a network as a chain of layers, what each takes on each processor, and what transfers
// cost. `saccade layers --json` writes one without times, `saccade place` reads one with times. Read
// strictly, every mistake at once, each with file, line, JSON pointer and a hint. The schema is
// docs/schema/layers.schema.json. Threads: functions without state. Errors: Result; nothing throws.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "placement/chain.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {

inline constexpr const char* kLayerFormat = "saccade-layers/1";

struct LayerFile {
  std::string network;
  std::string model;                              // file name; empty: none
  std::string sha256;                             // of the model, lower-case hex; empty: not checked
  std::string source;                             // where the times come from, in words
  placement::Chain chain;                         // as the file has it; not joined
  std::vector<std::vector<std::string>> tensors;  // that cross each boundary; may be empty
  std::vector<std::optional<Seconds>> whole;  // by processor: frame time of the whole network in one engine
  bool operator==(const LayerFile&) const = default;
};

[[nodiscard]] Result<LayerFile> read_layer_file(const std::filesystem::path& path);
[[nodiscard]] Result<LayerFile> parse_layer_file(std::string_view text, const std::string& name);
// The same from a document that exists already; `report` may hold complaints about it.
[[nodiscard]] Result<LayerFile> read_layer_document(const text::JsonValue& document,
                                                    text::JsonReport& report);

}  // namespace saccade::config
