// Tensors that outlive the engine call that made them: what crosses from one stage of a network to the next,
// by name. Room is taken once. fp16 tensors are kept as engines show them, as fp32.
// Threads: one at a time. Errors: a tensor that is missing or has another type or size; all at once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "runtime/engines/engine.hpp"

namespace saccade::runtime {

class KeptTensors {
 public:
  // Zeros.
  explicit KeptTensors(std::vector<profiles::StageTensor> tensors);

  // Copies those of them that are among `outputs`; the others stay. Errors: `outputs` has one of another
  // size.
  [[nodiscard]] Status keep(std::span<const vision::TensorView> outputs);

  // Valid until the next keep().
  [[nodiscard]] std::span<const vision::TensorView> views() const { return views_; }
  [[nodiscard]] std::size_t bytes() const;  // as they cross: fp16 counts 2 bytes a number

 private:
  using Numbers = std::variant<std::vector<float>, std::vector<std::int64_t>, std::vector<std::int32_t>,
                               std::vector<std::uint8_t>>;
  std::vector<profiles::StageTensor> tensors_;
  std::vector<Numbers> numbers_;
  std::vector<vision::TensorView> views_;
};

// Copies a tensor as an engine shows it into an engine's input of that type; false, without effect: another
// type or size.
[[nodiscard]] bool copy_tensor(const vision::TensorView& from, profiles::ElementType type,
                               std::span<std::byte> to);

// Of a tensor as an engine shows it: fp16 as fp32.
[[nodiscard]] profiles::ElementType type_of(const vision::TensorView& view);

// The numbers in a tensor of that shape.
[[nodiscard]] std::size_t elements_of(std::span<const std::int64_t> shape);

}  // namespace saccade::runtime
