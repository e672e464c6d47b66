#include "fleet/place.hpp"

#include <algorithm>
#include <cstdint>

#include "ilp/tolerances.hpp"

namespace saccade::fleet {
namespace {

class Placing {
 public:
  Placing(const Model& model, const Prices& prices, const std::vector<std::size_t>& from)
      : model_(model), prices_(prices), box_(from) {
    box_.resize(model.items().size(), kNone);
    const std::size_t boxes = model.problem().boxes.size();
    load_.resize(boxes);
    lean_.resize(boxes);
    count_.resize(boxes, 0);
    for (std::size_t b = 0; b < boxes; ++b) load_[b].assign(model.kind_of(b).capacity.size(), 0.0);
    lean_ = load_;
    for (const SpreadGroup& spread : model.spreads()) room_.emplace_back(spread.cells, spread.rule.most);
    for (std::size_t i = 0; i < box_.size(); ++i) {
      total_ += size_of(i);
      if (box_[i] != kNone) put(i, box_[i]);
    }
  }

  std::vector<std::size_t> run() {
    for (const std::vector<std::size_t>& unit : in_order()) {
      const std::size_t box = best_box(unit);
      if (box == kNone) continue;
      for (const std::size_t camera : unit) put(camera, box);
    }
    return std::move(box_);
  }

 private:
  [[nodiscard]] double size_of(std::size_t camera) const {
    const Item& item = model_.items()[camera];
    return model_.allowed(item).empty() ? 0.0 : item.weight * item.rate;
  }

  // What has no box yet, as units; a camera by itself is a unit.
  [[nodiscard]] std::vector<std::vector<std::size_t>> in_order() const {
    std::vector<std::vector<std::size_t>> units;
    std::vector<bool> seen(model_.units().size(), false);
    for (std::size_t i = 0; i < box_.size(); ++i) {
      const Item& item = model_.items()[i];
      if (box_[i] != kNone || model_.allowed(item).empty()) continue;
      if (item.unit == kNone) {
        units.push_back({i});
      } else if (!seen[item.unit]) {
        seen[item.unit] = true;
        units.emplace_back();
        for (const std::size_t other : model_.units()[item.unit]) {
          if (box_[other] == kNone && !model_.allowed(model_.items()[other]).empty())
            units.back().push_back(other);
        }
      }
    }
    const auto size = [this](const std::vector<std::size_t>& unit) {
      double sum = 0.0;
      for (const std::size_t camera : unit) sum += size_of(camera);
      return sum;
    };
    std::stable_sort(units.begin(), units.end(), [&](const auto& a, const auto& b) {
      const std::size_t rank_a = model_.items()[a.front()].rank;
      const std::size_t rank_b = model_.items()[b.front()].rank;
      return rank_a != rank_b ? rank_a < rank_b : size(a) > size(b);
    });
    return units;
  }

  // Members of its unit that have a box already decide.
  [[nodiscard]] std::size_t bound_to(std::size_t camera) const {
    const std::size_t unit = model_.items()[camera].unit;
    if (unit == kNone) return kNone;
    for (const std::size_t other : model_.units()[unit]) {
      if (box_[other] != kNone) return box_[other];
    }
    return kNone;
  }

  [[nodiscard]] bool may_take(const std::vector<std::size_t>& unit, std::size_t box) const {
    const Kind& kind = model_.kind_of(box);
    const std::size_t most = std::min(kind.max_cameras.value_or(kMostCamerasPerBox), kMostCamerasPerBox);
    if (count_[box] + unit.size() > most) return false;
    for (const std::size_t camera : unit) {
      if (!model_.allowed(camera, box)) return false;
      const std::size_t s = model_.items()[camera].spread;
      if (s == kNone || model_.spreads()[s].cell[box] == kNone) continue;
      const auto same = static_cast<std::size_t>(std::count_if(
          unit.begin(), unit.end(), [&](std::size_t other) { return model_.items()[other].spread == s; }));
      if (room_[s][model_.spreads()[s].cell[box]] < same) return false;
    }
    return true;
  }

  struct Wanted {  // what a unit would use on a kind of boxes, at the prices of a group
    double value = 0.0;
    std::vector<double> use;
    std::vector<double> lean;
  };
  [[nodiscard]] Wanted wanted(const std::vector<std::size_t>& unit, std::size_t group) const {
    const std::size_t k = model_.groups()[group].kind;
    const Kind& kind = model_.kinds()[k];
    Wanted wanted;
    wanted.use.assign(kind.capacity.size(), 0.0);
    wanted.lean = wanted.use;
    for (const std::size_t camera : unit) {
      const Item& item = model_.items()[camera];
      const Menu& menu = model_.menu(k, item.menu);
      if (menu.empty()) return {-ilp::kInfinite, {}, {}};
      const Reduced best = best_at(kind, menu, item, prices_.of[group]);
      wanted.value += best.value;
      for (std::size_t row = 0; row < wanted.use.size(); ++row) {
        wanted.use[row] += use_of(kind, menu[best.offer], row, item.rate);
        wanted.lean[row] += lean_use(kind, menu, item, row);
      }
    }
    return wanted;
  }

