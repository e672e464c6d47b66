// NanoDet-Plus: [N, C + 4 bins + extra]. The scores are ready; the distances from a cell's corner (cell *
// stride) to left, top, right and bottom are distributions over 0 .. bins - 1 strides, of which the mean
// counts: softmax, then the sum of bin * probability.
#include <algorithm>
#include <cmath>

#include "vision/decode/score_scan.hpp"
#include "vision/decode/yolo.hpp"

namespace saccade::vision {
namespace {

float mean_bin(const float* logits, std::size_t bins) {
  const float largest = logits[index_of_largest(logits, bins, 1)];
  float sum = 0.0F;
  float weighted = 0.0F;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const float weight = std::exp(logits[bin] - largest);
    sum += weight;
    weighted += weight * static_cast<float>(bin);
  }
  return weighted / sum;
}

class YoloGfl final : public Detector {
 public:
  YoloGfl(const YoloShape& shape, std::size_t bins, CellGrid grid)
      : shape_(shape), bins_(bins), grid_(std::move(grid)) {}

  bool bind(std::span<const TensorView> outputs, std::size_t picture) override {
    const std::optional<Table> table = find_table(shape_.output, outputs, picture);
    if (table) table_ = *table;
    return table.has_value();
  }

  RowCount scan(float threshold, std::vector<ScoredRow>& candidates) override {
    RowCount rows{table_.rows, 0};
    const std::size_t columns = shape_.labels + 4 * bins_;
    for (std::size_t i = 0; i < table_.rows; ++i) {
      const float* const row = table_.floats + i * table_.columns;
      const RowScore score = score_of_row(row, shape_.labels);
      const float sum = score.sum + score_of_row(row + shape_.labels, 4 * bins_).sum;
      if (!std::isfinite(sum) && !all_finite(row, columns, 1)) {
        ++rows.bad;
      } else if (score.largest >= threshold) {
        candidates.push_back({std::min(score.largest, 1.0F), -1, static_cast<std::uint32_t>(i)});
      }
    }
    return rows;
  }

  Corners complete(ScoredRow& candidate) const override {
    const float* const row = table_.floats + candidate.row * table_.columns;
    candidate.label = static_cast<int>(index_of_largest(row, shape_.labels, 1));
    const CellGrid::Cell cell = grid_.at(candidate.row);
    const float* const sides = row + shape_.labels;
    const auto side = [&](std::size_t which) { return mean_bin(sides + which * bins_, bins_); };
    return {(cell.x - side(0)) * cell.stride, (cell.y - side(1)) * cell.stride,
            (cell.x + side(2)) * cell.stride, (cell.y + side(3)) * cell.stride};
  }

 private:
  YoloShape shape_;
  std::size_t bins_;
  CellGrid grid_;
  Table table_;
};

}  // namespace

std::unique_ptr<Detector> make_yolo_gfl(const YoloShape& shape, std::size_t bins, CellGrid grid) {
  return std::make_unique<YoloGfl>(shape, bins, std::move(grid));
}

}  // namespace saccade::vision
