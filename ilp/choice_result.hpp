// What a solver found out. Infeasible and stopped are results, not errors.
//   optimal     picks are feasible and level 0 is proven within kTolerance of the best
//   feasible    picks are feasible, bound and gap tell how far from proven; `limit` says why it ended
//   infeasible  proven: no selection holds all rows
//   unknown     stopped with no picks and nothing proven; or the problem is invalid (see message)
// An optimal result with a limit: level 0 is proven, ties were not settled to the end.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ilp/choice_problem.hpp"

namespace saccade::ilp {

enum class Verdict { optimal, feasible, infeasible, unknown };
enum class Limit { none, stop, work, numerical };  // what ended the search early
[[nodiscard]] const char* to_string(Verdict verdict);
[[nodiscard]] const char* to_string(Limit limit);

struct SolveStats {
  std::int64_t solves = 0;    // calls into the underlying solver
  std::int64_t nodes = 0;     // branch-and-bound nodes, or selections enumerated
  std::int64_t settling = 0;  // nodes of the arithmetic search that proves and settles ties
  std::int64_t rejected = 0;  // answers of the underlying solver that plain arithmetic refused
};

struct ChoiceResult {
  Verdict verdict = Verdict::unknown;
  Limit limit = Limit::none;
  Picks picks;                        // empty unless optimal or feasible
  Evaluation evaluation;              // of picks
  std::optional<double> bound;        // upper bound on level 0 over all feasible selections
  std::vector<double> prices;         // dual value per row in the LP relaxation, >= 0; empty = not computed
  double peak_price = 0.0;            // the same of the peak capacity; 0 as well where not computed
  std::vector<std::size_t> culprits;  // infeasible: rows that no selection holds even alone
  std::vector<std::size_t> conflict;  // infeasible, no culprits: rows that conflict together, if known
  bool peak_is_culprit = false;       // infeasible: some group alone passes the peak capacity
  SolveStats stats;
  std::string message;  // for a log line; empty when there is nothing to say

  // |value - bound| / max(|value|, 1e-9); absent without picks or bound.
  [[nodiscard]] std::optional<double> gap() const;
};

}  // namespace saccade::ilp
