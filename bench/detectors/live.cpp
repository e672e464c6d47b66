#include "bench/detectors/live.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "images/scene_generator.hpp"
#include "runtime/sources/frame_source.hpp"
#include "vision/accuracy/average_precision.hpp"
#include "vision/accuracy/recent_precision.hpp"

namespace saccade::bench {

Result<runtime::LabelledImages> live_images(const profiles::ProfileSet& set, std::size_t count) {
  std::string data_set;
  for (const std::string& name : images::SceneGenerator::names()) {
    if (images::SceneGenerator::find(name)->labels() == set.labels) data_set = name;
  }
  auto source = runtime::open_source(runtime::SyntheticSource{data_set, kLiveSeed}, runtime::WholeFrame{},
                                     runtime::inputs_of(set), set.labels);
  if (!source) return source.errors();
  auto frames = std::make_shared<std::vector<runtime::Frame>>(count);
  for (runtime::Frame& frame : *frames) {
    if (!source.value()->next(Duration(0), frame)) return Error{data_set, "the source delivers no frame", ""};
  }
  runtime::LabelledImages images;
  images.count = count;
  images.show = [frames](std::size_t index, runtime::Picture& picture) -> Result<runtime::PictureTruth> {
    const runtime::Frame& frame = frames->at(index);
    picture = *frame.picture;
    return runtime::PictureTruth{-1, frame.truths};
  };
  return images;
}

LiveFigures live_figures(const runtime::AnsweredImages& live, const runtime::MeasuredAccuracy& measured,
                         std::size_t pictures, const profiles::ModelInterface& interface,
                         std::size_t labels) {
  LiveFigures figures;
  figures.value = runtime::accuracy_of(live, interface, labels).value;
  const vision::PrecisionInterval range =
      vision::range_of_others(measured.value, {measured.least, measured.most}, pictures, live.answers.size());
  figures.least = range.low;
  figures.most = range.high;
  vision::RecentPrecision recent(live.answers.size());
  for (std::size_t i = 0; i < live.answers.size(); ++i) {
    vision::Objects reported;
    for (const vision::Object& object : live.answers[i].objects) {
      if (object.score >= interface.selection.score_threshold) reported.push_back(object);
    }
    (void)recent.add(live.truths[i].objects, reported);
  }
  figures.shown = recent.value().value_or(vision::MeanPrecision{});
  return figures;
}

}  // namespace saccade::bench
