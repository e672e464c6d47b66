#include <array>

#include "bench/placement/experiments.hpp"
#include "bench/placement/five_methods.hpp"
#include "bench/placement/made_networks.hpp"

namespace saccade::bench {
namespace {

// Of one method, over all networks: rates over one stream.
struct MethodScore {
  std::string name, first;  // and what it chose for the first network
  double mean = 0.0, least = placement::kImpossible, most = 0.0;
};

std::string choice_of(const MethodResult& result) {
  const placement::StreamChoice& threads = result.threads;
  return result.option + ": " + std::to_string(threads.pre_threads) + ", " +
         std::to_string(threads.post_threads) + ", " + std::to_string(threads.streams);
}

std::array<MethodScore, 5> method_scores(std::size_t layers, bool heavy, std::uint64_t networks) {
  std::array<MethodScore, 5> scores;
  for (std::uint64_t seed = 1; seed <= networks; ++seed) {
    const placement::Chain chain = network_on_xavier(seed, layers);
    const std::vector<MethodResult> results = five_methods(chain, board_with_threads(chain, heavy));
    for (std::size_t m = 0; m < scores.size(); ++m) {
      MethodScore& score = scores[m];
      const double rate = results[0].threads.period / results[m].threads.period;
      score.name = results[m].name;
      if (seed == 1) score.first = choice_of(results[m]);
      score.mean += rate / static_cast<double>(networks);
      score.least = std::min(score.least, rate);
      score.most = std::max(score.most, rate);
    }
  }
  return scores;
}

}  // namespace

std::vector<PlacementTable> method_tables(const PlacementSizes& sizes) {
  Sheet sheet{
      {"layers", "work around the network", "method", "the first's option: threads before, after, streams",
       "rate over one stream, mean", "least", "most"},
      4};
  const std::uint64_t networks = sizes.quick ? 2 : 5;
  for (const std::size_t layers : {54U, 179U}) {
    if (sizes.quick && layers > 100) break;
    for (const bool heavy : {false, true}) {
      for (const MethodScore& score : method_scores(layers, heavy, networks)) {
        sheet.rows.push_back({std::to_string(layers), heavy ? "heavy" : "light", score.name, score.first,
                              fixed(score.mean), fixed(score.least), fixed(score.most)});
      }
    }
  }
  return {
      {"paper 003, five methods",
       "Paper 003's five methods (its figure 5) on the made-up networks and board of the table before, " +
           std::to_string(networks) +
           " networks a row. Threads before and after the network are chosen with the streams, which are "
           "multiples of both; a copy of a duplicated stage gets half of them. **Assumed**: what streams "
           "gain (at most 1.5 times on the GPU, 1.15 times on a DLA), a batch of 32 (1.5 times, prepared "
           "by eight threads), and the work before and after the network (0.25 and 0.15 of the GPU's time; "
           "heavy: 1.5 and 0.5). The paper reports 56 to 347 % over one stream for the GPU alone, 81 to "
           "391 % for the heuristic, and up to 41 % of that over balancing by profile.",
       std::move(sheet)}};
}

}  // namespace saccade::bench
