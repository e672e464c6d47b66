#include "ilp/certification.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

// The Lagrangian: what each option is worth at the multipliers, and the constant term.
struct Priced {
  std::vector<std::vector<double>> worth;  // per group and open option
  double constant = 0.0;                   // multipliers times capacities, rounded up
};

Priced price(const ChoiceProblem& problem, const OpenOptions& open, const Multipliers& multipliers) {
  SACCADE_CHECK(multipliers.rows.size() == problem.capacities.size());
  Priced priced;
  double scale = 0.0;
  std::vector<double> peak_sums(problem.peak_count, 0.0);
  for (std::size_t group = 0; group < open.size(); ++group) {
    const double* peaks =
        multipliers.peaks.empty() ? nullptr : &multipliers.peaks[group * problem.peak_count];
    double largest = 0.0;
    std::vector<double>& worth = priced.worth.emplace_back();
    for (const std::size_t index : open[group]) {
      const Option& option = problem.groups[group].options[index];
      double cost = 0.0;
      for (std::size_t row = 0; row < option.use.size(); ++row)
        cost += multipliers.rows[row] * option.use[row];
      for (std::size_t peak = 0; peaks != nullptr && peak < option.peak.size(); ++peak) {
        cost += peaks[peak] * option.peak[peak];
      }
      worth.push_back(option.levels.front() - cost);
      largest = std::max(largest, std::abs(option.levels.front()) + cost);
    }
    for (std::size_t peak = 0; peaks != nullptr && peak < problem.peak_count; ++peak) {
      peak_sums[peak] += peaks[peak];
    }
    scale += largest;
  }
  // A feasible selection may use (1 + kTolerance) times the capacity.
  for (std::size_t row = 0; row < problem.capacities.size(); ++row) {
    priced.constant += multipliers.rows[row] * std::max(problem.capacities[row], 0.0) * (1.0 + kTolerance);
  }
  if (problem.peak_count > 0) {
    priced.constant += *std::max_element(peak_sums.begin(), peak_sums.end()) *
                       std::max(*problem.peak_capacity, 0.0) * (1.0 + kTolerance);
  }
  priced.constant += kRounding * (scale + priced.constant);
  return priced;
}

class Search {
 public:
  Search(const ChoiceProblem& problem, const OpenOptions& open, const Priced& priced,
         std::optional<Picks> start, const WorkLimit& limit)
      : problem_(problem),
        meter_(limit, kNodesPerPoll),
        constant_(priced.constant),
        picks_(problem.groups.size()),
        prefixes_(problem.groups.size() + 1) {
    for (std::size_t group = 0; group < open.size(); ++group) {
      std::vector<Candidate>& candidates = candidates_.emplace_back();
      for (std::size_t i = 0; i < open[group].size(); ++i) {
        candidates.push_back({open[group][i], priced.worth[group][i]});
      }
    }
    prefixes_[0].levels.assign(problem.level_count, 0.0);
    prefixes_[0].used.assign(problem.capacities.size(), 0.0);
    prefixes_[0].largest.assign(problem.peak_count, 0.0);
    std::fill(prefixes_.begin() + 1, prefixes_.end(), prefixes_[0]);
    for (std::size_t row = 0; row < problem.capacities.size(); ++row) {
      allowed_.push_back(problem.capacities[row] * (1.0 + kTolerance));
    }
    certified_.picks = std::move(start);
  }

  Certified run() {
    fix_levels();
    certified_.limit = meter_.outcome().limit;
    certified_.nodes = meter_.outcome().nodes;
    return std::move(certified_);
  }

 private:
  struct Candidate {
    std::size_t option;
    double worth;
  };
  struct Prefix {  // sums over the first groups
    std::vector<double> levels, used, largest;
    double worth = 0.0;
  };
  struct Suffix {  // bounds on what the remaining groups can add
    std::vector<double> levels, least_used;
    double worth = 0.0;
  };

  void fix_levels() {
    if (certified_.picks) current_ = evaluate(problem_, *certified_.picks).levels.front();
    for (std::size_t level = 0; level <= problem_.level_count; ++level) {
      drop_dominated();
      if (certified_.picks && only_one_left()) {
        if (level == 0) certified_.best_value = current_;
        return;
      }
      bound_suffixes();
      if (!visit(0) && meter_.outcome().limit != Limit::none) return;
      if (!certified_.picks) return;
      if (level == 0) certified_.best_value = current_;
      if (level == problem_.level_count) return;
      best_.push_back(*current_);
      current_.reset();
      const Evaluation evaluation = evaluate(problem_, *certified_.picks);
      if (level + 1 < problem_.level_count) current_ = evaluation.levels[level + 1];
    }
  }

  [[nodiscard]] std::size_t level() const { return best_.size(); }

  // Fixing by reduced cost: drops the options that no selection equal to the incumbent contains, but not the
  // incumbent's own.
  void drop_dominated() {
    if (!certified_.picks) return;
    const double cutoff = least_equal(best_.empty() ? *current_ : best_.front());
    std::vector<double> most;
    double total = constant_;
    for (const std::vector<Candidate>& candidates : candidates_) {
      double largest = candidates.front().worth;
      for (const Candidate& candidate : candidates) largest = std::max(largest, candidate.worth);
      most.push_back(largest);
      total += largest;
    }
    for (std::size_t group = 0; group < candidates_.size(); ++group) {
      std::erase_if(candidates_[group], [&](const Candidate& candidate) {
        return candidate.option != (*certified_.picks)[group] &&
               total - most[group] + candidate.worth < cutoff;
      });
    }
  }

  [[nodiscard]] bool only_one_left() const {
    return std::all_of(candidates_.begin(), candidates_.end(),
                       [](const std::vector<Candidate>& candidates) { return candidates.size() == 1; });
  }

