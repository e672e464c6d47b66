#include "ilp/branching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ilp/core_search.hpp"

namespace saccade::ilp {
namespace {

constexpr double kWhole = 1e-6;  // a weight this close to a whole number is one
constexpr std::int64_t kEagerNodes = 40;
constexpr std::int64_t kRoundEvery = 8;       // later nodes between two attempts at rounding
constexpr std::int64_t kSearchNodes = 5'000;  // costs about as much as three nodes of this tree
constexpr double kSearchAgain = 0.8;          // of the budget of the last search that did not get to its end
constexpr std::size_t kSearchGroups = 200;    // with more it costs more

struct Piece {
  std::uint32_t group_class, count;
  std::uint32_t first, end;  // into Node::open
};

// At most `most` members of the class take the option.
struct Cap {
  std::uint32_t group_class, option, most;
};

struct Node {
  double bound = 0.0;
  double searched = std::numeric_limits<double>::infinity();  // the least budget a search gave up on
  std::int64_t number = 0;  // of its making: equal bounds are taken in this order
  std::vector<Piece> pieces;
  std::vector<std::uint32_t> open;  // options of the root table
  std::vector<Cap> caps;
  std::vector<double> prices;  // of the table's rows and the caps
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
      Node node = std::move(heap_.back());
      heap_.pop_back();
      ++outcome_.nodes;
      if (expand(node)) continue;
      heap_.push_back(std::move(node));  // its bound stands
      std::push_heap(heap_.begin(), heap_.end(), later);
      outcome_.limit = Limit::stop;
      break;
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
    local_.rows = table_.rows + node.caps.size();
    local_.capacity = table_.capacity;
    local_.capacity.resize(local_.rows, 1.0);
    local_.first.clear();
    local_.option.clear();
    local_.value.clear();
    local_.use.clear();
    local_.count.clear();
    for (const Piece& piece : node.pieces) {
      local_.first.push_back(static_cast<std::uint32_t>(local_.option.size()));
      for (std::uint32_t o = piece.first; o < piece.end; ++o) {
        const std::uint32_t i = node.open[o];
        local_.option.push_back(i);
        local_.value.push_back(table_.value[i]);
        for (std::size_t k = 0; k < table_.rows; ++k) local_.use.push_back(table_.use_of(i)[k]);
        for (const Cap& cap : node.caps) local_.use.push_back(cap.option == i ? 1.0 / cap.most : 0.0);
      }
      local_.count.push_back(piece.count);
    }
    local_.first.push_back(static_cast<std::uint32_t>(local_.option.size()));
  }

  // False when stopped before the node was done with.
  bool expand(const Node& node) {
    fill_table(node);
    const Relaxation relaxation = relax(local_, node.prices, stop_);
    if (relaxation.infeasible) return true;
    if (relaxation.stopped) return false;
    const double bound = std::min(node.bound, relaxation.bound);
    if (bound <= wanted_) return true;
    const bool whole = std::none_of(relaxation.ties.begin(), relaxation.ties.end(), is_mixed);
    const bool rounds = whole || outcome_.nodes <= kEagerNodes || outcome_.nodes % kRoundEvery == 0;
    const bool searches =
        table_.class_of.size() <= kSearchGroups && bound - wanted_ <= kSearchAgain * node.searched;
    if (rounds || searches) list_members(node);
    // Where there is nothing left to split, a rounding cut short would lose the one selection there is.
    if (rounds && !round(node, relaxation)) return false;
    if (bound <= wanted_) return true;
    if (searches) {
      const Limit limit = search(node, relaxation);
      if (limit != Limit::work) return limit == Limit::none;
    }
    searched_ = searches ? bound - wanted_ : node.searched;
    split(node, relaxation, bound);
    return true;
  }