  [[nodiscard]] std::size_t best_box(const std::vector<std::size_t>& unit) {
    double size = 0.0;
    double weight = 0.0;
    for (const std::size_t camera : unit) {
      size += size_of(camera);
      weight += model_.items()[camera].weight;
    }
    progress_ = std::max((placed_ + size) / std::max(total_, 1e-12), 1e-9);
    const std::size_t bound = bound_to(unit.front());
    double most = -ilp::kInfinite;
    std::size_t best = kNone;
    for (const std::size_t group : model_.allowed(model_.items()[unit.front()])) {
      const Wanted want = wanted(unit, group);
      if (want.value == -ilp::kInfinite) continue;
      for (const std::size_t box : model_.groups()[group].boxes) {
        if (bound != kNone && box != bound) continue;
        const double score = score_of(unit, weight, want, group, box);
        if (score > most && may_take(unit, box)) {
          most = score;
          best = box;
        }
      }
    }
    return best;
  }

  [[nodiscard]] double score_of(const std::vector<std::size_t>& unit, double weight, const Wanted& want,
                                std::size_t group, std::size_t box) const {
    const std::vector<double>& capacity = model_.kind_of(box).capacity;
    double score = want.value;
    double fill = 0.0;
    for (std::size_t row = 0; row < capacity.size(); ++row) {
      const double room = std::max(capacity[row], 1e-12);
      if (lean_[box][row] + want.lean[row] > room) return -ilp::kInfinite;
      const double full = (load_[box][row] + want.use[row]) / room;
      fill = std::max(fill, full);
      score -= prices_.of[group][row] * want.use[row] * 2.0 * (full / progress_ - 1.0);
    }
    score -= 1e-3 * weight * fill / progress_;
    const Item& item = model_.items()[unit.front()];
    return item.home == kNone || item.home == box ? score : score - item.moving_cost;
  }

  void put(std::size_t camera, std::size_t box) {
    const Item& item = model_.items()[camera];
    box_[camera] = box;
    placed_ += size_of(camera);
    ++count_[box];
    const Wanted want = wanted({camera}, model_.group_of(box));
    for (std::size_t row = 0; row < want.use.size(); ++row) {
      load_[box][row] += want.use[row];
      lean_[box][row] += want.lean[row];
    }
    if (item.spread == kNone) return;
    const std::size_t cell = model_.spreads()[item.spread].cell[box];
    if (cell != kNone && room_[item.spread][cell] > 0) --room_[item.spread][cell];
  }

  const Model& model_;
  const Prices& prices_;
  std::vector<std::size_t> box_;  // per camera
  std::vector<std::vector<double>> load_;
  std::vector<std::vector<double>> lean_;
  std::vector<std::size_t> count_;
  std::vector<std::vector<std::size_t>> room_;
  double total_ = 0.0;
  double placed_ = 0.0;
  double progress_ = 0.0;
};

// FNV-1a, 64 bits: the same on every machine.
std::uint64_t hash_of(const std::string& id) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

}  // namespace

std::vector<std::size_t> place(const Model& model, const Prices& prices,
                               const std::vector<std::size_t>& from) {
  return Placing(model, prices, from).run();
}

std::vector<std::size_t> place_naively(const Model& model, NaiveRule rule) {
  std::vector<std::size_t> placed(model.items().size(), kNone);
  std::vector<double> used(model.problem().boxes.size(), 0.0);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const std::vector<std::size_t> boxes = model.boxes_for(i);
    if (boxes.empty()) continue;
    const Item& item = model.items()[i];
    const auto lean_time = [&](std::size_t box) {
      const Kind& kind = model.kind_of(box);
      return lean_use(kind, model.menu_on(item, box), item, 0) / std::max(kind.capacity[0], 1e-12);
    };
    std::size_t best = boxes[hash_of(model.problem().cameras[i].task.id.str()) % boxes.size()];
    if (rule != NaiveRule::hash) {
      const auto load = [&](std::size_t box) {
        return rule == NaiveRule::even_count ? used[box] : used[box] + lean_time(box);
      };
      best = *std::min_element(boxes.begin(), boxes.end(),
                               [&](std::size_t a, std::size_t b) { return load(a) < load(b); });
    }
    placed[i] = best;
    used[best] += rule == NaiveRule::even_count ? 1.0 : lean_time(best);
  }
  return placed;
}

}  // namespace saccade::fleet
