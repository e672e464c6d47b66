#include "runtime/engines/kept_tensors.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "runtime/pictures/half.hpp"
#include "runtime/pictures/preparer.hpp"

namespace saccade::runtime {

namespace {

template <class Element>
bool is_of(profiles::ElementType type) {
  using profiles::ElementType;
  if constexpr (std::is_same_v<Element, float>) return type == ElementType::fp32 || type == ElementType::fp16;
  if constexpr (std::is_same_v<Element, std::int64_t>) return type == ElementType::int64;
  if constexpr (std::is_same_v<Element, std::int32_t>) return type == ElementType::int32;
  return std::is_same_v<Element, std::uint8_t> && type == ElementType::uint8;
}

}  // namespace

bool copy_tensor(const vision::TensorView& from, profiles::ElementType type, std::span<std::byte> to) {
  return std::visit(
      [&](const auto& numbers) {
        using Element = typename std::remove_reference_t<decltype(numbers)>::value_type;
        if (numbers.size() * size_of(type) != to.size() || !is_of<Element>(type)) return false;
        if constexpr (std::is_same_v<Element, float>) {
          if (type == profiles::ElementType::fp16) {
            for (std::size_t i = 0; i < numbers.size(); ++i) {
              const std::uint16_t half = to_half(numbers[i]);
              std::memcpy(to.data() + i * sizeof half, &half, sizeof half);
            }
            return true;
          }
        }
        std::memcpy(to.data(), numbers.data(), to.size());
        return true;
      },
      from.data);
}

profiles::ElementType type_of(const vision::TensorView& view) {
  using profiles::ElementType;
  if (std::holds_alternative<std::span<const std::int64_t>>(view.data)) return ElementType::int64;
  if (std::holds_alternative<std::span<const std::int32_t>>(view.data)) return ElementType::int32;
  if (std::holds_alternative<std::span<const std::uint8_t>>(view.data)) return ElementType::uint8;
  return ElementType::fp32;
}

std::size_t elements_of(std::span<const std::int64_t> shape) {
  std::size_t elements = 1;
  for (const std::int64_t side : shape) elements *= static_cast<std::size_t>(side);
  return elements;
}

KeptTensors::KeptTensors(std::vector<profiles::StageTensor> tensors) : tensors_(std::move(tensors)) {
  for (const profiles::StageTensor& tensor : tensors_) {
    const std::size_t count = elements_of(tensor.shape);
    switch (tensor.type) {
      case profiles::ElementType::int64:
        numbers_.emplace_back(std::vector<std::int64_t>(count));
        break;
      case profiles::ElementType::int32:
        numbers_.emplace_back(std::vector<std::int32_t>(count));
        break;
      case profiles::ElementType::uint8:
        numbers_.emplace_back(std::vector<std::uint8_t>(count));
        break;
      case profiles::ElementType::fp32:
      case profiles::ElementType::fp16:
      case profiles::ElementType::int8:  // no engine hands it on
        numbers_.emplace_back(std::vector<float>(count));
        break;
    }
  }
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    vision::TensorView view{tensors_[i].name, tensors_[i].shape, {}};
    std::visit([&](const auto& numbers) { view.data = std::span(std::as_const(numbers)); }, numbers_[i]);
    views_.push_back(view);
  }
}

Status KeptTensors::keep(std::span<const vision::TensorView> outputs) {
  Errors errors;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const auto found = std::find_if(outputs.begin(), outputs.end(), [&](const vision::TensorView& output) {
      return output.name == tensors_[i].name;
    });
    if (found == outputs.end()) continue;
    const bool kept = std::visit(
        [&](auto& numbers) {
          using Element = typename std::remove_reference_t<decltype(numbers)>::value_type;
          const auto* from = std::get_if<std::span<const Element>>(&found->data);
          if (from == nullptr || from->size() != numbers.size()) return false;
          std::copy(from->begin(), from->end(), numbers.begin());
          return true;
        },
        numbers_[i]);
    if (!kept)
      errors.push_back({"'" + tensors_[i].name + "'", "has another type or size than it should", ""});
  }
  if (!errors.empty()) return errors;
  return Done{};
}

std::size_t KeptTensors::bytes() const {
  std::size_t sum = 0;
  for (const profiles::StageTensor& tensor : tensors_)
    sum += elements_of(tensor.shape) * size_of(tensor.type);
  return sum;
}

}  // namespace saccade::runtime
