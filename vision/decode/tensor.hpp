// A tensor owned elsewhere: an output of a network, as the engine leaves it. The engine has converted fp16
// outputs to fp32. Threads: plain values; the data must outlive them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace saccade::vision {

using Shape = std::span<const std::int64_t>;  // outermost dimension first

struct TensorView {
  std::string_view name;
  Shape shape;  // product = number of elements
  std::variant<std::span<const float>, std::span<const std::int64_t>, std::span<const std::int32_t>,
               std::span<const std::uint8_t>>
      data;
};

}  // namespace saccade::vision
