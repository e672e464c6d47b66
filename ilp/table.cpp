#include "ilp/table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace saccade::ilp {
namespace {

constexpr double kRounding = 1e-12;  // relative to the magnitudes summed; far above what sums can lose

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U);
  return hash * 0xff51afd7ed558ccdULL;
}

// Everything of the group that this table and a permutation of equal groups depend on.
std::uint64_t hash_of(const Group& group, const std::vector<std::uint32_t>& open) {
  std::uint64_t hash = open.size();
  for (const std::uint32_t index : open) {
    const Option& option = group.options[index];
    hash = mixed(hash, index);
    for (const double value : option.levels) hash = mixed(hash, std::bit_cast<std::uint64_t>(value));
    for (const double amount : option.use) hash = mixed(hash, std::bit_cast<std::uint64_t>(amount));
  }
  return hash;
}

bool equal_groups(const Group& a, const Group& b, const std::vector<std::uint32_t>& open_a,
                  const std::vector<std::uint32_t>& open_b) {
  if (open_a != open_b) return false;
  return std::all_of(open_a.begin(), open_a.end(), [&](std::uint32_t index) {
    const Option& left = a.options[index];
    const Option& right = b.options[index];
    return left.levels == right.levels && left.use == right.use && left.peak == right.peak;
  });
}

void find_classes(const ChoiceProblem& problem, const OpenOptions& open, Table& table) {
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> known;  // hash to classes
  known.reserve(problem.groups.size());
  table.class_of.resize(problem.groups.size());
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    std::vector<std::uint32_t>& candidates = known[hash_of(problem.groups[group], open[group])];
    const auto found = std::find_if(candidates.begin(), candidates.end(), [&](std::uint32_t c) {
      const std::uint32_t first = table.members[c].front();
      return equal_groups(problem.groups[first], problem.groups[group], open[first], open[group]);
    });
    if (found != candidates.end()) {
      table.class_of[group] = *found;
      table.members[*found].push_back(static_cast<std::uint32_t>(group));
    } else {
      candidates.push_back(static_cast<std::uint32_t>(table.members.size()));
      table.class_of[group] = candidates.back();
      table.members.push_back({static_cast<std::uint32_t>(group)});
    }
  }
}

// One row before it is known whether it can bind.
struct Amounts {
  double allowed;              // the tolerance included
  std::vector<double> amount;  // per option of the table
};

void add_row(Table& table, const Amounts& row, std::size_t source) {
  std::vector<double> least(table.classes());
  double least_sum = 0.0, range_sum = 0.0, magnitude = 0.0;
  for (std::size_t c = 0; c < table.classes(); ++c) {
    double low = std::numeric_limits<double>::infinity(), high = 0.0;
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      low = std::min(low, row.amount[i]);
      high = std::max(high, row.amount[i]);
    }
    const auto count = static_cast<double>(table.members[c].size());
    least[c] = low;
    least_sum += count * low;
    range_sum += count * (high - low);
    magnitude += count * high;
  }
  const double spare =
      std::max(row.allowed - least_sum, 0.0) + kRounding * (std::abs(row.allowed) + least_sum);
  if (range_sum <= spare * (1.0 - kRounding)) return;  // holds whatever is picked
  double scale = spare;
  if (scale < kRounding * magnitude || scale <= 0.0) {
    scale = std::max(kRounding * magnitude, std::numeric_limits<double>::min());
  }
  table.source.push_back(source);
  table.row_scale.push_back(scale);
  table.capacity.push_back(spare / scale);
  for (std::size_t c = 0; c < table.classes(); ++c) {
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      table.use.push_back((row.amount[i] - least[c]) / scale);  // row by row for now
    }
  }
  ++table.rows;
}

void turn_option_by_option(Table& table) {
  if (table.rows <= 1) return;
  const std::size_t options = table.options();
  std::vector<double> turned(table.use.size());
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (std::size_t i = 0; i < options; ++i) turned[i * table.rows + row] = table.use[row * options + i];
  }
  table.use = std::move(turned);
}

}  // namespace

Table make_table(const ChoiceProblem& problem, const OpenOptions& open, std::size_t objective,
                 const std::vector<ExtraRow>& extra) {
  Table table;
  find_classes(problem, open, table);
  std::vector<const Option*> options;
  for (const std::vector<std::uint32_t>& members : table.members) {
    table.first.push_back(static_cast<std::uint32_t>(table.option.size()));
    for (const std::uint32_t index : open[members.front()]) {
      table.option.push_back(index);
      options.push_back(&problem.groups[members.front()].options[index]);
    }
  }
  table.first.push_back(static_cast<std::uint32_t>(table.option.size()));

  // Best of the class and magnitude of its values, for one level.
  const auto most_of = [&](std::size_t c, std::size_t level, double& magnitude) {
    double most = -std::numeric_limits<double>::infinity();
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      most = std::max(most, options[i]->levels[level]);
      magnitude = std::max(magnitude, std::abs(options[i]->levels[level]));
    }
    return most;
  };
  double range = 0.0;
  table.value.resize(options.size());
  for (std::size_t c = 0; c < table.classes(); ++c) {
    const auto count = static_cast<double>(table.members[c].size());
    double magnitude = 0.0;
    const double most = most_of(c, objective, magnitude);
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      table.value[i] = options[i]->levels[objective] - most;
      range = std::max(range, -table.value[i]);
    }
    table.value_offset += count * most;
    table.value_slop += count * kRounding * magnitude;
  }
  if (range > 0.0) table.value_scale = range;
  for (double& value : table.value) value /= table.value_scale;

  Amounts row;
  row.amount.resize(options.size());
  for (std::size_t k = 0; k < problem.capacities.size(); ++k) {
    row.allowed = problem.capacities[k] * (1.0 + kTolerance);
    for (std::size_t i = 0; i < options.size(); ++i) row.amount[i] = options[i]->use[k];
    add_row(table, row, k);
  }
  for (std::size_t e = 0; e < extra.size(); ++e) {
    double offset = 0.0, magnitude_sum = 0.0;
    for (std::size_t c = 0; c < table.classes(); ++c) {
      double magnitude = 0.0;
      const double most = most_of(c, extra[e].level, magnitude);
      offset += static_cast<double>(table.members[c].size()) * most;
      magnitude_sum += static_cast<double>(table.members[c].size()) * magnitude;
      for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
        row.amount[i] = most - options[i]->levels[extra[e].level];
      }
    }
    row.allowed = offset - extra[e].least + kRounding * (magnitude_sum + std::abs(extra[e].least));
    add_row(table, row, problem.capacities.size() + e);
  }
  turn_option_by_option(table);
  return table;
}

}  // namespace saccade::ilp
