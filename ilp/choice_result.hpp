// The outcome of a solve. Infeasible and stopped are results, not errors.
//   optimal     picks are feasible and level 0 is proven to be within kTolerance of the optimum
//   feasible    picks are feasible; bound and gap say how much is unproven, `limit` why the search ended
//   infeasible  proven: no selection satisfies all rows
//   unknown     ended without picks and without a proof; or the problem is invalid (see message)
// An optimal result with a limit: level 0 is proven, but ties may not be broken as prescribed.
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
enum class Limit { none, stop, work, numerical };  // what ended the search before it was exhaustive
[[nodiscard]] const char* to_string(Verdict verdict);
[[nodiscard]] const char* to_string(Limit limit);

struct SolveStats {
  std::int64_t solves = 0;         // calls into the underlying solver
  std::int64_t nodes = 0;          // search nodes, or selections enumerated
  std::int64_t certify_nodes = 0;  // nodes of certify(), which proves the optimum and breaks ties
  std::int64_t rejected = 0;       // answers of the underlying solver that plain arithmetic refused
};

struct ChoiceResult {
  Verdict verdict = Verdict::unknown;
  Limit limit = Limit::none;
  Picks picks;                        // empty unless optimal or feasible
  Evaluation evaluation;              // of picks
  std::optional<double> bound;        // upper bound on level 0 over all feasible selections
  std::vector<double> prices;         // dual value per row of the LP relaxation, >= 0; empty = not computed
  double peak_price = 0.0;            // dual value of the peak capacity; 0 also if not computed
  std::vector<std::size_t> culprits;  // infeasible: rows that no selection satisfies even alone
  std::vector<std::size_t> conflict;  // infeasible without culprits: rows infeasible together, if known
  bool peak_is_culprit = false;       // infeasible: some group alone exceeds the peak capacity
  SolveStats stats;
  std::string message;  // for a log line; may be empty

  // |value - bound| / max(|value|, 1e-9); absent without picks or bound.
  [[nodiscard]] std::optional<double> gap() const;
};

}  // namespace saccade::ilp
