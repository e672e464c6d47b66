// The accuracy of a network on pictures with known truth: for a classifier the share of pictures that it
// labels correctly (top1), for a detector the mean average precision (vision/accuracy), each with the
// confidence interval for other pictures of the same kind. Detectors report all objects of score >=
// kLeastScore, whatever the threshold of the service, because objects cut off by it could not be counted.
// Another variant may be the teacher: its output is the truth.
// Threads: the calling one. Errors: a picture that cannot be shown, an inference or an answer that fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "runtime/engines/frame_decoder.hpp"
#include "runtime/sources/labelled_images.hpp"

namespace saccade::runtime {

inline constexpr double kLeastScore = 0.001;
inline constexpr double kTeacherScore = 0.5;  // teacher's objects that count as truths

struct Answer {
  int label = -1;           // of a classifier
  vision::Objects objects;  // of a detector, best score first
};
struct AnsweredImages {
  std::vector<PictureTruth> truths;
  std::vector<Answer> answers;  // of the same pictures
};
// Runs in batches of the engine; at least one image. `decoder`: the engine's.
[[nodiscard]] Result<AnsweredImages> answer_images(Engine& engine, FrameDecoder& decoder,
                                                   const LabelledImages& images);
// For a variant of the set, loaded as in `spec`; objects from `score` on.
[[nodiscard]] Result<AnsweredImages> answer_images(const EngineBackend& backend, const EngineSpec& spec,
                                                   const profiles::ProfileSet& set, std::size_t variant,
                                                   double score, const LabelledImages& images);

struct MeasuredAccuracy {
  double value = 0.0;  // in the interface's metric
  double least = 0.0;  // 95 %
  double most = 0.0;
  double map = 0.0;  // of detectors
  double map50 = 0.0;
  double found = 0.0;  // objects of any score, or pictures with an answer
};
// For a classifier or a detector; `labels`: their number.
[[nodiscard]] MeasuredAccuracy accuracy_of(const AnsweredImages& answered,
                                           const profiles::ModelInterface& interface, std::size_t labels);

// The same pictures, with a teacher's answers as their truth. Errors: it answered nothing.
[[nodiscard]] Result<LabelledImages> taught_by(const AnsweredImages& teacher, LabelledImages images,
                                               const profiles::ModelInterface& interface);

// The share of equal values of two lists of the same length.
[[nodiscard]] double agreement(const std::vector<int>& left, const std::vector<int>& right);

}  // namespace saccade::runtime
