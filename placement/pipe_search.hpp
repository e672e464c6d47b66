// Paper 001: Pipe-search finds how to cut a network into stages by running it, with the layers' weights as
// the only hint: compositions of the layers are tried in the order of how evenly they spread the weights.
// Where we differ from the listing, which neither initialises nor resets its counter, does not end with a
// list, and resets the counter on ties: the counter is reset for every number of stages and only a strict
// gain resets it; the next composition is remembered, not the last one. The even order knows nothing of how
// fast the cores are: `by_speed` divides weights by speeds measured in the first seed, with the same number
// of trials. Cores are taken in their order, in groups as equal as possible, larger ones first (not said by
// the paper). Threads: pure; trials run one after the other. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace saccade::placement {

// 001 (1): input height * width * channels * kernel height * width * filters; the stride is ignored.
[[nodiscard]] double convolution_weight(double height, double width, double channels, double kernel_height,
                                        double kernel_width, double filters);
// 001 (2). Pooling layers count with the size of their input.
[[nodiscard]] double dense_weight(double height, double width, double channels, double outputs);

using Composition = std::vector<std::size_t>;  // layers in each stage, all >= 1

// 001 (3): 100 * standard deviation of the population / mean, of the stages' weights; each divided by the
// speed of its stage where speeds are given.
[[nodiscard]] double coefficient_of_variation(const std::vector<double>& weights,
                                              const Composition& composition,
                                              const std::vector<double>& speeds = {});

// C(layers - 1, stages - 1), without duplicates.
[[nodiscard]] std::int64_t number_of_compositions(std::int64_t layers, std::int64_t stages);
// How the paper counts: all orders of every partition, equal ones again.
[[nodiscard]] std::int64_t permuted_partitions(std::int64_t layers, std::int64_t stages);

// All of them by (coefficient of variation, then lexicographically); the first is the seed.
[[nodiscard]] std::vector<Composition> even_order(const std::vector<double>& weights, std::size_t stages,
                                                  const std::vector<double>& speeds = {});

// Cores per stage: as equal as possible, larger groups first.
[[nodiscard]] std::vector<std::size_t> core_groups(std::size_t cores, std::size_t stages);

// Seconds of each stage of a composition, stages run one after the other (paper 001 5.1).
using Trial = std::function<std::vector<double>(const Composition&)>;

struct PipeSearchOptions {
  std::size_t without_gain = 10;  // alpha: trials without a gain that end a list
  bool by_speed = false;
};
struct PipeSearchResult {
  Composition best;
  double period = 0.0;  // seconds of its slowest stage
  std::int64_t trials = 0;
};
// 2 <= cores; as many layers as cores at least.
[[nodiscard]] PipeSearchResult pipe_search(const std::vector<double>& weights, std::size_t cores,
                                           const Trial& trial, const PipeSearchOptions& options = {});

// Trials in the given order, until as many as in a search are made: the paper's random walk, for a shuffled
// list.
[[nodiscard]] PipeSearchResult try_in_order(const std::vector<Composition>& list, const Trial& trial,
                                            std::int64_t trials);

}  // namespace saccade::placement
