// YOLOv8 and its successors: [4 + C + extra, N], scores ready. Candidates are columns, so the table is read
// row by row, a block of columns at a time: largest score and finiteness of the block stay in the first
// cache.
#include <algorithm>
#include <array>
#include <cmath>

#include "vision/decode/score_scan.hpp"
#include "vision/decode/yolo.hpp"

namespace saccade::vision {
namespace {

class YoloColumns final : public Detector {
 public:
  explicit YoloColumns(const YoloShape& shape) : shape_(shape) {}

  bool bind(std::span<const TensorView> outputs, std::size_t picture) override {
    const std::optional<Table> table = find_table(shape_.output, outputs, picture);
    if (table) table_ = *table;
    return table.has_value();
  }

  RowCount scan(float threshold, std::vector<ScoredRow>& candidates) override {
    const std::size_t count = table_.columns;
    RowCount rows{count, 0};
    for (std::size_t begin = 0; begin < count; begin += kBlock) {
      const std::size_t size = std::min(kBlock, count - begin);
      const float* const first = table_.floats + begin;
      score_of_columns(first + 4 * count, shape_.labels, count, size, largest_.data(), sum_.data());
      sum_of_columns(first, 4, count, size, sum_.data());
      for (std::size_t i = 0; i < size; ++i) {
        if (!std::isfinite(sum_[i]) && !all_finite(first + i, 4 + shape_.labels, count)) {
          ++rows.bad;
        } else if (largest_[i] >= threshold) {
          candidates.push_back({std::min(largest_[i], 1.0F), -1, static_cast<std::uint32_t>(begin + i)});
        }
      }
    }
    return rows;
  }

  Corners complete(ScoredRow& candidate) const override {
    const std::size_t count = table_.columns;
    const float* const box = table_.floats + candidate.row;
    candidate.label = static_cast<int>(index_of_largest(box + 4 * count, shape_.labels, count));
    return shape_.read(box[0], box[count], box[2 * count], box[3 * count]);
  }

 private:
  static constexpr std::size_t kBlock = 2048;
  YoloShape shape_;
  Table table_;
  std::array<float, kBlock> largest_{};
  std::array<float, kBlock> sum_{};
};

}  // namespace

std::unique_ptr<Detector> make_yolo_columns(const YoloShape& shape) {
  return std::make_unique<YoloColumns>(shape);
}

}  // namespace saccade::vision
