#include "runtime/profiling/answer_reader.hpp"

#include <utility>
#include <vector>

namespace saccade::runtime {

namespace {

using profiles::ElementType;

ElementType element_type_of(const vision::TensorView& view) {
  if (std::holds_alternative<std::span<const std::int64_t>>(view.data)) return ElementType::int64;
  if (std::holds_alternative<std::span<const std::int32_t>>(view.data)) return ElementType::int32;
  if (std::holds_alternative<std::span<const std::uint8_t>>(view.data)) return ElementType::uint8;
  return ElementType::fp32;
}

}  // namespace

AnswerReader::AnswerReader(profiles::ModelInterface interface, std::size_t labels, std::string model)
    : interface_(std::move(interface)), labels_(labels), model_(std::move(model)) {}

Status AnswerReader::make_decoder(const Outputs& outputs) {
  std::vector<vision::OutputPort> ports;
  for (const vision::TensorView& view : outputs) {
    ports.push_back(
        {std::string(view.name), std::vector(view.shape.begin(), view.shape.end()), element_type_of(view)});
  }
  const profiles::PictureInput& input = interface_.input;
  auto decoder = vision::Decoder::make(interface_, labels_, {input.width, input.height}, ports);
  if (!decoder) {
    Errors errors = decoder.errors();
    for (Error& error : errors) error.where.insert(0, model_ + ": ");
    return errors;
  }
  decoder_ = std::move(decoder).value();
  return Done{};
}

Status AnswerReader::read(const Outputs& outputs, std::size_t place, const vision::Placement& placement,
                          Answer& answer) {
  if (!decoder_) {
    if (auto made = make_decoder(outputs); !made) return made;
  }
  vision::Fault fault = vision::Fault::none;
  if (decoder_->task() == profiles::NetworkTask::classify) {
    const vision::Classified classified = decoder_->classify(outputs, place);
    fault = classified.fault;
    answer.label = classified.label;
  } else if (decoder_->task() == profiles::NetworkTask::detect) {
    fault = decoder_->decode(outputs, placement, answer.objects, place).fault;
  }
  if (fault == vision::Fault::none) return Done{};
  if (fault == vision::Fault::numbers) {
    return Error{model_, "more than 1 % of its answers are NaN, infinite or of a class without a label",
                 "the model is damaged, or its input is not prepared as it was trained"};
  }
  return Error{model_, "its outputs are not those that the interface of the profile set describes",
               "compare `saccade inspect` of the file with the interface"};
}

}  // namespace saccade::runtime
