// What `saccade bench detectors` measures: of every variant of a detector its accuracy against the truth,
// against a teacher and live, and what its frames are made of; of the decoders alone the time of one picture,
// of the evaluator that of 5,000; and cameras served by plans with and without the components of frame times.
// Threads: the calling one. Errors: what cannot be read or run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bench/detectors/evaluation.hpp"
#include "bench/detectors/live.hpp"
#include "bench/detectors/served.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/profiling/picture_accuracy.hpp"
#include "runtime/profiling/profile_rounds.hpp"

namespace saccade::bench {

struct DetectorTrial {
  profiles::ProfileSet set;  // of detectors
  runtime::LabelledImages images;
  std::optional<runtime::LabelledImages>
      live;                 // pictures of a source with known objects; absent: there is none
  std::size_t teacher = 0;  // a variant
  runtime::RoundLimits rounds;
  std::size_t decodes = 400;
  std::size_t evaluated = kEvaluatedPictures;
  std::string backend = "auto";
  std::optional<Duration> served;  // of each run of the cameras; absent: none, as for own data
  std::function<void(const std::string& what, double share)> progress;
};

struct DetectorFigures {
  runtime::MeasuredAccuracy accuracy;
  std::optional<double> by_teacher;  // as the metric has it; absent: the teacher itself
  std::optional<LiveFigures> live;
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
  EvaluationFigures evaluation;
  std::vector<ServedFigures> served;  // the single camera first
};

[[nodiscard]] Result<DetectorResults> measure_detectors(const runtime::EngineBackend& backend,
                                                        const DetectorTrial& trial);

}  // namespace saccade::bench
