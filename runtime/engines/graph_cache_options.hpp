// Where optimised graphs are cached between loads, and the cache's size limit.
// Threads: plain values.
#pragma once

#include <string>

#include "base/quantity.hpp"

namespace saccade::runtime {

struct GraphCacheOptions {
  // "auto": $XDG_CACHE_HOME/saccade/graphs, or ~/.cache/saccade/graphs; "off"; or a folder.
  std::string place = "auto";
  Bytes limit{256e6};
  bool operator==(const GraphCacheOptions&) const = default;
};

}  // namespace saccade::runtime
