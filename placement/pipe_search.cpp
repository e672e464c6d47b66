#include "placement/pipe_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/check.hpp"

namespace saccade::placement {
namespace {

// NOLINTNEXTLINE(misc-no-recursion): as deep as there are stages
void compose(std::size_t layers, std::size_t stages, Composition& begun, std::vector<Composition>& all) {
  if (stages == 1) {
    begun.push_back(layers);
    all.push_back(begun);
    begun.pop_back();
    return;
  }
  for (std::size_t first = 1; first + stages - 1 <= layers; ++first) {
    begun.push_back(first);
    compose(layers - first, stages - 1, begun, all);
    begun.pop_back();
  }
}

// The lists of 001's Algorithm 1 and the trials made of them.
class Search {
 public:
  Search(const std::vector<double>& weights, std::size_t cores, const Trial& trial,
         const PipeSearchOptions& options)
      : weights_(weights), trial_(trial), options_(options), lists_(cores + 1), next_(cores + 1, 0) {
    for (std::size_t stages = 2; stages <= cores; ++stages) lists_[stages] = even_order(weights, stages);
  }

  PipeSearchResult run() {
    const std::size_t cores = lists_.size() - 1;
    if (options_.by_speed) sort_by_speed(cores);
    for (std::size_t stages = 2; stages <= cores; ++stages) try_one(lists_[stages].front());
    for (std::size_t stages = 2; stages <= cores; ++stages) go_on(stages);
    go_on(result_.best.size());
    return result_;
  }

 private:
  // Whether it is better than all before. A composition is measured once.
  bool try_one(const Composition& composition) {
    const double period = period_of(composition);
    if (!result_.best.empty() && period >= result_.period) return false;
    result_.best = composition;
    result_.period = period;
    return true;
  }

  double period_of(const Composition& composition) {
    const std::vector<double>& times = times_of(composition);
    return *std::max_element(times.begin(), times.end());
  }

  const std::vector<double>& times_of(const Composition& composition) {
    const auto known = measured_.find(composition);
    if (known != measured_.end()) return known->second;
    ++result_.trials;
    return measured_.emplace(composition, trial_(composition)).first->second;
  }

  void go_on(std::size_t stages) {
    std::size_t failures = 0;
    const std::vector<Composition>& list = lists_[stages];
    for (std::size_t& next = next_[stages]; failures < options_.without_gain && next < list.size(); ++next) {
      if (try_one(list[next])) {
        failures = 0;
      } else {
        ++failures;
      }
    }
  }

  // Speeds from the seed in which every core has a stage of its own.
  void sort_by_speed(std::size_t cores) {
    const Composition seed = lists_[cores].front();
    const std::vector<double> times = times_of(seed);
    std::vector<double> speeds;
    std::size_t layer = 0;
    for (std::size_t k = 0; k < cores; ++k) {
      double weight = 0.0;
      for (std::size_t i = 0; i < seed[k]; ++i) weight += weights_[layer++];
      speeds.push_back(times[k] > 0.0 ? weight / times[k] : 1.0);
    }
    for (std::size_t stages = 2; stages <= cores; ++stages) {
      std::vector<double> of_groups;
      std::size_t core = 0;
      for (const std::size_t size : core_groups(cores, stages)) {
        of_groups.push_back(std::accumulate(speeds.begin() + static_cast<std::ptrdiff_t>(core),
                                            speeds.begin() + static_cast<std::ptrdiff_t>(core + size), 0.0));
        core += size;
      }
      lists_[stages] = even_order(weights_, stages, of_groups);
    }
  }

