#include "placement/chain.hpp"

#include <algorithm>
#include <functional>

#include "base/check.hpp"

namespace saccade::placement {
namespace {

template <class T>
std::optional<T> sum(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

void append(Layer& group, const Layer& layer) {
  group.size += layer.size;
  for (std::size_t p = 0; p < group.on.size(); ++p) {
    if (!group.on[p] || !layer.on[p]) {
      group.on[p] = std::nullopt;
      continue;
    }
    group.on[p]->time += layer.on[p]->time;
    group.on[p]->energy = sum(group.on[p]->energy, layer.on[p]->energy);
  }
  group.weights += layer.weights;
  group.working = std::max(group.working, layer.working);
  group.work = sum(group.work, layer.work);
}

}  // namespace

Chain grouped(const Chain& chain, const std::vector<std::size_t>& starts) {
  SACCADE_CHECK(!starts.empty() && starts.front() == 0 && starts.back() < chain.layers.size());
  SACCADE_CHECK(std::adjacent_find(starts.begin(), starts.end(), std::greater_equal<>()) == starts.end());
  Chain result = chain;
  result.layers.clear();
  result.boundaries.clear();
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::size_t end = k + 1 < starts.size() ? starts[k + 1] : chain.layers.size();
    Layer group = chain.layers[starts[k]];
    for (std::size_t i = starts[k] + 1; i < end; ++i) append(group, chain.layers[i]);
    if (end - starts[k] > 1) group.name += " to " + chain.layers[end - 1].name;
    if (k > 0) result.boundaries.push_back(chain.boundaries[starts[k] - 1]);
    result.layers.push_back(std::move(group));
  }
  return result;
}

Chain joined(const Chain& chain) {
  std::vector<std::size_t> starts = {0};
  for (std::size_t i = 1; i < chain.layers.size(); ++i) {
    if (chain.boundaries[i - 1].legal) starts.push_back(i);
  }
  return grouped(chain, starts);
}

Chain without_transfers(Chain chain) {
  chain.links.clear();
  for (Boundary& boundary : chain.boundaries) {
    for (Crossing& crossing : boundary.crossings) crossing.time = Seconds(0.0);
  }
  return chain;
}

}  // namespace saccade::placement
