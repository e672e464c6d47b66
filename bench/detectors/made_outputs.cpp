#include "bench/detectors/made_outputs.hpp"

#include <ctime>
#include <utility>

#include "bench/solver/random.hpp"

namespace saccade::bench {

namespace {

using profiles::YoloLayout;

MadeOutputs outputs_of(YoloLayout layout) {
  profiles::YoloDecoder decoder;
  decoder.output = "out";
  decoder.layout = layout;
  MadeOutputs made;
  made.interface.task = profiles::NetworkTask::detect;
  made.interface.input.width = made.interface.input.height = 640;
  made.interface.decoder = decoder;
  return made;
}

}  // namespace

MadeOutputs made_outputs(YoloLayout layout, std::size_t candidates, std::size_t columns, std::size_t found) {
  MadeOutputs made = outputs_of(layout);
  Random random(kDecodeSeed);
  const bool last = layout == YoloLayout::anchors_last;
  const std::size_t first = layout == YoloLayout::objectness ? 5 : 4;
  made.labels = columns - first;
  const auto rows = static_cast<std::int64_t>(candidates);
  const auto wide = static_cast<std::int64_t>(columns);
  made.shape = last ? std::vector<std::int64_t>{1, wide, rows} : std::vector<std::int64_t>{1, rows, wide};
  for (int picture = 0; picture < 4; ++picture) {
    std::vector<float> numbers(candidates * columns);
    const auto at = [&](std::size_t row, std::size_t column) -> float& {
      return numbers[last ? column * candidates + row : row * columns + column];
    };
    for (std::size_t row = 0; row < candidates; ++row) {
      at(row, 0) = static_cast<float>(random.uniform(0.0, 640.0));
      at(row, 1) = static_cast<float>(random.uniform(0.0, 640.0));
      at(row, 2) = static_cast<float>(random.uniform(8.0, 200.0));
      at(row, 3) = static_cast<float>(random.uniform(8.0, 200.0));
      for (std::size_t column = 4; column < columns; ++column)
        at(row, column) = static_cast<float>(random.uniform(0.0, 0.01));
    }
    for (std::size_t i = 0; i < found; ++i) {
      const std::size_t row = random.below(candidates);
      at(row, 4) = static_cast<float>(random.uniform(0.5, 1.0));
      at(row, first + random.below(made.labels)) = static_cast<float>(random.uniform(0.6, 1.0));
    }
    made.numbers.push_back(std::move(numbers));
  }
  return made;
}

MadeOutputs made_candidates(std::size_t candidates, bool heaps) {
  Random random(kDecodeSeed);
  MadeOutputs made = outputs_of(YoloLayout::end_to_end);
  made.labels = 1;
  made.interface.selection.max_objects = static_cast<int>(candidates);
  made.shape = {1, static_cast<std::int64_t>(candidates), 6};
  std::vector<float>& rows = made.numbers.emplace_back();
  const std::size_t places = heaps ? candidates / 20 : candidates;
  for (std::size_t i = 0; i < candidates; ++i) {
    const std::size_t place = heaps ? random.below(places) : i;
    const auto left = static_cast<float>(place % 60 * 10) + static_cast<float>(random.uniform(0.0, 2.0));
    const auto top = static_cast<float>(place / 60 * 10) + static_cast<float>(random.uniform(0.0, 2.0));
    rows.insert(rows.end(),
                {left, top, left + 10.0F, top + 10.0F, static_cast<float>(random.uniform(0.25, 1.0)), 0.0F});
  }
  return made;
}

std::size_t plain_scan(const MadeOutputs& outputs, std::size_t picture, const Steps& steps,
                       std::size_t candidates) {
  const float* const numbers = outputs.numbers[picture % outputs.numbers.size()].data();
  std::size_t found = 0;
  for (std::size_t row = 0; row < candidates; ++row) {
    float best = 0.0F;
    for (std::size_t label = 0; label < outputs.labels; ++label) {
      const float score = numbers[row * steps.row + (4 + label) * steps.column];
      if (score > best) best = score;
    }
    if (best >= 0.25F) ++found;
  }
  return found;
}

ProductDecoder::ProductDecoder(const MadeOutputs& outputs, vision::Decoder decoder)
    : outputs_(&outputs),
      decoder_(std::move(decoder)),
      placement_(vision::place(outputs.interface.input, {0, 0, 1920, 1080}, {1920, 1080})) {}

Result<ProductDecoder> ProductDecoder::make(const MadeOutputs& outputs) {
  auto decoder = vision::Decoder::make(outputs.interface, outputs.labels, {640, 640}, {});
  if (!decoder) return decoder.errors();
  return ProductDecoder(outputs, std::move(decoder).value());
}

void ProductDecoder::decode(std::size_t picture) {
  objects_.clear();
  const vision::TensorView view = outputs_->view(picture);
  (void)decoder_.decode({&view, 1}, placement_, objects_);
}

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace saccade::bench
