#include "runtime/profiling/picture_accuracy.hpp"

#include <algorithm>
#include <memory>

#include "base/check.hpp"
#include "runtime/pictures/preparer.hpp"
#include "vision/accuracy/average_precision.hpp"

namespace saccade::runtime {

namespace {

constexpr std::uint64_t kResamplingSeed = 1;

MeasuredAccuracy share_of_right_labels(const AnsweredImages& answered) {
  std::vector<bool> right;
  for (std::size_t i = 0; i < answered.answers.size(); ++i)
    right.push_back(answered.answers[i].label == answered.truths[i].label);
  const auto count = static_cast<double>(std::count(right.begin(), right.end(), true));
  const vision::PrecisionInterval interval = vision::share_interval(right, kResamplingSeed);
  return {count / static_cast<double>(right.size()), interval.low, interval.high, 0.0, 0.0,
          static_cast<double>(right.size())};
}

}  // namespace

Result<AnsweredImages> answer_images(Engine& engine, FrameDecoder& decoder, const LabelledImages& images) {
  SACCADE_CHECK(images.count > 0);
  const auto batch = static_cast<std::size_t>(engine.batch());
  const profiles::PictureInput& input = decoder.interface().input;
  Picture picture;
  Outputs outputs;
  FrameResult result;
  std::vector<vision::Placement> placements(batch);
  AnsweredImages answered;
  for (std::size_t first = 0; first < images.count; first += batch) {
    const std::size_t here = std::min(batch, images.count - first);
    for (std::size_t i = 0; i < batch; ++i) {  // a batch that is not full ends with its last image
      auto truth = images.show(first + std::min(i, here - 1), picture);
      if (!truth) return truth.errors();
      if (i < here) answered.truths.push_back(std::move(truth).value());
      placements[i] = placement_of(input, picture, picture.whole());
      if (const Status prepared = engine.prepare(i, picture, picture.whole()); !prepared)
        return prepared.errors();
    }
    if (const Status inferred = engine.infer(outputs); !inferred) return inferred.errors();
    for (std::size_t i = 0; i < here; ++i) {
      result.classes.clear();
      result.objects.clear();
      if (const Status read = decoder.read(outputs, i, placements[i], result); !read) return read.errors();
      answered.answers.push_back({result.classes.empty() ? -1 : result.classes.back(), result.objects});
    }
  }
  return answered;
}

MeasuredAccuracy accuracy_of(const AnsweredImages& answered, const profiles::ModelInterface& interface,
                             std::size_t labels) {
  SACCADE_CHECK(interface.task != profiles::NetworkTask::tensor);
  if (interface.task == profiles::NetworkTask::classify) return share_of_right_labels(answered);
  vision::DetectionAccuracy pictures(labels);
  MeasuredAccuracy measured;
  for (std::size_t i = 0; i < answered.answers.size(); ++i) {
    const vision::Objects& objects = answered.answers[i].objects;
    pictures.add(answered.truths[i].objects, objects);
    measured.found += static_cast<double>(objects.size());
  }
  const vision::PrecisionFigures figures = pictures.figures();
  const vision::PrecisionIntervals intervals = pictures.intervals(kResamplingSeed);
  measured.map = figures.map.value_or(0.0);
  measured.map50 = figures.map50.value_or(0.0);
  const bool at_50 = interface.metric == "map50";
  measured.value = at_50 ? measured.map50 : measured.map;
  const auto interval = (at_50 ? intervals.map50 : intervals.map)
                            .value_or(vision::PrecisionInterval{measured.value, measured.value});
  measured.least = interval.low;
  measured.most = interval.high;
  return measured;
}

Result<AnsweredImages> answer_images(const EngineBackend& backend, const EngineSpec& spec,
                                     const profiles::ProfileSet& set, std::size_t variant, double score,
                                     const LabelledImages& images) {
  const auto engine = backend.load(spec);
  if (!engine) return engine.errors();
  profiles::ModelInterface interface = profiles::interface_of(set, set.variants[variant]);
  interface.selection.score_threshold = score;
  auto decoder =
      FrameDecoder::make(interface, set.labels.size(), *engine.value(), set.variants[variant].id.str());
  if (!decoder) return decoder.errors();
  return answer_images(*engine.value(), decoder.value(), images);
}

Result<LabelledImages> taught_by(const AnsweredImages& teacher, LabelledImages images,
                                 const profiles::ModelInterface& interface) {
  auto truths = std::make_shared<std::vector<PictureTruth>>();
  bool any = interface.task == profiles::NetworkTask::classify;
  for (const Answer& answer : teacher.answers) {
    PictureTruth truth{answer.label, {}};
    for (const vision::Object& object : answer.objects)
      truth.objects.push_back({object.box, object.label, false, std::nullopt});
    any = any || !truth.objects.empty();
    truths->push_back(std::move(truth));
  }
  if (!any) {
    return Error{images.name, "the teacher finds nothing in these pictures that it is sure of",
                 "take pictures with the objects that the network knows, or another teacher"};
  }
  images.show = [truths, show = std::move(images.show)](std::size_t index,
                                                        Picture& picture) -> Result<PictureTruth> {
    if (const auto shown = show(index, picture); !shown) return shown.errors();
    return truths->at(index);
  };
  return images;
}

double agreement(const std::vector<int>& left, const std::vector<int>& right) {
  SACCADE_CHECK(!left.empty() && left.size() == right.size());
  std::size_t same = 0;
  for (std::size_t i = 0; i < left.size(); ++i) same += left[i] == right[i] ? 1U : 0U;
  return static_cast<double>(same) / static_cast<double>(left.size());
}

}  // namespace saccade::runtime
