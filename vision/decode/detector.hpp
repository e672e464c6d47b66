// The interface of a detector family: it finds the candidates of one picture by their scores, and computes
// box and label of those that are kept. One file per family; vision/decode/decoder.hpp drives them. Internal
// to vision/decode.
// Call order per picture: bind, scan, complete. Allocation: none, apart from the growth of `candidates`.
// Threads: one at a time.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vision/decode/complaints.hpp"
#include "vision/decode/geometry.hpp"
#include "vision/decode/tensor.hpp"

namespace saccade::vision {

// A candidate.
struct ScoredRow {
  float score = 0.0F;
  std::int32_t label = 0;
  std::uint32_t row = 0;
};

// Best first; ties by index: the row, then the label.
[[nodiscard]] inline bool is_better(const ScoredRow& a, const ScoredRow& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.row != b.row ? a.row < b.row : a.label < b.label;
}

// Rows whose class is a number that no label has.
struct Unlabelled {
  std::size_t rows = 0;
  double number = 0.0;  // of the first, as the graph gives it
  bool operator==(const Unlabelled&) const = default;
};

struct RowCount {
  std::size_t rows = 0;
  std::size_t bad = 0;  // with NaN or infinity, or a class without a label
  Unlabelled unlabelled = {};

  void add_unlabelled(double number) {
    ++bad;
    if (std::isfinite(number) && unlabelled.rows++ == 0) unlabelled.number = number;
  }
};

class Detector {
 public:
  Detector() = default;
  virtual ~Detector() = default;
  Detector(const Detector&) = delete;
  Detector& operator=(const Detector&) = delete;

  // False: the outputs do not match.
  [[nodiscard]] virtual bool bind(std::span<const TensorView> outputs, std::size_t picture) = 0;
  // Appends the rows whose score is at least `threshold`. Scores are finite and at most 1.
  [[nodiscard]] virtual RowCount scan(float threshold, std::vector<ScoredRow>& candidates) = 0;
  // The box in pixels of the input, possibly invalid or NaN; sets the label if the scan left it open.
  [[nodiscard]] virtual Corners complete(ScoredRow& candidate) const = 0;
};

// Null if there is an error.
[[nodiscard]] std::unique_ptr<Detector> make_yolo(const profiles::YoloDecoder& spec, Complaints& complaints);
[[nodiscard]] std::unique_ptr<Detector> make_ssd(const profiles::SsdDecoder& spec, Complaints& complaints);
[[nodiscard]] std::unique_ptr<Detector> make_detr(const profiles::DetrDecoder& spec, Complaints& complaints);

}  // namespace saccade::vision
