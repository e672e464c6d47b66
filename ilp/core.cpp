#include "ilp/core.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

namespace saccade::ilp {
namespace {

constexpr double kHair = 1e-12;  // the losses of the best selection itself may pass the budget by so much

class Fixing {
 public:
  Fixing(const Table& table, const Relaxation& relaxation, double value)
      : table_(table), relaxation_(relaxation), budget_(relaxation.bound - value + kHair) {}

  Core run() {
    Table& part = core_.table;
    part.rows = table_.rows;
    part.capacity = table_.capacity;
    taken_.assign(table_.rows, 0.0);
    core_.at.resize(table_.class_of.size());
    core_.place.assign(table_.options(), Core::kOut);
    class_.assign(table_.classes(), Core::kOut);
    for (std::uint32_t c = 0; c < table_.classes(); ++c) look_at(c);
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
  void look_at(std::uint32_t c) {
    Table& part = core_.table;
    const auto begin = static_cast<std::uint32_t>(part.option.size());
    for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
      if (relaxation_.loss[i] > budget_ && relaxation_.loss[i] > 0.0) continue;
      core_.place[i] = static_cast<std::uint32_t>(part.option.size());
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
      core_.relaxation.loss.push_back(relaxation_.loss[i]);
    }
  }

  void fix(std::uint32_t c, std::uint32_t option) {
    core_.place[option] = Core::kOut;
    core_.table.option.pop_back();
    core_.fixed_value += table_.count[c] * table_.value[option];
    for (std::size_t k = 0; k < table_.rows; ++k) taken_[k] += table_.count[c] * table_.use_of(option)[k];
    for (const std::uint32_t group : table_.members[c]) core_.at[group] = option;
  }

  void list_groups() {
    Table& part = core_.table;
    part.members.resize(part.count.size());
    for (std::uint32_t group = 0; group < table_.class_of.size(); ++group) {
      const std::uint32_t c = class_[table_.class_of[group]];
      if (c == Core::kOut) continue;
      part.members[c].push_back(static_cast<std::uint32_t>(core_.group.size()));
      part.class_of.push_back(c);
      core_.group.push_back(group);
    }
  }

  void relax(double rounding) {
    Relaxation& relaxation = core_.relaxation;
    relaxation.prices = relaxation_.prices;
    relaxation.bound = relaxation_.bound - core_.fixed_value + rounding * (1.0 + std::abs(core_.fixed_value));
    for (const Relaxation::Tie& tie : relaxation_.ties) {
      const std::uint32_t base = core_.place[tie.base], other = core_.place[tie.other];
      if (base == Core::kOut || other == Core::kOut) continue;
      relaxation.ties.push_back({class_[tie.group_class], base, other, tie.weight});
    }
  }

  const Table& table_;
  const Relaxation& relaxation_;
  const double budget_;
  std::vector<double> taken_;         // per row, by what is fixed
  std::vector<std::uint32_t> class_;  // per class of the whole table
  Core core_;
};

}  // namespace

Core core_of(const Table& table, const Relaxation& relaxation, double value) {
  return Fixing(table, relaxation, value).run();
}

std::optional<Selection> part_of(const Core& core, const Selection& whole) {
  std::vector<std::uint32_t> at;
  at.reserve(core.group.size());
  for (const std::uint32_t group : core.group) {
    at.push_back(core.place[whole.at[group]]);
    if (at.back() == Core::kOut) return std::nullopt;
  }
  return selection_of(core.table, std::move(at));
}

Picks picks_of(const Table& table, const Core& core, const Selection& part) {
  Picks picks(core.at.size());
  for (std::size_t group = 0; group < picks.size(); ++group) picks[group] = table.option[core.at[group]];
  for (std::size_t i = 0; i < part.at.size(); ++i) {
    picks[core.group[i]] = table.option[core.table.option[part.at[i]]];
  }
  return picks;
}

}  // namespace saccade::ilp
