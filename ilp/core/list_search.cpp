#include "ilp/core/list_search.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

constexpr std::int64_t kStatesPerPoll = 20'000;
constexpr int kCandidates = 4;  // per layer; evaluate() may refuse states within rounding of the capacity

struct State {
  double use, value;
  std::uint32_t parent, option;  // in the previous layer; of the table
};

struct ListGroup {
  std::uint32_t group;
  double least_reduced_cost;
  std::vector<std::uint32_t> options;  // without the base
};

class ListSearch {
 public:
  ListSearch(const Table& table, const LpRelaxation& relaxation, const Selection& base, double cutoff,
             const OnCandidate& on_candidate, const WorkLimit& limit)
      : table_(table),
        reduced_cost_(relaxation.reduced_cost),
        base_(base),
        cutoff_(cutoff),
        on_candidate_(on_candidate),
        limit_(limit) {
    for (std::size_t group = 0; group < base_.option.size(); ++group) {
      std::uint32_t& option = base_.option[group];
      if (reduced_cost_[option] > 0.0)
        option = least_reduced_cost(table_, relaxation, table_.class_of[group]);
    }
    base_ = selection_of(table_, std::move(base_.option));
    for (const std::uint32_t option : base_.option) base_value_ += table_.value[option];
    collect(relaxation.bound - cutoff);
  }

  SearchOutcome run() {
    std::vector<State> states{{0.0, 0.0, 0, base_.option.empty() ? 0 : base_.option.front()}};
    consider(states);
    prune(states, 0);
    for (std::size_t layer = 0; layer < groups_.size() && !states.empty(); ++layer) {
      layers_.push_back(std::move(states));
      states = extended(layers_.back(), groups_[layer]);
      if (outcome_.limit != Limit::none) return outcome_;
      depth_ = layer + 1;
      consider(states);
      prune(states, layer + 1);
    }
    if (passed_over_ > cutoff_) outcome_.limit = Limit::work;
    return outcome_;
  }

