#include "ilp/core/depth_first_search.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ilp/core/for_rows.hpp"
#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

// kRows: the number of rows, where it is known at compile time, so that the loops over them unroll; else 0.
template <std::size_t kRows>
class DepthFirstSearch {
 public:
  DepthFirstSearch(const Table& table, const LpRelaxation& relaxation, const Selection& base, double cutoff,
                   const OnCandidate& on_candidate, const WorkLimit& limit)
      : table_(table),
        relaxation_(relaxation),
        budget_(relaxation.bound - cutoff),
        on_candidate_(on_candidate),
        selection_(base),
        meter_(limit) {
    use_basic_options();
    collect_groups();
    bound_ranges();
    slacks_.resize((groups_.size() + 1) * rows());
  }

  SearchOutcome run() {
    std::copy(selection_.slack.begin(), selection_.slack.end(), slacks_.begin());
    consider_base();
    if (!groups_.empty()) descend(0, groups_.size(), 0.0, false, 0);
    return meter_.outcome();
  }

 private:
  [[nodiscard]] std::size_t rows() const { return kRows == 0 ? table_.rows : kRows; }

  struct Deviation {
    double reduced_cost;  // that of the base is 0
    std::uint32_t option;
  };
  struct CoreGroup {
    std::uint32_t group;
    std::uint32_t first, end;  // deviations, by reduced cost
    bool twin;                 // identical to the previous group, base included
  };

  // Reduced costs of deviations only add up from a base without any.
  void use_basic_options() {
    for (std::uint32_t group = 0; group < selection_.option.size(); ++group) {
      if (relaxation_.reduced_cost[selection_.option[group]] == 0.0) continue;
      selection_.option[group] = least_reduced_cost(table_, relaxation_, table_.class_of[group]);
    }
    selection_ = selection_of(table_, std::move(selection_.option));
  }

