#include "ilp/core_list.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace saccade::ilp {
namespace {

constexpr double kHair = 1e-12;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::int64_t kStatesPerPoll = 20'000;
constexpr int kCandidates = 4;  // per layer; plain arithmetic may refuse those a hair from the capacity

struct State {
  double use, value;
  std::uint32_t parent, option;  // of the layer before; option of the table
};

struct ListGroup {
  std::uint32_t group;
  double least_loss;
  std::vector<std::uint32_t> options;  // without the base
};

class Lists {
 public:
  Lists(const Table& table, const Relaxation& relaxation, const Selection& base, double wanted,
        const std::function<double(const Selection&)>& accept, const std::function<bool()>& stop,
        std::int64_t max_states)
      : table_(table),
        loss_(relaxation.loss),
        base_(base),
        wanted_(wanted),
        accept_(accept),
        stop_(stop),
        max_states_(max_states) {
    for (std::uint32_t& at : base_.at) {
      if (loss_[at] == 0.0) continue;
      at = least_loss(table_, relaxation, table_.class_of[static_cast<std::size_t>(&at - base_.at.data())]);
    }
    base_ = selection_of(table_, std::move(base_.at));
    for (const std::uint32_t at : base_.at) base_value_ += table_.value[at];
    collect(relaxation.bound - wanted);
  }

  ListOutcome run() {
    std::vector<State> states{{0.0, 0.0, 0, base_.at.empty() ? 0 : base_.at.front()}};
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
    if (passed_over_ > wanted_) outcome_.limit = Limit::work;
    return outcome_;
  }

 private:
  void collect(double budget) {
    for (std::uint32_t group = 0; group < base_.at.size(); ++group) {
      ListGroup entry{group, kInfinite, {}};
      const std::uint32_t c = table_.class_of[group];
      for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
        if (i == base_.at[group] || loss_[i] >= budget) continue;
        entry.options.push_back(i);
        entry.least_loss = std::min(entry.least_loss, loss_[i]);
      }
      if (!entry.options.empty()) groups_.push_back(std::move(entry));
    }
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const ListGroup& a, const ListGroup& b) { return a.least_loss < b.least_loss; });
    // Of the groups from a position on: the most value per use that is added, the least that is lost.
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
    const std::uint32_t base = base_.at[group];
    return {table_.use[option] - table_.use[base], table_.value[option] - table_.value[base]};
  }

  // Every state with the base and every option of the group, sorted by use, the dominated ones out.
  std::vector<State> extended(const std::vector<State>& states, const ListGroup& group) {
    std::vector<State> merged, shifted(states.size()), result;
    for (std::uint32_t s = 0; s < states.size(); ++s) {
      result.push_back({states[s].use, states[s].value, s, base_.at[group.group]});
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
      if (!may_go_on(static_cast<std::int64_t>(states.size()))) return {};
    }
    return result;
  }

  bool may_go_on(std::int64_t made) {
    outcome_.states += made;
    unpolled_ += made;
    if (outcome_.states > max_states_) {
      outcome_.limit = Limit::work;
    } else if (unpolled_ >= kStatesPerPoll) {
      unpolled_ = 0;
      if (stop_ && stop_()) outcome_.limit = Limit::stop;
    }
    return outcome_.limit == Limit::none;
  }

  // The best states that hold; values rise with the use.
  void consider(const std::vector<State>& states) {
    const double spare = base_.spare.front() + kHair;
    auto after = std::upper_bound(states.begin(), states.end(), spare,
                                  [](double amount, const State& state) { return amount < state.use; });
    for (int tries = 0; after != states.begin(); ++tries) {
      --after;
      if (base_value_ + after->value <= wanted_) return;
      if (tries == kCandidates) {
        passed_over_ = std::max(passed_over_, base_value_ + after->value);
        return;
      }
      const double before = wanted_;
      wanted_ = std::max(wanted_, accept_(selection(*after)));
      if (wanted_ > before) return;
    }
  }

  [[nodiscard]] Selection selection(const State& state) const {
    std::vector<std::uint32_t> at = base_.at;
    const State* now = &state;
    for (std::size_t layer = depth_; layer-- > 0;) {
      at[groups_[layer].group] = now->option;
      now = &layers_[layer][now->parent];
    }
    return selection_of(table_, std::move(at));
  }

  void prune(std::vector<State>& states, std::size_t position) {
    std::erase_if(states, [&](const State& state) {
      const double spare = base_.spare.front() - state.use;
      double most = base_value_ + state.value;
      if (spare > 0.0) {
        if (gain_[position] > 0.0) most += gain_[position] * (spare + kHair);
      } else if (spare < -kHair) {
        most += regain_[position] * (spare + kHair);
      }
      return most <= wanted_;
    });
  }

  const Table& table_;
  const std::vector<double>& loss_;
  Selection base_;
  double base_value_ = 0.0;
  double wanted_;
  const std::function<double(const Selection&)>& accept_;
  const std::function<bool()>& stop_;
  const std::int64_t max_states_;
  std::vector<ListGroup> groups_;
  std::vector<double> gain_, regain_;  // per position
  std::vector<std::vector<State>> layers_;
  std::size_t depth_ = 0;
  double passed_over_ = -kInfinite;  // the most that a state which was not looked at may be worth
  std::int64_t unpolled_ = 0;
  ListOutcome outcome_;
};

}  // namespace

ListOutcome search_list(const Table& table, const Relaxation& relaxation, const Selection& base,
                        double wanted, const std::function<double(const Selection&)>& accept,
                        const std::function<bool()>& stop, std::int64_t max_states) {
  return Lists(table, relaxation, base, wanted, accept, stop, max_states).run();
}

}  // namespace saccade::ilp
