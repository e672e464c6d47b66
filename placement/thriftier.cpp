#include "placement/thriftier.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace saccade::placement {
namespace {

// One layer to another processor, and what that adds to latency and energy.
struct LayerMove {
  std::size_t layer = 0, to = 0;
  double time = 0.0, energy = 0.0;
};

class LayerMoves {
 public:
  LayerMoves(const Costs& costs, const Placement& placement, StageCount stages)
      : costs_(costs), stages_(stages) {
    for (const Stage& stage : placement) at_.insert(at_.end(), stage.last - stage.first, stage.processor);
  }

  [[nodiscard]] const std::vector<std::size_t>& assignment() const { return at_; }

  // Makes the best move, or pair of moves, that takes at most `spare`; the time that it took. Absent: none
  // saves energy.
  std::optional<double> improve(double spare) {
    collect();
    const LayerMove *first = nullptr, *second = nullptr;
    double least = -1e-12 * scale_;
    for (const LayerMove& move : moves_) {
      if (move.time <= spare && move.energy < least) {
        least = move.energy;
        first = &move;
        second = nullptr;
      }
      const LayerMove* other = thriftiest_within(spare - move.time);
      if (other == nullptr || !apart(move, *other) || move.energy + other->energy >= least) continue;
      least = move.energy + other->energy;
      first = &move;
      second = other;
    }
    if (first == nullptr) return std::nullopt;
    double time = 0.0;
    for (const LayerMove* move : {first, second}) {
      if (move == nullptr) continue;
      at_[move->layer] = move->to;
      time += move->time;
    }
    return time;
  }

 private:
  // Of layers that are not neighbors the sums add.
  static bool apart(const LayerMove& a, const LayerMove& b) {
    return a.layer > b.layer + 1 || b.layer > a.layer + 1;
  }

  void collect() {
    moves_.clear();
    scale_ = 0.0;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      scale_ += costs_.energy(at_[i], i, i + 1);
      for (std::size_t p = 0; p < costs_.processors(); ++p) add(i, p);
    }
    std::sort(moves_.begin(), moves_.end(),
              [](const LayerMove& a, const LayerMove& b) { return a.time < b.time; });
    thriftiest_.clear();
    for (std::size_t k = 0; k < moves_.size(); ++k) {
      const std::size_t before = k == 0 ? 0 : thriftiest_.back();
      thriftiest_.push_back(moves_[k].energy < moves_[before].energy ? k : before);
    }
  }

  // Null: every move takes longer.
  [[nodiscard]] const LayerMove* thriftiest_within(double time) const {
    const auto end = std::upper_bound(moves_.begin(), moves_.end(), time,
                                      [](double most, const LayerMove& move) { return most < move.time; });
    if (end == moves_.begin()) return nullptr;
    return &moves_[thriftiest_[static_cast<std::size_t>(end - moves_.begin()) - 1]];
  }

  void add(std::size_t i, std::size_t to) {
    const std::size_t from = at_[i];
    if (to == from || !costs_.runs(to, i, i + 1)) return;
    const bool joins = (i > 0 && at_[i - 1] == to) || (i + 1 < at_.size() && at_[i + 1] == to);
    if (stages_ == StageCount::must_not_grow && !joins) return;
    LayerMove move{i, to, costs_.time(to, i, i + 1) - costs_.time(from, i, i + 1),
                   costs_.energy(to, i, i + 1) - costs_.energy(from, i, i + 1)};
    if (i > 0 && !cross(i, {at_[i - 1], from}, {at_[i - 1], to}, move)) return;
    if (i + 1 < at_.size() && !cross(i + 1, {from, at_[i + 1]}, {to, at_[i + 1]}, move)) return;
    moves_.push_back(move);
  }

  struct Sides {
    std::size_t before, behind;
  };
  // Boundary b is crossed otherwise; false: it cannot be.
  bool cross(std::size_t b, Sides now, Sides then, LayerMove& move) const {
    if (now.before != now.behind) {
      move.time -= costs_.send(b, now.before, now.behind) + costs_.receive(b, now.before, now.behind);
      move.energy -= costs_.transfer_energy(b, now.before, now.behind);
    }
    if (then.before == then.behind) return true;
    if (!costs_.may_cross(b, then.before, then.behind)) return false;
    move.time += costs_.send(b, then.before, then.behind) + costs_.receive(b, then.before, then.behind);
    move.energy += costs_.transfer_energy(b, then.before, then.behind);
    return true;
  }

  const Costs& costs_;
  StageCount stages_;
  std::vector<std::size_t> at_;          // processor by layer
  std::vector<LayerMove> moves_;         // by time
  std::vector<std::size_t> thriftiest_;  // of the moves up to each, the one with the least energy
  double scale_ = 0.0;
};

}  // namespace

Placement thriftier(const Costs& costs, const Placement& placement, Seconds latency, StageCount stages) {
  double spare = (latency - evaluate(costs, placement).latency).value();
  if (spare < 0.0) return placement;
  LayerMoves moves(costs, placement, stages);
  constexpr int kMostRounds = 1000;
  for (int round = 0; round < kMostRounds; ++round) {
    const auto took = moves.improve(spare);
    if (!took) break;
    spare -= *took;
  }
  return placement_of(moves.assignment());
}

}  // namespace saccade::placement
