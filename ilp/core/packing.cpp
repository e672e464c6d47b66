#include "ilp/core/packing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

constexpr std::size_t kMostChanges = 2000;

struct Place {
  std::size_t bin;
  double size;  // of the item there
  std::uint32_t option;
};

struct Item {
  std::size_t group;
  std::vector<Place> places;  // one per bin it may be in
  std::size_t at = 0;         // into places
  bool prefers = false;       // places.front() is better than every other one
  [[nodiscard]] const Place& place() const { return places[at]; }
};

// Whether the levels of `a` are preferred, or equal and it stands first.
bool preferred(const Option& a, const Option& b) {
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    if (a.levels[i] != b.levels[i]) return a.levels[i] > b.levels[i];
  }
  return false;
}

class Bins {
 public:
  Bins(const ChoiceProblem& problem, const std::vector<EqualRow>& rows) {
    for (const EqualRow& each : rows) {
      rows_.push_back(each.row);
      capacity_.push_back(usable_capacity(problem, each.row) * (1.0 - kRounding));
    }
    load_.assign(rows_.size(), 0.0);
  }

  // The bin whose row the option uses; rows_.size(): none.
  [[nodiscard]] std::size_t bin_of(const Option& option) const {
    std::size_t bin = 0;
    while (bin < rows_.size() && option.use[rows_[bin]] <= 0.0) ++bin;
    return bin;
  }
  [[nodiscard]] std::size_t count() const { return rows_.size(); }
  [[nodiscard]] std::size_t row(std::size_t bin) const { return rows_[bin]; }

  void fill(std::vector<Item>& items) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < items.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (items[a].prefers != items[b].prefers) return items[a].prefers;
      return items[a].place().size > items[b].place().size;
    });
    for (const std::size_t i : order) {
      Item& item = items[i];
      if (!item.prefers) item.at = emptiest(item);
      load_[item.place().bin] += item.place().size;
    }
  }

  // False if nothing lowers the overflow any more.
  bool settle(std::vector<Item>& items) {
    for (std::size_t change = 0; change < kMostChanges; ++change) {
      const double over = overflow();
      if (over <= 0.0) return true;
      if (!lower(items, over)) return false;
    }
    return overflow() <= 0.0;
  }

 private:
  struct Change {
    double left = 0.0;  // overflow of the bins it touches, less what it was
    std::size_t item = 0, to = 0;
    std::size_t other = kNone, other_to = 0;
  };
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] double over(std::size_t bin, double load) const {
    return std::max(load - capacity_[bin], 0.0);
  }
  [[nodiscard]] double overflow() const {
    double sum = 0.0;
    for (std::size_t bin = 0; bin < load_.size(); ++bin) sum += over(bin, load_[bin]);
    return sum;
  }

  [[nodiscard]] std::size_t emptiest(const Item& item) const {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < item.places.size(); ++p) {
      const Place& place = item.places[p];
      const double full = (load_[place.bin] + place.size) / std::max(capacity_[place.bin], kRounding);
      if (full >= least) continue;
      least = full;
      best = p;
    }
    return best;
  }

  static std::size_t place_in(const Item& item, std::size_t bin) {
    std::size_t p = 0;
    while (p < item.places.size() && item.places[p].bin != bin) ++p;
    return p;
  }

  // Applies the change that leaves the least overflow.
  bool lower(std::vector<Item>& items, double before) {
    Change best;
    best.left = -1e-15 * (1.0 + before);
    bool any = false;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::size_t from = items[i].place().bin;
      if (over(from, load_[from]) <= 0.0) continue;
      for (std::size_t p = 0; p < items[i].places.size(); ++p) {
        if (items[i].places[p].bin == from) continue;
        any = consider(move(items[i], i, p), best) || any;
      }
      for (std::size_t j = 0; j < items.size(); ++j) {
        if (items[j].place().bin != from) any = consider(swap(items, i, j), best) || any;
      }
    }
    if (!any) return false;
    put(items[best.item], best.to);
    if (best.other != kNone) put(items[best.other], best.other_to);
    return true;
  }

  static bool consider(const std::optional<Change>& change, Change& best) {
    if (!change || change->left >= best.left) return false;
    best = *change;
    return true;
  }

  [[nodiscard]] std::optional<Change> move(const Item& item, std::size_t i, std::size_t p) const {
    const Place& from = item.place();
    const Place& to = item.places[p];
    const double left = over(from.bin, load_[from.bin] - from.size) + over(to.bin, load_[to.bin] + to.size) -
                        over(from.bin, load_[from.bin]) - over(to.bin, load_[to.bin]);
    return Change{left, i, p};
  }

  [[nodiscard]] std::optional<Change> swap(const std::vector<Item>& items, std::size_t i,
                                           std::size_t j) const {
    const std::size_t a = items[i].place().bin, b = items[j].place().bin;
    const std::size_t i_to = place_in(items[i], b), j_to = place_in(items[j], a);
    if (i_to == items[i].places.size() || j_to == items[j].places.size()) return std::nullopt;
    const double in_a = load_[a] - items[i].place().size + items[j].places[j_to].size;
    const double in_b = load_[b] - items[j].place().size + items[i].places[i_to].size;
    const double left = over(a, in_a) + over(b, in_b) - over(a, load_[a]) - over(b, load_[b]);
    return Change{left, i, i_to, j, j_to};
  }

  void put(Item& item, std::size_t to) {
    load_[item.place().bin] -= item.place().size;
    item.at = to;
    load_[item.place().bin] += item.place().size;
  }

  std::vector<std::size_t> rows_;
  std::vector<double> capacity_;
  std::vector<double> load_;
};

// The options that a merged one stands for as places of an item, the preferred one first.
Item item_of(const ChoiceProblem& problem, std::size_t group, const std::vector<std::uint32_t>& options,
             const Bins& bins) {
  Item item{group, {}};
  const std::vector<Option>& all = problem.groups[group].options;
  std::vector<std::uint32_t> order = options;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return preferred(all[a], all[b]); });
  item.prefers = order.size() > 1 && preferred(all[order[0]], all[order[1]]);
  for (const std::uint32_t option : order) {
    const std::size_t bin = bins.bin_of(all[option]);
    if (bin == bins.count()) continue;
    const bool known = std::any_of(item.places.begin(), item.places.end(),
                                   [&](const Place& place) { return place.bin == bin; });
    if (!known) item.places.push_back({bin, all[option].use[bins.row(bin)], option});
  }
  return item;
}

}  // namespace

std::optional<Picks> pack(const ChoiceProblem& problem, const MergedRows& merged, const Picks& picks) {
  Picks packed(picks.size());
  for (std::size_t group = 0; group < picks.size(); ++group) {
    packed[group] = merged.stand[group][picks[group]].front();
  }
  for (const std::vector<EqualRow>& rows : problem.equal_rows) {
    Bins bins(problem, rows);
    std::vector<Item> items;
    for (std::size_t group = 0; group < picks.size(); ++group) {
      Item item = item_of(problem, group, merged.stand[group][picks[group]], bins);
      if (!item.places.empty()) items.push_back(std::move(item));
    }
    bins.fill(items);
    if (!bins.settle(items)) return std::nullopt;
    for (const Item& item : items) packed[item.group] = item.place().option;
  }
  return packed;
}

}  // namespace saccade::ilp
