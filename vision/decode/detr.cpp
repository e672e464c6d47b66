// The DETR family: a fixed number of queries, each a box, without suppression.
//   ready   labels [Q], boxes [Q, 4], scores [Q]: RT-DETR and D-FINE as they are deployed
//   logits  [Q, C], or C + 1 with a column for the background, and boxes [Q, 4]: the graphs of Hugging Face
//           and of RF-DETR. With sigmoid (or none) the classes are independent and every pair of query and
//           class is a candidate; with softmax the best class of each query is.
// Where no output is named: by the names labels, boxes and scores, else by the shapes.
// Source: post-processing of RT-DETR and of transformers' DETR.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "vision/decode/activation.hpp"
#include "vision/decode/detector.hpp"
#include "vision/decode/outputs.hpp"
#include "vision/decode/score_scan.hpp"

namespace saccade::vision {
namespace {

using profiles::Activation;
using profiles::Background;
using profiles::DetrDecoder;

class DetrReady final : public Detector {
 public:
  DetrReady(OutputSpec labels, OutputSpec boxes, OutputSpec scores, std::size_t label_count, BoxReader read)
      : specs_{std::move(labels), std::move(boxes), std::move(scores)},
        label_count_(label_count),
        read_(read) {}

  bool bind(std::span<const TensorView> outputs, std::size_t picture) override {
    const std::optional<Table> labels = find_table(specs_[0], outputs, picture);
    const std::optional<Table> boxes = find_table(specs_[1], outputs, picture);
    const std::optional<Table> scores = find_table(specs_[2], outputs, picture);
    if (!labels || !boxes || !scores || labels->rows != boxes->rows || scores->rows != boxes->rows)
      return false;
    labels_ = *labels;
    boxes_ = *boxes;
    scores_ = *scores;
    return true;
  }

  RowCount scan(float threshold, std::vector<ScoredRow>& candidates) override {
    RowCount rows{boxes_.rows, 0};
    for (std::size_t i = 0; i < boxes_.rows; ++i) {
      const float score = scores_.floats[i];
      if (!std::isfinite(score) || !all_finite(boxes_.floats + 4 * i, 4, 1)) {
        ++rows.bad;
      } else if (score >= threshold) {
        const int label = label_of(labels_.numbers[i], 0, label_count_);
        if (label < 0) {
          rows.add_unlabelled(labels_.numbers[i]);
        } else {
          candidates.push_back({std::min(score, 1.0F), label, static_cast<std::uint32_t>(i)});
        }
      }
    }
    return rows;
  }

  Corners complete(ScoredRow& candidate) const override {
    const float* const box = boxes_.floats + 4 * static_cast<std::size_t>(candidate.row);
    return read_(box[0], box[1], box[2], box[3]);
  }

 private:
  std::array<OutputSpec, 3> specs_;
  std::size_t label_count_;
  BoxReader read_;
  Table labels_;
  Table boxes_;
  Table scores_;
};

class DetrLogits final : public Detector {
 public:
  DetrLogits(OutputSpec logits, OutputSpec boxes, std::size_t labels, const DetrDecoder& spec, BoxReader read)
      : logits_spec_(std::move(logits)),
        boxes_spec_(std::move(boxes)),
        labels_(labels),
        first_(spec.background == Background::first ? 1 : 0),
        activation_(spec.activation),
        read_(read) {}

  bool bind(std::span<const TensorView> outputs, std::size_t picture) override {
    const std::optional<Table> logits = find_table(logits_spec_, outputs, picture);
    const std::optional<Table> boxes = find_table(boxes_spec_, outputs, picture);
    if (!logits || !boxes || logits->rows != boxes->rows) return false;
    logits_ = *logits;
    boxes_ = *boxes;
    return true;
  }

  RowCount scan(float threshold, std::vector<ScoredRow>& candidates) override {
    RowCount rows{boxes_.rows, 0};
    for (std::size_t i = 0; i < boxes_.rows; ++i) {
      const float* const logits = logits_.floats + i * logits_.columns;
      if (!all_finite(boxes_.floats + 4 * i, 4, 1) || !all_finite(logits, logits_.columns, 1)) {
        ++rows.bad;
      } else if (activation_ == Activation::softmax) {
        add_best(i, logits, threshold, candidates);
      } else {
        add_all(i, logits, threshold, candidates);
      }
    }
    return rows;
  }

  Corners complete(ScoredRow& candidate) const override {
    const float* const box = boxes_.floats + 4 * static_cast<std::size_t>(candidate.row);
    return read_(box[0], box[1], box[2], box[3]);
  }

 private:
  void add_best(std::size_t row, const float* logits, float threshold,
                std::vector<ScoredRow>& candidates) const {
    const std::size_t best = index_of_largest(logits + first_, labels_, 1);
    const float score = softmax_of({logits, logits_.columns}, first_ + best);
    if (score >= threshold)
      candidates.push_back({score, static_cast<int>(best), static_cast<std::uint32_t>(row)});
  }

  void add_all(std::size_t row, const float* logits, float threshold,
               std::vector<ScoredRow>& candidates) const {
    const bool sigmoid = activation_ == Activation::sigmoid;
    // Most queries are nothing: one exponential shows it, since the sigmoid rises.
    const float largest = score_of_row(logits + first_, labels_).largest;
    if ((sigmoid ? sigmoid_of(largest) : largest) < threshold) return;
    for (std::size_t label = 0; label < labels_; ++label) {
      const float value = logits[first_ + label];
      const float score = sigmoid ? sigmoid_of(value) : value;
      if (score >= threshold)
        candidates.push_back(
            {std::min(score, 1.0F), static_cast<int>(label), static_cast<std::uint32_t>(row)});
    }
  }

