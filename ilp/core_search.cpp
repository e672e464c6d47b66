#include "ilp/core_search.hpp"

#include <algorithm>
#include <utility>

namespace saccade::ilp {
namespace {

constexpr double kHair = 1e-12;

class Search {
 public:
  Search(const Table& table, const Relaxation& relaxation, const Selection& base, double budget,
         const std::function<double(const Selection&)>& accept, const std::function<bool()>& stop,
         std::int64_t max_nodes)
      : table_(table),
        relaxation_(relaxation),
        rows_(table.rows),
        budget_(budget),
        accept_(accept),
        selection_(base),
        meter_(stop, max_nodes) {
    take_lossless_base();
    collect_groups();
    bound_ranges();
    spares_.resize((groups_.size() + 1) * rows_);
  }

  SearchOutcome run() {
    std::copy(selection_.spare.begin(), selection_.spare.end(), spares_.begin());
    look_at_base();
    if (!groups_.empty()) descend(0, groups_.size(), 0.0, false, 0);
    return meter_.outcome();
  }

 private:
  struct Deviation {
    double loss;  // beyond that of the base
    std::uint32_t option;
  };
  struct CoreGroup {
    std::uint32_t group;
    std::uint32_t first, end;  // deviations, by loss
    bool twin;                 // equal to the group before it, base included
  };

  // Deviations may only add losses.
  void take_lossless_base() {
    for (std::uint32_t group = 0; group < selection_.at.size(); ++group) {
      if (relaxation_.loss[selection_.at[group]] == 0.0) continue;
      selection_.at[group] = least_loss(table_, relaxation_, table_.class_of[group]);
    }
    selection_ = selection_of(table_, std::move(selection_.at));
  }

  void collect_groups() {
    for (std::uint32_t group = 0; group < selection_.at.size(); ++group) {
      const std::uint32_t c = table_.class_of[group];
      const std::uint32_t base = selection_.at[group];
      CoreGroup core{group, static_cast<std::uint32_t>(deviations_.size()), 0, false};
      for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
        const double loss = relaxation_.loss[i];
        if (i != base && loss < budget_) deviations_.push_back({loss, i});
      }
      core.end = static_cast<std::uint32_t>(deviations_.size());
      if (core.end == core.first) continue;
      std::sort(deviations_.begin() + core.first, deviations_.end(),
                [](const Deviation& a, const Deviation& b) {
                  return a.loss != b.loss ? a.loss < b.loss : a.option < b.option;
                });
      groups_.push_back(core);
    }
    std::stable_sort(groups_.begin(), groups_.end(), [&](const CoreGroup& a, const CoreGroup& b) {
      const double loss_a = deviations_[a.first].loss, loss_b = deviations_[b.first].loss;
      if (loss_a != loss_b) return loss_a < loss_b;
      const std::uint32_t class_a = table_.class_of[a.group], class_b = table_.class_of[b.group];
      if (class_a != class_b) return class_a < class_b;
      return selection_.at[a.group] < selection_.at[b.group];
    });
    for (std::size_t d = 1; d < groups_.size(); ++d) {
      groups_[d].twin = selection_.at[groups_[d].group] == selection_.at[groups_[d - 1].group];
    }
    // Uses of the deviations relative to the base.
    delta_.resize(deviations_.size() * rows_);
    for (const CoreGroup& core : groups_) {
      const double* base = table_.use_of(selection_.at[core.group]);
      for (std::uint32_t e = core.first; e < core.end; ++e) {
        const double* use = table_.use_of(deviations_[e].option);
        for (std::size_t k = 0; k < rows_; ++k) delta_[e * rows_ + k] = use[k] - base[k];
      }
    }
  }

