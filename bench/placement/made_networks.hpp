// Networks made of random numbers in the shapes that the papers publish, for tests and for `saccade bench
// placement`: nothing here was measured.
// Threads: functions without state. The same seed gives the same network.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "bench/solver/random.hpp"
#include "placement/chain.hpp"
#include "placement/pipe_search.hpp"

namespace saccade::bench {

// Paper 002: groups of ResNet50 on a GPU and a DLA. The DLA's share of time grows with depth from 1.84
// to 6.78, the GPU's share of energy falls from 3.92 to 1.06 (its ranges for coarse groups); unordered: the
// same ratios, not by depth. A transition takes `transfer` of the GPU's whole time.
[[nodiscard]] inline placement::Chain resnet_on_orin(std::uint64_t seed, double transfer,
                                                     std::size_t layers = 17, bool ordered = true) {
  using placement::LayerCost;
  Random random(seed);
  placement::Chain chain;
  chain.processors = {{ProcessorId("gpu")}, {ProcessorId("dla")}};
  double total = 0.0;
  for (std::size_t i = 0; i < layers; ++i) {
    const double depth =
        (static_cast<double>(i) + random.uniform(-1.0, 1.0)) / static_cast<double>(layers - 1);
    const double at = ordered ? std::clamp(depth, 0.0, 1.0) : random.uniform();
    const double seconds = random.uniform(0.5, 1.5) * 1e-3, joules = seconds * random.uniform(12.0, 18.0);
    placement::Layer layer;
    layer.name = std::to_string(i);
    layer.on = {LayerCost{Seconds(seconds), Joules(joules)},
                LayerCost{Seconds(seconds * (1.84 + 4.94 * at)), Joules(joules / (3.92 - 2.86 * at))}};
    chain.layers.push_back(std::move(layer));
    if (i > 0) chain.boundaries.push_back({});
    total += seconds;
  }
  chain.links.assign(
      2, std::vector<placement::Link>(2, placement::Link{Seconds(transfer * total), 0.0, Joules(0.0), 0.0}));
  return chain;
}

// Paper 002 at a batch: ResNet50 in coarse (17) or fine (53) groups, each in the paper's ranges, from the
// first group to the last: the DLA takes 1.84 to 6.78 (coarse) or 3.13 to 7.03 times the GPU's time, the
// GPU 3.92 to 1.06 or 3.01 to 1.34 times the DLA's energy. Times and energies are of the whole batch of b
// pictures: on the GPU 0.35 + 0.65 b times those of one, on the DLA 0.1 + 0.9 b times, since small batches
// fill a GPU worse. A transition takes 1 % of the GPU's time and energy with one picture, half of it for each
// picture more. The paper prints none of these: they are assumptions.
[[nodiscard]] inline placement::Chain resnet_batch_on_orin(std::uint64_t seed, std::size_t layers,
                                                           int batch) {
  using placement::LayerCost;
  Random random(seed);
  const bool coarse = layers <= 17;
  const double first_time = coarse ? 1.84 : 3.13, last_time = coarse ? 6.78 : 7.03;
  const double first_energy = coarse ? 3.92 : 3.01, last_energy = coarse ? 1.06 : 1.34;
  const double on_gpu = 0.35 + 0.65 * batch, on_dla = 0.1 + 0.9 * batch, crossing = 0.5 + 0.5 * batch;
  placement::Chain chain;
  chain.processors = {{ProcessorId("gpu")}, {ProcessorId("dla")}};
  double time = 0.0, energy = 0.0;
  for (std::size_t i = 0; i < layers; ++i) {
    const double depth =
        (static_cast<double>(i) + random.uniform(-1.0, 1.0)) / static_cast<double>(layers - 1);
    const double at = std::clamp(depth, 0.0, 1.0);
    const double seconds = random.uniform(0.5, 1.5) * 1e-3, joules = seconds * random.uniform(12.0, 18.0);
    const double slower = first_time + (last_time - first_time) * at;
    const double thriftier = first_energy + (last_energy - first_energy) * at;
    placement::Layer layer;
    layer.name = std::to_string(i);
    layer.on = {LayerCost{Seconds(on_gpu * seconds), Joules(on_gpu * joules)},
                LayerCost{Seconds(on_dla * seconds * slower), Joules(on_dla * joules / thriftier)}};
    chain.layers.push_back(std::move(layer));
    if (i > 0) chain.boundaries.push_back({});
    time += seconds;
    energy += joules;
  }
  const placement::Link link{Seconds(0.01 * crossing * time), 0.0, Joules(0.01 * crossing * energy), 0.0};
  chain.links.assign(2, std::vector<placement::Link>(2, link));
  return chain;
}

// Paper 003: a GPU and two DLAs of about half its speed; the last two layers do not run on a DLA.
[[nodiscard]] inline placement::Chain network_on_xavier(std::uint64_t seed, std::size_t layers) {
  using placement::LayerCost;
  Random random(seed);
  placement::Chain chain;
  chain.processors = {{ProcessorId("gpu")}, {ProcessorId("dla0")}, {ProcessorId("dla1")}};
  for (std::size_t i = 0; i < layers; ++i) {
    const double seconds = random.uniform(0.2, 2.0) * 1e-3;
    const LayerCost dla{Seconds(seconds * random.uniform(1.5, 3.0)), std::nullopt};
    placement::Layer layer;
    layer.name = std::to_string(i);
    layer.on = {LayerCost{Seconds(seconds), std::nullopt}, dla, dla};
    if (i + 3 > layers) layer.on[1] = layer.on[2] = std::nullopt;
    chain.layers.push_back(std::move(layer));
    if (i > 0) chain.boundaries.push_back({Bytes(1e5 * random.uniform(0.2, 1.0)), true, {}});
  }
  chain.links.assign(
      3, std::vector<placement::Link>(3, placement::Link{Seconds(5e-5), 1e-10, Joules(0.0), 0.0}));
  return chain;
}

// Paper 001: VGG16's layers by weight: 13 convolutions of 3 x 3, 5 poolings, 3 dense layers, 224 x 224
// pixels.
[[nodiscard]] inline std::vector<double> vgg16_weights() {
  std::vector<double> weights;
  double side = 224, channels = 3;
  const struct {
    int convolutions;
    double filters;
  } blocks[] = {{2, 64}, {2, 128}, {3, 256}, {3, 512}, {3, 512}};
  for (const auto& block : blocks) {
    for (int k = 0; k < block.convolutions; ++k) {
      weights.push_back(placement::convolution_weight(side, side, channels, 3, 3, block.filters));
      channels = block.filters;
    }
    weights.push_back(side * side * channels);
    side /= 2;
  }
  weights.push_back(placement::dense_weight(side, side, channels, 4096));
  weights.push_back(placement::dense_weight(1, 1, 4096, 4096));
  weights.push_back(placement::dense_weight(1, 1, 4096, 1000));
  return weights;
}

// What a stage takes from the one before costs, in units of the weights; cores in clusters of equal size.
struct ClusterTransfer {
  std::size_t cluster_size = 1;
  double inside = 0.0;   // from a core of the same cluster
  double between = 0.0;  // from another one
};

// Cores with speeds of their own, and layers whose times are up to 30 % off what their weights say.
class MadeCluster {
 public:
  MadeCluster(std::uint64_t seed, std::vector<double> weights, std::vector<double> speeds,
              const ClusterTransfer& transfer = {})
      : times_(std::move(weights)), speeds_(std::move(speeds)), transfer_(transfer) {
    Random random(seed);
    for (double& time : times_) time *= random.uniform(0.7, 1.3);
  }

