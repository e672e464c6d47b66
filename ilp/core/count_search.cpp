#include "ilp/core/count_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ilp/core/matrix_inverse.hpp"
#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

constexpr double kLeastCountPivot = 1e-12;
constexpr double kLargestCount = 1e6;  // beyond, rounding might hide an integer
constexpr double kFirstBudget = 1e-2;  // of the whole budget
constexpr double kGrowth = 4.0;

class CountSearch {
 public:
  CountSearch(const Table& table, const LpRelaxation& relaxation, double cutoff,
              const OnCandidate& on_candidate, const WorkLimit& limit)
      : table_(table),
        relaxation_(relaxation),
        rows_(table.rows),
        budget_(relaxation.bound - cutoff),
        on_candidate_(on_candidate),
        meter_(limit) {}

  SearchOutcome run() {
    if (budget_ <= 0.0) return meter_.outcome();
    if (!choose_bases() || !invert()) return {Limit::work, 0};
    budget_ = std::min(budget_, largest_sum());
    collect_deviations();
    allowed_ = kFirstBudget * budget_;
    while (complete(0, 0.0) && descend(0, deviations_.size(), 0.0) && allowed_ < budget_) allowed_ *= kGrowth;
    return meter_.outcome();
  }

 private:
  struct Basic {  // an option whose count follows from the rows
    std::uint32_t group_class, option;
    std::vector<double> delta;  // per row: its use minus that of the base
    double cost = 0.0;          // of delta at the prices
    double fall = 0.0;          // how far its count may fall and rise per unit of cost left as slack
    double rise = 0.0;
  };
  struct Deviation {
    double reduced_cost;
    std::uint32_t group_class, option;
  };
  struct Taken {
    std::size_t deviation;
    std::uint32_t count;
  };

  [[nodiscard]] double allowed() const { return std::min(budget_, allowed_); }
  double* slack_at(std::size_t depth) { return slacks_.data() + depth * rows_; }

  // False if a basic option has a reduced cost: the simplex did not end at a vertex.
  bool choose_bases() {
    bases_.resize(table_.classes());
    left_.resize(table_.classes());
    for (std::uint32_t c = 0; c < table_.classes(); ++c) {
      bases_[c] = least_reduced_cost(table_, relaxation_, c);
      left_[c] = static_cast<std::uint32_t>(table_.count[c]);
    }
    for (const LpRelaxation::BasicPair& pair : relaxation_.basic_pairs) bases_[pair.group_class] = pair.base;
    for (const LpRelaxation::BasicPair& pair : relaxation_.basic_pairs) {
      if (relaxation_.reduced_cost[pair.base] > kBasicReducedCost ||
          relaxation_.reduced_cost[pair.other] > kBasicReducedCost)
        return false;
      Basic basic{pair.group_class, pair.other, {}};
      for (std::size_t k = 0; k < rows_; ++k) {
        basic.delta.push_back(table_.use_of(pair.other)[k] - table_.use_of(pair.base)[k]);
        basic.cost += relaxation_.prices[k] * basic.delta.back();
      }
      basic_.push_back(std::move(basic));
    }
    for (std::size_t k = 0; k < rows_; ++k) {
      if (relaxation_.prices[k] > 0.0) priced_.push_back(k);
    }
    counts_.assign(basic_.size(), 0);
    points_.resize((basic_.size() + 1) * rows_);
    return priced_.size() == basic_.size();
  }

