#include "ilp/branching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace saccade::ilp {
namespace {

constexpr double kWhole = 1e-6;  // a weight this close to a whole number is one
constexpr std::int64_t kEagerNodes = 40;
constexpr std::int64_t kRoundEvery = 8;  // later nodes between two attempts at rounding

struct Piece {
  std::uint32_t group_class, count;
  std::uint32_t first, end;  // into Node::open
};

struct Node {
  double bound = 0.0;
  std::int64_t number = 0;  // of its making: equal bounds are taken in this order
  std::vector<Piece> pieces;
  std::vector<std::uint32_t> open;  // options of the root table
  std::vector<double> prices;
};

bool later(const Node& a, const Node& b) {
  return a.bound != b.bound ? a.bound < b.bound : a.number > b.number;
}

class Tree {
 public:
  Tree(const Table& table, double wanted, const std::function<double(const Selection&)>& accept,
       const std::function<bool()>& stop, std::int64_t max_nodes)
      : table_(table), wanted_(wanted), accept_(accept), stop_(stop), max_nodes_(max_nodes) {}

  BranchOutcome run(const Relaxation& root) {
    push_root(root);
    while (!heap_.empty() && heap_.front().bound > wanted_) {
      if (outcome_.nodes >= max_nodes_) {
        outcome_.limit = Limit::work;
        break;
      }
      if (stop_ && stop_()) {
        outcome_.limit = Limit::stop;
        break;
      }
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const Node node = std::move(heap_.back());
      heap_.pop_back();
      ++outcome_.nodes;
      expand(node);
    }
    outcome_.bound = heap_.empty() ? wanted_ : std::max(wanted_, heap_.front().bound);
    return outcome_;
  }

 private:
  void push_root(const Relaxation& root) {
    Node node;
    node.bound = root.bound;
    node.prices = root.prices;
    for (std::uint32_t c = 0; c < table_.classes(); ++c) {
      Piece piece{c, static_cast<std::uint32_t>(table_.count[c]),
                  static_cast<std::uint32_t>(node.open.size()), 0};
      for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
        if (root.loss[i] <= root.bound - wanted_) node.open.push_back(i);
      }
      piece.end = static_cast<std::uint32_t>(node.open.size());
      if (piece.end == piece.first) return;  // nothing above what is wanted
      node.pieces.push_back(piece);
    }
    heap_.push_back(std::move(node));
  }

  void fill_table(const Node& node) {
    local_.rows = table_.rows;
    local_.capacity = table_.capacity;
    local_.first.clear();
    local_.option.clear();
    local_.value.clear();
    local_.use.clear();
    local_.count.clear();
    local_.class_of.clear();
    local_.members.clear();
    for (const Piece& piece : node.pieces) {
      local_.first.push_back(static_cast<std::uint32_t>(local_.option.size()));
      for (std::uint32_t o = piece.first; o < piece.end; ++o) {
        const std::uint32_t i = node.open[o];
        local_.option.push_back(i);
        local_.value.push_back(table_.value[i]);
        for (std::size_t k = 0; k < table_.rows; ++k) local_.use.push_back(table_.use_of(i)[k]);
      }
      local_.count.push_back(piece.count);
    }
    local_.first.push_back(static_cast<std::uint32_t>(local_.option.size()));
  }

  void expand(const Node& node) {
    fill_table(node);
    const Relaxation relaxation = relax(local_, node.prices, nullptr);
    if (relaxation.infeasible) return;
    const double bound = std::min(node.bound, relaxation.bound);
    if (bound <= wanted_) return;
    const bool whole = std::none_of(relaxation.ties.begin(), relaxation.ties.end(), is_mixed);
    if (whole || outcome_.nodes <= kEagerNodes || outcome_.nodes % kRoundEvery == 0) round(node, relaxation);
    if (bound <= wanted_) return;
    split(node, relaxation, bound);
  }

  static double mixture(const Relaxation::Tie& tie) {
    const double fraction = tie.weight - std::floor(tie.weight);
    return std::min(fraction, 1.0 - fraction);
  }
  static bool is_mixed(const Relaxation::Tie& tie) { return mixture(tie) > kWhole; }

  // The rounded relaxation, repaired and filled, as a selection of the root table.
  void round(const Node& node, const Relaxation& relaxation) {
    local_.class_of.clear();
    local_.members.assign(node.pieces.size(), {});
    for (std::uint32_t p = 0; p < node.pieces.size(); ++p) {
      for (std::uint32_t i = 0; i < node.pieces[p].count; ++i) {
        local_.members[p].push_back(static_cast<std::uint32_t>(local_.class_of.size()));
        local_.class_of.push_back(p);
      }
    }
    Selection selection = rounded(local_, relaxation);
    if (!repair(local_, relaxation.loss, selection, nullptr)) return;
    fill(local_, selection, nullptr);
    std::vector<std::uint32_t> used(table_.classes(), 0), at(table_.class_of.size());
    for (std::size_t i = 0; i < selection.at.size(); ++i) {
      const std::uint32_t c = node.pieces[local_.class_of[i]].group_class;
      at[table_.members[c][used[c]++]] = local_.option[selection.at[i]];
    }
    wanted_ = std::max(wanted_, accept_(selection_of(table_, std::move(at))));
  }

