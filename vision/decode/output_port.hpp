// A graph's output as known before it runs. Threads: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/interface.hpp"

namespace saccade::vision {

struct OutputPort {
  std::string name;
  std::optional<std::vector<std::int64_t>> shape;  // outermost first, -1: open; absent: unknown
  std::optional<profiles::ElementType> type;       // absent: unknown
};

}  // namespace saccade::vision
