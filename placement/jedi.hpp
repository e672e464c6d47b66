// Paper 003 (JEDI): a GPU and accelerators (DLAs) in one of a few fixed orders, the last stage always on the
// GPU, a stage on a DLA possibly duplicated on both (partial network duplication). Cuts start from a balance
// of GPU times alone and are moved by measurement (its Algorithm 1). Where the paper leaves it open: the GPU
// is the processor that runs everything in the least time, DLAs are the largest kind among the others; a grid
// step is a twentieth of the layers; the GPU counts as busy from a load of 0.95 of the period; a step that
// gains nothing is taken back (the printed listing goes on from it); a stage that a DLA cannot run whole is
// not tried (the paper lets single layers fall back to the GPU, as with_fallback() does). Threads: pure;
// measures are called one after the other. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "placement/cuts.hpp"
#include "placement/measure.hpp"
#include "placement/objective.hpp"

namespace saccade::placement {

struct JediOption {
  std::string name;  // "A", "B", "C", "D"; with a duplicated stage "A+PND", "B+PND"
  Sequence sequence;
};

// The processors in their roles.
struct JediRoles {
  std::size_t gpu = 0;
  std::vector<std::size_t> dlas;  // of one kind; may be empty
};
// Absent: no processor runs every layer.
[[nodiscard]] std::optional<JediRoles> jedi_roles(const Costs& costs);

// Table I: A DLA-GPU, B GPU-DLA-GPU, C DLA-DLA-GPU, D GPU-DLA-DLA-GPU; C, D and duplication want two DLAs
// next to each other.
[[nodiscard]] std::vector<JediOption> jedi_options(const JediRoles& roles);

// GPU layer times, the DLA's as those times the ratio of the totals, no transfers: the cuts that balance
// best. Absent: more stages than layers, or more than `most` ways.
[[nodiscard]] std::optional<Cuts> balanced_cuts(const Costs& costs, const JediRoles& roles,
                                                const Sequence& sequence, std::int64_t most = 100'000'000);

struct JediSearchOptions {
  std::size_t step = 0;  // of the grid, in layers; 0: a twentieth
  double busy = 0.95;    // of the period: a GPU that is busy longer is not given more
  std::size_t top = 10;  // the best cuts, around which every position between grid points is tried
};
// One option: the cuts that were found best, by measurement.
[[nodiscard]] Found jedi_search(const Costs& costs, const JediRoles& roles, const Sequence& sequence,
                                const Cuts& start, Measure& measure, const JediSearchOptions& options = {});

struct JediFound {
  Found found;
  std::string option;  // "GPU" when no option is better than the GPU alone
};
[[nodiscard]] JediFound jedi(const Costs& costs, Measure& measure, const JediSearchOptions& options = {});

// How streams help: s inferences at once on a processor pass gain(s) times as many frames; the first gain, of
// one stream, is 1. Threads before and after the network limit the rate as well.
struct StreamModel {
  std::vector<double> gains;  // by streams - 1, of the GPU
  double pre_seconds = 0.0;   // of a frame on one thread
  double post_seconds = 0.0;
  std::size_t most_threads = 4;
  std::vector<double> other_gains = {};  // of other processors, as many as of the GPU; empty: none gains
  // Of a copy of a stage that is duplicated `copies` times: it gets its share of the streams.
  [[nodiscard]] double other_gain(std::size_t streams, std::size_t copies) const;
};
struct StreamChoice {
  std::size_t pre_threads = 1, post_threads = 1, streams = 1;
  double period = kImpossible;
};
// The time between two frames of the network alone, with that many streams.
using StreamedPeriod = std::function<double(std::size_t streams)>;
// Steps 1 and 4 of the procedure: the streams are raised, in multiples of the threads before and after the
// network and of the copies of its duplicated stage, until the rate stops rising.
// With fewer it would fall: nothing remains to be lowered.
[[nodiscard]] StreamChoice choose_streams(const StreamModel& model, const StreamedPeriod& network,
                                          std::size_t copies = 1);

// The chain as that many streams pass it: what the cuts are chosen for.
[[nodiscard]] Chain with_streams(const Chain& chain, const JediRoles& roles, const StreamModel& model,
                                 std::size_t streams, std::size_t copies);

}  // namespace saccade::placement
