#include "ilp/core/tie_breaking.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

// A problem with some of the options of another; options keep their order.
struct Restricted {
  ChoiceProblem problem;
  std::vector<std::vector<std::uint32_t>> option;  // per group and option, its index in the other
  Picks optimum;                                   // in its own indices
  bool has_choice = false;                         // some group has several options
};

Restricted restrict_to_ties(const ChoiceProblem& problem, const Table& table, const LpRelaxation& relaxation,
                            const Picks& optimum, double largest_reduced_cost) {
  Restricted result;
  result.problem.capacities = problem.capacities;
  result.problem.level_count = problem.level_count;
  result.problem.peak_count = problem.peak_count;
  result.problem.peak_capacity = problem.peak_capacity;
  result.optimum.resize(problem.groups.size());
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    const std::uint32_t c = table.class_of[group];
    Group& reduced = result.problem.groups.emplace_back();
    std::vector<std::uint32_t>& kept = result.option.emplace_back();
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      const std::uint32_t index = table.option[i];
      if (relaxation.reduced_cost[i] > largest_reduced_cost && index != optimum[group]) continue;
      if (index == optimum[group]) result.optimum[group] = kept.size();
      kept.push_back(index);
      reduced.options.push_back(problem.groups[group].options[index]);
    }
    result.has_choice = result.has_choice || kept.size() > 1;
  }
  return result;
}

}  // namespace

Certified break_ties(const ChoiceProblem& problem, const Table& table, const LpRelaxation& relaxation,
                     const std::vector<double>& prices, const Incumbent& incumbent, const WorkLimit& limit) {
  const double largest_reduced_cost =
      relaxation.bound +
      (table.value_offset + table.value_rounding - least_equal(incumbent.value())) / table.value_scale;
  const Restricted restricted =
      restrict_to_ties(problem, table, relaxation, incumbent.picks(), largest_reduced_cost);
  if (!restricted.has_choice) return {incumbent.picks(), incumbent.value(), Limit::none, 0};
  OpenOptions open;
  for (const Group& group : restricted.problem.groups) {
    std::vector<std::uint32_t>& all = open.emplace_back(group.options.size());
    std::iota(all.begin(), all.end(), 0U);
  }
  Certified certified = certify(restricted.problem, open, {prices, {}}, restricted.optimum, limit);
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    std::size_t& pick = (*certified.picks)[group];
    pick = restricted.option[group][pick];
  }
  return certified;
}

}  // namespace saccade::ilp