  void split(const Node& node, const Relaxation& relaxation, double bound) {
    std::size_t piece = node.pieces.size();
    std::uint32_t at_least = 1;
    double most = kWhole;
    std::vector<char> side;
    for (const Relaxation::Tie& tie : relaxation.ties) {
      if (mixture(tie) <= most) continue;
      most = mixture(tie);
      piece = tie.group_class;
      at_least = static_cast<std::uint32_t>(std::ceil(std::clamp(tie.weight, kWhole, local_.count[piece])));
      side = between(tie);
    }
    if (piece == node.pieces.size()) {
      piece = halve_largest(side);
      if (piece == node.pieces.size()) return;  // one selection, and that was looked at
    }
    const std::uint32_t count = node.pieces[piece].count;
    at_least = std::clamp(at_least, 1U, count);
    push_child(node, relaxation, bound, piece, side, 1, at_least);
    push_child(node, relaxation, bound, piece, side, 0, count - at_least + 1);
  }

  // 1 for the options on the side of `other`, 0 for those on the side of `base`: by value or, where both
  // have the same, by the use in which they differ most.
  [[nodiscard]] std::vector<char> between(const Relaxation::Tie& tie) const {
    std::size_t row = local_.rows;
    double most = 0.0;
    for (std::size_t k = 0; k < local_.rows; ++k) {
      const double difference = std::abs(local_.use_of(tie.base)[k] - local_.use_of(tie.other)[k]);
      if (difference <= most) continue;
      most = difference;
      row = k;
    }
    const bool by_value = std::abs(local_.value[tie.base] - local_.value[tie.other]) > 1e-9;
    const auto key = [&](std::uint32_t i) { return by_value ? local_.value[i] : local_.use_of(i)[row]; };
    const double threshold = 0.5 * (key(tie.base) + key(tie.other));
    std::vector<char> side;
    for (std::uint32_t i = local_.first[tie.group_class]; i < local_.first[tie.group_class + 1]; ++i) {
      side.push_back((key(i) > threshold) == (key(tie.other) > threshold) ? 1 : 0);
    }
    return side;
  }

  // No mixture to go by: the piece with the most options is halved between them.
  std::size_t halve_largest(std::vector<char>& side) const {
    std::size_t piece = local_.classes();
    std::uint32_t most = 1;
    for (std::size_t p = 0; p < local_.classes(); ++p) {
      const std::uint32_t options = local_.first[p + 1] - local_.first[p];
      if (options <= most) continue;
      most = options;
      piece = p;
    }
    if (piece == local_.classes()) return piece;
    side.clear();
    for (std::uint32_t i = 0; i < most; ++i) side.push_back(i < most / 2 ? 1 : 0);
    return piece;
  }

  // `restricted` members of the piece take the given side, the others what they like.
  void push_child(const Node& node, const Relaxation& relaxation, double bound, std::size_t split_piece,
                  const std::vector<char>& side, char wanted_side, std::uint32_t restricted) {
    Node child;
    child.bound = bound;
    child.prices = relaxation.prices;
    child.number = ++made_;
    const double budget = relaxation.bound - wanted_;
    const auto add = [&](std::size_t p, std::uint32_t count, bool one_side) {
      Piece piece{node.pieces[p].group_class, count, static_cast<std::uint32_t>(child.open.size()), 0};
      for (std::uint32_t i = local_.first[p]; i < local_.first[p + 1]; ++i) {
        if (relaxation.loss[i] > budget) continue;
        if (one_side && side[i - local_.first[p]] != wanted_side) continue;
        child.open.push_back(local_.option[i]);
      }
      piece.end = static_cast<std::uint32_t>(child.open.size());
      child.pieces.push_back(piece);
      return piece.end > piece.first;
    };
    for (std::size_t p = 0; p < node.pieces.size(); ++p) {
      const std::uint32_t count = node.pieces[p].count;
      if (p != split_piece) {
        if (!add(p, count, false)) return;
        continue;
      }
      if (!add(p, restricted, true)) return;
      if (count > restricted && !add(p, count - restricted, false)) return;
    }
    heap_.push_back(std::move(child));
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  const Table& table_;
  double wanted_;
  const std::function<double(const Selection&)>& accept_;
  const std::function<bool()>& stop_;
  const std::int64_t max_nodes_;
  std::vector<Node> heap_;
  std::int64_t made_ = 0;
  Table local_;  // of the node being expanded
  BranchOutcome outcome_;
};

}  // namespace

BranchOutcome branch(const Table& table, const Relaxation& root, double wanted,
                     const std::function<double(const Selection&)>& accept, const std::function<bool()>& stop,
                     std::int64_t max_nodes) {
  return Tree(table, wanted, accept, stop, max_nodes).run(root);
}

}  // namespace saccade::ilp
