#include "ilp/core/table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "ilp/core/grid.hpp"
#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

constexpr double kLeastQuantum = 1e-5;   // of a range; finer grids do not tighten the bound
constexpr std::size_t kGridSample = 64;  // numbers that usually suffice to rule out a grid

std::uint64_t mixed(std::uint64_t hash, double value) {
  hash ^= std::bit_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U);
  return hash * 0xff51afd7ed558ccdULL;
}

// Of the first and last open option: cheap, and seldom equal for groups that differ.
std::uint64_t hash_of(const FlatProblem& flat, std::size_t group, const std::vector<std::uint32_t>& open) {
  std::uint64_t hash = open.size();
  for (const std::uint32_t index : {open.front(), open.back()}) {
    const std::size_t i = flat.first[group] + index;
    hash = mixed(hash, static_cast<double>(index));
    hash = mixed(hash, flat.value[i]);
    for (std::size_t row = 0; row < flat.rows; ++row) hash = mixed(hash, flat.use[i * flat.rows + row]);
  }
  return hash;
}

// Sorts groups into classes. What tells two groups of a framed problem apart is read from its arrays first:
// the later levels are computed, and those of the first group of a class are kept.
class Classes {
 public:
  Classes(const FlatProblem& flat, const OpenOptions& open, Table& table)
      : flat_(flat), open_(open), table_(table) {}

  void find() {
    using Alike = ShortVector<std::uint32_t, 2>;     // seldom more than one
    std::unordered_map<std::uint64_t, Alike> known;  // by hash, classes
    known.reserve(flat_.groups());
    table_.class_of.resize(flat_.groups());
    for (std::size_t group = 0; group < flat_.groups(); ++group) {
      Alike& candidates = known[hash_of(flat_, group, open_[group])];
      const auto found = std::find_if(candidates.begin(), candidates.end(),
                                      [&](std::uint32_t c) { return equal(c, group); });
      if (found != candidates.end()) {
        table_.class_of[group] = *found;
        table_.members[*found].push_back(static_cast<std::uint32_t>(group));
      } else {
        candidates.push_back(static_cast<std::uint32_t>(table_.members.size()));
        table_.class_of[group] = candidates.back();
        table_.members.push_back({static_cast<std::uint32_t>(group)});
      }
    }
    for (const std::vector<std::uint32_t>& members : table_.members) {
      table_.count.push_back(static_cast<double>(members.size()));
    }
  }

 private:
  using Levels = std::vector<decltype(Option::levels)>;  // per open option

  bool equal(std::uint32_t c, std::size_t group) {
    const std::size_t first = table_.members[c].front();
    if (open_[first] != open_[group]) return false;
    if (flat_.framed()) return equal_in_arrays(first, group) && equal_in_levels(c, group);
    return std::all_of(open_[group].begin(), open_[group].end(), [&](std::uint32_t index) {
      const Option& left = flat_.problem->groups[first].options[index];
      const Option& right = flat_.problem->groups[group].options[index];
      return left.levels == right.levels && left.use == right.use && left.peak == right.peak;
    });
  }

  [[nodiscard]] bool equal_in_arrays(std::size_t a, std::size_t b) const {
    const double* const use = flat_.use.data();
    return std::all_of(open_[a].begin(), open_[a].end(), [&](std::uint32_t index) {
      const std::size_t i = flat_.first[a] + index, j = flat_.first[b] + index;
      return flat_.value[i] == flat_.value[j] &&
             std::equal(use + i * flat_.rows, use + (i + 1) * flat_.rows, use + j * flat_.rows);
    });
  }

  bool equal_in_levels(std::uint32_t c, std::size_t group) {
    Levels& known = levels_[c];
    if (known.empty()) {
      const std::size_t first = table_.members[c].front();
      for (const std::uint32_t index : open_[first]) known.push_back(flat_.option_of(first, index).levels);
    }
    return std::equal(known.begin(), known.end(), open_[group].begin(),
                      [&](const auto& levels, std::uint32_t index) {
                        return levels == flat_.option_of(group, index).levels;
                      });
  }

  const FlatProblem& flat_;
  const OpenOptions& open_;
  Table& table_;
  std::unordered_map<std::uint32_t, Levels> levels_;  // of classes, where they were compared
};

class Builder {
 public:
  Builder(const FlatProblem& flat, const OpenOptions& open, double gap)
      : flat_(flat), open_(open), gap_(gap) {}

  Table build() {
    Classes(flat_, open_, table_).find();
    for (const double count : table_.count) groups_ += count;
    rounding_ = rounding_of(groups_);
    std::size_t options = 0;
    for (const std::vector<std::uint32_t>& members : table_.members) options += open_[members.front()].size();
    table_.option.reserve(options);
    at_.reserve(options);
    table_.first.reserve(table_.members.size() + 1);
    for (const std::vector<std::uint32_t>& members : table_.members) {
      table_.first.push_back(static_cast<std::uint32_t>(table_.option.size()));
      for (const std::uint32_t index : open_[members.front()]) {
        table_.option.push_back(index);
        at_.push_back(flat_.first[members.front()] + index);
      }
    }
    table_.first.push_back(static_cast<std::uint32_t>(table_.option.size()));
    add_values();
    find_rows();
    add_uses();
    return std::move(table_);
  }

