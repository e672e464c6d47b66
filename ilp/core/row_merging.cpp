#include "ilp/core/row_merging.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace saccade::ilp {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t bits) {
  hash ^= bits + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U);
  return hash * 0xff51afd7ed558ccdULL;
}

class Merging {
 public:
  Merging(const ChoiceProblem& problem, const OpenOptions& open) : problem_(problem), open_(open) {}

  std::optional<MergedRows> run() {
    if (problem_.peak_count > 0) return std::nullopt;
    find_rows();
    for (std::size_t group = 0; group < problem_.groups.size(); ++group) {
      if (!merge(group)) return std::nullopt;
    }
    return std::move(merged_);
  }

 private:
  void find_rows() {
    const std::size_t rows = problem_.capacities.size();
    target_.assign(rows, 0);
    scale_.assign(rows, 1.0);
    std::vector<bool> equal(rows, false);
    for (std::size_t c = 0; c < problem_.equal_rows.size(); ++c) {
      double capacity = 0.0;
      for (const EqualRow& each : problem_.equal_rows[c]) {
        equal[each.row] = true;
        target_[each.row] = merged_.problem.capacities.size();
        scale_[each.row] = each.scale;
        capacity += problem_.capacities[each.row] / each.scale;
      }
      merged_.source.push_back({c, 0});
      merged_.problem.capacities.push_back(capacity);
    }
    equal_count_ = merged_.source.size();
    for (std::size_t row = 0; row < rows; ++row) {
      if (equal[row]) continue;
      target_[row] = merged_.problem.capacities.size();
      merged_.source.push_back({MergedRows::kOwn, row});
      merged_.problem.capacities.push_back(problem_.capacities[row]);
    }
  }

  // False if an option uses two equal rows.
  bool merge(std::size_t group) {
    const std::vector<Option>& options = problem_.groups[group].options;
    struct Keyed {
      std::uint64_t key;
      std::uint32_t option;
    };
    std::vector<Keyed> keyed;
    std::vector<double> uses;  // of the merged rows, option by option
    const std::size_t rows = merged_.problem.capacities.size();
    for (const std::uint32_t index : open_[group]) {
      const std::size_t at = uses.size();
      uses.resize(at + rows, 0.0);
      std::size_t used = 0;
      for (std::size_t row = 0; row < target_.size(); ++row) {
        const double amount = options[index].use[row];
        uses[at + target_[row]] += amount / scale_[row];
        if (amount > 0.0 && target_[row] < equal_count_) ++used;
      }
      if (used > 1) return false;
      std::uint64_t key = 0;
      // Amounts of equal rows were multiplied and divided: they agree but for rounding.
      for (std::size_t k = 0; k < rows; ++k) {
        const double amount = uses[at + k];
        key = mix(key, k < equal_count_ ? std::bit_cast<std::uint32_t>(static_cast<float>(amount))
                                        : std::bit_cast<std::uint64_t>(amount));
      }
      keyed.push_back({key, index});
    }
    add_group(options, keyed, uses);
    return true;
  }

  template <class Keyed>
  void add_group(const std::vector<Option>& options, const std::vector<Keyed>& keyed,
                 const std::vector<double>& uses) {
    const std::size_t rows = merged_.problem.capacities.size();
    std::vector<std::size_t> order(keyed.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return keyed[a].key != keyed[b].key ? keyed[a].key < keyed[b].key : a < b;
    });
    // One after the other in the order of their first option.
    std::vector<std::pair<std::size_t, std::size_t>> runs;  // in `order`
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin;
      while (end < order.size() && keyed[order[end]].key == keyed[order[begin]].key) ++end;
      runs.emplace_back(begin, end);
      begin = end;
    }
    std::sort(runs.begin(), runs.end(),
              [&](const auto& a, const auto& b) { return order[a.first] < order[b.first]; });
    Group& group = merged_.problem.groups.emplace_back();
    auto& stand = merged_.stand.emplace_back();
    for (const auto& [begin, end] : runs) {
      Option& option = group.options.emplace_back();
      auto& members = stand.emplace_back();
      double value = options[keyed[order[begin]].option].levels.front();
      std::vector<double> least(rows);
      for (std::size_t i = begin; i < end; ++i) {
        const double* use = uses.data() + order[i] * rows;
        for (std::size_t k = 0; k < rows; ++k) least[k] = i == begin ? use[k] : std::min(least[k], use[k]);
        value = std::max(value, options[keyed[order[i]].option].levels.front());
        members.push_back(keyed[order[i]].option);
      }
      option.levels.push_back(value);
      option.use = least;
    }
  }

  const ChoiceProblem& problem_;
  const OpenOptions& open_;
  std::vector<std::size_t> target_;  // per row of the problem, the merged row
  std::vector<double> scale_;
  std::size_t equal_count_ = 0;  // merged rows that merge several; they come first
  MergedRows merged_;
};

}  // namespace

std::vector<double> MergedRows::prices_of(const ChoiceProblem& whole,
                                          const std::vector<double>& merged) const {
  std::vector<double> prices(whole.capacities.size(), 0.0);
  for (std::size_t k = 0; k < merged.size(); ++k) {
    if (source[k].row_class == kOwn) {
      prices[source[k].row] = merged[k];
    } else {
      for (const EqualRow& each : whole.equal_rows[source[k].row_class]) {
        prices[each.row] = merged[k] / each.scale;
      }
    }
  }
  return prices;
}

std::optional<MergedRows> merge_rows(const ChoiceProblem& problem, const OpenOptions& open) {
  return Merging(problem, open).run();
}

}  // namespace saccade::ilp
