#include "fleet/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "ilp/tolerances.hpp"

namespace saccade::fleet {
namespace {

// Which groups hang together: union-find, with the first group of a part as its root.
class Joined {
 public:
  explicit Joined(std::size_t groups) : parent_(groups) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  [[nodiscard]] std::size_t root(std::size_t group) {
    while (parent_[group] != group) {
      parent_[group] = parent_[parent_[group]];
      group = parent_[group];
    }
    return group;
  }
  void join(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

std::vector<Part> parts_of(const Model& model) {
  Joined joined(model.groups().size());
  std::vector<bool> used(model.groups().size(), false);
  std::vector<bool> known;  // per row of the table of allowed groups
  for (const Item& item : model.items()) {
    if (item.groups >= known.size()) known.resize(item.groups + 1, false);
    if (known[item.groups]) continue;
    known[item.groups] = true;
    for (const std::size_t group : model.allowed(item)) {
      used[group] = true;
      joined.join(group, model.allowed(item).front());
    }
  }
  std::vector<Part> parts;
  std::vector<std::size_t> part_of(model.groups().size(), kNone);  // of a root
  for (std::size_t group = 0; group < model.groups().size(); ++group) {
    if (!used[group]) continue;
    std::size_t& part = part_of[joined.root(group)];
    if (part == kNone) {
      part = parts.size();
      parts.emplace_back();
    }
    parts[part].groups.push_back(group);
  }
  for (std::size_t i = 0; i < model.items().size(); ++i) {
    const std::vector<std::size_t>& groups = model.allowed(model.items()[i]);
    if (!groups.empty()) parts[part_of[joined.root(groups.front())]].cameras.push_back(i);
  }
  return parts;
}

Relaxation::Relaxation(const Model& model, const Stage& stage, const Part& part)
    : model_(model), stage_(stage) {
  std::vector<std::size_t> first_row;
  for (const std::size_t g : part.groups) {
    const Group& group = model.groups()[g];
    first_row.push_back(capacity_.size());
    for (const double amount : model.kinds()[group.kind].capacity) {
      capacity_.push_back(amount * static_cast<double>(group.boxes.size()));
    }
  }
  load_.resize(capacity_.size());
  const auto local = [&](std::size_t group) {
    return static_cast<std::size_t>(std::lower_bound(part.groups.begin(), part.groups.end(), group) -
                                    part.groups.begin());
  };
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> place_keys;   // group and menu
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> places_keys;  // allowed groups and menu
  using ClassKey = std::tuple<std::size_t, std::size_t, double, double, double, double>;
  std::map<ClassKey, std::size_t> class_keys;
  seekers_.reserve(part.cameras.size());
  for (const std::size_t camera : part.cameras) {
    const Item& item = model.items()[camera];
    const auto [row, fresh] = places_keys.emplace(std::pair(item.groups, item.menu), places_of_.size());
    if (fresh) places_of_.emplace_back();
    for (std::size_t n = 0; fresh && n < model.allowed(item).size(); ++n) {
      const std::size_t g = model.allowed(item)[n];
      const auto [place, added] = place_keys.emplace(std::pair(g, item.menu), places_.size());
      places_of_.back().push_back(place->second);
      if (added) add_place(item, g, local(g), first_row[local(g)]);
    }
    const ClassKey key(row->second, item.rank, item.rate, item.weight, item.floor, item.time_share);
    const auto [its_class, first] = class_keys.emplace(key, classes_.size());
    if (first) classes_.push_back(class_of(item, row->second));
    add(item, its_class->second, part.groups);
  }
}

void Relaxation::add_place(const Item& item, std::size_t group, std::size_t local, std::size_t first_row) {
  const std::size_t kind = model_.groups()[group].kind;
  const Menu& menu = model_.menu(kind, item.menu);
  places_.push_back({local, first_row, priced_.size(), &model_.kinds()[kind], &menu});
  priced_.resize(priced_.size() + menu.size());
}

Relaxation::Class Relaxation::class_of(const Item& item, std::size_t places) const {
  using Measure = Stage::Measure;
  Class alike;
  alike.item = &item;
  alike.places = places;
  alike.lowered = stage_.may_be_lowered[item.rank];
  const bool own = stage_.measure != Measure::value && item.rank == stage_.rank;
  alike.off = -ilp::kInfinite;
  if (stage_.may_be_off[item.rank]) {
    alike.off = stage_.off_penalty * item.weight;
    if (own) alike.off = -item.weight * (stage_.measure == Measure::rate_loss ? item.rate : 1.0);
  }
  if (own && stage_.measure == Measure::rate_loss) alike.lost_rate = -item.weight;
  return alike;
}

void Relaxation::add(const Item& item, std::size_t its_class, const std::vector<std::size_t>& groups) {
  Seeker& seeker = seekers_.emplace_back();
  seeker.its_class = its_class;
  weight_ += item.weight;
  if (stage_.measure != Stage::Measure::value || item.home == kNone) return;
  seeker.moving_cost = item.moving_cost;
  for (const std::size_t place : places_of_[classes_[its_class].places]) {
    if (groups[places_[place].group] == model_.group_of(item.home)) seeker.home = place;
  }
}

double Relaxation::pass(const std::vector<double>& prices) {
  price_offers(prices);
  std::fill(load_.begin(), load_.end(), 0.0);
  double sum = 0.0;
  for (std::size_t row = 0; row < prices.size(); ++row) sum += prices[row] * std::max(capacity_[row], 0.0);
  double size = sum;  // of the terms, for the rounding
  for (Class& alike : classes_) {
    alike.best = {-ilp::kInfinite};
    for (const std::size_t place : places_of_[alike.places]) try_place(alike, places_[place], alike.best);
  }
  for (const Seeker& seeker : seekers_) {
    const Best best = best_of(seeker);
    sum += best.value;
    size += std::abs(best.value);
    if (best.rate > 0.0) take(best);
  }
  const double terms = static_cast<double>(seekers_.size() + 64);
  // 1e-9: a row counts as satisfied up to that (ilp::holds).
  return sum + size * (2e-9 + 4.0 * std::numeric_limits<double>::epsilon() * terms);
}

void Relaxation::price_offers(const std::vector<double>& prices) {
  const double share = stage_.measure == Stage::Measure::value ? 1.0 : 0.0;
  for (const Place& place : places_) {
    const std::size_t rows = place.kind->capacity.size();
    Priced* priced = &priced_[place.first];
    for (const Offer& offer : *place.menu) {
      double rate = 0.0;
      double fixed = 0.0;
      for (std::size_t row = 0; row < rows; ++row) {
        (place.kind->per_frame[row] ? rate : fixed) += prices[place.first_row + row] * offer.use[row];
      }
      *priced++ = {share * offer.accuracy, share * offer.per_frame - rate, share * offer.per_camera - fixed};
    }
  }
}

Relaxation::Best Relaxation::best_of(const Seeker& seeker) const {
  const Class& alike = classes_[seeker.its_class];
  const Place* home = seeker.home == kNone ? nullptr : &places_[seeker.home];
  Best best;
  best.value = alike.off;
  // Of places that are as good as each other the first is taken.
  const bool home_first =
      home != nullptr && alike.best.place != nullptr && home->group < alike.best.place->group;
  if (home_first) try_place(alike, *home, best);
  // The best place of all may be the home: then it is found again, and costs no move.
  const double value = alike.best.value - seeker.moving_cost;
  if (value > best.value) {
    best = alike.best;
    best.value = value;
  }
  if (home != nullptr && !home_first) try_place(alike, *home, best);
  return best;
}

void Relaxation::try_place(const Class& alike, const Place& place, Best& best) const {
  const Item& item = *alike.item;
  const Priced* priced = &priced_[place.first];
  for (std::size_t o = 0; o < place.menu->size(); ++o) {
    const double whole = item.weight * priced[o].x + item.rate * priced[o].y + priced[o].z;
    if (whole > best.value) best = {whole, &place, o, item.rate};
  }
  if (!alike.lowered) return;
  const bool same = item.time_share == 0.0;  // the floor is the same for all offers
  for (std::size_t o = 0; o < place.menu->size(); ++o) {
    const double rate = same ? item.floor : floor_of(item, (*place.menu)[o]);
    const double least = item.weight * priced[o].x * (rate / item.rate) + rate * priced[o].y + priced[o].z +
                         alike.lost_rate * (item.rate - rate);
    if (least > best.value) best = {least, &place, o, rate};
  }
}

void Relaxation::take(const Best& best) {
  const Place& place = *best.place;
  const Offer& offer = (*place.menu)[best.offer];
  for (std::size_t row = 0; row < place.kind->capacity.size(); ++row) {
    load_[place.first_row + row] += use_of(*place.kind, offer, row, best.rate);
  }
}

}  // namespace saccade::fleet
