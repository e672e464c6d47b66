// The memory of an engine's picture input, for a whole batch, and how it is filled. Allocated once, when the
// engine is loaded. Threads: that of the engine. Errors: a picture for a network whose number of channels
// differs from that of its colours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/engines/engine.hpp"
#include "runtime/pictures/preparer.hpp"

namespace saccade::runtime {

class PreparedInput {
 public:
  // For a spec whose layout and type are known (absent: nchw, fp32).
  explicit PreparedInput(const EngineSpec& spec);

  [[nodiscard]] Status prepare(std::size_t place, const Picture& picture, const PixelBox& region);
  [[nodiscard]] Status prepare(std::span<const float> planes);

  [[nodiscard]] std::span<std::byte> bytes() { return bytes_; }
  [[nodiscard]] const std::array<std::int64_t, 4>& shape() const { return shape_; }
  [[nodiscard]] profiles::ElementType type() const { return type_; }

 private:
  [[nodiscard]] std::span<std::byte> place_of(std::size_t place);

  std::string where_;
  std::size_t batch_;
  std::size_t input_size_;
  profiles::ElementType type_;
  std::array<std::int64_t, 4> shape_;
  std::optional<Preparer> preparer_;  // absent: tensors only
  std::vector<std::byte> bytes_;
};

// In the graph's order of dimensions.
[[nodiscard]] std::array<std::int64_t, 4> shape_of(const EngineSpec& spec);

}  // namespace saccade::runtime
