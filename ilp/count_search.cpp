#include "ilp/count_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ilp/inverse.hpp"

namespace saccade::ilp {
namespace {

constexpr double kHair = 1e-12;        // as in every search: what rows may seem to be short of
constexpr double kLossless = 1e-10;    // what the mixed options may lose by rounding
constexpr double kWhole = 1e-6;        // a count this close to a whole number is one
constexpr double kLargest = 1e6;       // of a count; beyond, its rounding might hide a whole number
constexpr double kFirstBudget = 1e-2;  // of the whole budget
constexpr double kGrowth = 4.0;

class Search {
 public:
  Search(const Table& table, const Relaxation& relaxation, double budget,
         const std::function<double(const Selection&)>& accept, const std::function<bool()>& stop,
         std::int64_t max_nodes)
      : table_(table),
        relaxation_(relaxation),
        rows_(table.rows),
        budget_(budget),
        accept_(accept),
        meter_(stop, max_nodes) {}

  SearchOutcome run() {
    if (budget_ <= 0.0) return meter_.outcome();
    if (!choose_bases() || !invert()) return {Limit::work, 0};
    budget_ = std::min(budget_, most_loss());
    collect_deviations();
    allowed_ = kFirstBudget * budget_;
    while (close(0, 0.0) && descend(0, deviations_.size(), 0.0) && allowed_ < budget_) allowed_ *= kGrowth;
    return meter_.outcome();
  }

 private:
  struct Mixed {  // an option whose count follows from the rows
    std::uint32_t group_class, option;
    std::vector<double> delta;  // per row: its use less that of the base
    double gain = 0.0;          // what delta costs at the prices
    double inverse_up = 0.0;    // how far its count may fall, and rise, per unit of loss that stays spare
    double inverse_down = 0.0;
  };
  struct Deviation {
    double loss;
    std::uint32_t group_class, option;
  };
  struct Taken {
    std::size_t deviation;
    std::uint32_t count;
  };

  [[nodiscard]] double allowed() const { return std::min(budget_, allowed_); }
  double* spare_at(std::size_t depth) { return spares_.data() + depth * rows_; }

  // False where a mixed option loses something: the relaxation did not end at a corner.
  bool choose_bases() {
    bases_.resize(table_.classes());
    left_.resize(table_.classes());
    for (std::uint32_t c = 0; c < table_.classes(); ++c) {
      bases_[c] = least_loss(table_, relaxation_, c);
      left_[c] = static_cast<std::uint32_t>(table_.count[c]);
    }
    for (const Relaxation::Tie& tie : relaxation_.ties) bases_[tie.group_class] = tie.base;
    for (const Relaxation::Tie& tie : relaxation_.ties) {
      if (relaxation_.loss[tie.base] > kLossless || relaxation_.loss[tie.other] > kLossless) return false;
      Mixed mixed{tie.group_class, tie.other, {}};
      for (std::size_t k = 0; k < rows_; ++k) {
        mixed.delta.push_back(table_.use_of(tie.other)[k] - table_.use_of(tie.base)[k]);
        mixed.gain += relaxation_.prices[k] * mixed.delta.back();
      }
      mixed_.push_back(std::move(mixed));
    }
    for (std::size_t k = 0; k < rows_; ++k) {
      if (relaxation_.prices[k] > 0.0) priced_.push_back(k);
    }
    counts_.assign(mixed_.size(), 0);
    points_.resize((mixed_.size() + 1) * rows_);
    return priced_.size() == mixed_.size();
  }

  // The counts that leave nothing spare of the priced rows, per unit of what is spare without them.
  bool invert() {
    const std::size_t n = mixed_.size();
    std::vector<double> m(n * 2 * n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) m[k * 2 * n + j] = mixed_[j].delta[priced_[k]];
      m[k * 2 * n + n + k] = 1.0;
    }
    if (!ilp::invert(m, n, kHair)) return false;
    inverse_.resize(n * n);
    for (std::size_t j = 0; j < n; ++j) {
      double largest = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        inverse_[j * n + k] = m[j * 2 * n + n + k];
        largest += std::abs(inverse_[j * n + k]) * most_used(priced_[k]);
        const double per_loss = inverse_[j * n + k] / relaxation_.prices[priced_[k]];
        mixed_[j].inverse_up = std::max(mixed_[j].inverse_up, per_loss);
        mixed_[j].inverse_down = std::max(mixed_[j].inverse_down, -per_loss);
      }
      if (largest > kLargest) return false;
    }
    return true;
  }

