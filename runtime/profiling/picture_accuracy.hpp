// The accuracy of a network on pictures whose truth is known: of a classifier the share of pictures to which
// it gives their label (top1), of a detector the mean average precision (vision/accuracy), each with the
// interval in which it would lie with other pictures of the same kind. Detectors are asked for all objects of
// score >= kLeastScore, whatever the threshold of the service: what that cuts off cannot be found.
// Another variant may be the teacher: what it finds is the truth.
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
inline constexpr double kTeacherScore = 0.5;  // objects of a teacher that are truths

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
// Of a variant of the set, loaded as `spec` says; objects from `score` on.
[[nodiscard]] Result<AnsweredImages> answer_images(const EngineBackend& backend, const EngineSpec& spec,
                                                   const profiles::ProfileSet& set, std::size_t variant,
                                                   double score, const LabelledImages& images);

struct MeasuredAccuracy {
  double value = 0.0;  // as the interface's metric has it
  double least = 0.0;  // 95 %
  double most = 0.0;
  double map = 0.0;  // of detectors
  double map50 = 0.0;
  double found = 0.0;  // objects of any score, or pictures that were answered
};
// Of a classifier or a detector; `labels`: how many.
[[nodiscard]] MeasuredAccuracy accuracy_of(const AnsweredImages& answered,
                                           const profiles::ModelInterface& interface, std::size_t labels);

// The same pictures, with what a teacher answered as their truth. Errors: it answered nothing.
[[nodiscard]] Result<LabelledImages> taught_by(const AnsweredImages& teacher, LabelledImages images,
                                               const profiles::ModelInterface& interface);

// The share of values that are equal, of two lists of the same length.
[[nodiscard]] double agreement(const std::vector<int>& left, const std::vector<int>& right);

}  // namespace saccade::runtime
