// Paper 003, figure 5: the five methods that it compares, on a board whose streams, threads and batches are
// assumed. Threads: functions without state.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "placement/exact.hpp"
#include "placement/jedi.hpp"

namespace saccade::bench {

struct MadeBoard {
  placement::StreamModel streams;
  double batch_gain = 1.5;      // frames that the GPU passes in a batch of 32, for one of a frame alone
  std::size_t cpu_threads = 8;  // that prepare and decode a batch together
};

// Assumed: eight streams pass 1.5 times the frames of one through the GPU, 1.15 times through a DLA. Before
// and after the network a thread takes 0.25 and 0.15 of the GPU's time of the network, or 1.5 and 0.5
// (heavy).
[[nodiscard]] inline MadeBoard board_with_threads(const placement::Chain& chain, bool heavy) {
  const placement::Costs costs(chain);
  const double alone = costs.time(placement::jedi_roles(costs)->gpu, 0, costs.layers());
  MadeBoard board;
  board.streams.gains = {1.0, 1.25, 1.4, 1.48, 1.5, 1.5, 1.5, 1.5};
  board.streams.other_gains = {1.0, 1.1, 1.15, 1.15, 1.15, 1.15, 1.15, 1.15};
  board.streams.pre_seconds = (heavy ? 1.5 : 0.25) * alone;
  board.streams.post_seconds = (heavy ? 0.5 : 0.15) * alone;
  return board;
}

struct MethodResult {
  std::string name;
  std::string option;  // of Table I
  placement::StreamChoice threads;
};

// The best of the options, `searched` by the heuristic or balanced by profile alone. Cuts are chosen for as
// many streams as there may be, and the streams then for the cuts.
[[nodiscard]] inline MethodResult best_option(const placement::Chain& chain,
                                              const placement::JediRoles& roles,
                                              const placement::StreamModel& model, bool searched) {
  MethodResult best{searched ? "the heuristic" : "balanced by profile", "", {}};
  for (const placement::JediOption& option : placement::jedi_options(roles)) {
    std::size_t copies = 1;
    for (const placement::Mapping& mapping : option.sequence) copies = std::max(copies, mapping.copies);
    const std::size_t most = model.gains.size() / copies * copies;
    const placement::Costs costs(with_streams(chain, roles, model, most, copies));
    const auto cuts = placement::balanced_cuts(costs, roles, option.sequence);
    if (!cuts) continue;
    placement::Placement placed = placement_of(costs, option.sequence, *cuts);
    if (searched) {
      placement::ProfileMeasure measure(costs);
      placed = *placement::jedi_search(costs, roles, option.sequence, *cuts, measure).placement;
    }
    const auto network = [&](std::size_t with) {
      return evaluate(placement::Costs(with_streams(chain, roles, model, with, copies)), placed)
          .period.value();
    };
    const placement::StreamChoice choice = choose_streams(model, network, copies);
    if (choice.period < best.threads.period) best = {best.name, option.name, choice};
  }
  return best;
}

[[nodiscard]] inline std::vector<MethodResult> five_methods(const placement::Chain& chain,
                                                            const MadeBoard& board) {
  const placement::Costs costs(chain);
  const auto roles = placement::jedi_roles(costs);
  SACCADE_CHECK(roles);
  const placement::StreamModel& model = board.streams;
  const double alone = costs.time(roles->gpu, 0, costs.layers());
  const double around = model.pre_seconds + model.post_seconds;
  const double batched = alone / board.batch_gain + around / static_cast<double>(board.cpu_threads);
  const placement::StreamChoice gpu =
      choose_streams(model, [&](std::size_t streams) { return alone / model.gains[streams - 1]; });
  return {{"one stream", "GPU", {1, 1, 1, alone + around}},
          {"batch of 32, not pipelined", "GPU", {board.cpu_threads, board.cpu_threads, 1, batched}},
          {"streams of the GPU", "GPU", gpu},
          best_option(chain, *roles, model, false),
          best_option(chain, *roles, model, true)};
}

}  // namespace saccade::bench