  // Of each stage; a group of cores shares its layers evenly.
  std::vector<double> operator()(const placement::Composition& composition) {
    ++trials_;
    std::vector<double> stages;
    std::size_t layer = 0, core = 0;
    const auto groups = placement::core_groups(speeds_.size(), composition.size());
    for (std::size_t k = 0; k < composition.size(); ++k) {
      double time = 0.0, speed = 0.0;
      const double taken = core == 0 ? 0.0 : taken_by(core);
      for (std::size_t i = 0; i < composition[k]; ++i) time += times_[layer++];
      for (std::size_t c = 0; c < groups[k]; ++c) speed += speeds_[core++];
      stages.push_back(time / speed + taken);
    }
    return stages;
  }
  [[nodiscard]] std::int64_t trials() const { return trials_; }

  [[nodiscard]] double best_of_all() {
    double least = INFINITY;
    for (std::size_t stages = 2; stages <= speeds_.size(); ++stages) {
      for (const placement::Composition& composition : placement::even_order(times_, stages)) {
        const auto all = (*this)(composition);
        least = std::min(least, *std::max_element(all.begin(), all.end()));
      }
    }
    return least;
  }

 private:
  // By a stage whose first core it is, from the core before.
  [[nodiscard]] double taken_by(std::size_t core) const {
    const bool same = (core - 1) / transfer_.cluster_size == core / transfer_.cluster_size;
    return same ? transfer_.inside : transfer_.between;
  }

  std::vector<double> times_, speeds_;
  ClusterTransfer transfer_;
  std::int64_t trials_ = 0;
};

// Paper 001, table 1: the governors of a Jetson TX2's clusters, Denver and A57, of which it uses two cores
// each. *Powersave* is the lowest clock, 345 of 2035 MHz. The paper prints neither speeds nor costs of
// crossing: these are assumptions.
struct Governor {
  std::string name;
  double denver_slowdown = 1.0, a57_slowdown = 1.0;
};
[[nodiscard]] inline std::vector<Governor> governors() {
  const double a57 = 1.37, powersave = 5.9;
  return {{"governor-1", 1.0, a57},
          {"governor-2", powersave, a57},
          {"governor-3", 1.0, powersave * a57},
          {"governor-4", powersave, powersave * a57}};
}
// With VGG16's layers.
[[nodiscard]] inline MadeCluster cluster_of(const Governor& governor, std::uint64_t seed) {
  const std::vector<double> weights = vgg16_weights();
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double denver = 1.0 / governor.denver_slowdown, a57 = 1.0 / governor.a57_slowdown;
  return {seed, weights, {denver, denver, a57, a57}, {2, 0.002 * total, 0.02 * total}};
}

}  // namespace saccade::bench
