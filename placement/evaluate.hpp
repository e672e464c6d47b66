// What a placement costs: the only evaluation, by which every strategy is scored.
// A stage is a run of layers on one processor, or copies of it on several that are alike; a placement is its
// stages in order. Frames flow through them as a pipeline.
// Paper 000 (3) takes the largest time of a stage: that is wrong once a processor has two stages. Loads of
// one processor add, and the largest load of a processor is the period. Paper 000 (4) leaves the energy of
// transfers out; here it is in. Copies are paper 003's partial network duplication: each serves every
// copies-th frame, its weights are stored copies times, the latency stays.
// Threads: pure. Errors: complaints() names what makes a placement illegal; evaluate() wants a legal one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "placement/costs.hpp"

namespace saccade::placement {

struct Stage {
  std::size_t first = 0, last = 0;  // layers [first, last)
  std::size_t processor = 0;        // the first of `copies` consecutive ones
  std::size_t copies = 1;
  bool operator==(const Stage&) const = default;
};
using Placement = std::vector<Stage>;

[[nodiscard]] Placement whole_on(const Costs& costs, std::size_t processor);
// Maximal runs of equal processors become stages; a processor for each layer.
[[nodiscard]] Placement placement_of(const std::vector<std::size_t>& assignment);

struct Evaluation {
  std::vector<Seconds> load;  // by processor, per frame
  std::size_t binding = 0;    // the processor with the largest load
  Seconds period;             // that load: time between two frames in a pipeline that is kept full
  Seconds latency;            // of a frame alone: the sum of its stages' times
  std::optional<Joules> energy;
  std::optional<Joules>
      idle_energy;                // of processors that wait, within a period; where all idle powers are known
  std::vector<Bytes> memory;      // by processor
  std::size_t max_in_flight = 1;  // frames inside when all queues are full
  [[nodiscard]] Fps pipelined() const { return Fps(1.0 / period.value()); }
  [[nodiscard]] Fps serial() const { return Fps(1.0 / latency.value()); }
  // Of a pipeline that is kept full, at most (Little's law).
  [[nodiscard]] Seconds saturated_latency() const { return period * static_cast<double>(max_in_flight); }
};

// One sentence each; empty: the placement is legal.
[[nodiscard]] std::vector<std::string> complaints(const Costs& costs, const Placement& placement);
[[nodiscard]] Evaluation evaluate(const Costs& costs, const Placement& placement);

// Layers that their processor cannot run go to `fallback`, with a transfer each way (papers 002, 003).
[[nodiscard]] Placement with_fallback(const Costs& costs, const Placement& placement, std::size_t fallback);

// "gpu 0-22, cpu 23-30"; copies as "dla0+dla1".
[[nodiscard]] std::string to_string(const Costs& costs, const Placement& placement);

}  // namespace saccade::placement
