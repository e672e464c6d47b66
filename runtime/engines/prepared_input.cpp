#include "runtime/engines/prepared_input.hpp"

#include <cstring>
#include <exception>

#include "base/check.hpp"

namespace saccade::runtime {

std::array<std::int64_t, 4> shape_of(const EngineSpec& spec) {
  if (spec.input.layout == profiles::TensorLayout::nhwc)
    return {spec.batch, spec.input.height, spec.input.width, spec.channels};
  return {spec.batch, spec.channels, spec.input.height, spec.input.width};
}

PreparedInput::PreparedInput(const EngineSpec& spec)
    : where_(spec.model.string()),
      batch_(static_cast<std::size_t>(spec.batch)),
      input_size_(spec.input_size()),
      type_(spec.input.type.value_or(profiles::ElementType::fp32)),
      shape_(shape_of(spec)),
      bytes_(batch_ * input_size_ * size_of(type_)) {
  if (spec.channels == profiles::channels_of(spec.input.color)) preparer_.emplace(spec.input);
  SACCADE_CHECK(preparer_ || type_ == profiles::ElementType::fp32);
}

Status PreparedInput::prepare(std::size_t place, const Picture& picture, const PixelBox& region) {
  SACCADE_CHECK(place < batch_);
  if (!preparer_) return Error{where_, "the network's number of channels is not that of its colours", ""};
  try {
    preparer_->write(picture, region, place_of(place));
    return Done{};
  } catch (const std::exception& error) {  // memory ran out
    return Error{where_, std::string("its input cannot be made: ") + error.what(), ""};
  }
}

Status PreparedInput::prepare(std::span<const float> planes) {
  if (planes.size() != batch_ * input_size_) {
    return Error{
        where_,
        "takes " + std::to_string(batch_ * input_size_) + " numbers, not " + std::to_string(planes.size()),
        "send a picture, which suits every variant"};
  }
  if (!preparer_) {
    std::memcpy(bytes_.data(), planes.data(), bytes_.size());
    return Done{};
  }
  for (std::size_t place = 0; place < batch_; ++place)
    preparer_->write(planes.subspan(place * input_size_, input_size_), place_of(place));
  return Done{};
}

std::span<std::byte> PreparedInput::place_of(std::size_t place) {
  const std::size_t each = bytes_.size() / batch_;
  return std::span(bytes_).subspan(place * each, each);
}

}  // namespace saccade::runtime
