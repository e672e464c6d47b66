// [N, 4 + C + extra] (anchors_first), [N, 5 + C + extra] with objectness (YOLOv5, v7), and the raw head of
// YOLOX, whose boxes are relative to cells: centre = (xy + cell) * stride, size = exp(wh) * stride.
// A row whose objectness is below the threshold is no candidate, whatever its classes say, as in YOLOv5; of
// such a row only box and objectness are examined for NaN and infinity.
#include <algorithm>
#include <cmath>

#include "vision/decode/score_scan.hpp"
#include "vision/decode/yolo.hpp"

namespace saccade::vision {
namespace {

class YoloRows final : public Detector {
 public:
  YoloRows(const YoloShape& shape, bool objectness, std::optional<CellGrid> grid)
      : shape_(shape), grid_(std::move(grid)), objectness_(objectness) {}

  bool bind(std::span<const TensorView> outputs, std::size_t picture) override {
    const std::optional<Table> table = find_table(shape_.output, outputs, picture);
    if (table) table_ = *table;
    return table.has_value();
  }

  RowCount scan(float threshold, std::vector<ScoredRow>& candidates) override {
    return objectness_ ? scan_objectness(threshold, candidates) : scan_scores(threshold, candidates);
  }

  Corners complete(ScoredRow& candidate) const override {
    const float* const row = row_at(candidate.row);
    candidate.label = static_cast<int>(index_of_largest(row + (objectness_ ? 5 : 4), shape_.labels, 1));
    if (!grid_) return shape_.read(row[0], row[1], row[2], row[3]);
    const CellGrid::Cell cell = grid_->at(candidate.row);
    return shape_.read((row[0] + cell.x) * cell.stride, (row[1] + cell.y) * cell.stride,
                       std::exp(row[2]) * cell.stride, std::exp(row[3]) * cell.stride);
  }

 private:
  [[nodiscard]] const float* row_at(std::size_t row) const { return table_.floats + row * table_.columns; }

  RowCount scan_scores(float threshold, std::vector<ScoredRow>& candidates) const {
    RowCount rows{table_.rows, 0};
    for (std::size_t i = 0; i < table_.rows; ++i) {
      const float* const row = row_at(i);
      const RowScore score = score_of_row(row + 4, shape_.labels);
      const float sum = score.sum + row[0] + row[1] + row[2] + row[3];
      if (!std::isfinite(sum) && !all_finite(row, 4 + shape_.labels, 1)) {
        ++rows.bad;
      } else if (score.largest >= threshold) {
        candidates.push_back({std::min(score.largest, 1.0F), -1, static_cast<std::uint32_t>(i)});
      }
    }
    return rows;
  }

  RowCount scan_objectness(float threshold, std::vector<ScoredRow>& candidates) const {
    RowCount rows{table_.rows, 0};
    for (std::size_t i = 0; i < table_.rows; ++i) {
      const float* const row = row_at(i);
      const float sum = row[0] + row[1] + row[2] + row[3] + row[4];
      if (!std::isfinite(sum) && !all_finite(row, 5, 1)) {
        ++rows.bad;
        continue;
      }
      if (row[4] < threshold) continue;
      const RowScore score = score_of_row(row + 5, shape_.labels);
      if (!std::isfinite(score.sum) && !all_finite(row + 5, shape_.labels, 1)) {
        ++rows.bad;
      } else if (row[4] * score.largest >= threshold) {
        candidates.push_back({std::min(row[4] * score.largest, 1.0F), -1, static_cast<std::uint32_t>(i)});
      }
    }
    return rows;
  }

  YoloShape shape_;
  std::optional<CellGrid> grid_;
  bool objectness_;
  Table table_;
};

}  // namespace

std::unique_ptr<Detector> make_yolo_rows(const YoloShape& shape, bool objectness,
                                         std::optional<CellGrid> grid) {
  return std::make_unique<YoloRows>(shape, objectness, std::move(grid));
}

}  // namespace saccade::vision
