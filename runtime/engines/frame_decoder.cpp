#include "runtime/engines/frame_decoder.hpp"

#include <algorithm>
#include <sstream>
#include <utility>
#include <variant>

#include "runtime/engines/kept_tensors.hpp"
#include "runtime/pictures/preparer.hpp"
#include "vision/decode/placement.hpp"

namespace saccade::runtime {
namespace {

using profiles::ElementType;
using profiles::NetworkTask;

std::vector<vision::OutputPort> ports_of(const Outputs& outputs) {
  std::vector<vision::OutputPort> ports;
  for (const vision::TensorView& view : outputs) {
    ports.push_back(
        {std::string(view.name), std::vector(view.shape.begin(), view.shape.end()), type_of(view)});
  }
  return ports;
}

Errors of_model(const std::string& model, Errors errors) {
  for (Error& error : errors) error.where.insert(0, model + ": ");
  return errors;
}

// Of a picture of `size`, the whole of it, or of a region of a frame.
vision::Placement placement_in(const profiles::PictureInput& input, vision::PixelSize size, int number) {
  const vision::Box whole{0.0F, 0.0F, static_cast<float>(size.width), static_cast<float>(size.height)};
  return vision::place(input, whole, size, number);
}

vision::Placement placement_of_region(const profiles::PictureInput& input, const Shown& shown,
                                      std::size_t region) {
  const int number = static_cast<int>(region);
  if (shown.picture == nullptr) return placement_in(input, {input.width, input.height}, number);
  const PixelBox& box = shown.regions[region];
  if (shown.apart) return placement_in(input, {box[2], box[3]}, number);
  return placement_of(input, *shown.picture, box, number);
}

}  // namespace

FrameDecoder::FrameDecoder(const profiles::ModelInterface& interface, std::size_t labels, std::string model,
                           std::size_t batch, Ports ports)
    : interface_(interface),
      labels_(labels),
      model_(std::move(model)),
      batch_(batch),
      ports_(std::move(ports)) {}

Result<FrameDecoder> FrameDecoder::make(const profiles::ModelInterface& interface, std::size_t labels,
                                        const Engine& engine, const std::string& model) {
  FrameDecoder made(interface, labels, model, static_cast<std::size_t>(engine.batch()),
                    std::make_shared<const std::vector<vision::OutputPort>>(engine.outputs()));
  const bool unlabelled = interface.task == NetworkTask::classify && labels == 0;
  if (made.ports_->empty() || unlabelled) return made;
  auto decoder = made.decoder_for(*made.ports_);
  if (!decoder) return of_model(model, decoder.errors());
  made.decoder_ = std::move(decoder).value();
  return made;
}

Result<vision::Decoder> FrameDecoder::decoder_for(std::span<const vision::OutputPort> ports) const {
  const profiles::PictureInput& input = interface_.input;
  return vision::Decoder::make(interface_, labels_, {input.width, input.height}, ports);
}

Status FrameDecoder::fits(const Outputs& outputs) const {
  if (!decoder_) return Done{};
  const auto again = decoder_for(ports_of(outputs));
  if (!again) return of_model(model_, again.errors());
  return Done{};
}

// Of outputs that the decoder refused.
Status FrameDecoder::unfit(const Outputs& outputs) const {
  if (auto fitting = fits(outputs); !fitting) return fitting;
  return Error{model_, "its outputs are not as large as the interface and the regions say",
               "compare `saccade inspect` of the file with the interface of its profile set"};
}

Error FrameDecoder::nonsense(std::size_t bad, std::size_t all, const vision::Unlabelled& unlabelled) const {
  const std::size_t no_numbers = bad - std::min(bad, unlabelled.rows);
  std::string what;
  if (no_numbers > 0 || unlabelled.rows == 0)
    what = std::to_string(no_numbers) + " of the " + std::to_string(all) +
           " rows that it answers hold NaN or an infinity";
  if (unlabelled.rows > 0) {
    std::ostringstream number;
    number << unlabelled.number;
    what += (what.empty() ? "class " : "; class ") + number.str() + " has no label (labels has " +
            std::to_string(labels_) + ")";
  }
  return {model_, what,
          no_numbers == 0 && unlabelled.rows > 0
              ? "labels needs a name for every number that the network gives, gaps included"
              : "the model is damaged, or its input is not prepared as it was trained"};
}

Status FrameDecoder::decode(const Outputs& outputs, const Shown& shown, FrameResult& result) {
  result.classes.clear();
  result.objects.clear();
  result.tensors.clear();
  result.logits = {};
  if (!decoder_) return Done{};
  switch (interface_.task) {
    case NetworkTask::classify:
      return classify(outputs, result);
    case NetworkTask::detect:
      return detect(outputs, shown, result);
    case NetworkTask::tensor:
      break;
  }
  return hand_on(outputs, result);
}

Status FrameDecoder::read(const Outputs& outputs, std::size_t place, const vision::Placement& placement,
                          FrameResult& result) {
  if (!decoder_ || interface_.task == NetworkTask::tensor) return Done{};
  if (interface_.task == NetworkTask::classify) {
    const vision::Classified best = decoder_->classify(outputs, place);
    if (best.fault == vision::Fault::outputs) return unfit(outputs);
    if (best.fault == vision::Fault::numbers) return nonsense(1, 1);
    result.classes.push_back(best.label);
    return Done{};
  }
  const vision::Decoded decoded = decoder_->decode(outputs, placement, result.objects, place);
  if (decoded.fault == vision::Fault::outputs) return unfit(outputs);
  if (decoded.fault == vision::Fault::numbers)
    return nonsense(decoded.bad_rows, decoded.rows, decoded.unlabelled);
  return Done{};
}

Status FrameDecoder::classify(const Outputs& outputs, FrameResult& result) {
  for (std::size_t region = 0; region < batch_; ++region) {
    if (Status one = read(outputs, region, {}, result); !one) return one;
  }
  result.logits = logits_of(outputs);
  return Done{};
}

Status FrameDecoder::detect(const Outputs& outputs, const Shown& shown, FrameResult& result) {
  for (std::size_t region = 0; region < batch_; ++region) {
    const vision::Placement placement = placement_of_region(interface_.input, shown, region);
    if (Status one = read(outputs, region, placement, result); !one) return one;
  }
  if (batch_ == 1) return Done{};
  profiles::Selection selection = interface_.selection;
  if (shown.picture == nullptr || shown.apart) selection.merge_regions = false;
  vision::merge_regions(result.objects, selection);
  return Done{};
}

Status FrameDecoder::hand_on(const Outputs& outputs, FrameResult& result) const {
  if (decoder_->hand_on(outputs, result.tensors) == vision::Fault::none) return Done{};
  if (auto fitting = fits(outputs); !fitting) return fitting;
  return Error{model_, "its outputs have more than 16 MiB", "name those that are needed in its interface"};
}

}  // namespace saccade::runtime