 private:
  void collect(double budget) {
    for (std::uint32_t group = 0; group < base_.option.size(); ++group) {
      ListGroup entry{group, kInfinite, {}};
      const std::uint32_t c = table_.class_of[group];
      for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
        if (i == base_.option[group] || reduced_cost_[i] >= budget) continue;
        entry.options.push_back(i);
        entry.least_reduced_cost = std::min(entry.least_reduced_cost, reduced_cost_[i]);
      }
      if (!entry.options.empty()) groups_.push_back(std::move(entry));
    }
    std::stable_sort(groups_.begin(), groups_.end(), [](const ListGroup& a, const ListGroup& b) {
      return a.least_reduced_cost < b.least_reduced_cost;
    });
    // Of the groups from a position on: the largest value per use added, the smallest per use freed.
    gain_.assign(groups_.size() + 1, 0.0);
    regain_.assign(groups_.size() + 1, kInfinite);
    for (std::size_t p = groups_.size(); p-- > 0;) {
      gain_[p] = gain_[p + 1];
      regain_[p] = regain_[p + 1];
      for (const std::uint32_t i : groups_[p].options) {
        const auto [use, value] = step(groups_[p].group, i);
        if (use > 0.0) {
          gain_[p] = std::max(gain_[p], value / use);
        } else if (use < 0.0) {
          regain_[p] = std::min(regain_[p], value / use);
        } else if (value > 0.0) {
          gain_[p] = kInfinite;
        }
      }
    }
  }

  [[nodiscard]] std::pair<double, double> step(std::uint32_t group, std::uint32_t option) const {
    const std::uint32_t base = base_.option[group];
    return {table_.use[option] - table_.use[base], table_.value[option] - table_.value[base]};
  }

  // Every state with the base and every option of the group, sorted by use, without dominated ones.
  std::vector<State> extended(const std::vector<State>& states, const ListGroup& group) {
    std::vector<State> merged, shifted(states.size()), result;
    for (std::uint32_t s = 0; s < states.size(); ++s) {
      result.push_back({states[s].use, states[s].value, s, base_.option[group.group]});
    }
    for (const std::uint32_t option : group.options) {
      const auto [use, value] = step(group.group, option);
      for (std::uint32_t s = 0; s < states.size(); ++s) {
        shifted[s] = {states[s].use + use, states[s].value + value, s, option};
      }
      merged.clear();
      double most = -kInfinite;
      std::size_t a = 0, b = 0;
      while (a < result.size() || b < shifted.size()) {
        const bool first =
            b == shifted.size() ||
            (a < result.size() && (result[a].use < shifted[b].use ||
                                   (result[a].use == shifted[b].use && result[a].value >= shifted[b].value)));
        const State& next = first ? result[a++] : shifted[b++];
        if (next.value <= most) continue;
        most = next.value;
        merged.push_back(next);
      }
      result.swap(merged);
      if (!may_continue(static_cast<std::int64_t>(states.size()))) return {};
    }
    return result;
  }

  bool may_continue(std::int64_t made) {
    outcome_.nodes += made;
    unpolled_ += made;
    if (outcome_.nodes > limit_.max_nodes) {
      outcome_.limit = Limit::work;
    } else if (unpolled_ >= kStatesPerPoll) {
      unpolled_ = 0;
      if (limit_.stop && limit_.stop()) outcome_.limit = Limit::stop;
    }
    return outcome_.limit == Limit::none;
  }

  // The best feasible states; values rise with the use.
  void consider(const std::vector<State>& states) {
    const double slack = base_.slack.front() + kSlackTolerance;
    auto after = std::upper_bound(states.begin(), states.end(), slack,
                                  [](double amount, const State& state) { return amount < state.use; });
    for (int tries = 0; after != states.begin(); ++tries) {
      --after;
      if (base_value_ + after->value <= cutoff_) return;
      if (tries == kCandidates) {
        passed_over_ = std::max(passed_over_, base_value_ + after->value);
        return;
      }
      const double before = cutoff_;
      cutoff_ = std::max(cutoff_, on_candidate_(selection(*after)));
      if (cutoff_ > before) return;
    }
  }

  [[nodiscard]] Selection selection(const State& state) const {
    std::vector<std::uint32_t> option = base_.option;
    const State* now = &state;
    for (std::size_t layer = depth_; layer-- > 0;) {
      option[groups_[layer].group] = now->option;
      now = &layers_[layer][now->parent];
    }
    return selection_of(table_, std::move(option));
  }

  void prune(std::vector<State>& states, std::size_t position) {
    std::erase_if(states, [&](const State& state) {
      const double slack = base_.slack.front() - state.use;
      double most = base_value_ + state.value;
      if (slack > 0.0) {
        if (gain_[position] > 0.0) most += gain_[position] * (slack + kSlackTolerance);
      } else if (slack < -kSlackTolerance) {
        most += regain_[position] * (slack + kSlackTolerance);
      }
      return most <= cutoff_;
    });
  }

  const Table& table_;
  const std::vector<double>& reduced_cost_;
  Selection base_;
  double base_value_ = 0.0;
  double cutoff_;
  const OnCandidate& on_candidate_;
  const WorkLimit limit_;
  std::vector<ListGroup> groups_;
  std::vector<double> gain_, regain_;  // per position
  std::vector<std::vector<State>> layers_;
  std::size_t depth_ = 0;
  double passed_over_ = -kInfinite;  // the largest value of a state that was not considered
  std::int64_t unpolled_ = 0;
  SearchOutcome outcome_;
};

}  // namespace

SearchOutcome search_by_list(const Table& table, const LpRelaxation& relaxation, const Selection& base,
                             double cutoff, const OnCandidate& on_candidate, const WorkLimit& limit) {
  return ListSearch(table, relaxation, base, cutoff, on_candidate, limit).run();
}

}  // namespace saccade::ilp
