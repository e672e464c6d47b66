// Seeded random choice problems in named families, shared by the tests and the benches. The numbers
// depend on the seed alone: std::mt19937_64 is the same everywhere and the mapping to doubles is
// written here (the standard's distributions differ between libraries).
//
// A variant has a latent size s in (0, 1): time = tmin (tmax/tmin)^s exp(0.06 n) with tmin 0.5-2 ms
// and tmax 10-40 ms; accuracy concave in s from 60-72 to 88-98 % minus noise; power 1-10 W ~ s^0.7;
// memory 5-200 MB ~ 40^s; rate 1-30 frames/s; priority 1-4; rounded to 0.001 ms, 0.01 %, 0.01 W and
// 0.1 MB. Only variants that no other of the task dominates are kept. A capacity is
// r + f (u - r): u the use of the all-most-accurate selection, r the least possible, f the tightness.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "ilp/choice_problem.hpp"

namespace saccade::test {

enum class Family { standard, identical, correlated, min_memory, processors, peaks, infeasible, elastic };
inline constexpr std::array<std::pair<Family, const char*>, 8> kFamilies = {{
    {Family::standard, "standard"},      // one time row, energy, memory
    {Family::identical, "identical"},    // all tasks share table and rate
    {Family::correlated, "correlated"},  // accuracy linear in time, 0.2 ms quanta, rates 10/20/30
    {Family::min_memory, "min-memory"},  // an accuracy floor, memory to be least
    {Family::processors, "processors"},  // three time rows
    {Family::peaks, "peaks"},            // two processors under a joint peak of power
    {Family::infeasible, "infeasible"},  // time against memory, both scarce
    {Family::elastic, "elastic"},        // half more demand than fits; every variant at three rates
}};

struct Shape {
  std::size_t tasks = 5;
  std::size_t variants = 12;
  std::size_t rows = 3;  // 1 = time; 2 = and energy; 3 = and memory
  double tightness = 0.5;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11U) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  std::size_t below(std::size_t count) {
    return std::min(count - 1, static_cast<std::size_t>(uniform() * static_cast<double>(count)));
  }
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 engine_;
};

struct InstanceVariant {
  double time_ms, accuracy, power_watts, memory_mb;
};

inline double rounded(double value, double quantum) { return std::round(value / quantum) * quantum; }

inline bool dominates(const InstanceVariant& a, const InstanceVariant& b) {
  return a.time_ms <= b.time_ms && a.accuracy >= b.accuracy &&
         a.power_watts * a.time_ms <= b.power_watts * b.time_ms && a.memory_mb <= b.memory_mb;
}

inline std::vector<InstanceVariant> random_table(Family family, std::size_t count, Random& random) {
  const double t_min = random.uniform(0.5, 2.0), t_max = random.uniform(10.0, 40.0);
  const double a_min = random.uniform(60.0, 72.0), a_max = random.uniform(88.0, 98.0);
  std::vector<InstanceVariant> table;
  for (std::size_t draws = 0; table.size() < count && draws < 200 * count; ++draws) {
    const double s = random.uniform();
    InstanceVariant v{};
    v.time_ms = t_min * std::pow(t_max / t_min, s) * std::exp(0.06 * random.normal());
    v.time_ms = rounded(v.time_ms, family == Family::correlated ? 0.2 : 0.001);
    v.accuracy = a_min + (a_max - a_min) * (1.0 - (1.0 - s) * (1.0 - s)) - std::abs(random.normal());
    if (family == Family::correlated) v.accuracy = 60.0 + v.time_ms;
    v.accuracy = rounded(std::clamp(v.accuracy, 1.0, 100.0), 0.01);
    v.power_watts = rounded(1.0 + 9.0 * std::pow(s, 0.7) * random.uniform(0.8, 1.0), 0.01);
    v.memory_mb = rounded(5.0 * std::pow(40.0, s) * random.uniform(0.8, 1.2), 0.1);
    if (family == Family::infeasible) v.memory_mb = rounded(250.0 - v.memory_mb, 0.1);  // time for memory
    v.time_ms = std::max(v.time_ms, 0.2);
    const auto dominates_v = [&v](const InstanceVariant& other) { return dominates(other, v); };
    if (std::any_of(table.begin(), table.end(), dominates_v)) continue;
    std::erase_if(table, [&v](const InstanceVariant& other) { return dominates(v, other); });
    table.push_back(v);
  }
  return table;
}

