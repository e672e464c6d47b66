// Detectors of TensorFlow's export: boxes [N, 4], scores [N] with classes [N], or scores [N, C +
// class_offset] of which the best counts; a number of valid rows or none. Where no output is named, the names
// are those of the export.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "vision/decode/detector.hpp"
#include "vision/decode/outputs.hpp"
#include "vision/decode/score_scan.hpp"

namespace saccade::vision {
namespace {

struct SsdOutputs {
  OutputSpec boxes;
  OutputSpec scores;
  std::optional<OutputSpec> classes;
  std::optional<OutputSpec> count;
};

class Ssd final : public Detector {
 public:
  Ssd(SsdOutputs outputs, std::size_t labels, int class_offset, BoxReader read)
      : outputs_(std::move(outputs)), labels_(labels), class_offset_(class_offset), read_(read) {}

  bool bind(std::span<const TensorView> outputs, std::size_t picture) override {
    const auto find = [&](const OutputSpec& spec, Table& table) {
      const std::optional<Table> found = find_table(spec, outputs, picture);
      if (found) table = *found;
      return found.has_value();
    };
    return find(outputs_.boxes, boxes_) && find(outputs_.scores, scores_) &&
           (!outputs_.classes || find(*outputs_.classes, classes_)) &&
           (!outputs_.count || find(*outputs_.count, count_)) && scores_.rows == boxes_.rows &&
           (!outputs_.classes || classes_.rows == boxes_.rows);
  }

  RowCount scan(float threshold, std::vector<ScoredRow>& candidates) override {
    RowCount rows{boxes_.rows, 0};
    if (outputs_.count) {
      const double count = count_.numbers[0];
      if (!std::isfinite(count)) return {boxes_.rows, boxes_.rows};
      rows.rows =
          static_cast<std::size_t>(std::clamp(std::round(count), 0.0, static_cast<double>(rows.rows)));
    }
    const auto first = static_cast<std::size_t>(outputs_.classes ? 0 : class_offset_);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const float* const scores = scores_.floats + i * scores_.columns;
      if (!all_finite(boxes_.floats + 4 * i, 4, 1) || !all_finite(scores, scores_.columns, 1)) {
        ++rows.bad;
        continue;
      }
      const std::size_t best = index_of_largest(scores + first, scores_.columns - first, 1);
      const float score = scores[first + best];
      if (score < threshold) continue;
      const int label =
          outputs_.classes ? label_of(classes_.numbers[i], class_offset_, labels_) : static_cast<int>(best);
      if (label < 0) {
        rows.add_unlabelled(classes_.numbers[i]);
      } else {
        candidates.push_back({std::min(score, 1.0F), label, static_cast<std::uint32_t>(i)});
      }
    }
    return rows;
  }

  Corners complete(ScoredRow& candidate) const override {
    const float* const box = boxes_.floats + 4 * static_cast<std::size_t>(candidate.row);
    return read_(box[0], box[1], box[2], box[3]);
  }

 private:
  SsdOutputs outputs_;
  std::size_t labels_;
  int class_offset_;
  BoxReader read_;
  Table boxes_;
  Table scores_;
  Table classes_;
  Table count_;
};

profiles::SsdDecoder with_names(profiles::SsdDecoder spec, const Complaints& complaints) {
  if (!spec.boxes.empty() || !spec.scores.empty() || !spec.classes.empty() || !spec.count.empty())
    return spec;
  spec.boxes = "detection_boxes";
  spec.scores = "detection_scores";
  spec.classes = "detection_classes";
  if (complaints.ports().empty() || complaints.port("num_detections") != nullptr)
    spec.count = "num_detections";
  return spec;
}

// An output that must be named, its type and its shape.
bool check_role(const char* key, OutputSpec& spec, Complaints& complaints) {
  if (spec.name.empty()) {
    complaints.add(key, "the output is missing",
                   complaints.ports().empty() ? "" : "the graph has " + ports_text(complaints.ports()));
    return false;
  }
  if (complaints.output(key, spec) != nullptr && spec.rank > 0) complaints.check_shape(key, spec);
  return complaints.none();
}

}  // namespace

std::unique_ptr<Detector> make_ssd(const profiles::SsdDecoder& given, Complaints& complaints) {
  const profiles::SsdDecoder spec = with_names(given, complaints);
  const bool classes = !spec.classes.empty();
  constexpr int kMostOffset = 1'000'000;
  if (spec.class_offset < (classes ? -kMostOffset : 0) || spec.class_offset > kMostOffset) {
    complaints.add("class_offset",
                   "the number of the first label is " + std::to_string(spec.class_offset) +
                       (classes ? "" : "; columns of scores are counted from 0"),
                   "it is 1 where the graph counts the background as 0");
    return nullptr;
  }
  SsdOutputs outputs;
  outputs.boxes = {spec.boxes, 2, kAnySize, 4, true};
  outputs.scores = {spec.scores, classes ? 1 : 2, kAnySize, kAnySize, true};
  const std::int64_t columns = complaints.labels() + spec.class_offset;
  const std::vector<std::int64_t> scores = own_shape(complaints.port(spec.scores), 2);
  // Of a single class, scores may come without a dimension for it.
  if (columns == 1 && !scores.empty() && scores[1] != 1) outputs.scores.rank = 1;
  if (outputs.scores.rank == 2) outputs.scores.columns = columns;
  check_role("boxes", outputs.boxes, complaints);
  if (outputs.scores.rank == 2 && !scores.empty() && !fits(scores[1], columns)) {
    complaints.wrong_classes("scores", *complaints.port(spec.scores), scores[1] - spec.class_offset,
                             "; `class_offset` is the column of the first label");
  } else {
    check_role("scores", outputs.scores, complaints);
  }
  if (classes) outputs.classes = OutputSpec{spec.classes, 1, kAnySize, kAnySize, false};
  if (classes) check_role("classes", *outputs.classes, complaints);
  if (!spec.count.empty()) outputs.count = OutputSpec{spec.count, 0, kAnySize, kAnySize, false};
  if (outputs.count) check_role("count", *outputs.count, complaints);
  complaints.check_same_rows("scores", outputs.scores, outputs.boxes);
  if (classes) complaints.check_same_rows("classes", *outputs.classes, outputs.boxes);
  if (!complaints.none()) return nullptr;
  return std::make_unique<Ssd>(std::move(outputs), complaints.label_count(), spec.class_offset,
                               box_reader(spec.box, spec.unit, complaints.input()));
}

}  // namespace saccade::vision
