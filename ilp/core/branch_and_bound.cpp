#include "ilp/core/branch_and_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ilp/core/depth_first_search.hpp"
#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

constexpr std::int64_t kEagerNodes = 40;
constexpr std::int64_t kRoundEvery = 8;       // later, nodes between two rounding attempts
constexpr std::int64_t kSearchNodes = 5'000;  // about the cost of three nodes of this tree
constexpr double kSearchAgain = 0.8;          // of the budget of the last search that was not exhaustive
constexpr std::size_t kSearchGroups = 200;    // with more groups it costs more

struct Piece {
  std::uint32_t group_class, count;
  std::uint32_t first, end;  // into Node::open
};

// Branching row: at most `most` groups of the class take the option.
struct Cap {
  std::uint32_t group_class, option, most;
};

struct Node {
  double bound = 0.0;
  double searched = std::numeric_limits<double>::infinity();  // smallest budget not exhausted by a search
  std::int64_t number = 0;  // in order of creation, which breaks ties of the bound
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
  Tree(const Table& table, double cutoff, const OnCandidate& on_candidate, const WorkLimit& limit)
      : table_(table), cutoff_(cutoff), on_candidate_(on_candidate), stop_(limit.stop), meter_(limit, 1) {}

  BranchOutcome run(const LpRelaxation& root) {
    push_root(root);
    bool stopped = false;
    while (!stopped && !heap_.empty() && heap_.front().bound > cutoff_ && meter_.may_continue()) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      Node node = std::move(heap_.back());
      heap_.pop_back();
      if (expand(node)) continue;
      heap_.push_back(std::move(node));  // its bound stands
      std::push_heap(heap_.begin(), heap_.end(), later);
      stopped = true;
    }
    BranchOutcome outcome{meter_.outcome(), heap_.empty() ? cutoff_ : std::max(cutoff_, heap_.front().bound)};
    if (stopped) outcome.limit = Limit::stop;
    return outcome;
  }

 private:
  void push_root(const LpRelaxation& root) {
    Node node;
    node.bound = root.bound;
    node.prices = root.prices;
    for (std::uint32_t c = 0; c < table_.classes(); ++c) {
      Piece piece{c, static_cast<std::uint32_t>(table_.count[c]),
                  static_cast<std::uint32_t>(node.open.size()), 0};
      for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
        if (root.reduced_cost[i] <= root.bound - cutoff_) node.open.push_back(i);
      }
      piece.end = static_cast<std::uint32_t>(node.open.size());
      if (piece.end == piece.first) return;  // nothing above the cutoff
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

  // False if stopped before the node was finished.
  bool expand(const Node& node) {
    fill_table(node);
    const LpRelaxation relaxation = relax(local_, node.prices, stop_);
    if (relaxation.infeasible) return true;
    if (relaxation.stopped) return false;
    const double bound = std::min(node.bound, relaxation.bound);
    if (bound <= cutoff_) return true;
    const bool whole = std::none_of(relaxation.basic_pairs.begin(), relaxation.basic_pairs.end(), is_mixed);
    const bool rounds =
        whole || meter_.outcome().nodes <= kEagerNodes || meter_.outcome().nodes % kRoundEvery == 0;
    const bool searches =
        table_.class_of.size() <= kSearchGroups && bound - cutoff_ <= kSearchAgain * node.searched;
    if (rounds || searches) list_members(node);
    // If nothing is left to split, a truncated rounding could lose the only selection.
    if (rounds && !round(node, relaxation)) return false;
    if (bound <= cutoff_) return true;
    if (searches) {
      const Limit limit = search(node, relaxation);
      if (limit != Limit::work) return limit == Limit::none;
    }
    searched_ = searches ? bound - cutoff_ : node.searched;
    split(node, relaxation, bound);
    return true;
  }

  // None: the node is exhausted.
  Limit search(const Node& node, const LpRelaxation& relaxation) {
    const auto on_candidate = [&](const Selection& selection) {
      offer(node, selection);
      return cutoff_;
    };
    return search_depth_first(local_, relaxation, round_lp(local_, relaxation), cutoff_, on_candidate,
                              {stop_, kSearchNodes})
        .limit;
  }

  static double mixture(const LpRelaxation::BasicPair& pair) {
    const double fraction = pair.other_count - std::floor(pair.other_count);
    return std::min(fraction, 1.0 - fraction);
  }
  static bool is_mixed(const LpRelaxation::BasicPair& pair) { return mixture(pair) > kIntegral; }

  // The groups of every piece, as groups of the local table.
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

  // False if stopped; a selection found by then is offered all the same.
  bool round(const Node& node, const LpRelaxation& relaxation) {
    bool stopped = false;
    const std::function<bool()> stop = [&] { return stopped = stopped || (stop_ && stop_()); };
    Selection selection = round_lp(local_, relaxation);
    if (repair(local_, relaxation.reduced_cost, selection, stop)) {
      improve(local_, selection, stop);
      offer(node, selection);
    }
    return !stopped;
  }

  // A selection of the local table as one of the root table.
  void offer(const Node& node, const Selection& selection) {
    std::vector<std::uint32_t> used(table_.classes(), 0), at(table_.class_of.size());
    for (std::size_t i = 0; i < selection.option.size(); ++i) {
      const std::uint32_t c = node.pieces[local_.class_of[i]].group_class;
      at[table_.members[c][used[c]++]] = local_.option[selection.option[i]];
    }
    double value = 0.0;
    for (const std::uint32_t i : at) value += table_.value[i];
    if (value <= cutoff_) return;
    cutoff_ = std::max(cutoff_, on_candidate_(selection_of(table_, std::move(at))));
  }

  void split(const Node& node, const LpRelaxation& relaxation, double bound) {
    const LpRelaxation::BasicPair* mixed = nullptr;
    for (const LpRelaxation::BasicPair& pair : relaxation.basic_pairs) {
      if (is_mixed(pair) && (mixed == nullptr || mixture(pair) > mixture(*mixed))) mixed = &pair;
    }
    const std::size_t piece = mixed != nullptr ? mixed->group_class : largest_piece();
    if (piece == node.pieces.size()) return;  // a single selection, already considered
    if (node.pieces[piece].count > 1) {
      if (mixed != nullptr) {
        split_count(node, relaxation, bound, piece, mixed->other,
                    static_cast<std::uint32_t>(std::max(std::floor(mixed->other_count), 0.0)));
      } else {
        // As many as the LP takes, or fewer: then it has to change.
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
    for (const bool upper : {true, false}) {
      push_child(
          node, relaxation, bound, piece, 1,
          [&](std::uint32_t i) { return (side[i - local_.first[piece]] != 0) == upper; }, any);
    }
  }

  // Identical groups: more than `low` of the piece take the option of the local table, or at most `low`.
  void split_count(const Node& node, const LpRelaxation& relaxation, double bound, std::size_t piece,
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
    std::uint32_t others = 0;  // groups of other pieces of the class that may take the option too
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

  // 1 for the options on the side of `other`, 0 for those on the side of `base`: by value or, if both have
  // the same, by the use in which they differ most.
  [[nodiscard]] std::vector<char> between(const LpRelaxation::BasicPair& pair) const {
    std::size_t row = local_.rows;
    double most = 0.0;
    for (std::size_t k = 0; k < local_.rows; ++k) {
      const double difference = std::abs(local_.use_of(pair.base)[k] - local_.use_of(pair.other)[k]);
      if (difference <= most) continue;
      most = difference;
      row = k;
    }
    const bool by_value = std::abs(local_.value[pair.base] - local_.value[pair.other]) > 1e-9;
    const auto key = [&](std::uint32_t i) { return by_value ? local_.value[i] : local_.use_of(i)[row]; };
    const double threshold = 0.5 * (key(pair.base) + key(pair.other));
    std::vector<char> side;
    for (std::uint32_t i = local_.first[pair.group_class]; i < local_.first[pair.group_class + 1]; ++i) {
      side.push_back((key(i) > threshold) == (key(pair.other) > threshold) ? 1 : 0);
    }
    return side;
  }

  // The piece with the most options, if any choice is left.
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

  // `restricted` groups of the piece take what `first` allows, the others what `second` does.
  template <class First, class Second>
  void push_child(const Node& node, const LpRelaxation& relaxation, double bound, std::size_t split_piece,
                  std::uint32_t restricted, First first, Second second) {
    Node child;
    child.bound = bound;
    child.caps = node.caps;
    child.prices = relaxation.prices;
    child.prices.resize(table_.rows + node.caps.size(), 0.0);
    child.number = ++made_;
    child.searched = searched_;
    const double budget = relaxation.bound - cutoff_;
    const auto add = [&](std::size_t p, std::uint32_t count, auto allowed) {
      Piece piece{node.pieces[p].group_class, count, static_cast<std::uint32_t>(child.open.size()), 0};
      for (std::uint32_t i = local_.first[p]; i < local_.first[p + 1]; ++i) {
        if (relaxation.reduced_cost[i] <= budget && allowed(i)) child.open.push_back(local_.option[i]);
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
  double cutoff_;
  const OnCandidate& on_candidate_;
  const std::function<bool()>& stop_;
  WorkMeter meter_;
  std::vector<Node> heap_;
  std::int64_t made_ = 0;
  double searched_ = 0.0;  // of the node being expanded
  Table local_;            // of the node being expanded
};

}  // namespace

BranchOutcome branch_and_bound(const Table& table, const LpRelaxation& root, double cutoff,
                               const OnCandidate& on_candidate, const WorkLimit& limit) {
  return Tree(table, cutoff, on_candidate, limit).run(root);
}

}  // namespace saccade::ilp