  // How large the numbers are of which the spare of a row is made.
  [[nodiscard]] double most_used(std::size_t row) const {
    double most = std::abs(table_.capacity[row]);
    for (std::uint32_t c = 0; c < table_.classes(); ++c) {
      most += table_.count[c] * table_.use_of(bases_[c])[row];
    }
    return most;
  }

  // No selection that holds loses more.
  [[nodiscard]] double most_loss() const {
    double most = 1.0;
    for (std::size_t k = 0; k < rows_; ++k) most += relaxation_.prices[k] * table_.capacity[k];
    for (std::uint32_t c = 0; c < table_.classes(); ++c) {
      const auto begin = relaxation_.loss.begin() + table_.first[c];
      const auto end = relaxation_.loss.begin() + table_.first[c + 1];
      most += table_.count[c] * *std::max_element(begin, end);
    }
    return most;
  }

  void collect_deviations() {
    std::vector<char> closes(table_.options(), 0);
    for (const std::uint32_t base : bases_) closes[base] = 1;
    for (const Mixed& mixed : mixed_) closes[mixed.option] = 1;
    for (std::uint32_t c = 0; c < table_.classes(); ++c) {
      for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
        const double loss = relaxation_.loss[i];
        if (closes[i] == 0 && loss < budget_) deviations_.push_back({loss, c, i});
      }
    }
    std::sort(deviations_.begin(), deviations_.end(), [](const Deviation& a, const Deviation& b) {
      return a.loss != b.loss ? a.loss < b.loss : a.option < b.option;
    });
    spares_.resize((deviations_.size() + 1) * rows_);
    taken_.resize(deviations_.size());
    for (std::size_t k = 0; k < rows_; ++k) spares_[k] = table_.capacity[k];
    for (std::uint32_t c = 0; c < table_.classes(); ++c) {
      for (std::size_t k = 0; k < rows_; ++k) spares_[k] -= left_[c] * table_.use_of(bases_[c])[k];
    }
  }

  // Some of the deviations before `end`, the last of them outermost. False when a limit struck.
  bool descend(std::size_t depth, std::size_t end, double loss) {
    for (std::size_t d = 0; d < end; ++d) {
      const Deviation& deviation = deviations_[d];
      if (loss + deviation.loss >= allowed()) break;
      std::uint32_t& left = left_[deviation.group_class];
      const std::uint32_t before = left;
      double* after = spare_at(depth + 1);
      std::copy(spare_at(depth), after, after);
      const double* base = table_.use_of(bases_[deviation.group_class]);
      const double* use = table_.use_of(deviation.option);
      double total = loss;
      while (left > 0 && total + deviation.loss < allowed()) {
        total += deviation.loss;
        --left;
        for (std::size_t k = 0; k < rows_; ++k) after[k] += base[k] - use[k];
        taken_[depth] = {d, before - left};
        if (!close(depth + 1, total) || !descend(depth + 1, d, total)) return false;
      }
      left = before;
    }
    return true;
  }

  // The mixed options' counts for the deviations that are taken.
  bool close(std::size_t depth, double loss) {
    if (!meter_.may_go_on()) return false;
    std::copy(spare_at(depth), spare_at(depth) + rows_, points_.begin());
    depth_ = depth;
    return place(0, loss);
  }

  bool place(std::size_t j, double loss) {
    const double* spare = points_.data() + j * rows_;
    if (j == mixed_.size()) {
      double idle = 0.0;
      for (std::size_t k = 0; k < rows_; ++k) {
        if (spare[k] < -kHair) return true;
        idle += relaxation_.prices[k] * spare[k];
      }
      if (loss + idle < allowed()) budget_ = accept_(selection());
      return true;
    }
    const Mixed& mixed = mixed_[j];
    const auto [low, high] = j + 1 == mixed_.size() ? last_range(mixed, spare, loss) : range(j, loss);
    double* after = points_.data() + (j + 1) * rows_;
    std::uint32_t& left = left_[mixed.group_class];
    const double first = std::max(std::ceil(low - kWhole), 0.0);
    const double last = std::min(std::floor(high + kWhole), static_cast<double>(left));
    const std::uint32_t before = left;
    for (double count = first; count <= last; count += 1.0) {
      if (!meter_.may_go_on()) return false;
      counts_[j] = static_cast<std::uint32_t>(count);
      left = before - counts_[j];
      for (std::size_t k = 0; k < rows_; ++k) after[k] = spare[k] - count * mixed.delta[k];
      if (!place(j + 1, loss)) return false;
    }
    left = before;
    return true;
  }

  struct Range {
    double low, high;
  };

  // Where the count lies while the priced rows are short of nothing and what stays spare fits the budget.
  [[nodiscard]] Range range(std::size_t j, double loss) const {
    const double budget = allowed() - loss;
    double exact = 0.0;
    for (std::size_t k = 0; k < priced_.size(); ++k) {
      exact += inverse_[j * priced_.size() + k] * points_[priced_[k]];
    }
    return {exact - budget * mixed_[j].inverse_up, exact + budget * mixed_[j].inverse_down};
  }

  // The same with all other counts given.
  [[nodiscard]] Range last_range(const Mixed& mixed, const double* spare, double loss) const {
    Range range{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    const auto at_most = [&](double slope, double amount) {  // slope * count <= amount
      if (slope > kHair) {
        range.high = std::min(range.high, amount / slope);
      } else if (slope < -kHair) {
        range.low = std::max(range.low, amount / slope);
      }
    };
    double idle = 0.0;
    for (std::size_t k = 0; k < rows_; ++k) {
      at_most(mixed.delta[k], spare[k] + kHair);
      idle += relaxation_.prices[k] * spare[k];
    }
    at_most(-mixed.gain, allowed() - loss - idle);
    return range;
  }

  [[nodiscard]] Selection selection() const {
    Counts counts(table_.classes());
    for (std::uint32_t c = 0; c < table_.classes(); ++c) {
      if (left_[c] > 0) counts[c].push_back({bases_[c], left_[c]});
    }
    for (std::size_t j = 0; j < mixed_.size(); ++j) {
      if (counts_[j] > 0) counts[mixed_[j].group_class].push_back({mixed_[j].option, counts_[j]});
    }
    for (std::size_t depth = 0; depth < depth_; ++depth) {
      const Deviation& deviation = deviations_[taken_[depth].deviation];
      counts[deviation.group_class].push_back({deviation.option, taken_[depth].count});
    }
    return handed_out(table_, std::move(counts));
  }

  const Table& table_;
  const Relaxation& relaxation_;
  const std::size_t rows_;
  double budget_;         // what a wanted selection loses at most
  double allowed_ = 0.0;  // of it, in this pass
  const std::function<double(const Selection&)>& accept_;
  std::vector<std::uint32_t> bases_, left_;  // per class: the option of those that do not deviate; how many
  std::vector<Mixed> mixed_;
  std::vector<std::size_t> priced_;  // rows with a price, as many as mixed options
  std::vector<double> inverse_;      // per mixed option and priced row
  std::vector<Deviation> deviations_;
  std::vector<Taken> taken_;           // per depth
  std::vector<double> spares_;         // per depth and row, with no mixed option taken
  std::vector<std::uint32_t> counts_;  // per mixed option
  std::vector<double> points_;         // per mixed option and row: what is spare before it is placed
  std::size_t depth_ = 0;              // of the deviations being closed
  WorkMeter meter_;
};

}  // namespace

SearchOutcome search_counts(const Table& table, const Relaxation& relaxation, double budget,
                            const std::function<double(const Selection&)>& accept,
                            const std::function<bool()>& stop, std::int64_t max_nodes) {
  return Search(table, relaxation, budget, accept, stop, max_nodes).run();
}

}  // namespace saccade::ilp