  // None: the search got to the end, and nothing that is wanted is left in this node.
  Limit search(const Node& node, const Relaxation& relaxation) {
    const auto accept = [&](const Selection& selection) {
      offer(node, selection);
      return relaxation.bound - wanted_;
    };
    return search_core(local_, relaxation, rounded(local_, relaxation), relaxation.bound - wanted_, accept,
                       stop_, kSearchNodes)
        .limit;
  }

  static double mixture(const Relaxation::Tie& tie) {
    const double fraction = tie.weight - std::floor(tie.weight);
    return std::min(fraction, 1.0 - fraction);
  }
  static bool is_mixed(const Relaxation::Tie& tie) { return mixture(tie) > kWhole; }

  // The members of a piece, as groups of the local table.
  void list_members(const Node& node) {
    local_.class_of.clear();
    local_.members.assign(node.pieces.size(), {});
    for (std::uint32_t p = 0; p < node.pieces.size(); ++p) {
      for (std::uint32_t i = 0; i < node.pieces[p].count; ++i) {
        local_.members[p].push_back(static_cast<std::uint32_t>(local_.class_of.size()));
        local_.class_of.push_back(p);
      }
    }
  }

  // False when stopped; a selection that holds by then is offered all the same.
  bool round(const Node& node, const Relaxation& relaxation) {
    bool stopped = false;
    const std::function<bool()> stop = [&] { return stopped = stopped || (stop_ && stop_()); };
    Selection selection = rounded(local_, relaxation);
    if (repair(local_, relaxation.loss, selection, stop)) {
      fill(local_, selection, stop);
      offer(node, selection);
    }
    return !stopped;
  }

  // A selection of the local table as one of the root table.
  void offer(const Node& node, const Selection& selection) {
    std::vector<std::uint32_t> used(table_.classes(), 0), at(table_.class_of.size());
    for (std::size_t i = 0; i < selection.at.size(); ++i) {
      const std::uint32_t c = node.pieces[local_.class_of[i]].group_class;
      at[table_.members[c][used[c]++]] = local_.option[selection.at[i]];
    }
    double value = 0.0;
    for (const std::uint32_t i : at) value += table_.value[i];
    if (value <= wanted_) return;
    wanted_ = std::max(wanted_, accept_(selection_of(table_, std::move(at))));
  }

  void split(const Node& node, const Relaxation& relaxation, double bound) {
    const Relaxation::Tie* mixed = nullptr;
    for (const Relaxation::Tie& tie : relaxation.ties) {
      if (is_mixed(tie) && (mixed == nullptr || mixture(tie) > mixture(*mixed))) mixed = &tie;
    }
    const std::size_t piece = mixed != nullptr ? mixed->group_class : largest_piece();
    if (piece == node.pieces.size()) return;  // one selection, and that was looked at
    if (node.pieces[piece].count > 1) {
      if (mixed != nullptr) {
        split_count(node, relaxation, bound, piece, mixed->other,
                    static_cast<std::uint32_t>(std::max(std::floor(mixed->weight), 0.0)));
      } else {
        // As many as the relaxation wants, or fewer: then it has to want something else.
        const auto& [option, count] = relaxation.counts[piece].front();
        split_count(node, relaxation, bound, piece, option, count - 1);
      }
      return;
    }
    std::vector<char> side;
    if (mixed != nullptr) {
      side = between(*mixed);
    } else {
      const std::uint32_t options = local_.first[piece + 1] - local_.first[piece];
      for (std::uint32_t i = 0; i < options; ++i) side.push_back(i < options / 2 ? 1 : 0);
    }
    const auto any = [](std::uint32_t) { return true; };
    for (const bool wanted : {true, false}) {
      push_child(
          node, relaxation, bound, piece, 1,
          [&](std::uint32_t i) { return (side[i - local_.first[piece]] != 0) == wanted; }, any);
    }
  }

