// What `saccade bench detectors` measures: of every variant of a detector its accuracy against the truth and
// against a teacher, and what its frames are made of; of the decoders alone the time of one picture.
// Threads: the calling one. Errors: what cannot be read or run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/profiling/picture_accuracy.hpp"
#include "runtime/profiling/profile_rounds.hpp"

namespace saccade::bench {

struct DetectorTrial {
  profiles::ProfileSet set;  // of detectors
  runtime::LabelledImages images;
  std::size_t teacher = 0;  // a variant
  runtime::RoundLimits rounds;
  std::size_t decodes = 400;
  std::function<void(const std::string& what, double share)> progress;
};

struct DetectorFigures {
  runtime::MeasuredAccuracy accuracy;
  std::optional<double> by_teacher;  // as the metric has it; absent: the teacher itself
  Seconds frame;
  profiles::FrameTimeParts parts;
};

// CPU milliseconds of the thread for one picture, in the median.
struct DecoderFigures {
  double anchors_last = 0.0;  // [84, 8400]
  double plain = 0.0;         // the same, a plain loop over candidates and classes that only counts
  double apart = 0.0;         // 3000 candidates, none of which suppresses another
  double heaps = 0.0;         // 3000 in heaps of 20
};

struct DetectorResults {
  std::vector<DetectorFigures> variants;  // of the set, in its order
  std::optional<double> kendall;          // of the accuracies by truth and by teacher, the teacher left out
  DecoderFigures decoders;
};

[[nodiscard]] Result<DetectorResults> measure_detectors(const runtime::EngineBackend& backend,
                                                        const DetectorTrial& trial);

}  // namespace saccade::bench
