// Random chains and an evaluation of assignments that shares nothing with the room's: it adds up what the
// chain says, layer by layer.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "bench/solver/random.hpp"
#include "placement/chain.hpp"
#include "placement/evaluate.hpp"

namespace saccade::placement::test {

struct Shape {
  std::size_t layers = 9;
  std::size_t processors = 3;
  double transfer = 0.15;  // of a layer's time, about
  double missing = 0.0;    // share of layers that do not run on a processor but the first
};

inline Chain random_chain(bench::Random& random, const Shape& shape, Payment payment = kReceiverPays) {
  Chain chain;
  chain.payment = payment;
  std::vector<double> slower, thriftier;
  for (std::size_t p = 0; p < shape.processors; ++p) {
    chain.processors.push_back({ProcessorId("p" + std::to_string(p))});
    slower.push_back(p == 0 ? 1.0 : random.uniform(0.6, 3.0));
    thriftier.push_back(p == 0 ? 1.0 : random.uniform(0.25, 1.2));
  }
  for (std::size_t i = 0; i < shape.layers; ++i) {
    Layer layer;
    layer.name = "layer" + std::to_string(i);
    layer.weights = Bytes(std::floor(random.uniform(1e3, 1e5)));
    layer.working = Bytes(std::floor(random.uniform(1e3, 1e5)));
    layer.work = random.uniform(1.0, 20.0);
    const double seconds = random.uniform(0.2, 3.0) * 1e-3;
    for (std::size_t p = 0; p < shape.processors; ++p) {
      LayerCost cost{Seconds(seconds * slower[p] * random.uniform(0.6, 1.5)), std::nullopt};
      cost.energy = Joules(cost.time.value() * 10.0 / slower[p] * thriftier[p] * random.uniform(0.8, 1.2));
      const bool absent = p > 0 && random.uniform() < shape.missing;
      layer.on.push_back(absent ? std::nullopt : std::optional(cost));
    }
    chain.layers.push_back(std::move(layer));
    if (i > 0) chain.boundaries.push_back({Bytes(std::floor(random.uniform(1e3, 2e5))), true, {}, {}});
    for (std::size_t p = 0; i % 3 == 1 && p < shape.processors; ++p)
      chain.boundaries.back().apart.emplace_back(random.uniform(0.0, 2e-4));
  }
  const double per_byte = shape.transfer * 1.6e-3 / 1e5;
  chain.links.assign(shape.processors, std::vector<Link>(shape.processors));
  for (auto& row : chain.links) {
    for (Link& link : row)
      link = {Seconds(per_byte * 2e4 * random.uniform()), per_byte * random.uniform(0.5, 1.5), Joules(1e-5),
              per_byte};
  }
  return chain;
}

struct Sums {
  std::vector<double> load;
  double latency = 0.0, energy = 0.0;
  std::size_t stages = 1;
  bool possible = true;
  bool once_each = true;
  [[nodiscard]] double period() const { return *std::max_element(load.begin(), load.end()); }
};

inline void add_crossing(const Chain& chain, std::size_t i, std::size_t from, std::size_t to, Sums& sums) {
  const Link link = chain.links.empty() ? Link{} : chain.links[from][to];
  const double bytes = chain.boundaries[i - 1].bytes.value();
  const double seconds = link.fixed.value() + bytes * link.seconds_per_byte;
  double sent = chain.processors[from].pays_transfers ? chain.payment.sender * seconds : 0.0;
  double received = chain.processors[to].pays_transfers ? chain.payment.receiver * seconds : 0.0;
  if (const auto& apart = chain.boundaries[i - 1].apart; !apart.empty()) {
    sent += 0.5 * apart[from].value();
    received += 0.5 * apart[to].value();
  }
  sums.load[from] += sent;
  sums.load[to] += received;
  sums.latency += sent + received;
  sums.energy += link.fixed_energy.value() + bytes * link.joules_per_byte;
}

inline Sums sums_of(const Chain& chain, const std::vector<std::size_t>& assignment) {
  Sums sums;
  sums.load.assign(chain.processors.size(), 0.0);
  std::vector<bool> left(chain.processors.size(), false);
  for (std::size_t i = 0; i < assignment.size(); ++i) {
    const std::size_t p = assignment[i];
    if (!chain.layers[i].on[p]) sums.possible = false;
    if (!sums.possible) return sums;
    const double seconds = chain.layers[i].on[p]->time.value();
    sums.load[p] += seconds;
    sums.latency += seconds;
    sums.energy += chain.layers[i].on[p]->energy.value_or(Joules(0.0)).value();
    if (i == 0 || assignment[i - 1] == p) continue;
    left[assignment[i - 1]] = true;
    if (left[p]) sums.once_each = false;
    ++sums.stages;
    add_crossing(chain, i, assignment[i - 1], p, sums);
  }
  return sums;
}

// Every assignment of layers to processors.
inline void for_each_assignment(
    const Chain& chain, const std::function<void(const std::vector<std::size_t>&, const Sums&)>& visit) {
  std::vector<std::size_t> assignment(chain.layers.size(), 0);
  for (;;) {
    const Sums sums = sums_of(chain, assignment);
    if (sums.possible) visit(assignment, sums);
    std::size_t i = 0;
    while (i < assignment.size() && ++assignment[i] == chain.processors.size()) assignment[i++] = 0;
    if (i == assignment.size()) return;
  }
}

inline Payment payment_by(std::size_t seed) {
  const Payment payments[] = {kReceiverPays, kSenderPays, kBothPay, {0.5, 0.5}};
  return payments[seed % 4];
}

// Layers with times by processor in milliseconds, nothing else.
inline Chain chain_of(const std::vector<std::vector<double>>& milliseconds, Payment payment = kReceiverPays) {
  Chain chain;
  chain.payment = payment;
  for (std::size_t p = 0; p < milliseconds.size(); ++p) {
    chain.processors.push_back({ProcessorId("p" + std::to_string(p))});
  }
  for (std::size_t i = 0; i < milliseconds.front().size(); ++i) {
    Layer layer;
    layer.name = std::to_string(i);
    for (const auto& times : milliseconds)
      layer.on.push_back(LayerCost{Seconds(times[i] * 1e-3), std::nullopt});
    chain.layers.push_back(std::move(layer));
    if (i > 0) chain.boundaries.push_back({});
  }
  return chain;
}

}  // namespace saccade::placement::test
