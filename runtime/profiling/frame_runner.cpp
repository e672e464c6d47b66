#include "runtime/profiling/frame_runner.hpp"

#include <algorithm>
#include <cstdint>

#include "base/check.hpp"
#include "runtime/pictures/preparer.hpp"

namespace saccade::runtime {

namespace {

constexpr std::size_t kTimedPictures = 32;

}  // namespace

FrameRunner::FrameRunner(const profiles::ProfileSet& set, const Clock& clock) : clock_(&clock) {
  for (const profiles::Variant& variant : set.variants)
    readers_.emplace_back(profiles::interface_of(set, variant), set.labels.size(), variant.id.str());
}

Result<FrameRunner> FrameRunner::make(const profiles::ProfileSet& set,
                                      const std::optional<LabelledImages>& images, int largest_batch,
                                      const Clock& clock) {
  FrameRunner runner(set, clock);
  runner.pictures_.resize(std::max(static_cast<std::size_t>(largest_batch), kTimedPictures));
  if (!images) {
    runner.fill_with_noise(set);
    return runner;
  }
  for (std::size_t i = 0; i < runner.pictures_.size(); ++i) {
    const std::size_t index = i * images->count / runner.pictures_.size();
    if (const auto shown = images->show(index, runner.pictures_[i]); !shown) return shown.errors();
  }
  return runner;
}

void FrameRunner::fill_with_noise(const profiles::ProfileSet& set) {
  int width = 0;
  int height = 0;
  for (const profiles::Variant& variant : set.variants) {
    const profiles::PictureInput input = profiles::input_of(set, variant);
    width = std::max(width, input.width);
    height = std::max(height, input.height);
  }
  std::size_t at = 0;
  for (Picture& noise : pictures_) {
    noise.resize(width, height);
    for (std::uint8_t& value : noise.pixels) value = static_cast<std::uint8_t>(at++ * 2654435761U >> 7U);
  }
}

Status FrameRunner::run(std::size_t variant, Engine& engine) {
  AnswerReader& reader = readers_[variant];
  const auto batch = static_cast<std::size_t>(engine.batch());
  SACCADE_CHECK(batch <= pictures_.size());
  placements_.resize(batch);
  const TimePoint begun = clock_->now();
  for (std::size_t i = 0; i < batch; ++i) {
    const Picture& shown = picture(i);
    placements_[i] = placement_of(reader.interface().input, shown, shown.whole(), static_cast<int>(i));
    if (auto prepared = engine.prepare(i, shown, shown.whole()); !prepared) return prepared;
  }
  const TimePoint prepared = clock_->now();
  if (auto inferred = engine.infer(outputs_); !inferred) return inferred;
  const TimePoint inferred = clock_->now();
  answer_.objects.clear();
  for (std::size_t i = 0; i < batch; ++i) {
    if (auto read = reader.read(outputs_, i, placements_[i], answer_); !read) return read;
  }
  if (batch > 1) vision::merge_regions(answer_.objects, reader.interface().selection);
  const auto seconds = [](Duration time) { return to_seconds(time).value(); };
  parts_ = {seconds(prepared - begun), seconds(inferred - prepared), seconds(clock_->now() - inferred)};
  return Done{};
}

}  // namespace saccade::runtime
