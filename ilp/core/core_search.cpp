#include "ilp/core/core_search.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ilp/core/branch_and_bound.hpp"
#include "ilp/core/count_search.hpp"
#include "ilp/core/depth_first_search.hpp"
#include "ilp/core/list_search.hpp"

namespace saccade::ilp {
namespace {

constexpr std::int64_t kDepthFirstNodes = 30'000;  // below a millisecond
constexpr std::int64_t kFewNodes = 10'000;         // with one row, where lists are better
constexpr std::int64_t kManyNodes = 20'000'000;    // with many groups, where branching is worse
constexpr std::size_t kManyGroups = 150;
constexpr std::int64_t kCountNodes = 200'000;
constexpr std::int64_t kListStates = 2'000'000;
constexpr std::int64_t kBranchNodes = 5'000;
constexpr double kBranchNanoseconds = 40e6;  // of all nodes together, by a rough estimate of one

// With many groups a branch-and-bound node costs as much as some thousand nodes of this search.
std::int64_t depth_first_nodes(const Table& table) {
  if (table.rows == 1) return kFewNodes;
  return table.class_of.size() > kManyGroups ? kManyNodes : kDepthFirstNodes;
}

// A node costs several passes over all options of the core.
std::int64_t branch_nodes(const Table& table) {
  const double one = 2000.0 + 3.0 * static_cast<double>(table.options() * (table.rows + 1)) +
                     30.0 * static_cast<double>(table.class_of.size());
  return std::clamp(static_cast<std::int64_t>(kBranchNanoseconds / one), std::int64_t{20}, kBranchNodes);
}

// In every group an option without reduced cost.
Selection basic_selection(const Core& core) {
  std::vector<std::uint32_t> option;
  for (const std::uint32_t c : core.table.class_of) {
    option.push_back(least_reduced_cost(core.table, core.relaxation, c));
  }
  return selection_of(core.table, std::move(option));
}

}  // namespace

CoreOutcome search_core(const Table& table, const Core& core, const Selection& base, Incumbent& incumbent,
                        const WorkLimit& limit) {
  const Table& part = core.table;
  const LpRelaxation& relaxation = core.relaxation;
  const Selection core_base = restrict_to(core, base).value_or(basic_selection(core));
  const auto cutoff = [&] { return incumbent.cutoff_in(table) - core.fixed_value; };
  const OnCandidate on_candidate = [&](const Selection& selection) {
    incumbent.offer(picks_of(table, core, selection));
    return cutoff();
  };
  CoreOutcome outcome;
  outcome.limit = Limit::work;
  const auto at_most = [&](std::int64_t nodes) {
    return WorkLimit{limit.stop, std::min(limit.max_nodes - outcome.nodes, nodes)};
  };
  const auto count = [&](const SearchOutcome& search) {
    outcome.nodes += search.nodes;
    outcome.limit = search.limit;
  };
  const auto work_is_left = [&] { return outcome.limit == Limit::work && outcome.nodes < limit.max_nodes; };

  const bool alike = 2 * part.classes() <= part.class_of.size();  // few counts describe all groups
  if (alike) count(search_counts(part, relaxation, cutoff(), on_candidate, at_most(kCountNodes)));
  if (outcome.limit == Limit::work) {
    count(search_depth_first(part, relaxation, core_base, cutoff(), on_candidate,
                             at_most(depth_first_nodes(part))));
  }
  if (work_is_left() && part.rows == 1 && !alike) {
    count(search_by_list(part, relaxation, core_base, cutoff(), on_candidate, at_most(kListStates)));
  }
  if (work_is_left()) {
    const BranchOutcome branched =
        branch_and_bound(part, relaxation, cutoff(), on_candidate, at_most(branch_nodes(part)));
    count(branched);
    outcome.bound = table.bound(branched.bound + core.fixed_value);
  }
  return outcome;
}

}  // namespace saccade::ilp
