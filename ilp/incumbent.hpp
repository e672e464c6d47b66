// Selections of a table and the quick ways to a good one: rounding the relaxation, repair of rows that
// do not hold (least loss per violation removed), filling what is spare. When the objective leads into
// a dead end, a first phase looks for any selection, the most violated rows priced higher each round.
// Threads: pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ilp/relaxation.hpp"
#include "ilp/table.hpp"

namespace saccade::ilp {

struct Selection {
  std::vector<std::uint32_t> at;  // per group an option of the table
  std::vector<double> spare;      // per row: capacity less use; negative = violated
};

// Options handed to the members of each class in their order; the relaxation's own counts.
[[nodiscard]] Selection handed_out(const Table& table, Counts counts);
[[nodiscard]] Selection rounded(const Table& table, const Relaxation& relaxation);
[[nodiscard]] Selection selection_of(const Table& table, std::vector<std::uint32_t> at);
[[nodiscard]] bool holds(const Selection& selection);

// The first option of the class with the least loss, which is 0.
[[nodiscard]] std::uint32_t least_loss(const Table& table, const Relaxation& relaxation,
                                       std::uint32_t group_class);

// False when no change of one option lessens the violation any more, or when stopped.
[[nodiscard]] bool repair(const Table& table, const std::vector<double>& loss, Selection& selection,
                          const std::function<bool()>& stop);
// Takes the best change of one option that still holds and raises the value, again and again.
void fill(const Table& table, Selection& selection, const std::function<bool()>& stop);

// A selection that holds, by any of these; absent when none was found.
[[nodiscard]] std::optional<Selection> find_any(const Table& table, const std::function<bool()>& stop);

// As picks of the problem.
[[nodiscard]] Picks picks_of(const Table& table, const Selection& selection);

}  // namespace saccade::ilp