 private:
  void add_values() {
    double range = 0.0, largest = 0.0;
    table_.value.resize(at_.size());
    for (std::size_t c = 0; c < table_.classes(); ++c) {
      double most = -std::numeric_limits<double>::infinity(), magnitude = 0.0;
      for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
        most = std::max(most, flat_.value[at_[i]]);
        magnitude = std::max(magnitude, std::abs(flat_.value[at_[i]]));
      }
      for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
        table_.value[i] = flat_.value[at_[i]] - most;
        range = std::max(range, -table_.value[i]);
      }
      table_.value_offset += table_.count[c] * most;
      table_.value_rounding += table_.count[c] * rounding_ * magnitude;
      largest = std::max(largest, magnitude);
    }
    if (range < std::numeric_limits<double>::min()) {  // too small to divide by
      std::fill(table_.value.begin(), table_.value.end(), 0.0);
      return;
    }
    const double least = std::max(kLeastQuantum * range, gap_ * std::abs(table_.value_offset));
    const Grid grid = grid_of([&](std::size_t i) { return -table_.value[i]; }, kGridError * largest, least);
    if (grid.quantum > 0.0) table_.value_step = grid.quantum - 2.0 * groups_ * grid.error;
    table_.value_scale = range;
    for (double& value : table_.value) value *= 1.0 / range;
  }

  template <class Number>
  [[nodiscard]] Grid grid_of(Number number, double error, double least) const {
    std::vector<double> numbers;
    numbers.reserve(at_.size());
    for (std::size_t i = 0; i < std::min(kGridSample, at_.size()); ++i) numbers.push_back(number(i));
    const bool some = std::any_of(numbers.begin(), numbers.end(), [](double n) { return n > 0.0; });
    if (some && find_grid(numbers, error, least).quantum == 0.0) return {};
    for (std::size_t i = numbers.size(); i < at_.size(); ++i) numbers.push_back(number(i));
    return find_grid(numbers, error, least);
  }

  void find_rows() {
    const std::size_t rows = flat_.rows;
    least_.resize(table_.classes() * rows);
    std::vector<double> least_sum(rows, 0.0), range_sum(rows, 0.0), magnitude(rows, 0.0), largest(rows, 0.0),
        high(rows);
    for (std::size_t c = 0; c < table_.classes(); ++c) {
      double* low = least_.data() + c * rows;
      find_extremes(c, low, high.data());
      for (std::size_t k = 0; k < rows; ++k) {
        least_sum[k] += table_.count[c] * low[k];
        range_sum[k] += table_.count[c] * (high[k] - low[k]);
        magnitude[k] += table_.count[c] * high[k];
        largest[k] = std::max(largest[k], high[k]);
      }
    }
    for (std::size_t k = 0; k < rows; ++k) {
      const double allowed = flat_.problem->capacities[k] * (1.0 + kTolerance);
      const double slack =
          std::max(allowed - least_sum[k], 0.0) + rounding_ * (std::abs(allowed) + least_sum[k]);
      if (range_sum[k] <= slack * (1.0 - rounding_)) continue;  // redundant
      add_row(k, slack, magnitude[k], largest[k]);
    }
  }

  // Per row of the problem, over the options of a class.
  void find_extremes(std::size_t c, double* low, double* high) {
    const std::size_t rows = flat_.rows;
    const std::uint32_t begin = table_.first[c], end = table_.first[c + 1];
    if (at_[end - 1] - at_[begin] == end - 1 - begin) {  // one after the other
      extremes_of(flat_.use.data() + at_[begin] * rows, end - begin, rows, low, high);
      return;
    }
    for (std::size_t k = 0; k < rows; ++k) {
      double least = std::numeric_limits<double>::infinity(), most = 0.0;
      for (std::uint32_t i = begin; i < end; ++i) {
        const double use = flat_.use[at_[i] * rows + k];
        least = std::min(least, use);
        most = std::max(most, use);
      }
      low[k] = least;
      high[k] = most;
    }
  }

  void add_row(std::size_t row, double slack, double magnitude, double largest) {
    std::size_t c = 0, last = 0;  // of the previous call: options come in order
    const auto beyond = [&](std::size_t i) {
      if (i < last) c = 0;
      last = i;
      while (table_.first[c + 1] <= i) ++c;
      return flat_.use[at_[i] * flat_.rows + row] - least_[c * flat_.rows + row];
    };
    const Grid grid = grid_of(beyond, kGridError * largest, std::max(kLeastQuantum, gap_) * slack);
    if (grid.quantum > 0.0) {
      const double error = groups_ * grid.error;
      slack = std::min(slack, std::floor((slack + error) / grid.quantum) * grid.quantum + error);
    }
    double scale = slack;
    if (scale < rounding_ * magnitude || scale <= 0.0) {
      scale = std::max(rounding_ * magnitude, std::numeric_limits<double>::min());
    }
    table_.source.push_back(row);
    table_.row_scale.push_back(scale);
    table_.capacity.push_back(slack / scale);
    ++table_.rows;
  }

  void add_uses() {
    table_.use.resize(at_.size() * table_.rows);
    std::vector<double> per_unit;
    for (const double scale : table_.row_scale) per_unit.push_back(1.0 / scale);
    double* use = table_.use.data();
    const std::size_t rows = table_.rows;
    const std::size_t* const source = table_.source.data();
    const double* const scale = per_unit.data();
    for (std::size_t c = 0; c < table_.classes(); ++c) {
      const double* const least = least_.data() + c * flat_.rows;
      for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
        const double* const from = flat_.use.data() + at_[i] * flat_.rows;
        for (std::size_t k = 0; k < rows; ++k) *use++ = (from[source[k]] - least[source[k]]) * scale[k];
      }
    }
  }

  const FlatProblem& flat_;
  const OpenOptions& open_;
  const double gap_;
  double groups_ = 0.0;
  double rounding_ = 0.0;        // of sums over all groups
  std::vector<std::size_t> at_;  // per option of the table, its place in the flat problem
  std::vector<double> least_;    // per class and row of the problem
  Table table_;
};

}  // namespace

Table make_table(const FlatProblem& flat, const OpenOptions& open, double gap) {
  return Builder(flat, open, gap).build();
}

}  // namespace saccade::ilp
