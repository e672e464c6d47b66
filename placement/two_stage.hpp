// Paper 000: one cut between two processors (Algorithm 1), k cuts (equations 2 to 5), and moving the cut
// while frames are served (Algorithm 2). Where we differ: Algorithm 1 as printed returns the last layer of
// the first stage, its tables count layers; it adds the transfer even when the second stage is empty; both
// are corrected. Loads of a processor add (see evaluate.hpp). Algorithm 2 as printed compares with a time
// measured when idle, so that under load it never moves; here it compares with the best so far, keeps moving
// averages in both directions, and wants a gain. Threads: pure; measures are called one after the other.
// Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "placement/measure.hpp"
#include "placement/objective.hpp"

namespace saccade::placement {

// Algorithm 1 over all ordered pairs of processors. O(layers) per pair.
[[nodiscard]] Found two_stage(const Costs& costs, const Aim& aim);

struct KStageOptions {
  std::size_t max_stages = 4;
  // The paper ends at the first number of stages that is no better than one less, which can miss the best.
  bool stop_without_gain = true;
  std::int64_t max_evaluations = 20'000'000;
};
[[nodiscard]] Found k_stage(const Costs& costs, const Aim& aim, const KStageOptions& options);

struct DynamicCutOptions {
  double smoothing = 0.3;    // weight of the newest measurement in the moving average
  double hysteresis = 0.02;  // a cut is better only if its period is less by this share
};
// The moving averages by number of layers in the first stage, kept from one call to the next.
using CutAverages = std::vector<std::optional<double>>;

struct DynamicCut {
  std::size_t layers = 0;  // in the first stage, 0 to N
  double period = kImpossible;
  std::vector<std::size_t> tried;  // in order
};
// Algorithm 2: from `layers` on `first`, the rest on `second`.
[[nodiscard]] DynamicCut dynamic_cut(const Costs& costs, std::size_t first, std::size_t second,
                                     std::size_t layers, Measure& measure, CutAverages& averages,
                                     const DynamicCutOptions& options = {});

// The first `layers` layers on one processor, the rest on the other; 0 and N are single processors.
[[nodiscard]] Placement split_after(const Costs& costs, std::size_t layers, std::size_t first,
                                    std::size_t second);

}  // namespace saccade::placement