  void bound_suffixes() {
    Suffix none;
    none.levels.assign(problem_.level_count, 0.0);
    none.least_used.assign(problem_.capacities.size(), 0.0);
    suffixes_.assign(candidates_.size() + 1, none);
    scales_.assign(problem_.level_count, 0.0);
    scales_[0] = constant_;
    for (std::size_t group = candidates_.size(); group-- > 0;) {
      Suffix& suffix = suffixes_[group];
      const auto best_over = [&](auto amount, auto choose) {
        double best = amount(candidates_[group].front());
        for (const Candidate& candidate : candidates_[group]) best = choose(best, amount(candidate));
        return best;
      };
      const auto most = [](double a, double b) { return std::max(a, b); };
      const auto least = [](double a, double b) { return std::min(a, b); };
      const std::vector<Option>& options = problem_.groups[group].options;
      suffix.worth = suffixes_[group + 1].worth + best_over([](const Candidate& c) { return c.worth; }, most);
      for (std::size_t i = 0; i < suffix.levels.size(); ++i) {
        const auto value = [&](const Candidate& c) { return options[c.option].levels[i]; };
        suffix.levels[i] = suffixes_[group + 1].levels[i] + best_over(value, most);
        scales_[i] += best_over([&](const Candidate& c) { return std::abs(value(c)); }, most);
      }
      for (std::size_t row = 0; row < suffix.least_used.size(); ++row) {
        suffix.least_used[row] =
            suffixes_[group + 1].least_used[row] +
            best_over([&](const Candidate& c) { return options[c.option].use[row]; }, least);
      }
    }
  }

  // False ends the search: a limit is reached, or the first selection in order is found.
  bool visit(std::size_t depth) {
    if (depth == candidates_.size()) return consider(prefixes_[depth]);
    const Prefix& before = prefixes_[depth];
    Prefix& after = prefixes_[depth + 1];
    for (const Candidate& candidate : candidates_[depth]) {
      if (!meter_.may_continue()) return false;
      const Option& option = problem_.groups[depth].options[candidate.option];
      after.worth = before.worth + candidate.worth;
      for (std::size_t i = 0; i < after.levels.size(); ++i)
        after.levels[i] = before.levels[i] + option.levels[i];
      for (std::size_t i = 0; i < after.used.size(); ++i) after.used[i] = before.used[i] + option.use[i];
      for (std::size_t i = 0; i < after.largest.size(); ++i) {
        after.largest[i] = std::max(before.largest[i], option.peak[i]);
      }
      if (!promising(after, suffixes_[depth + 1])) continue;
      picks_[depth] = candidate.option;
      if (!visit(depth + 1)) return false;
    }
    return true;
  }

  [[nodiscard]] bool promising(const Prefix& prefix, const Suffix& suffix) const {
    for (std::size_t row = 0; row < prefix.used.size(); ++row) {
      const double least = prefix.used[row] + suffix.least_used[row];
      if (least - kRounding * least > allowed_[row]) return false;
    }
    for (std::size_t i = 0; i <= level() && i < problem_.level_count; ++i) {
      double most = prefix.levels[i] + suffix.levels[i];
      if (i == 0) most = std::min(most, prefix.worth + suffix.worth + constant_);
      const double rounding = kRounding * scales_[i];
      if (i < level() && most + rounding < least_equal(best_[i])) return false;
      // An improvement within rounding is a tie; without this every tie would be visited.
      if (i == level() && current_ && most <= *current_ + std::min(3.0 * rounding, negligible(*current_))) {
        return false;
      }
    }
    return !problem_.peak_capacity || holds(peak_of(prefix) * (1.0 - kRounding), *problem_.peak_capacity);
  }

  bool consider(const Prefix& prefix) {
    for (std::size_t row = 0; row < prefix.used.size(); ++row) {
      if (!holds(prefix.used[row], problem_.capacities[row])) return true;
    }
    if (problem_.peak_capacity && !holds(peak_of(prefix), *problem_.peak_capacity)) return true;
    for (std::size_t i = 0; i < level(); ++i) {
      if (!equal_value(prefix.levels[i], best_[i])) return true;
    }
    if (level() == problem_.level_count) {
      certified_.picks = picks_;
      return false;
    }
    if (const double value = prefix.levels[level()]; !current_ || value > *current_) {
      current_ = value;
      certified_.picks = picks_;
    }
    return true;
  }

  static double peak_of(const Prefix& prefix) {
    double sum = 0.0;
    for (const double amount : prefix.largest) sum += amount;
    return sum;
  }

  const ChoiceProblem& problem_;
  WorkMeter meter_;
  const double constant_;
  Picks picks_;
  std::vector<Prefix> prefixes_;
  std::vector<Suffix> suffixes_;
  std::vector<std::vector<Candidate>> candidates_;
  std::vector<double> allowed_;    // per row
  std::vector<double> scales_;     // per level, the magnitudes that are summed
  std::vector<double> best_;       // optimum of each level fixed so far
  std::optional<double> current_;  // best value of the level being fixed
  Certified certified_;
};

}  // namespace

double lagrangian_bound(const ChoiceProblem& problem, const OpenOptions& open,
                        const Multipliers& multipliers) {
  const Priced priced = price(problem, open, multipliers);
  double bound = priced.constant;
  for (const std::vector<double>& worth : priced.worth)
    bound += *std::max_element(worth.begin(), worth.end());
  return bound;
}

Certified certify(const ChoiceProblem& problem, const OpenOptions& open, const Multipliers& multipliers,
                  std::optional<Picks> start, const WorkLimit& limit) {
  return Search(problem, open, price(problem, open, multipliers), std::move(start), limit).run();
}

}  // namespace saccade::ilp
