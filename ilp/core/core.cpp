#include "ilp/core/core.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

class Fixing {
 public:
  Fixing(const Table& table, const LpRelaxation& relaxation, double value)
      : table_(table), relaxation_(relaxation), budget_(relaxation.bound - value + kSlackTolerance) {}

  Core run() {
    Table& part = core_.table;
    part.rows = table_.rows;
    part.capacity = table_.capacity;
    taken_.assign(table_.rows, 0.0);
    core_.fixed_option.resize(table_.class_of.size());
    core_.index.assign(table_.options(), Core::kDropped);
    class_.assign(table_.classes(), Core::kDropped);
    for (std::uint32_t c = 0; c < table_.classes(); ++c) reduce(c);
    part.first.push_back(static_cast<std::uint32_t>(part.option.size()));
    const double rounding = rounding_of(static_cast<double>(table_.classes()));
    for (std::size_t k = 0; k < table_.rows; ++k) {
      part.capacity[k] += rounding * (table_.capacity[k] + taken_[k]) - taken_[k];
    }
    list_groups();
    relax(rounding);
    return std::move(core_);
  }

 private:
  void reduce(std::uint32_t c) {
    Table& part = core_.table;
    const auto begin = static_cast<std::uint32_t>(part.option.size());
    for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
      if (relaxation_.reduced_cost[i] > budget_ && relaxation_.reduced_cost[i] > 0.0) continue;
      core_.index[i] = static_cast<std::uint32_t>(part.option.size());
      part.option.push_back(i);
    }
    if (part.option.size() == begin + 1) {
      fix(c, part.option.back());
      return;
    }
    class_[c] = static_cast<std::uint32_t>(part.count.size());
    part.first.push_back(begin);
    part.count.push_back(table_.count[c]);
    for (std::size_t o = begin; o < part.option.size(); ++o) {
      const std::uint32_t i = part.option[o];
      part.value.push_back(table_.value[i]);
      part.use.insert(part.use.end(), table_.use_of(i), table_.use_of(i) + table_.rows);
      core_.relaxation.reduced_cost.push_back(relaxation_.reduced_cost[i]);
    }
  }

  void fix(std::uint32_t c, std::uint32_t option) {
    core_.index[option] = Core::kDropped;
    core_.table.option.pop_back();
    core_.fixed_value += table_.count[c] * table_.value[option];
    for (std::size_t k = 0; k < table_.rows; ++k) taken_[k] += table_.count[c] * table_.use_of(option)[k];
    for (const std::uint32_t group : table_.members[c]) core_.fixed_option[group] = option;
  }

  void list_groups() {
    Table& part = core_.table;
    part.members.resize(part.count.size());
    for (std::uint32_t group = 0; group < table_.class_of.size(); ++group) {
      const std::uint32_t c = class_[table_.class_of[group]];
      if (c == Core::kDropped) continue;
      part.members[c].push_back(static_cast<std::uint32_t>(core_.group.size()));
      part.class_of.push_back(c);
      core_.group.push_back(group);
    }
  }

  void relax(double rounding) {
    LpRelaxation& relaxation = core_.relaxation;
    relaxation.prices = relaxation_.prices;
    relaxation.bound = relaxation_.bound - core_.fixed_value + rounding * (1.0 + std::abs(core_.fixed_value));
    for (const LpRelaxation::BasicPair& pair : relaxation_.basic_pairs) {
      const std::uint32_t base = core_.index[pair.base], other = core_.index[pair.other];
      if (base == Core::kDropped || other == Core::kDropped) continue;
      relaxation.basic_pairs.push_back({class_[pair.group_class], base, other, pair.other_count});
    }
  }

  const Table& table_;
  const LpRelaxation& relaxation_;
  const double budget_;               // largest reduced cost of a better selection, rounding allowed for
  std::vector<double> taken_;         // per row, use of the fixed options
  std::vector<std::uint32_t> class_;  // per class of the whole table
  Core core_;
};

}  // namespace

Core fix_by_reduced_cost(const Table& table, const LpRelaxation& relaxation, double value) {
  return Fixing(table, relaxation, value).run();
}

std::optional<Selection> restrict_to(const Core& core, const Selection& whole) {
  std::vector<std::uint32_t> option;
  option.reserve(core.group.size());
  for (const std::uint32_t group : core.group) {
    option.push_back(core.index[whole.option[group]]);
    if (option.back() == Core::kDropped) return std::nullopt;
  }
  return selection_of(core.table, std::move(option));
}

Picks picks_of(const Table& table, const Core& core, const Selection& part) {
  Picks picks(core.fixed_option.size());
  for (std::size_t group = 0; group < picks.size(); ++group)
    picks[group] = table.option[core.fixed_option[group]];
  for (std::size_t i = 0; i < part.option.size(); ++i) {
    picks[core.group[i]] = table.option[core.table.option[part.option[i]]];
  }
  return picks;
}

}  // namespace saccade::ilp
