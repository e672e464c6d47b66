// YOLOv10, v26 and exports with suppression in the graph: [N, 6 + extra], a row is box, score, class.
#include <algorithm>
#include <cmath>

#include "vision/decode/score_scan.hpp"
#include "vision/decode/yolo.hpp"

namespace saccade::vision {
namespace {

class YoloEndToEnd final : public Detector {
 public:
  explicit YoloEndToEnd(const YoloShape& shape) : shape_(shape) {}

  bool bind(std::span<const TensorView> outputs, std::size_t picture) override {
    const std::optional<Table> table = find_table(shape_.output, outputs, picture);
    if (!table || table->columns < 6) return false;
    table_ = *table;
    return true;
  }

  RowCount scan(float threshold, std::vector<ScoredRow>& candidates) override {
    RowCount rows{table_.rows, 0};
    for (std::size_t i = 0; i < table_.rows; ++i) {
      const float* const row = table_.floats + i * table_.columns;
      if (!all_finite(row, 6, 1)) {
        ++rows.bad;
      } else if (row[4] >= threshold) {
        const int label = label_of(row[5], 0, shape_.labels);
        if (label < 0) {
          rows.add_unlabelled(row[5]);
        } else {
          candidates.push_back({std::min(row[4], 1.0F), label, static_cast<std::uint32_t>(i)});
        }
      }
    }
    return rows;
  }

  Corners complete(ScoredRow& candidate) const override {
    const float* const row = table_.floats + candidate.row * table_.columns;
    return shape_.read(row[0], row[1], row[2], row[3]);
  }

 private:
  YoloShape shape_;
  Table table_;
};

}  // namespace

std::unique_ptr<Detector> make_yolo_end_to_end(const YoloShape& shape) {
  return std::make_unique<YoloEndToEnd>(shape);
}

}  // namespace saccade::vision