// Adds the rows' capacities: between the least possible and the most accurate selection's use.
inline void set_capacities(ilp::ChoiceProblem& problem, const std::vector<std::vector<double>>& accuracy,
                           double tightness) {
  const auto between = [tightness](double least, double most) { return least + tightness * (most - least); };
  const std::size_t rows = problem.groups.front().options.front().use.size();
  for (std::size_t row = 0; row < rows; ++row) {
    double least = 0.0, most = 0.0;
    for (std::size_t g = 0; g < problem.groups.size(); ++g) {
      const std::vector<ilp::Option>& options = problem.groups[g].options;
      double least_of_group = options.front().use[row];
      for (const ilp::Option& option : options) least_of_group = std::min(least_of_group, option.use[row]);
      const auto best = std::max_element(accuracy[g].begin(), accuracy[g].end()) - accuracy[g].begin();
      least += least_of_group;
      most += options[static_cast<std::size_t>(best)].use[row];
    }
    problem.capacities.push_back(between(least, std::max(least, most)));
  }
  if (problem.peak_count == 0) return;
  double least = 0.0, most = 0.0;
  for (const ilp::Group& group : problem.groups) {
    double least_of_group = 1e9, most_of_group = 0.0;
    for (const ilp::Option& option : group.options) {
      const double alone = option.peak[0] + option.peak[1];
      least_of_group = std::min(least_of_group, alone);
      most_of_group = std::max(most_of_group, alone);
    }
    least = std::max(least, least_of_group);
    most = std::max(most, most_of_group);
  }
  problem.peak_capacity = between(least, 1.5 * most);
}

// Levels: the objective, minus the switches, minus the memory (MB).
inline ilp::ChoiceProblem random_problem(Family family, const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  ilp::ChoiceProblem problem;
  problem.level_count = 3;
  problem.peak_count = family == Family::peaks ? 2 : 0;
  std::vector<std::vector<double>> accuracy(shape.tasks);
  std::vector<InstanceVariant> table;
  double rate = 0.0;
  for (std::size_t task = 0; task < shape.tasks; ++task) {
    if (task == 0 || family != Family::identical) {
      table = random_table(family, shape.variants, random);
      rate = family == Family::correlated ? 10.0 * static_cast<double>(1 + random.below(3))
                                          : random.uniform(1.0, 30.0);
    }
    const double weight = family == Family::identical ? 1.0 : static_cast<double>(1 + random.below(4));
    const std::size_t running = random.below(table.size());
    const double floor = table[random.below(table.size())].accuracy;
    ilp::Group& group = problem.groups.emplace_back();
    for (std::size_t v = 0; v < table.size(); ++v) {
      const InstanceVariant& variant = table[v];
      if (family == Family::min_memory && variant.accuracy < floor) continue;
      const std::size_t processor = family == Family::processors ? random.below(3) : 0;
      for (const double share : {1.0, 2.0 / 3.0, 1.0 / 3.0}) {
        const double granted = rate * share;
        ilp::Option option;
        const bool least_memory = family == Family::min_memory;
        option.levels = {least_memory ? -variant.memory_mb : weight * share * variant.accuracy,
                         v == running ? 0.0 : -1.0, -variant.memory_mb};
        option.use.assign(family == Family::processors ? 3 : 1, 0.0);
        option.use[processor] = variant.time_ms * granted / 1000.0;
        if (shape.rows > 1) option.use.push_back(variant.power_watts * option.use[processor]);
        if (shape.rows > 2) option.use.push_back(variant.memory_mb);
        if (family == Family::peaks) {
          option.peak = {variant.power_watts, 0.0};
          if (random.below(2) == 1) std::swap(option.peak[0], option.peak[1]);
        }
        group.options.push_back(std::move(option));
        accuracy[task].push_back(share * variant.accuracy);
        if (family != Family::elastic) break;
      }
    }
  }
  // What saves time costs memory: each row holds alone, together they conflict more often than not.
  const double tightness = family == Family::infeasible ? 0.8 * shape.tightness : shape.tightness;
  set_capacities(problem, accuracy, tightness);
  if (family == Family::infeasible && shape.rows > 2) {
    double least = 0.0, most = 0.0;
    for (const ilp::Group& group : problem.groups) {
      const auto [low, high] = std::minmax_element(
          group.options.begin(), group.options.end(),
          [](const ilp::Option& a, const ilp::Option& b) { return a.use.back() < b.use.back(); });
      least += low->use.back();
      most += high->use.back();
    }
    problem.capacities.back() = least + tightness * (most - least);
  }
  if (family == Family::elastic) problem.capacities.front() /= 1.5;
  return problem;
}

}  // namespace saccade::test
