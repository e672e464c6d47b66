// Small random fleets with seeds, for laws and oracles: kinds of hardware of different speed, networks with a
// few variants each, coarse numbers so that ties happen. The same seed gives the same fleet on every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fleet/problem.hpp"

namespace saccade::test {

struct FleetShape {
  std::size_t boxes = 3;
  std::size_t cameras = 10;
  std::size_t kinds = 2;
  std::size_t networks = 3;
  std::size_t variants = 3;
  double load = 0.7;  // all cameras at their best variant, in units of the fleet's time
  std::size_t processors = 1;
  bool memory = true;           // limit
  bool all_or_nothing = false;  // min_fps = fps: a camera is served whole or off
  std::size_t priorities = 1;
  bool sites = false;  // every camera stays in its own: north or south
};

class RandomFleet {
 public:
  RandomFleet(std::uint64_t seed, FleetShape shape) : random_(seed), shape_(shape) {}

  [[nodiscard]] std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  [[nodiscard]] double grain(double least, double most, double step) {
    const auto steps = static_cast<std::size_t>((most - least) / step + 0.5);
    return least + step * static_cast<double>(below(steps + 1));
  }

  [[nodiscard]] fleet::Problem next() {
    fleet::Problem problem;
    make_networks();
    for (std::size_t b = 0; b < shape_.boxes; ++b) problem.boxes.push_back(box(b));
    for (std::size_t c = 0; c < shape_.cameras; ++c) problem.cameras.push_back(camera(c));
    fleet::sort(problem);
    return problem;
  }

 private:
  static std::string name(const char* prefix, std::size_t index) {
    std::string number = std::to_string(index);
    while (number.size() < 3) number.insert(number.begin(), '0');
    return prefix + number;
  }

  void make_networks() {
    accuracy_.clear();
    work_.clear();
    sets_.clear();
    for (std::size_t n = 0; n < shape_.networks; ++n) {
      std::vector<double> accuracy = {0.9};
      std::vector<double> work = {grain(4, 10, 1)};
      for (std::size_t v = 1; v < shape_.variants; ++v) {
        accuracy.push_back(accuracy.back() - grain(0.02, 0.1, 0.01));
        work.push_back(work.back() * grain(0.4, 0.8, 0.1));
      }
      accuracy_.push_back(accuracy);
      work_.push_back(work);
    }
    for (std::size_t k = 0; k < shape_.kinds; ++k) {
      const double speed = k == 0 ? 1.0 : grain(0.5, 3, 0.5);
      for (std::size_t n = 0; n < shape_.networks; ++n) sets_.push_back(profile_set(n, speed));
    }
  }

  [[nodiscard]] profiles::ProfileSetPtr profile_set(std::size_t network, double speed) {
    auto set = std::make_shared<profiles::ProfileSet>();
    set->network = name("net", network);
    for (std::size_t v = 0; v < shape_.variants; ++v) {
      profiles::Variant variant;
      variant.id = VariantId(name("v", v));
      variant.accuracy = accuracy_[network][v];
      const std::size_t processor = shape_.processors == 1 ? 0 : below(shape_.processors);
      variant.frame_time[ProcessorId(name("p", processor))] = Seconds(work_[network][v] * 1e-3 / speed);
      variant.memory = Bytes(1e6 * (work_[network][v] + grain(0, 4, 1)));
      variant.energy_per_inference = Joules(work_[network][v] * 1e-2);
      set->variants.push_back(std::move(variant));
    }
    return set;
  }

  [[nodiscard]] fleet::Box box(std::size_t index) {
    fleet::Box box;
    box.id = fleet::BoxId(name("box", index));
    box.labels["site"] = index % 2 == 0 ? "north" : "south";
    const std::size_t kind = index % shape_.kinds;
    for (std::size_t p = 0; p < shape_.processors; ++p) {
      scheduler::Processor processor;
      processor.id = ProcessorId(name("p", p));
      processor.guard = Seconds(0.0);
      box.processors.push_back(processor);
    }
    if (shape_.memory) box.limits.memory = Bytes(1e6 * 12.0 * static_cast<double>(per_box() + 1));
    for (std::size_t n = 0; n < shape_.networks; ++n) {
      box.profiles[name("net", n)] = sets_[kind * shape_.networks + n];
    }
    return box;
  }

  [[nodiscard]] std::size_t per_box() const { return (shape_.cameras + shape_.boxes - 1) / shape_.boxes; }

  [[nodiscard]] fleet::Camera camera(std::size_t index) {
    fleet::Camera camera;
    camera.task.id = TaskId(name("cam", index));
    const std::size_t network = below(shape_.networks);
    camera.network = name("net", network);
    const double share = shape_.load / static_cast<double>(per_box());  // of a box, at the best variant
    const double fps = share / (work_[network].front() * 1e-3) * grain(0.6, 1.4, 0.1);
    camera.task.demand = Fps(std::max(1.0, std::round(fps)));
    camera.task.weight = grain(1, 2, 0.5);
    camera.task.priority = static_cast<int>(below(shape_.priorities));
    if (shape_.sites) camera.where.labels["site"] = {below(2) == 0 ? "north" : "south"};
    if (shape_.all_or_nothing) camera.task.min_fps = camera.task.demand;
    return camera;
  }

  std::mt19937_64 random_;
  FleetShape shape_;
  std::vector<std::vector<double>> accuracy_;
  std::vector<std::vector<double>> work_;
  std::vector<profiles::ProfileSetPtr> sets_;  // kind by kind
};

}  // namespace saccade::test
