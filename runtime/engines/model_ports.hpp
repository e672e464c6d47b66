// The inputs and outputs that a model file declares, and whether they match a profile set.
// Threads: functions without state. Errors: all of a model at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/engines/engine.hpp"

namespace saccade::runtime {

// One input or output of a model: its name, and its shape with negative numbers where it is open.
struct Port {
  std::string name;
  std::optional<profiles::ElementType> type;  // absent: an unsupported type
  std::vector<std::int64_t> shape;
};

// Size in bytes of a tensor of that shape; absent: it is open, or larger than 64 MiB, which no output is.
[[nodiscard]] std::optional<std::size_t> bytes_of(std::span<const std::int64_t> shape,
                                                  profiles::ElementType type);

// Completes the spec from the graph: name, layout and type of the input. `constants` become the ports of the
// spec's constants, and `outputs` is reduced to the requested ones, in that order.
[[nodiscard]] Errors match_ports(EngineSpec& spec, const std::vector<Port>& inputs,
                                 std::vector<Port>& constants, std::vector<Port>& outputs);

}  // namespace saccade::runtime