  const std::vector<double>& weights_;
  const Trial& trial_;
  PipeSearchOptions options_;
  std::vector<std::vector<Composition>> lists_;
  std::vector<std::size_t> next_;
  std::map<Composition, std::vector<double>> measured_;
  PipeSearchResult result_;
};

}  // namespace

double convolution_weight(double height, double width, double channels, double kernel_height,
                          double kernel_width, double filters) {
  return height * width * channels * kernel_height * kernel_width * filters;
}

double dense_weight(double height, double width, double channels, double outputs) {
  return height * width * channels * outputs;
}

double coefficient_of_variation(const std::vector<double>& weights, const Composition& composition,
                                const std::vector<double>& speeds) {
  SACCADE_CHECK(speeds.empty() || speeds.size() == composition.size());
  std::vector<double> stages;
  std::size_t layer = 0;
  for (std::size_t k = 0; k < composition.size(); ++k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < composition[k]; ++i) sum += weights[layer++];
    stages.push_back(speeds.empty() ? sum : sum / speeds[k]);
  }
  const auto count = static_cast<double>(stages.size());
  const double mean = std::accumulate(stages.begin(), stages.end(), 0.0) / count;
  double squares = 0.0;
  for (const double stage : stages) squares += (stage - mean) * (stage - mean);
  return mean > 0.0 ? 100.0 * std::sqrt(squares / count) / mean : 0.0;
}

std::int64_t number_of_compositions(std::int64_t layers, std::int64_t stages) {
  if (stages < 1 || stages > layers) return 0;
  std::int64_t number = 1;
  for (std::int64_t k = 1; k < stages; ++k) number = number * (layers - k) / k;
  return number;
}

std::int64_t permuted_partitions(std::int64_t layers, std::int64_t stages) {
  if (stages < 1 || stages > layers) return 0;
  // parts[k][n]: partitions of n into k parts.
  const auto rows = static_cast<std::size_t>(stages), columns = static_cast<std::size_t>(layers);
  std::vector<std::vector<std::int64_t>> parts(rows + 1, std::vector<std::int64_t>(columns + 1, 0));
  parts[0][0] = 1;
  std::int64_t orders = 1;
  for (std::size_t k = 1; k <= rows; ++k) {
    orders *= static_cast<std::int64_t>(k);
    for (std::size_t n = k; n <= columns; ++n) parts[k][n] = parts[k - 1][n - 1] + parts[k][n - k];
  }
  return parts[rows][columns] * orders;
}

std::vector<Composition> even_order(const std::vector<double>& weights, std::size_t stages,
                                    const std::vector<double>& speeds) {
  std::vector<Composition> all;
  if (stages < 1 || stages > weights.size()) return all;
  Composition begun;
  compose(weights.size(), stages, begun, all);
  std::vector<std::pair<double, std::size_t>> order;  // compositions are made in lexicographic order
  for (std::size_t k = 0; k < all.size(); ++k) {
    order.emplace_back(coefficient_of_variation(weights, all[k], speeds), k);
  }
  std::sort(order.begin(), order.end());
  std::vector<Composition> sorted;
  sorted.reserve(all.size());
  for (const auto& [variation, k] : order) sorted.push_back(std::move(all[k]));
  return sorted;
}

std::vector<std::size_t> core_groups(std::size_t cores, std::size_t stages) {
  SACCADE_CHECK(stages >= 1 && stages <= cores);
  std::vector<std::size_t> groups(stages, cores / stages);
  for (std::size_t k = 0; k < cores % stages; ++k) ++groups[k];
  return groups;
}

PipeSearchResult pipe_search(const std::vector<double>& weights, std::size_t cores, const Trial& trial,
                             const PipeSearchOptions& options) {
  SACCADE_CHECK(cores >= 2 && weights.size() >= cores);
  return Search(weights, cores, trial, options).run();
}

PipeSearchResult try_in_order(const std::vector<Composition>& list, const Trial& trial, std::int64_t trials) {
  PipeSearchResult result;
  for (const Composition& composition : list) {
    if (result.trials == trials) break;
    const std::vector<double> times = trial(composition);
    const double period = *std::max_element(times.begin(), times.end());
    ++result.trials;
    if (result.trials > 1 && period >= result.period) continue;
    result.best = composition;
    result.period = period;
  }
  return result;
}

}  // namespace saccade::placement