  // The counts that use up the slack of the priced rows, per unit of that slack.
  bool invert() {
    const std::size_t n = basic_.size();
    std::vector<double> m(n * 2 * n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) m[k * 2 * n + j] = basic_[j].delta[priced_[k]];
      m[k * 2 * n + n + k] = 1.0;
    }
    if (!ilp::invert(m, n, kLeastCountPivot)) return false;
    inverse_.resize(n * n);
    for (std::size_t j = 0; j < n; ++j) {
      double largest = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        inverse_[j * n + k] = m[j * 2 * n + n + k];
        largest += std::abs(inverse_[j * n + k]) * most_used(priced_[k]);
        const double per_cost = inverse_[j * n + k] / relaxation_.prices[priced_[k]];
        basic_[j].fall = std::max(basic_[j].fall, per_cost);
        basic_[j].rise = std::max(basic_[j].rise, -per_cost);
      }
      if (largest > kLargestCount) return false;
    }
    return true;
  }

  // The magnitude of the numbers whose difference is the slack of a row.
  [[nodiscard]] double most_used(std::size_t row) const {
    double most = std::abs(table_.capacity[row]);
    for (std::uint32_t c = 0; c < table_.classes(); ++c) {
      most += table_.count[c] * table_.use_of(bases_[c])[row];
    }
    return most;
  }

  // No feasible selection has a larger sum of reduced costs.
  [[nodiscard]] double largest_sum() const {
    double most = 1.0;
    for (std::size_t k = 0; k < rows_; ++k) most += relaxation_.prices[k] * table_.capacity[k];
    for (std::uint32_t c = 0; c < table_.classes(); ++c) {
      const auto begin = relaxation_.reduced_cost.begin() + table_.first[c];
      const auto end = relaxation_.reduced_cost.begin() + table_.first[c + 1];
      most += table_.count[c] * *std::max_element(begin, end);
    }
    return most;
  }

  void collect_deviations() {
    std::vector<char> basic_or_base(table_.options(), 0);
    for (const std::uint32_t base : bases_) basic_or_base[base] = 1;
    for (const Basic& basic : basic_) basic_or_base[basic.option] = 1;
    for (std::uint32_t c = 0; c < table_.classes(); ++c) {
      for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
        const double reduced_cost = relaxation_.reduced_cost[i];
        if (basic_or_base[i] == 0 && reduced_cost < budget_) deviations_.push_back({reduced_cost, c, i});
      }
    }
    std::sort(deviations_.begin(), deviations_.end(), [](const Deviation& a, const Deviation& b) {
      return a.reduced_cost != b.reduced_cost ? a.reduced_cost < b.reduced_cost : a.option < b.option;
    });
    slacks_.resize((deviations_.size() + 1) * rows_);
    taken_.resize(deviations_.size());
    for (std::size_t k = 0; k < rows_; ++k) slacks_[k] = table_.capacity[k];
    for (std::uint32_t c = 0; c < table_.classes(); ++c) {
      for (std::size_t k = 0; k < rows_; ++k) slacks_[k] -= left_[c] * table_.use_of(bases_[c])[k];
    }
  }

  // Counts of the deviations before `end`, the last of them outermost. False if a limit was reached.
  bool descend(std::size_t depth, std::size_t end, double reduced_cost) {
    for (std::size_t d = 0; d < end; ++d) {
      const Deviation& deviation = deviations_[d];
      if (reduced_cost + deviation.reduced_cost >= allowed()) break;
      std::uint32_t& left = left_[deviation.group_class];
      const std::uint32_t before = left;
      double* after = slack_at(depth + 1);
      std::copy(slack_at(depth), after, after);
      const double* base = table_.use_of(bases_[deviation.group_class]);
      const double* use = table_.use_of(deviation.option);
      double total = reduced_cost;
      while (left > 0 && total + deviation.reduced_cost < allowed()) {
        total += deviation.reduced_cost;
        --left;
        for (std::size_t k = 0; k < rows_; ++k) after[k] += base[k] - use[k];
        taken_[depth] = {d, before - left};
        if (!complete(depth + 1, total) || !descend(depth + 1, d, total)) return false;
      }
      left = before;
    }
    return true;
  }

  // The basic counts for the deviations taken.
  bool complete(std::size_t depth, double reduced_cost) {
    if (!meter_.may_continue()) return false;
    std::copy(slack_at(depth), slack_at(depth) + rows_, points_.begin());
    depth_ = depth;
    return place(0, reduced_cost);
  }

  bool place(std::size_t j, double reduced_cost) {
    const double* slack = points_.data() + j * rows_;
    if (j == basic_.size()) {
      double idle = 0.0;
      for (std::size_t k = 0; k < rows_; ++k) {
        if (slack[k] < -kSlackTolerance) return true;
        idle += relaxation_.prices[k] * slack[k];
      }
      if (reduced_cost + idle < allowed()) budget_ = relaxation_.bound - on_candidate_(selection());
      return true;
    }
    const Basic& basic = basic_[j];
    const auto [low, high] =
        j + 1 == basic_.size() ? last_range(basic, slack, reduced_cost) : range(j, reduced_cost);
    double* after = points_.data() + (j + 1) * rows_;
    std::uint32_t& left = left_[basic.group_class];
    const double first = std::max(std::ceil(low - kIntegral), 0.0);
    const double last = std::min(std::floor(high + kIntegral), static_cast<double>(left));
    const std::uint32_t before = left;
    for (double count = first; count <= last; count += 1.0) {
      if (!meter_.may_continue()) return false;
      counts_[j] = static_cast<std::uint32_t>(count);
      left = before - counts_[j];
      for (std::size_t k = 0; k < rows_; ++k) after[k] = slack[k] - count * basic.delta[k];
      if (!place(j + 1, reduced_cost)) return false;
    }
    left = before;
    return true;
  }

  struct Range {
    double low, high;
  };

  // Where the count can lie: the priced rows hold, and the cost of their slack is within the budget.
  [[nodiscard]] Range range(std::size_t j, double reduced_cost) const {
    const double budget = allowed() - reduced_cost;
    double exact = 0.0;
    for (std::size_t k = 0; k < priced_.size(); ++k) {
      exact += inverse_[j * priced_.size() + k] * points_[priced_[k]];
    }
    return {exact - budget * basic_[j].fall, exact + budget * basic_[j].rise};
  }

  // The same once all other counts are given.
  [[nodiscard]] Range last_range(const Basic& basic, const double* slack, double reduced_cost) const {
    Range range{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    const auto at_most = [&](double slope, double amount) {  // slope * count <= amount
      if (slope > kLeastCountPivot) {
        range.high = std::min(range.high, amount / slope);
      } else if (slope < -kLeastCountPivot) {
        range.low = std::max(range.low, amount / slope);
      }
    };
    double idle = 0.0;
    for (std::size_t k = 0; k < rows_; ++k) {
      at_most(basic.delta[k], slack[k] + kSlackTolerance);
      idle += relaxation_.prices[k] * slack[k];
    }
    at_most(-basic.cost, allowed() - reduced_cost - idle);
    return range;
  }

  [[nodiscard]] Selection selection() const {
    Counts counts(table_.classes());
    for (std::uint32_t c = 0; c < table_.classes(); ++c) {
      if (left_[c] > 0) counts[c].push_back({bases_[c], left_[c]});
    }
    for (std::size_t j = 0; j < basic_.size(); ++j) {
      if (counts_[j] > 0) counts[basic_[j].group_class].push_back({basic_[j].option, counts_[j]});
    }
    for (std::size_t depth = 0; depth < depth_; ++depth) {
      const Deviation& deviation = deviations_[taken_[depth].deviation];
      counts[deviation.group_class].push_back({deviation.option, taken_[depth].count});
    }
    return distribute(table_, std::move(counts));
  }

  const Table& table_;
  const LpRelaxation& relaxation_;
  const std::size_t rows_;
  double budget_;         // the sum of reduced costs has to stay below
  double allowed_ = 0.0;  // of it, in this pass
  const OnCandidate& on_candidate_;
  std::vector<std::uint32_t> bases_,
      left_;  // per class: the option of the groups that do not deviate; their count
  std::vector<Basic> basic_;
  std::vector<std::size_t> priced_;  // rows with a price, as many as basic options
  std::vector<double> inverse_;      // per basic option and priced row
  std::vector<Deviation> deviations_;
  std::vector<Taken> taken_;           // per depth
  std::vector<double> slacks_;         // per depth and row, before any basic option
  std::vector<std::uint32_t> counts_;  // per basic option
  std::vector<double> points_;         // per basic option and row: the slack before it
  std::size_t depth_ = 0;              // of the deviations being completed
  WorkMeter meter_;
};

}  // namespace

SearchOutcome search_counts(const Table& table, const LpRelaxation& relaxation, double cutoff,
                            const OnCandidate& on_candidate, const WorkLimit& limit) {
  return CountSearch(table, relaxation, cutoff, on_candidate, limit).run();
}

}  // namespace saccade::ilp
