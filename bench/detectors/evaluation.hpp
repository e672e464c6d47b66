// The evaluator of detectors alone: made-up objects of many pictures. Threads: the calling one. Errors: none.
#pragma once

#include <cstddef>

namespace saccade::bench {

inline constexpr std::size_t kEvaluatedPictures = 5000;

// Times are CPU seconds of the thread.
struct EvaluationFigures {
  std::size_t pictures = 0;
  double figures = 0.0;   // COCO's twelve figures
  double interval = 0.0;  // 200 resamplings for the interval
};
// 100 objects and 7 truths in each picture, of 80 labels.
[[nodiscard]] EvaluationFigures measure_evaluation(std::size_t pictures);

}  // namespace saccade::bench
