#include "ilp/core/tie_breaking.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

// Per group the options of a problem that may be part of a selection equal to the optimum.
struct Ties {
  OpenOptions open;
  Picks optimum;            // as places in them
  bool has_choice = false;  // some group has several
};

Ties find_ties(const Table& table, const LpRelaxation& relaxation, const Picks& optimum,
               double largest_reduced_cost) {
  Ties ties;
  ties.open.resize(optimum.size());
  ties.optimum.resize(optimum.size());
  for (std::size_t group = 0; group < optimum.size(); ++group) {
    const std::uint32_t c = table.class_of[group];
    std::vector<std::uint32_t>& kept = ties.open[group];
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      const std::uint32_t index = table.option[i];
      if (relaxation.reduced_cost[i] > largest_reduced_cost && index != optimum[group]) continue;
      if (index == optimum[group]) ties.optimum[group] = kept.size();
      kept.push_back(index);
    }
    ties.has_choice = ties.has_choice || kept.size() > 1;
  }
  return ties;
}

// The problem with these of its options; they keep their order.
ChoiceProblem restricted_to(const OpenOptions& open, const FlatProblem& flat) {
  ChoiceProblem problem;
  problem.capacities = flat.problem->capacities;
  problem.level_count = flat.problem->level_count;
  problem.peak_count = flat.problem->peak_count;
  problem.peak_capacity = flat.problem->peak_capacity;
  problem.groups.resize(open.size());
  for (std::size_t group = 0; group < open.size(); ++group) {
    for (const std::uint32_t index : open[group]) {
      problem.groups[group].options.push_back(flat.option(group, index));
    }
  }
  return problem;
}

}  // namespace

Certified break_ties(const FlatProblem& flat, const Table& table, const LpRelaxation& relaxation,
                     const std::vector<double>& prices, const Incumbent& incumbent, const WorkLimit& limit) {
  const double largest_reduced_cost =
      relaxation.bound +
      (table.value_offset + table.value_rounding - least_equal(incumbent.value())) / table.value_scale;
  const Ties ties = find_ties(table, relaxation, incumbent.picks(), largest_reduced_cost);
  if (!ties.has_choice) return {incumbent.picks(), incumbent.value(), Limit::none, 0};
  if (limit.stop && limit.stop()) return {incumbent.picks(), incumbent.value(), Limit::stop, 0};
  const ChoiceProblem restricted = restricted_to(ties.open, flat);
  OpenOptions all;
  for (const Group& group : restricted.groups) {
    std::vector<std::uint32_t>& every = all.emplace_back(group.options.size());
    std::iota(every.begin(), every.end(), 0U);
  }
  Certified certified = certify(restricted, all, {prices, {}}, ties.optimum, limit);
  for (std::size_t group = 0; group < ties.open.size(); ++group) {
    std::size_t& pick = (*certified.picks)[group];
    pick = ties.open[group][pick];
  }
  return certified;
}

}  // namespace saccade::ilp
