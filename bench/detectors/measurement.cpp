#include "bench/detectors/measurement.hpp"

#include <algorithm>
#include <utility>

#include "bench/detectors/made_outputs.hpp"
#include "runtime/machine/thread_cpu_clock.hpp"
#include "runtime/profiling/profiler.hpp"

namespace saccade::bench {

namespace {

constexpr std::size_t kCandidates = 3000;
constexpr double kAccuracyShare = 0.6;  // of the time, about
constexpr double kDecoderShare = 0.05;  // with the evaluator, and the cameras
constexpr Seconds kAloneTime{1.0};      // of one variant as it serves

Result<runtime::AnsweredImages> answers_from(const runtime::EngineBackend& backend,
                                             const DetectorTrial& trial, std::size_t v, double score,
                                             const runtime::LabelledImages& images) {
  return runtime::answer_images(backend, runtime::engine_spec(trial.set, v, 1), trial.set, v, score, images);
}

// What the teacher finds, as truth.
Result<std::vector<runtime::PictureTruth>> taught_truths(const runtime::EngineBackend& backend,
                                                         const DetectorTrial& trial) {
  const auto answered = answers_from(backend, trial, trial.teacher, runtime::kTeacherScore, trial.images);
  if (!answered) return answered.errors();
  const auto interface = profiles::interface_of(trial.set, trial.set.variants[trial.teacher]);
  const auto taught = runtime::taught_by(answered.value(), trial.images, interface);
  if (!taught) return taught.errors();
  std::vector<runtime::PictureTruth> truths;
  runtime::Picture picture;
  for (std::size_t i = 0; i < trial.images.count; ++i) {
    auto truth = taught.value().show(i, picture);
    if (!truth) return truth.errors();
    truths.push_back(std::move(truth).value());
  }
  return truths;
}

Status measure_accuracies(const runtime::EngineBackend& backend, const DetectorTrial& trial,
                          DetectorResults& results) {
  auto taught = taught_truths(backend, trial);
  if (!taught) return taught.errors();
  std::vector<double> by_truth;
  std::vector<double> by_teacher;
  for (std::size_t v = 0; v < trial.set.variants.size(); ++v) {
    trial.progress("accuracy",
                   kAccuracyShare * static_cast<double>(v) / static_cast<double>(trial.set.variants.size()));
    auto answered = answers_from(backend, trial, v, runtime::kLeastScore, trial.images);
    if (!answered) return answered.errors();
    const auto interface = profiles::interface_of(trial.set, trial.set.variants[v]);
    const std::size_t labels = trial.set.labels.size();
    DetectorFigures& figures = results.variants[v];
    figures.accuracy = runtime::accuracy_of(answered.value(), interface, labels);
    if (trial.live) {
      const auto live = answers_from(backend, trial, v, runtime::kLeastScore, *trial.live);
      if (!live) return live.errors();
      figures.live = live_figures(live.value(), figures.accuracy, trial.images.count, interface, labels);
    }
    if (v == trial.teacher) continue;
    answered.value().truths = taught.value();
    figures.by_teacher = runtime::accuracy_of(answered.value(), interface, labels).value;
    by_truth.push_back(figures.accuracy.value);
    by_teacher.push_back(*figures.by_teacher);
  }
  if (!by_truth.empty()) results.kendall = runtime::kendall(by_truth, by_teacher);
  return Done{};
}

Status measure_frames(const runtime::EngineBackend& backend, const DetectorTrial& trial,
                      DetectorResults& results) {
  runtime::ProfileRequest request;
  request.set = trial.set;
  request.batches = {1};
  request.rounds = trial.rounds;
  request.loads = 1;
  request.memory_engines = 0;
  request.images = trial.images;
  request.keep_accuracy = true;
  const auto report = [&](const runtime::ProfileProgress& progress) {
    const double here = (progress.number - 1 + progress.share) / progress.phases;
    trial.progress(progress.phase, kAccuracyShare + here * (1.0 - kAccuracyShare - kDecoderShare));
  };
  auto measured = runtime::measure_profiles(backend, request, runtime::ThreadCpuClock(), report);
  if (!measured) return measured.errors();
  for (std::size_t v = 0; v < trial.set.variants.size(); ++v) {
    const profiles::Variant& variant = measured.value().set.variants[v];
    results.variants[v].frame = variant.frame_time.begin()->second;
    results.variants[v].parts = variant.frame_time_parts.value_or(profiles::FrameTimeParts{});
  }
  return Done{};
}

template <class Work>
double median_milliseconds(std::size_t times, const Work& work) {
  std::vector<double> milliseconds;
  for (std::size_t i = 0; i < times; ++i) {
    const double start = thread_cpu_seconds();
    work(i);
    milliseconds.push_back(1e3 * (thread_cpu_seconds() - start));
  }
  return runtime::median(milliseconds);
}

Result<double> decoding_milliseconds(const MadeOutputs& outputs, std::size_t times) {
  auto decoder = ProductDecoder::make(outputs);
  if (!decoder) return decoder.errors();
  return median_milliseconds(times, [&](std::size_t picture) { decoder.value().decode(picture); });
}

Status measure_decoders(std::size_t times, DecoderFigures& figures) {
  constexpr std::size_t kCells = 8400;
  const MadeOutputs outputs = made_outputs(profiles::YoloLayout::anchors_last, kCells, 84);
  const auto product = decoding_milliseconds(outputs, times);
  const auto apart = decoding_milliseconds(made_candidates(kCandidates, false), times);
  const auto heaps = decoding_milliseconds(made_candidates(kCandidates, true), times);
  for (const auto* result : {&product, &apart, &heaps}) {
    if (!*result) return result->errors();
  }
  figures.anchors_last = product.value();
  figures.apart = apart.value();
  figures.heaps = heaps.value();
  std::size_t found = 0;
  figures.plain = median_milliseconds(times, [&](std::size_t picture) {
    found += plain_scan(outputs, picture, {1, kCells}, kCells);
  });
  SACCADE_CHECK(found > 0);  // and so it is not optimised away
  return Done{};
}

}  // namespace

Result<DetectorResults> measure_detectors(const runtime::EngineBackend& backend, const DetectorTrial& trial) {
  DetectorResults results;
  results.variants.resize(trial.set.variants.size());
  if (const Status done = measure_accuracies(backend, trial, results); !done) return done.errors();
  if (const Status done = measure_frames(backend, trial, results); !done) return done.errors();
  trial.progress("decoders", 1.0 - kDecoderShare);
  if (const Status done = measure_decoders(trial.decodes, results.decoders); !done) return done.errors();
  results.evaluation = measure_evaluation(trial.evaluated);
  if (trial.served) {
    runtime::RoundLimits rounds = trial.rounds;
    rounds.time = std::min(rounds.time, kAloneTime);
    auto served = measure_served({trial.backend, trial.set, rounds, *trial.served});
    if (!served) return served.errors();
    results.served = std::move(served).value();
  }
  return results;
}

}  // namespace saccade::bench
