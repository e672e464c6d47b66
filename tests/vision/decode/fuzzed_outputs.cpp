#include "tests/vision/decode/fuzzed_outputs.hpp"

#include <bit>
#include <cmath>
#include <ctime>
#include <limits>

#include "base/check.hpp"

namespace saccade::vision::test {
namespace {

using profiles::YoloLayout;

profiles::Decoder any_decoder(Bytes& bytes) {
  const int family = bytes.below(11);
  if (family == 9) {
    profiles::SsdDecoder ssd;
    const int form = bytes.below(4);
    if (form > 0) ssd.boxes = "a";
    if (form > 0) ssd.scores = "b";
    if (form > 1) ssd.classes = "c";
    if (form > 2) ssd.count = "d";
    ssd.class_offset = bytes.below(3) - 1;
    ssd.unit = static_cast<profiles::BoxUnit>(bytes.below(2));
    return ssd;
  }
  if (family == 10) {
    profiles::DetrDecoder detr;
    detr.boxes = "a";
    if (bytes.below(2) == 0) {
      detr.logits = "b";
      detr.background = static_cast<profiles::Background>(bytes.below(3));
      detr.activation = static_cast<profiles::Activation>(bytes.below(3));
    } else {
      detr.scores = "b";
      detr.labels = "c";
    }
    return detr;
  }
  profiles::YoloDecoder yolo;
  yolo.output = "a";
  yolo.layout = static_cast<YoloLayout>(family % 7);
  yolo.extra = bytes.below(3);
  if (bytes.below(4) == 0) yolo.box = static_cast<profiles::BoxForm>(bytes.below(4));
  yolo.unit = static_cast<profiles::BoxUnit>(bytes.below(8) == 0);
  if (bytes.below(4) == 0) yolo.strides = {bytes.below(40), bytes.below(40)};
  if (bytes.below(8) == 0) yolo.bins = bytes.below(20);
  return yolo;
}

// Shapes [1, N, M] or [1, M, N] that a decoder may have asked for, and now and then anything.
std::vector<std::int64_t> any_shape(Bytes& bytes, int labels, const profiles::Decoder& decoder, int output) {
  const int rows = bytes.below(8) == 0 ? bytes.below(300) : bytes.below(40);
  if (bytes.below(16) == 0) {
    std::vector<std::int64_t> shape;
    for (int i = bytes.below(5); i > 0; --i) shape.push_back(bytes.below(9) - 1);
    return shape;
  }
  if (const auto* const yolo = std::get_if<profiles::YoloDecoder>(&decoder)) {
    const int before[] = {4, 4, 4, 5, 6 - labels, 5, 4 * yolo->bins};
    const int columns = labels + yolo->extra + before[static_cast<std::size_t>(yolo->layout)];
    if (yolo->layout == YoloLayout::anchors_last) return {1, columns, rows};
    const bool cells = yolo->layout == YoloLayout::yolox || yolo->layout == YoloLayout::gfl;
    if (cells) return {1, 64 + 16 + 4 + (yolo->layout == YoloLayout::gfl ? 1 : 0), columns};  // 64 x 64
    return {1, rows, columns};
  }
  constexpr int kRows = 30;
  if (output == 0) return {1, kRows, 4};
  const auto* const detr = std::get_if<profiles::DetrDecoder>(&decoder);
  if (output == 1 && detr != nullptr && !detr->logits.empty())
    return {1, kRows, labels + (detr->background == profiles::Background::none ? 0 : 1)};
  const auto* const ssd = std::get_if<profiles::SsdDecoder>(&decoder);
  if (output == 1 && ssd != nullptr && ssd->classes.empty() && !ssd->boxes.empty())
    return {1, kRows, labels + ssd->class_offset};
  if (output == 3) return {1};
  return {1, kRows};
}

MadeOutput any_output(Bytes& bytes, std::string name, std::vector<std::int64_t> shape) {
  MadeOutput output{std::move(name), std::move(shape), std::vector<float>{}};
  std::size_t elements = 1;
  for (const std::int64_t size : output.shape)
    elements *= static_cast<std::size_t>(std::max<std::int64_t>(size, 0));
  if (bytes.below(64) == 0) elements += static_cast<std::size_t>(bytes.below(3));  // not what the shape says
  const int type = bytes.below(16);
  const int kind = bytes.below(4);
  if (type == 0) {
    std::vector<std::int64_t> numbers(elements);
    for (std::int64_t& number : numbers)
      number = kind == 0 ? std::numeric_limits<std::int64_t>::min() + bytes.below(9) : bytes.below(5) - 1;
    output.numbers = std::move(numbers);
    return output;
  }
  if (type == 1) {
    output.numbers = std::vector<std::uint8_t>(elements, bytes.next());
    return output;
  }
  std::vector<float> numbers(elements);
  const float same = bytes.number(true);
  for (float& number : numbers) number = kind == 0 ? same : bytes.number(kind == 1);
  output.numbers = std::move(numbers);
  return output;
}

// Of the calling thread.
std::chrono::nanoseconds processor_time() {
  std::timespec time{};
  SACCADE_CHECK(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void check_objects(const Objects& objects, const Made& made, PixelSize frame) {
  SACCADE_CHECK(objects.size() <= static_cast<std::size_t>(made.interface.selection.max_objects));
  float last = 1.0F;
  for (const Object& object : objects) {
    SACCADE_CHECK(object.score >= 0.0F && object.score <= last);
    last = object.score;
    SACCADE_CHECK(object.label >= 0 && object.label < static_cast<int>(made.labels));
    SACCADE_CHECK(object.box.x >= 0.0F && object.box.y >= 0.0F);
    SACCADE_CHECK(object.box.width > 0.0F && object.box.height > 0.0F);
    SACCADE_CHECK(object.box.x + object.box.width <= static_cast<float>(frame.width) * 1.0001F);
    SACCADE_CHECK(object.box.y + object.box.height <= static_cast<float>(frame.height) * 1.0001F);
  }
}

}  // namespace

float Bytes::number(bool any) {
  const std::uint8_t kind = next();
  const float small = static_cast<float>(next()) / 255.0F;
  if (!any && kind > 2) return small;
  switch (kind % 8) {
    case 0:
      return std::nanf("");
    case 1:
      return std::numeric_limits<float>::infinity() * (small < 0.5F ? 1.0F : -1.0F);
    case 2:
      return (small - 0.5F) * 3e38F;
    case 3:
      return std::numeric_limits<float>::denorm_min();
    case 4:
      return small * 64.0F;
    case 5:
      return (small - 0.5F) * 200.0F;
    case 6:
      return std::bit_cast<float>(static_cast<std::uint32_t>(next()) << 24U |
                                  static_cast<std::uint32_t>(next()) << 16U |
                                  static_cast<std::uint32_t>(next()) << 8U | next());
    default:
      return small;
  }
}

FuzzOutcome decode_fuzzed(Bytes bytes) {
  Made made;
  made.interface.task = profiles::NetworkTask::detect;
  made.interface.decoder = any_decoder(bytes);
  made.labels = static_cast<std::size_t>(1 + bytes.below(4));
  profiles::PictureInput& input = made.interface.input;
  input.width = input.height = 64;
  input.resize = static_cast<profiles::Resize>(bytes.below(3));
  profiles::Selection& selection = made.interface.selection;
  selection.score_threshold = bytes.below(4) == 0 ? 0.0 : bytes.below(100) / 100.0;
  if (bytes.below(3) == 0) selection.iou_threshold = std::nullopt;
  selection.max_objects = 1 + bytes.below(400);
  selection.agnostic = bytes.below(2) == 0;
  const char* const names[] = {"a", "b", "c", "d"};
  const char* const tensorflow[] = {"detection_boxes", "detection_scores", "detection_classes",
                                    "num_detections"};
  const auto* const ssd = std::get_if<profiles::SsdDecoder>(&made.interface.decoder);
  const bool yolo = std::holds_alternative<profiles::YoloDecoder>(made.interface.decoder);
  for (int i = 0; i < (yolo ? 1 : 4); ++i) {
    const auto at = static_cast<std::size_t>(i);
    made.outputs.push_back(
        any_output(bytes, ssd != nullptr && ssd->boxes.empty() ? tensorflow[at] : names[at],
                   any_shape(bytes, static_cast<int>(made.labels), made.interface.decoder, i)));
  }
  FuzzOutcome outcome;
  const bool known = bytes.below(2) == 0;
  auto decoder =
      Decoder::make(made.interface, made.labels, {64, 64}, known ? made.ports() : std::vector<OutputPort>());
  outcome.made = decoder.ok();
  if (!decoder.ok()) return outcome;
  const PixelSize frame{1 + bytes.below(2000), 1 + bytes.below(2000)};
  const Box region{0, 0, static_cast<float>(1 + bytes.below(frame.width)),
                   static_cast<float>(1 + bytes.below(frame.height))};
  const std::vector<TensorView> views = made.views();
  for (const std::size_t picture : {0U, 1U}) {
    Objects objects;
    const auto begun = processor_time();
    const Decoded decoded = decoder.value().decode(views, place(input, region, frame), objects, picture);
    outcome.slowest = std::max(outcome.slowest, processor_time() - begun);
    SACCADE_CHECK(decoded.fault == Fault::none || objects.empty());
    SACCADE_CHECK(decoded.bad_rows <= decoded.rows * made.labels + decoded.rows);
    check_objects(objects, made, frame);
    const std::size_t before = objects.size();
    merge_regions(objects, selection);
    SACCADE_CHECK(objects.size() == before);  // of one region, nothing is merged
    if (picture == 0) outcome.fault = decoded.fault;
    outcome.objects += objects.size();
  }
  return outcome;
}

}  // namespace saccade::vision::test
