#include "bench/detectors/evaluation.hpp"

#include <vector>

#include "base/check.hpp"
#include "bench/detectors/made_outputs.hpp"
#include "bench/solver/random.hpp"
#include "vision/accuracy/average_precision.hpp"

namespace saccade::bench {

namespace {

constexpr std::size_t kLabels = 80;
constexpr int kTruths = 7;
constexpr int kObjects = 100;

struct EvaluatedPicture {
  vision::Truths truths;
  vision::Objects objects;
};

// Objects near the truths, most of them of the right label.
EvaluatedPicture made_picture(Random& random) {
  EvaluatedPicture picture;
  for (int i = 0; i < kTruths; ++i) {
    const auto side = static_cast<float>(random.uniform(8.0, 200.0));
    vision::Truth truth;
    truth.box = {static_cast<float>(random.uniform(0.0, 500.0)),
                 static_cast<float>(random.uniform(0.0, 300.0)), side, side};
    truth.label = static_cast<int>(random.below(kLabels));
    picture.truths.push_back(truth);
  }
  for (int i = 0; i < kObjects; ++i) {
    const vision::Truth& near = picture.truths[random.below(picture.truths.size())];
    const auto shift = [&] { return near.box.width * static_cast<float>(random.uniform(-0.25, 0.25)); };
    vision::Object object;
    object.box = {near.box.x + shift(), near.box.y + shift(), near.box.width + shift(),
                  near.box.height + shift()};
    object.label = i < 60 ? near.label : static_cast<int>(random.below(kLabels));
    object.score = static_cast<float>(random.uniform(0.001, 1.0));
    picture.objects.push_back(object);
  }
  return picture;
}

}  // namespace

EvaluationFigures measure_evaluation(std::size_t pictures) {
  Random random(kDecodeSeed);
  std::vector<EvaluatedPicture> made(pictures);
  for (EvaluatedPicture& picture : made) picture = made_picture(random);
  const double start = thread_cpu_seconds();
  vision::DetectionAccuracy accuracy(kLabels);
  for (const EvaluatedPicture& picture : made) accuracy.add(picture.truths, picture.objects);
  SACCADE_CHECK(accuracy.figures().map.has_value());
  const double evaluated = thread_cpu_seconds();
  SACCADE_CHECK(accuracy.intervals(kDecodeSeed).map.has_value());
  return {pictures, evaluated - start, thread_cpu_seconds() - evaluated};
}

}  // namespace saccade::bench
