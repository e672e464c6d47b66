// The named families of solver instances: tables of tasks and variants with limits, each from a seed
// alone, and the choice problem they amount to; the tests' problems are made of the same tables. Numbers are
// the same on every machine with the same libm (random.hpp).
//
// A variant has a latent size s in (0, 1): time = tmin (tmax/tmin)^s exp(0.06 n) ms with tmin 0.5-2
// and tmax 10-40, n normal; accuracy concave in s from 60-72 to 88-98 % minus noise; power 1-10 W
// ~ s^0.7; memory 5-200 MB ~ 40^s; rate 1-30 frames/s; priority 1-4, used as weight; rounded to
// 0.001 ms, 0.01 %, 0.01 W and 0.1 MB. Unless `filtered` is off, only variants that no other of the
// task dominates in accuracy, time, energy and memory are kept, and drawn until there are enough.
// A capacity is r + tightness (u - r): u the use of the all-most-accurate selection, r the least
// possible. Tightness: 0.15 tight, 0.5 medium, 0.85 loose.
// Threads: pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ilp/choice_problem.hpp"

namespace saccade::bench {

enum class Family {
  standard,               // one time row; energy, memory
  identical,              // all tasks share table, rate and weight
  correlated,             // accuracy linear in time, 0.2 ms quanta, rates 10/20/30
  min_memory,             // least memory above accuracy floors
  processors,             // three processors; a variant runs on one of them
  equal_processors,       // standard, its time divided among four processors of one kind
  infeasible_row,         // the time of the quickest selection passes its budget
  infeasible_relaxation,  // every row holds alone; together not even fractions of variants fit
  infeasible_integer,     // fractions fit, whole variants do not
  elastic,                // the quickest selection needs 1.5 times the time at the demanded rates
};
inline constexpr std::array<std::pair<Family, const char*>, 10> kFamilies = {{
    {Family::standard, "standard"},
    {Family::identical, "identical"},
    {Family::correlated, "correlated"},
    {Family::min_memory, "min-memory"},
    {Family::processors, "processors"},
    {Family::equal_processors, "equal-processors"},
    {Family::infeasible_row, "infeasible-row"},
    {Family::infeasible_relaxation, "infeasible-relaxation"},
    {Family::infeasible_integer, "infeasible-integer"},
    {Family::elastic, "elastic"},
}};
[[nodiscard]] const char* to_string(Family family);
[[nodiscard]] std::optional<Family> family_from(const std::string& name);

struct VariantRow {
  double time_ms = 0.0;   // per frame, on `processor`
  double accuracy = 0.0;  // percent
  double power_watts = 0.0;
  double memory_mb = 0.0;
  std::size_t processor = 0;
  [[nodiscard]] double energy_joules() const { return power_watts * time_ms / 1000.0; }
};

struct TaskTable {
  std::vector<VariantRow> variants;
  double rate = 0.0;  // demanded frames/s
  int priority = 1;   // 1-4
  double weight = 1.0;
  std::optional<double> min_accuracy;  // percent; some variant reaches it
};

struct Instance {
  Family family = Family::standard;
  std::vector<TaskTable> tasks;
  std::vector<double> time_budgets;    // processor-seconds per second, one per processor
  std::optional<double> energy_limit;  // J/s
  std::optional<double> memory_limit_mb;
  bool least_memory = false;  // the objective; else the largest weighted accuracy
};

struct InstanceShape {
  std::size_t groups = 5;
  std::size_t options = 60;  // variants of a task
  // 1: time; 2: and energy; 3: and memory. Processors have three time rows and, from 5 on, energy and
  // memory. infeasible-relaxation and infeasible-integer always have time and memory.
  std::size_t rows = 3;
  double tightness = 0.5;
  bool filtered = true;  // false: the variants as drawn, dominated ones included
};

[[nodiscard]] Instance make_tables(Family family, const InstanceShape& shape, std::uint64_t seed);

// What a variant at a rate is worth and uses; rows and level 0 (elastic: and 1) as in make_problem().
[[nodiscard]] ilp::Option option_of(const Instance& instance, const TaskTable& task,
                                    const VariantRow& variant, double rate);

// One group per task. Level 0: weight * accuracy, or minus the memory. Rows: time of every processor,
// energy, memory. Elastic: an option per variant and rate (rate, rate - 1, ... down to 1); level 0 is
// minus weight * lost frames, level 1 weight * accuracy * rate / demand.
[[nodiscard]] ilp::ChoiceProblem make_problem(const Instance& instance);

[[nodiscard]] ilp::ChoiceProblem make_instance(Family family, std::size_t groups, std::size_t options,
                                               std::size_t rows, double tightness, std::uint64_t seed);

}  // namespace saccade::bench