  // Equal groups: more than `low` of the piece take the option of the local table, or no more than that.
  void split_count(const Node& node, const Relaxation& relaxation, double bound, std::size_t piece,
                   std::uint32_t local_option, std::uint32_t low) {
    const std::uint32_t option = local_.option[local_option];
    const std::uint32_t c = node.pieces[piece].group_class;
    const auto is_it = [&](std::uint32_t i) { return i == local_option; };
    const auto any = [](std::uint32_t) { return true; };
    if (low + 1 <= node.pieces[piece].count) push_child(node, relaxation, bound, piece, low + 1, is_it, any);
    if (low == 0) {
      push_child(
          node, relaxation, bound, piece, node.pieces[piece].count,
          [&](std::uint32_t i) { return i != local_option; }, any);
      return;
    }
    Node capped = node;
    std::uint32_t others = 0;  // members of other pieces of the class that may take the option too
    for (std::size_t p = 0; p < node.pieces.size(); ++p) {
      const Piece& other = node.pieces[p];
      if (p == piece || other.group_class != c) continue;
      const std::uint32_t* options = node.open.data();
      const std::uint32_t* end = options + other.end;
      if (std::find(options + other.first, end, option) != end) others += other.count;
    }
    const auto known = std::find_if(capped.caps.begin(), capped.caps.end(),
                                    [&](const Cap& cap) { return cap.option == option; });
    if (known != capped.caps.end()) {
      known->most = std::min(known->most, others + low);
    } else {
      capped.caps.push_back({c, option, others + low});
    }
    push_child(capped, relaxation, bound, piece, node.pieces[piece].count, any, any);
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

  // The piece with the most options, when there is any choice left.
  [[nodiscard]] std::size_t largest_piece() const {
    std::size_t piece = local_.classes();
    std::uint32_t most = 1;
    for (std::size_t p = 0; p < local_.classes(); ++p) {
      const std::uint32_t options = local_.first[p + 1] - local_.first[p];
      if (options <= most) continue;
      most = options;
      piece = p;
    }
    return piece;
  }

  // `restricted` members of the piece take what `first` allows, the others what `second` does.
  template <class First, class Second>
  void push_child(const Node& node, const Relaxation& relaxation, double bound, std::size_t split_piece,
                  std::uint32_t restricted, First first, Second second) {
    Node child;
    child.bound = bound;
    child.caps = node.caps;
    child.prices = relaxation.prices;
    child.prices.resize(table_.rows + node.caps.size(), 0.0);
    child.number = ++made_;
    child.searched = searched_;
    const double budget = relaxation.bound - wanted_;
    const auto add = [&](std::size_t p, std::uint32_t count, auto allowed) {
      Piece piece{node.pieces[p].group_class, count, static_cast<std::uint32_t>(child.open.size()), 0};
      for (std::uint32_t i = local_.first[p]; i < local_.first[p + 1]; ++i) {
        if (relaxation.loss[i] <= budget && allowed(i)) child.open.push_back(local_.option[i]);
      }
      piece.end = static_cast<std::uint32_t>(child.open.size());
      child.pieces.push_back(piece);
      return piece.end > piece.first;
    };
    const auto any = [](std::uint32_t) { return true; };
    for (std::size_t p = 0; p < node.pieces.size(); ++p) {
      const std::uint32_t count = node.pieces[p].count;
      if (p != split_piece) {
        if (!add(p, count, any)) return;
        continue;
      }
      if (!add(p, restricted, first)) return;
      if (count > restricted && !add(p, count - restricted, second)) return;
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
  double searched_ = 0.0;  // of the node being expanded
  Table local_;            // of the node being expanded
  BranchOutcome outcome_;
};

}  // namespace

BranchOutcome branch(const Table& table, const Relaxation& root, double wanted,
                     const std::function<double(const Selection&)>& accept, const std::function<bool()>& stop,
                     std::int64_t max_nodes) {
  return Tree(table, wanted, accept, stop, max_nodes).run(root);
}

}  // namespace saccade::ilp
