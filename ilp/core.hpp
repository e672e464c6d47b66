// What fixing by reduced cost leaves of a table. An option whose loss takes every selection with it down to
// the best known or below is out; a class with one option left is fixed, and its share of the capacities
// with it. Every better selection of the table is one of the core beside what is fixed.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ilp/incumbent.hpp"
#include "ilp/relaxation.hpp"
#include "ilp/table.hpp"

namespace saccade::ilp {

struct Core {
  Table table;                       // as a table of its own; `option` is the option of the whole table
  Relaxation relaxation;             // of the whole, as it is for the core; without counts
  double fixed_value = 0.0;          // of the fixed classes: whole value = fixed_value + core value
  std::vector<std::uint32_t> group;  // per group of the core, which one of the whole table it is
  std::vector<std::uint32_t> at;     // per group of the whole table its option where that is fixed
  std::vector<std::uint32_t> place;  // per option of the whole table the one of the core; kOut: none

  static constexpr std::uint32_t kOut = 0xffffffffU;
};

// `value`: table value of the best selection known; -infinity = none is, and all is left.
[[nodiscard]] Core core_of(const Table& table, const Relaxation& relaxation, double value);

// A selection of the whole table as one of the core; absent when an option of it is out.
[[nodiscard]] std::optional<Selection> part_of(const Core& core, const Selection& whole);

// What a selection of the core is with what is fixed, as picks of the problem.
[[nodiscard]] Picks picks_of(const Table& table, const Core& core, const Selection& part);

}  // namespace saccade::ilp
