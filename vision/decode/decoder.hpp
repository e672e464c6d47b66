// From a network's outputs to labels, objects, or tensors that are passed through. A decoder is created once
// per engine; creating it finds every contradiction between the interface, the labels and the graph. After
// that a picture needs no allocation once the buffers have grown to their size.
//
// Order for detectors: score >= threshold -> at most 3000 best -> pixels of the frame -> suppression by class
// -> clipped to the frame -> at most max_objects (candidate_selection.hpp). With several regions, decode()
// each and then merge_regions(). What counts as a candidate:
//   anchors_last, anchors_first, objectness, yolox, gfl, ssd with scores [N, C]: a row, by its best class
//   end_to_end, ssd with classes, detr with labels: a row
//   detr with logits: softmax: a query, by its best class; sigmoid or none: each pair of query and class
// Rows with a NaN or an infinity, or a class that has no label, are dropped and counted; more than 1 % of
// them mean that the engine computes nonsense (Fault::numbers). Scores above 1, which quantised graphs give,
// are 1. Units: see Object and Placement. Threads: one at a time; each engine has its own decoder.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "profiles/interface.hpp"
#include "vision/decode/candidate_selection.hpp"
#include "vision/decode/detector.hpp"
#include "vision/decode/objects.hpp"
#include "vision/decode/output_port.hpp"
#include "vision/decode/placement.hpp"
#include "vision/decode/tensor.hpp"

namespace saccade::vision {

// Why the outputs of a picture are unusable. `outputs`: one is missing, or its shape or type is not the
// expected one. `numbers`: more than 1 % of the rows are bad; for a classifier, one number.
enum class Fault { none, outputs, numbers };

struct Decoded {
  Fault fault = Fault::none;   // not none: engine error, no objects
  std::size_t rows = 0;        // given by the graph
  std::size_t bad_rows = 0;    // dropped
  Unlabelled unlabelled = {};  // which of them only lack a label
  std::size_t beyond = 0;      // candidates above the threshold that were not among the 3000 best
};

struct Classified {
  Fault fault = Fault::none;
  int label = -1;  // the best one, the first of equals
  float score = 0.0F;
};

class Decoder {
 public:
  // `labels`: number of labels of the profile set; `input`: of the variant; `outputs`: what is known of the
  // graph's, empty if nothing is. Errors: all of them, at /interface/decoder/...
  [[nodiscard]] static Result<Decoder> make(const profiles::ModelInterface& interface, std::size_t labels,
                                            PixelSize input, std::span<const OutputPort> outputs);

  // The interface's task; each of the functions below belongs to one.
  [[nodiscard]] profiles::NetworkTask task() const { return task_; }

  // detect: appends the objects of one region, best first. `picture`: its index in the outputs' leading
  // dimension.
  [[nodiscard]] Decoded decode(std::span<const TensorView> outputs, const Placement& placement,
                               Objects& objects, std::size_t picture = 0);
  // classify
  [[nodiscard]] Classified classify(std::span<const TensorView> outputs, std::size_t picture = 0) const;
  // tensor: fills `handed` with the requested outputs, in the interface's order (all of them if it names
  // none). Fault::outputs: one is missing, or they exceed 16 MiB together.
  [[nodiscard]] Fault hand_on(std::span<const TensorView> outputs,
                              std::vector<const TensorView*>& handed) const;

 private:
  explicit Decoder(const profiles::ModelInterface& interface);

  profiles::NetworkTask task_;
  float score_threshold_;
  profiles::Activation activation_ = profiles::Activation::none;
  OutputSpec class_scores_;
  std::vector<std::string> handed_on_;
  std::unique_ptr<Detector> detector_;
  std::vector<ScoredRow> candidates_;
  CandidateSelection selection_;
};

// Merges the objects of all regions of a frame: best first (ties by region), at most max_objects, and if the
// selection merges regions, without those that another region detected better (IoU > threshold, by class;
// 0.45 if the selection has no threshold). No allocation.
void merge_regions(Objects& objects, const profiles::Selection& selection);

}  // namespace saccade::vision