  void collect_groups() {
    for (std::uint32_t group = 0; group < selection_.option.size(); ++group) {
      const std::uint32_t c = table_.class_of[group];
      const std::uint32_t base = selection_.option[group];
      CoreGroup core{group, static_cast<std::uint32_t>(deviations_.size()), 0, false};
      for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
        const double reduced_cost = relaxation_.reduced_cost[i];
        if (i != base && reduced_cost < budget_) deviations_.push_back({reduced_cost, i});
      }
      core.end = static_cast<std::uint32_t>(deviations_.size());
      if (core.end == core.first) continue;
      std::sort(
          deviations_.begin() + core.first, deviations_.end(), [](const Deviation& a, const Deviation& b) {
            return a.reduced_cost != b.reduced_cost ? a.reduced_cost < b.reduced_cost : a.option < b.option;
          });
      groups_.push_back(core);
    }
    std::stable_sort(groups_.begin(), groups_.end(), [&](const CoreGroup& a, const CoreGroup& b) {
      const double loss_a = deviations_[a.first].reduced_cost, loss_b = deviations_[b.first].reduced_cost;
      if (loss_a != loss_b) return loss_a < loss_b;
      const std::uint32_t class_a = table_.class_of[a.group], class_b = table_.class_of[b.group];
      if (class_a != class_b) return class_a < class_b;
      return selection_.option[a.group] < selection_.option[b.group];
    });
    for (std::size_t d = 1; d < groups_.size(); ++d) {
      groups_[d].twin = selection_.option[groups_[d].group] == selection_.option[groups_[d - 1].group];
    }
    // Uses of the deviations relative to the base.
    delta_.resize(deviations_.size() * rows());
    for (const CoreGroup& core : groups_) {
      const double* base = table_.use_of(selection_.option[core.group]);
      for (std::uint32_t e = core.first; e < core.end; ++e) {
        const double* use = table_.use_of(deviations_[e].option);
        for (std::size_t k = 0; k < rows(); ++k) delta_[e * rows() + k] = use[k] - base[k];
      }
    }
  }

  // How much of each row the groups before a position can free or take at most.
  void bound_ranges() {
    relief_.assign((groups_.size() + 1) * rows(), 0.0);
    room_.assign((groups_.size() + 1) * rows(), 0.0);
    for (std::size_t d = 0; d < groups_.size(); ++d) {
      for (std::size_t k = 0; k < rows(); ++k) {
        double least = 0.0, most = 0.0;
        for (std::uint32_t e = groups_[d].first; e < groups_[d].end; ++e) {
          least = std::min(least, delta_[e * rows() + k]);
          most = std::max(most, delta_[e * rows() + k]);
        }
        relief_[(d + 1) * rows() + k] = relief_[d * rows() + k] - least;
        room_[(d + 1) * rows() + k] = room_[d * rows() + k] + most;
      }
    }
  }

  // Deviations of the groups before `end`, the last of them outermost. `forced`: the group just before `end`
  // must deviate, by a deviation no later than `last`, because its twin has.
  bool descend(std::size_t depth, std::size_t end, double reduced_cost, bool forced, std::uint32_t last) {
    const double* slack = slacks_.data() + depth * rows();
    double* after = slacks_.data() + (depth + 1) * rows();
    for (std::size_t d = forced ? end - 1 : 0; d < end; ++d) {
      const CoreGroup& core = groups_[d];
      if (reduced_cost + deviations_[core.first].reduced_cost >= budget_) break;
      const std::uint32_t deviations_end = forced ? core.first + last + 1 : core.end;
      for (std::uint32_t e = core.first; e < deviations_end; ++e) {
        const double total = reduced_cost + deviations_[e].reduced_cost;
        if (total >= budget_) break;
        if (!meter_.may_continue()) return false;
        const double* delta = delta_.data() + e * rows();
        const double* relief = relief_.data() + d * rows();
        const double* room = room_.data() + d * rows();
        double unused = 0.0, idle = 0.0;
        bool possible = true, complete = true;
        for (std::size_t k = 0; k < rows(); ++k) {
          after[k] = slack[k] - delta[k];
          possible = possible && after[k] + relief[k] >= -kSlackTolerance;
          complete = complete && after[k] >= -kSlackTolerance;
          unused += relaxation_.prices[k] * std::max(after[k] - room[k], 0.0);
          idle += relaxation_.prices[k] * after[k];
        }
        if (!possible || total + unused >= budget_) continue;
        const std::uint32_t before = selection_.option[core.group];
        selection_.option[core.group] = deviations_[e].option;
        if (complete && !core.twin && total + idle < budget_) consider(depth + 1);
        if (d > 0 && !descend(depth + 1, d, total, core.twin, e - core.first)) return false;
        selection_.option[core.group] = before;
      }
    }
    return true;
  }

  void consider_base() {
    double idle = 0.0;
    for (std::size_t k = 0; k < rows(); ++k) {
      if (slacks_[k] < -kSlackTolerance) return;
      idle += relaxation_.prices[k] * slacks_[k];
    }
    if (idle < budget_) consider(0);
  }

  void consider(std::size_t depth) {
    selection_.slack.assign(slacks_.begin() + static_cast<std::ptrdiff_t>(depth * rows()),
                            slacks_.begin() + static_cast<std::ptrdiff_t>((depth + 1) * rows()));
    budget_ = relaxation_.bound - on_candidate_(selection_);
  }

  const Table& table_;
  const LpRelaxation& relaxation_;
  double budget_;  // the sum of reduced costs has to stay below
  const OnCandidate& on_candidate_;
  Selection selection_;
  std::vector<Deviation> deviations_;
  std::vector<double> delta_;  // per deviation and row
  std::vector<CoreGroup> groups_;
  std::vector<double> relief_, room_;  // per position and row
  std::vector<double> slacks_;         // per depth and row
  WorkMeter meter_;
};

}  // namespace

SearchOutcome search_depth_first(const Table& table, const LpRelaxation& relaxation, const Selection& base,
                                 double cutoff, const OnCandidate& on_candidate, const WorkLimit& limit) {
  const auto with = [&]<std::size_t kRows>() {
    return DepthFirstSearch<kRows>(table, relaxation, base, cutoff, on_candidate, limit).run();
  };
  return for_rows<5>(table.rows, with);
}

}  // namespace saccade::ilp