  // What the groups before a position can free or take of each row at most.
  void bound_ranges() {
    relief_.assign((groups_.size() + 1) * rows_, 0.0);
    room_.assign((groups_.size() + 1) * rows_, 0.0);
    for (std::size_t d = 0; d < groups_.size(); ++d) {
      for (std::size_t k = 0; k < rows_; ++k) {
        double least = 0.0, most = 0.0;
        for (std::uint32_t e = groups_[d].first; e < groups_[d].end; ++e) {
          least = std::min(least, delta_[e * rows_ + k]);
          most = std::max(most, delta_[e * rows_ + k]);
        }
        relief_[(d + 1) * rows_ + k] = relief_[d * rows_ + k] - least;
        room_[(d + 1) * rows_ + k] = room_[d * rows_ + k] + most;
      }
    }
  }

  // Deviations of the groups before `end`, the last of them outermost. `forced`: the group just before
  // must deviate, by a deviation no later than `last`, since its twin has.
  bool descend(std::size_t depth, std::size_t end, double loss, bool forced, std::uint32_t last) {
    const double* spare = spares_.data() + depth * rows_;
    double* after = spares_.data() + (depth + 1) * rows_;
    for (std::size_t d = forced ? end - 1 : 0; d < end; ++d) {
      const CoreGroup& core = groups_[d];
      if (loss + deviations_[core.first].loss >= budget_) break;
      const std::uint32_t deviations_end = forced ? core.first + last + 1 : core.end;
      for (std::uint32_t e = core.first; e < deviations_end; ++e) {
        const double total = loss + deviations_[e].loss;
        if (total >= budget_) break;
        if (!meter_.may_go_on()) return false;
        const double* delta = delta_.data() + e * rows_;
        const double* relief = relief_.data() + d * rows_;
        const double* room = room_.data() + d * rows_;
        double unused = 0.0, idle = 0.0;
        bool possible = true, complete = true;
        for (std::size_t k = 0; k < rows_; ++k) {
          after[k] = spare[k] - delta[k];
          possible = possible && after[k] + relief[k] >= -kHair;
          complete = complete && after[k] >= -kHair;
          unused += relaxation_.prices[k] * std::max(after[k] - room[k], 0.0);
          idle += relaxation_.prices[k] * after[k];
        }
        if (!possible || total + unused >= budget_) continue;
        const std::uint32_t before = selection_.at[core.group];
        selection_.at[core.group] = deviations_[e].option;
        if (complete && !core.twin && total + idle < budget_) look_at(depth + 1);
        if (d > 0 && !descend(depth + 1, d, total, core.twin, e - core.first)) return false;
        selection_.at[core.group] = before;
      }
    }
    return true;
  }

  void look_at_base() {
    double idle = 0.0;
    for (std::size_t k = 0; k < rows_; ++k) {
      if (spares_[k] < -kHair) return;
      idle += relaxation_.prices[k] * spares_[k];
    }
    if (idle < budget_) look_at(0);
  }

  void look_at(std::size_t depth) {
    selection_.spare.assign(spares_.begin() + static_cast<std::ptrdiff_t>(depth * rows_),
                            spares_.begin() + static_cast<std::ptrdiff_t>((depth + 1) * rows_));
    budget_ = accept_(selection_);
  }

  const Table& table_;
  const Relaxation& relaxation_;
  const std::size_t rows_;
  double budget_;
  const std::function<double(const Selection&)>& accept_;
  Selection selection_;
  std::vector<Deviation> deviations_;
  std::vector<double> delta_;  // per deviation and row
  std::vector<CoreGroup> groups_;
  std::vector<double> relief_, room_;  // per position and row
  std::vector<double> spares_;         // per depth and row
  WorkMeter meter_;
};

}  // namespace

SearchOutcome search_core(const Table& table, const Relaxation& relaxation, const Selection& base,
                          double budget, const std::function<double(const Selection&)>& accept,
                          const std::function<bool()>& stop, std::int64_t max_nodes) {
  return Search(table, relaxation, base, budget, accept, stop, max_nodes).run();
}

}  // namespace saccade::ilp