  OutputSpec logits_spec_;
  OutputSpec boxes_spec_;
  std::size_t labels_;
  std::size_t first_;  // column of the first label
  Activation activation_;
  BoxReader read_;
  Table logits_;
  Table boxes_;
};

// The only output whose last dimension is one of `columns`, apart from `other`; else empty.
std::string only_output(std::int64_t columns, const std::string& other, const Complaints& complaints) {
  std::string found;
  for (const OutputPort& port : complaints.ports()) {
    const std::vector<std::int64_t> own = own_shape(&port, 2);
    if (own.empty() || own[1] != columns || port.name == other) continue;
    if (!found.empty()) return "";
    found = port.name;
  }
  return found;
}

DetrDecoder named(DetrDecoder spec, const Complaints& complaints) {
  const bool none = spec.boxes.empty() && spec.logits.empty() && spec.labels.empty() && spec.scores.empty();
  const auto has = [&](const char* name) { return complaints.port(name) != nullptr; };
  if (none && has("labels") && has("boxes") && has("scores")) {
    spec.labels = "labels";
    spec.boxes = "boxes";
    spec.scores = "scores";
    return spec;
  }
  if (!spec.labels.empty() || !spec.scores.empty()) return spec;
  const std::int64_t columns = complaints.labels() + (spec.background == Background::none ? 0 : 1);
  constexpr std::int64_t kBoxNumbers = 4;
  if (spec.boxes.empty()) spec.boxes = only_output(kBoxNumbers, spec.logits, complaints);
  if (spec.logits.empty() && !spec.boxes.empty()) {
    spec.logits = only_output(columns, spec.boxes, complaints);
    // With a column for the background or without: named all the same, and complained about by its shape.
    if (spec.logits.empty()) spec.logits = only_output(columns + 1, spec.boxes, complaints);
    if (spec.logits.empty()) spec.logits = only_output(columns - 1, spec.boxes, complaints);
  }
  return spec;
}

bool detr_output(const char* key, OutputSpec& spec, Complaints& complaints) {
  if (spec.name.empty()) {
    complaints.add(key, "the output is not named and cannot be seen by its shape",
                   complaints.ports().empty() ? "name `boxes` and `logits`, or `labels`, `boxes` and `scores`"
                                              : "the graph has " + ports_text(complaints.ports()));
    return false;
  }
  return complaints.output(key, spec) != nullptr;
}

std::unique_ptr<Detector> make_ready(const DetrDecoder& spec, Complaints& complaints) {
  if (!spec.logits.empty())
    complaints.add("logits", "both logits and labels or scores are named",
                   "name `boxes` and `logits`, or `labels`, `boxes` and `scores`");
  OutputSpec labels{spec.labels, 1, kAnySize, kAnySize, false};
  OutputSpec boxes{spec.boxes, 2, kAnySize, 4, true};
  OutputSpec scores{spec.scores, 1, kAnySize, kAnySize, true};
  if (detr_output("labels", labels, complaints)) complaints.check_shape("labels", labels);
  if (detr_output("boxes", boxes, complaints)) complaints.check_shape("boxes", boxes);
  if (detr_output("scores", scores, complaints)) complaints.check_shape("scores", scores);
  complaints.check_same_rows("labels", labels, boxes);
  complaints.check_same_rows("scores", scores, boxes);
  if (!complaints.none()) return nullptr;
  return std::make_unique<DetrReady>(std::move(labels), std::move(boxes), std::move(scores),
                                     complaints.label_count(),
                                     box_reader(spec.box, spec.unit, complaints.input()));
}

std::unique_ptr<Detector> make_logits(const DetrDecoder& spec, Complaints& complaints) {
  const std::int64_t columns = complaints.labels() + (spec.background == Background::none ? 0 : 1);
  OutputSpec boxes{spec.boxes, 2, kAnySize, 4, true};
  OutputSpec logits{spec.logits, 2, kAnySize, kAnySize, true};
  if (detr_output("boxes", boxes, complaints)) complaints.check_shape("boxes", boxes);
  if (detr_output("logits", logits, complaints)) complaints.check_shape("logits", logits);
  const OutputPort* const port = complaints.port(logits.name);
  const std::vector<std::int64_t> own = own_shape(port, 2);
  if (!own.empty() && !fits(own[1], columns)) {
    complaints.wrong_classes("logits", *port, own[1] - (spec.background == Background::none ? 0 : 1),
                             spec.background == Background::none && own[1] == columns + 1
                                 ? "; a column that means \"nothing\" is `background`: first or last"
                                 : "");
  }
  complaints.check_same_rows("logits", logits, boxes);
  if (!complaints.none()) return nullptr;
  logits.columns = columns;
  return std::make_unique<DetrLogits>(std::move(logits), std::move(boxes), complaints.label_count(), spec,
                                      box_reader(spec.box, spec.unit, complaints.input()));
}

}  // namespace

std::unique_ptr<Detector> make_detr(const DetrDecoder& given, Complaints& complaints) {
  const DetrDecoder spec = named(given, complaints);
  return spec.labels.empty() && spec.scores.empty() ? make_logits(spec, complaints)
                                                    : make_ready(spec, complaints);
}

}  // namespace saccade::vision
