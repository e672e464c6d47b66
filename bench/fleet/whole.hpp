// Small fleets as one problem for other solvers: a group per camera; an option per box and variant at the
// demanded rate, and one for being off; a row per box and resource. Every solver gets the same problem and
// time, on one thread; what it found by then is compared with this project's plan, which does not see that
// problem. An option that is off costs more than all accuracies together, so that fewest are off first, by
// weight. Threads: plain functions. Errors: a solver without an answer has none in the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/sheet.hpp"
#include "fleet/model.hpp"
#include "ilp/choice_problem.hpp"

namespace saccade::bench {

[[nodiscard]] ilp::ChoiceProblem whole_problem(const fleet::Model& model);

struct WholeAnswer {
  std::string solver;
  std::optional<double> level = {};  // of whole_problem(); absent: it has found nothing
  double value = 0.0;                // mean relative accuracy, by weight
  std::size_t off = 0;               // cameras
  double seconds = 0.0;              // wall clock
};
struct WholeFleet {
  std::string name;
  std::vector<WholeAnswer> answers;  // this project's first
  double bound = 0.0;                // that it proved, as a mean
};

// Fleets of 60 cameras on 4 boxes to 300 on 10. `seconds`: of each solver on each.
[[nodiscard]] std::vector<WholeFleet> compare_whole(std::uint64_t seed, double seconds,
                                                    const std::function<void(const std::string&)>& progress);
[[nodiscard]] Sheet sheet_of(const std::vector<WholeFleet>& fleets);
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<WholeFleet>& fleets);
// That this project's value is no lower than the best of the others.
[[nodiscard]] std::vector<FigureCheck> checks_of(const std::vector<WholeFleet>& fleets);

}  // namespace saccade::bench
