#include "bench/fleet/instances.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "bench/solver/random.hpp"

namespace saccade::bench {
namespace {

constexpr std::size_t kNetworks = 12;
constexpr double kLeanWork = 0.06;  // of the leanest variant, in units of the best

struct BoxClass {
  double speed;
  double watts;
  double gigabytes;
};
constexpr std::array<BoxClass, 4> kClasses = {{{1, 5, 2}, {3, 10, 4}, {6, 15, 8}, {20, 40, 16}}};

std::string numbered(const char* prefix, std::size_t number) {
  std::string digits = std::to_string(number);
  digits.insert(0, 6 - std::min<std::size_t>(6, digits.size()), '0');
  return prefix + digits;
}

// Accuracy falls slowly at first and steeply towards the leanest variant.
double relative_accuracy(double work) { return 1.0 - 0.26 * std::pow(kLeanWork / work, 2.4); }

struct Network {
  double work = 1.0;               // of the best variant, relative to the other networks
  std::vector<double> works;       // of the variants, in units of the best
  std::vector<double> accuracies;  // in [0, 1]
  std::vector<double> megabytes;
};

Network make_network(Random& random) {
  Network network;
  network.work = std::exp(0.6 * random.normal());
  const std::size_t variants = 12 + random.below(8);
  const double best = random.uniform(0.75, 0.98);
  for (std::size_t v = 0; v < variants; ++v) {
    const double share = static_cast<double>(v) / static_cast<double>(variants - 1);
    const double work = std::pow(kLeanWork, share);
    network.works.push_back(work);
    network.accuracies.push_back(best * relative_accuracy(work) *
                                 (v == 0 ? 1.0 : random.uniform(0.995, 1.0)));
    network.megabytes.push_back(random.uniform(0.8, 1.2) * (25.0 + 250.0 * work));
  }
  return network;
}

profiles::ProfileSetPtr profile_set(const Network& network, std::size_t index, const BoxClass& kind,
                                    double unit, Random& random) {
  auto set = std::make_shared<profiles::ProfileSet>();
  set->network = numbered("net", index);
  const double affinity = random.uniform(0.8, 1.25);  // of this network for this class of boxes
  for (std::size_t v = 0; v < network.works.size(); ++v) {
    profiles::Variant variant;
    variant.id = VariantId(numbered("v", v));
    variant.accuracy = network.accuracies[v];
    const double seconds =
        unit * network.work * network.works[v] * affinity * random.uniform(0.95, 1.05) / kind.speed;
    variant.frame_time[ProcessorId("gpu")] = Seconds(seconds);
    variant.energy_per_inference = Joules(seconds * kind.watts * random.uniform(0.8, 1.15));
    variant.memory = Bytes(network.megabytes[v] * 1e6);
    set->variants.push_back(std::move(variant));
  }
  return set;
}

fleet::Box make_box(std::size_t index, const FleetSize& size, Random& random) {
  fleet::Box box;
  box.id = fleet::BoxId(numbered("box", index));
  scheduler::Processor gpu;
  gpu.id = ProcessorId("gpu");
  box.processors.push_back(gpu);
  const double draw = random.uniform();
  const std::size_t c = draw < 0.4 ? 0 : draw < 0.7 ? 1 : draw < 0.9 ? 2 : 3;
  box.limits.energy_per_second = Watts(0.88 * kClasses[c].watts);
  box.limits.memory = Bytes(kClasses[c].gigabytes * 1e9);
  if (size.sites != Sites::anywhere) {
    const std::size_t site = index % size.site_count;
    box.labels["site"] = numbered("site", site);
    box.labels["region"] = numbered("region", site / 10);
  }
  box.labels["class"] = numbered("class", c);
  return box;
}

fleet::Camera make_camera(std::size_t index, const FleetSize& size, Random& random) {
  fleet::Camera camera;
  camera.task.id = TaskId(numbered("cam", index));
  camera.network = numbered("net", random.below(kNetworks));
  camera.task.demand = Fps(5.0 + static_cast<double>(random.below(26)));
  camera.task.weight = 0.5 + 0.25 * static_cast<double>(random.below(7));
  if (size.sites == Sites::anywhere) return camera;
  const std::size_t site = random.below(size.site_count);
  const double draw = size.sites == Sites::sites ? 0.0 : random.uniform();
  if (draw < 0.7) {
    camera.where.labels["site"] = {numbered("site", site)};
  } else if (draw < 0.9) {
    camera.where.labels["region"] = {numbered("region", site / 10)};
  }
  return camera;
}

}  // namespace

fleet::Problem make_fleet(const FleetSize& size, std::uint64_t seed) {
  Random random(seed);
  fleet::Problem problem;
  std::vector<Network> networks;
  for (std::size_t n = 0; n < kNetworks; ++n) networks.push_back(make_network(random));
  for (std::size_t c = 0; c < size.cameras; ++c) problem.cameras.push_back(make_camera(c, size, random));
  double work = 0.0;  // of all cameras at their best, with times of 1 s for a network of work 1
  for (const fleet::Camera& camera : problem.cameras) {
    const auto network = static_cast<std::size_t>(std::stoul(camera.network.substr(3)));
    work += networks[network].work * camera.task.demand.value();
  }
  const double unit = static_cast<double>(size.cameras) / work;
  std::vector<std::vector<profiles::ProfileSetPtr>> sets(kClasses.size());
  for (std::size_t c = 0; c < kClasses.size(); ++c) {
    for (std::size_t n = 0; n < kNetworks; ++n) {
      sets[c].push_back(profile_set(networks[n], n, kClasses[c], unit, random));
    }
  }
  for (std::size_t b = 0; b < size.boxes; ++b) {
    fleet::Box box = make_box(b, size, random);
    const auto c = static_cast<std::size_t>(std::stoul(box.labels["class"].substr(5)));
    for (const profiles::ProfileSetPtr& set : sets[c]) box.profiles[set->network] = set;
    problem.boxes.push_back(std::move(box));
  }
  fleet::sort(problem);
  return problem;
}

void change_demands(fleet::Problem& problem, std::uint64_t seed) {
  Random random(seed);
  for (fleet::Camera& camera : problem.cameras) {
    if (random.uniform() >= 0.1) continue;
    camera.task.demand =
        Fps(std::max(1.0, rounded(camera.task.demand.value() * random.uniform(0.5, 1.5), 1.0)));
  }
}

}  // namespace saccade::bench
