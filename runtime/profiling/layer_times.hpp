// Times of a network's groups on one processor, each in an engine of its own, beside every two neighbours in
// one engine and the whole network in one. A network in service finds in the caches what it left there
// itself. So groups run as a chain, one after the other, and so do the pairs that begin with an even group,
// those that begin with an odd one, and the whole network (profile_rounds.hpp); all of them in turn would
// find the weights of three networks there. Two neighbours together tell what a cut between them costs
// besides the transfer: what an engine fuses across it, and one more call. A group's time as a part of the
// network is its time alone less half of what that is at both of its ends, so that the sum of the parts is
// the network's time but for what is fused over more than one boundary. Paper 000 III-B (layer times by
// running sub-graphs); where we differ: it adds times of layers run alone. Units: seconds, joules. Threads:
// the calling one. Errors: a load or an inference that fails.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/profiling/profile_rounds.hpp"

namespace saccade::runtime {

using GroupSpan = std::pair<std::size_t, std::size_t>;  // groups [first, last)

// What is timed, in this order: every group, pairs of neighbours that begin with an even group, those that
// begin with an odd one, the whole network. Four chains, of which those of pairs may be empty.
[[nodiscard]] std::vector<GroupSpan> timed_spans(std::size_t groups);
[[nodiscard]] std::vector<std::size_t> timed_chains(std::size_t groups);

struct LayerTrial {
  std::size_t groups = 0;
  // The engines of timed_spans(), each with an input in place.
  std::function<Result<std::vector<std::unique_ptr<Engine>>>()> load;
  // Once. The inference alone of groups and neighbours; the whole network with preparing and decoding.
  std::function<Status(std::size_t span, Engine&)> run;
  std::function<TimeParts()> whole_parts;  // of the whole network's last run
  std::function<void(double share)> report;
  std::function<void(Duration took)> rest = {};  // after each run, not measured; may be empty
};

struct LayerTimes {
  std::vector<double> alone, alone_p99;  // by group: medians and 99th percentiles of the inference
  std::vector<double> share;  // by group: as a part of the network; the first prepares, the last decodes
  std::vector<double> apart;  // [k]: what groups k and k + 1 take longer apart than together, never below 0
  // By group, as a part of the network: its share times the power above idle while it infers in an engine of
  // its own. Absent where a meter does not say it; empty: there is none.
  std::vector<std::optional<double>> energy;
  TimeParts whole_parts{};              // means of the whole network's frame
  double whole = 0.0, whole_p99 = 0.0;  // of its frame
  std::size_t rounds = 0;

  // Frame times of the network by its groups: alone one after the other, and as parts of it.
  [[nodiscard]] double sum_alone() const;
  [[nodiscard]] double sum_shares() const;
};

// `samples` by timed_spans(), `parts`: sums over all rounds of the whole network's frame.
[[nodiscard]] LayerTimes layer_times(const Samples& samples, std::size_t groups, const TimeParts& parts);

[[nodiscard]] Result<LayerTimes> measure_layers(const LayerTrial& trial, const RoundLimits& limits,
                                                const Clock& clock);

}  // namespace saccade::runtime
