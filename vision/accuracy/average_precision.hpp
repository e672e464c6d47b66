// Accuracy of a detector on labelled pictures: the twelve figures of COCO's evaluator for boxes, with the
// same definition (matching.hpp, precision_curve.hpp), and a confidence interval for the choice of pictures.
// Use: one call of add() per picture, then the figures. Labels without a truth that counts are excluded from
// every mean; a figure without any such label is absent, where COCO prints -1. Pass objects of score >=
// 0.001: objects cut off by a higher threshold cannot be counted. Ties of score between pictures are broken
// by the order of add(). Cost: 5000 pictures with 100 objects each take about 0.3 s, their interval 0.8 s; 28
// bytes per object are kept. Threads: one at a time; figures() and intervals() sort what was added. Errors:
// none; a label outside [0, labels) is a programmer's mistake.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vision/accuracy/matching.hpp"
#include "vision/accuracy/precision_curve.hpp"

namespace saccade::vision {

// All in [0, 1].
struct PrecisionFigures {
  using Figure = std::optional<double>;
  // Mean average precision over labels and IoU 0.50:0.05:0.95, or at one IoU, or of objects of one size.
  Figure map, map50, map75, map_small, map_medium, map_large;
  // Mean of the greatest recall over labels and IoU, with at most 1, 10, 100 objects per picture and label.
  Figure recall_1, recall_10, recall_100, recall_small, recall_medium, recall_large;
  // By label: over all IoU, and at 0.50.
  std::vector<Figure> label_map, label_map50;

  [[nodiscard]] std::array<Figure, 12> in_coco_order() const;
};

// 95 %: the interval that holds the figure of all pictures of the source, of which those measured are a
// sample. Percentiles 2.5 and 97.5 over resamplings of the pictures, corrected for the bias of resampling (a
// picture drawn twice lifts every curve slightly): the difference of the samples' mean from the figure.
struct PrecisionInterval {
  double low = 0.0;
  double high = 0.0;
  bool operator==(const PrecisionInterval&) const = default;
};
struct PrecisionIntervals {
  std::optional<PrecisionInterval> map, map50;
};
// Where the figure of `others` other pictures of the same source lies with a confidence of 95 %, if `figure`
// and its interval were measured on `pictures`: wider than that, because both samples vary. Numbers above 0.
[[nodiscard]] PrecisionInterval range_of_others(double figure, const PrecisionInterval& interval,
                                                std::size_t pictures, std::size_t others);
// The interval for the share of pictures that are right, by `samples` resamplings; not empty.
[[nodiscard]] PrecisionInterval share_interval(const std::vector<bool>& right, std::uint64_t seed,
                                               std::size_t samples = 200);

struct MeanPrecision {
  double map = 0.0;
  double map50 = 0.0;
  bool operator==(const MeanPrecision&) const = default;
};

class DetectionAccuracy {
 public:
  explicit DetectionAccuracy(std::size_t labels) : labels_(labels) {}

  void add(std::span<const Truth> truths, std::span<const Object> objects);
  [[nodiscard]] std::size_t pictures() const { return pictures_; }

  [[nodiscard]] PrecisionFigures figures();
  // As many pictures as were added, drawn with replacement, `samples` times. The same seed gives the same
  // figures. Pictures are matched once; only the curves are recomputed. Samples without any truth are
  // excluded.
  [[nodiscard]] std::vector<MeanPrecision> resample(std::uint64_t seed, std::size_t samples);
  [[nodiscard]] PrecisionIntervals intervals(std::uint64_t seed, std::size_t samples = 200);

 private:
  struct Found {
    Verdict verdict;
    std::uint32_t picture;
  };
  struct Known {
    std::uint32_t picture;
    std::array<std::uint32_t, kAreaRanges> truths;
  };
  struct Label {
    std::vector<Found> found;
    std::vector<Known> known;
  };
  // The objects of a label that count in one range, if a picture's first `most` are considered.
  static std::vector<RankedObject> rank(const Label& label, AreaRange range, std::size_t most);
  static PrecisionCurves traced(const Label& label, AreaRange range, std::size_t most);
  // Weighted; weights empty: 1 each.
  static std::uint64_t truths(const Label& label, AreaRange range, std::span<const std::uint32_t> weights);
  void sort();

  std::vector<Label> labels_;
  std::size_t pictures_ = 0;
  bool sorted_ = true;
};

}  // namespace saccade::vision
