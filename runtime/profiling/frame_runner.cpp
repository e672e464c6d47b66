#include "runtime/profiling/frame_runner.hpp"

#include <algorithm>
#include <cstdint>

#include "base/check.hpp"
#include "runtime/pictures/preparer.hpp"

namespace saccade::runtime {

namespace {

constexpr std::size_t kTimedPictures = 32;

}  // namespace

Result<FrameRunner> FrameRunner::make(const profiles::ProfileSet& set,
                                      const std::optional<LabelledImages>& images, int largest_batch,
                                      const Clock& clock) {
  FrameRunner runner(set, clock);
  runner.pictures_.resize(std::max(static_cast<std::size_t>(largest_batch), kTimedPictures));
  if (!images) {
    runner.fill_with_noise();
    return runner;
  }
  for (std::size_t i = 0; i < runner.pictures_.size(); ++i) {
    const std::size_t index = i * images->count / runner.pictures_.size();
    if (const auto shown = images->show(index, runner.pictures_[i]); !shown) return shown.errors();
  }
  return runner;
}

void FrameRunner::fill_with_noise() {
  int width = 0;
  int height = 0;
  for (const profiles::Variant& variant : set_->variants) {
    const profiles::PictureInput input = profiles::input_of(*set_, variant);
    width = std::max(width, input.width);
    height = std::max(height, input.height);
  }
  std::size_t at = 0;
  for (Picture& noise : pictures_) {
    noise.resize(width, height);
    for (std::uint8_t& value : noise.pixels) value = static_cast<std::uint8_t>(at++ * 2654435761U >> 7U);
  }
}

Result<FrameDecoder*> FrameRunner::decoder_of(std::size_t variant, const Engine& engine) {
  const std::pair key{variant, engine.batch()};
  if (const auto known = decoders_.find(key); known != decoders_.end()) return &known->second;
  const profiles::Variant& of = set_->variants[variant];
  auto made = FrameDecoder::make(profiles::interface_of(*set_, of), set_->labels.size(), engine, of.id.str());
  if (!made) return made.errors();
  return &decoders_.emplace(key, std::move(made).value()).first->second;
}

Status FrameRunner::run(std::size_t variant, Engine& engine) {
  const auto found = decoder_of(variant, engine);
  if (!found) return found.errors();
  FrameDecoder& decoder = *found.value();
  const auto batch = static_cast<std::size_t>(engine.batch());
  SACCADE_CHECK(batch <= pictures_.size());
  placements_.resize(batch);
  const TimePoint begun = clock_->now();
  for (std::size_t i = 0; i < batch; ++i) {
    const Picture& shown = picture(i);
    placements_[i] = placement_of(decoder.interface().input, shown, shown.whole(), static_cast<int>(i));
    if (auto prepared = engine.prepare(i, shown, shown.whole()); !prepared) return prepared;
  }
  const TimePoint prepared = clock_->now();
  if (auto inferred = engine.infer(outputs_); !inferred) return inferred;
  const TimePoint inferred = clock_->now();
  result_.classes.clear();
  result_.objects.clear();
  for (std::size_t i = 0; i < batch; ++i) {
    if (auto read = decoder.read(outputs_, i, placements_[i], result_); !read) return read;
  }
  if (batch > 1) vision::merge_regions(result_.objects, decoder.interface().selection);
  const auto seconds = [](Duration time) { return to_seconds(time).value(); };
  parts_ = {seconds(prepared - begun), seconds(inferred - prepared), seconds(clock_->now() - inferred)};
  return Done{};
}

}  // namespace saccade::runtime
