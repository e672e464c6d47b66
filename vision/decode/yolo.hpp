// The detectors of the YOLO family, one file each, and what they share. N candidates, C classes; `extra`
// columns at the end of each are ignored.
//   yolo.cpp             which layout a graph has, and its complaints
//   yolo_columns.cpp     anchors_last: a candidate is a column
//   yolo_rows.cpp        anchors_first, objectness, yolox: a candidate is a row with a score per class
//   yolo_end_to_end.cpp  a candidate is a row with its score and class
//   yolo_gfl.cpp         distances to the sides as distributions
// Inside of vision/decode. Threads: see Detector.
// Sources: Ultralytics exporter.py; YOLOX yolo_head.py; NanoDet nanodet_plus_head.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vision/decode/detector.hpp"
#include "vision/decode/outputs.hpp"

namespace saccade::vision {

// The grid of an anchor-free head: the cells of every stride, one level after the other, row by row.
class CellGrid {
 public:
  CellGrid() = default;
  CellGrid(const std::vector<int>& strides, PixelSize input);

  struct Cell {
    float x = 0.0F;  // column and row of the cell
    float y = 0.0F;
    float stride = 1.0F;
  };
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] Cell at(std::size_t index) const;  // index < size()

 private:
  struct Level {
    std::int64_t columns = 0;
    std::int64_t cells = 0;
    float stride = 1.0F;
  };
  std::vector<Level> levels_;
};

struct YoloShape {
  OutputSpec output;
  std::size_t labels = 0;
  BoxReader read;
};

[[nodiscard]] std::unique_ptr<Detector> make_yolo_columns(const YoloShape& shape);
// `objectness`: the column after the box; `grid`: for a raw head (YOLOX), else none.
[[nodiscard]] std::unique_ptr<Detector> make_yolo_rows(const YoloShape& shape, bool objectness,
                                                       std::optional<CellGrid> grid);
[[nodiscard]] std::unique_ptr<Detector> make_yolo_end_to_end(const YoloShape& shape);
[[nodiscard]] std::unique_ptr<Detector> make_yolo_gfl(const YoloShape& shape, std::size_t bins,
                                                      CellGrid grid);

// The interpretation of a shape under a layout.
[[nodiscard]] const char* layout_name(profiles::YoloLayout layout);
// Columns of a candidate with C classes; -1 where C does not matter.
[[nodiscard]] std::int64_t columns_of(const profiles::YoloDecoder& spec, profiles::YoloLayout layout,
                                      std::int64_t labels);

}  // namespace saccade::vision
