#include "fleet/prices.hpp"

#include <algorithm>
#include <cmath>

#include "ilp/tolerances.hpp"

namespace saccade::fleet {
namespace {

// An offer at the current prices of a group: the reduced value at rate g of a camera of weight w and demand f
// is w x g/f + g y + z.
struct Priced {
  double x;
  double y;
  double z;
};

struct Best {
  double value = -ilp::kInfinite;
  std::size_t group = 0;
  std::size_t offer = 0;
  double rate = 0.0;
};

class Relaxation {
 public:
  Relaxation(const Model& model, const Stage& stage) : model_(model), stage_(stage) {
    for (const Group& group : model.groups()) {
      std::vector<double> capacity = model.kinds()[group.kind].capacity;
      for (double& amount : capacity) amount *= static_cast<double>(group.boxes.size());
      capacity_.push_back(std::move(capacity));
    }
    priced_.resize(model.groups().size() * model.menus());
    needed_.resize(priced_.size(), false);
    for (const Item& item : model.items()) {
      for (const std::size_t group : model.allowed(item)) needed_[group * model.menus() + item.menu] = true;
    }
  }

  [[nodiscard]] const std::vector<std::vector<double>>& capacity() const { return capacity_; }
  [[nodiscard]] const std::vector<std::vector<double>>& load() const { return load_; }

  // L at these prices; load() is then what the best choices use.
  double pass(const std::vector<std::vector<double>>& prices) {
    price_offers(prices);
    load_.clear();
    double sum = 0.0;
    double size = 0.0;  // of the terms, for the rounding
    for (std::size_t g = 0; g < prices.size(); ++g) {
      load_.emplace_back(prices[g].size(), 0.0);
      for (std::size_t row = 0; row < prices[g].size(); ++row)
        sum += prices[g][row] * std::max(capacity_[g][row], 0.0);
    }
    size += sum;
    for (const Item& item : model_.items()) {
      if (model_.allowed(item).empty()) continue;
      const Best best = best_of(item);
      sum += best.value;
      size += std::abs(best.value);
      if (best.rate > 0.0) take(item, best);
    }
    const double terms = static_cast<double>(model_.items().size() + 64);
    // 1e-9: a row counts as satisfied up to that (ilp::holds).
    return sum + size * (2e-9 + 4.0 * std::numeric_limits<double>::epsilon() * terms);
  }

 private:
  void price_offers(const std::vector<std::vector<double>>& prices) {
    const double share = stage_.measure == Stage::Measure::value ? 1.0 : 0.0;
    for (std::size_t g = 0; g < model_.groups().size(); ++g) {
      const std::size_t k = model_.groups()[g].kind;
      const Kind& kind = model_.kinds()[k];
      for (std::size_t m = 0; m < model_.menus(); ++m) {
        std::vector<Priced>& priced = priced_[g * model_.menus() + m];
        if (!needed_[g * model_.menus() + m]) continue;
        const Menu& menu = model_.menu(k, m);
        priced.resize(menu.size());
        for (std::size_t o = 0; o < menu.size(); ++o) {
          double rate = 0.0;
          double fixed = 0.0;
          for (std::size_t row = 0; row < prices[g].size(); ++row) {
            (kind.per_frame[row] ? rate : fixed) += prices[g][row] * menu[o].use[row];
          }
          priced[o] = {share * menu[o].accuracy, share * menu[o].per_frame - rate,
                       share * menu[o].per_camera - fixed};
        }
      }
    }
  }

  [[nodiscard]] Best best_of(const Item& item) const {
    Best best;
    const bool value = stage_.measure == Stage::Measure::value;
    const bool own = !value && item.rank == stage_.rank;
    const bool loses_rate = own && stage_.measure == Stage::Measure::rate_loss;
    const bool loses_weight = own && stage_.measure == Stage::Measure::weight_off;
    if (stage_.may_be_off[item.rank]) {
      best.value = stage_.off_penalty * item.weight;
      if (loses_rate) best.value = -item.weight * item.rate;
      if (loses_weight) best.value = -item.weight;
    }
    const bool lowered = stage_.may_be_lowered[item.rank];
    for (const std::size_t g : model_.allowed(item)) {
      const std::vector<Priced>& priced = priced_[g * model_.menus() + item.menu];
      const bool moves = item.home != kNone && model_.group_of(item.home) != g;
      const double cost = value && moves ? item.moving_cost : 0.0;
      for (std::size_t o = 0; o < priced.size(); ++o) {
        const Priced& p = priced[o];
        const double whole = item.weight * p.x + item.rate * p.y + p.z - cost;
        if (whole > best.value) best = {whole, g, o, item.rate};
        if (!lowered) continue;
        const Menu& menu = model_.menu(model_.groups()[g].kind, item.menu);
        const double rate = floor_of(item, menu[o]);
        double least = item.weight * p.x * (rate / item.rate) + rate * p.y + p.z - cost;
        if (loses_rate) least -= item.weight * (item.rate - rate);
        if (least > best.value) best = {least, g, o, rate};
      }
    }
    return best;
  }

  void take(const Item& item, const Best& best) {
    const Kind& kind = model_.kinds()[model_.groups()[best.group].kind];
    const Offer& offer = model_.menu(model_.groups()[best.group].kind, item.menu)[best.offer];
    for (std::size_t row = 0; row < kind.capacity.size(); ++row) {
      load_[best.group][row] += use_of(kind, offer, row, best.rate);
    }
  }

  const Model& model_;
  const Stage& stage_;
  std::vector<std::vector<double>> capacity_;
  std::vector<std::vector<double>> load_;
  std::vector<std::vector<Priced>> priced_;  // by group and menu
  std::vector<bool> needed_;
};

// All capacity of the fleet bought for what all cameras are worth.
std::vector<std::vector<double>> mean_prices(const Relaxation& relaxation, double worth) {
  std::vector<std::vector<double>> prices;
  double rows = 0.0;
  for (const auto& capacity : relaxation.capacity()) rows += static_cast<double>(capacity.size());
  for (const auto& capacity : relaxation.capacity()) {
    prices.emplace_back();
    for (const double amount : capacity) {
      prices.back().push_back(0.1 * worth / rows / std::max(amount, 1e-12));
    }
  }
  return prices;
}

class Steps {
 public:
  explicit Steps(const std::vector<std::vector<double>>& prices) : prices_(prices) {
    for (const auto& row : prices) {
      size_.emplace_back(row.size(), 0.4);
      sign_.emplace_back(row.size(), 0);
    }
  }

  [[nodiscard]] const std::vector<std::vector<double>>& prices() const { return prices_; }

  void step(const Relaxation& relaxation) {
    for (std::size_t g = 0; g < prices_.size(); ++g) {
      for (std::size_t row = 0; row < prices_[g].size(); ++row) {
        const double capacity = std::max(relaxation.capacity()[g][row], 1e-12);
        const double excess = relaxation.load()[g][row] / capacity - 1.0;
        const int sign = excess > 0.0 ? 1 : -1;
        double& size = size_[g][row];
        if (sign_[g][row] != 0) size *= sign == sign_[g][row] ? 1.15 : 0.55;
        size = std::clamp(size, 1e-6, 1.0);
        sign_[g][row] = sign;
        prices_[g][row] *= std::exp(sign * std::min(size, 4.0 * std::abs(excess)));
      }
    }
  }

 private:
  std::vector<std::vector<double>> prices_;
  std::vector<std::vector<double>> size_;
  std::vector<std::vector<int>> sign_;
};

}  // namespace

Stage steering_stage(const Model& model) {
  Stage stage;
  stage.may_be_off.assign(model.ranks(), true);
  stage.may_be_lowered.assign(model.ranks(), false);
  double most = 0.0;  // what serving a camera of weight 1 is worth, or costs
  for (const Item& item : model.items()) {
    for (const std::size_t group : model.allowed(item)) {
      for (const Offer& offer : model.menu(model.groups()[group].kind, item.menu)) {
        most = std::max(most, std::abs(value_of(item, offer, item.rate)) / item.weight);
      }
    }
  }
  stage.off_penalty = -3.0 * most;
  return stage;
}

Prices find_prices(const Model& model, const Stage& stage, const PriceLimits& limits,
                   const std::vector<std::vector<double>>& from) {
  Relaxation relaxation(model, stage);
  const double worth = -stage.off_penalty / 3.0 * model.weight();
  Steps steps(from.empty() ? mean_prices(relaxation, worth > 0.0 ? worth : model.weight()) : from);
  Prices best;
  const int window = std::max(limits.passes / 10, 1);
  double before = ilp::kInfinite;  // the bound a window ago
  for (; best.passes < limits.passes && !(limits.stop && limits.stop()); ++best.passes) {
    const double bound = relaxation.pass(steps.prices());
    if (bound < best.bound || best.of.empty()) {
      best.bound = bound;
      best.of = steps.prices();
    }
    if (best.passes % window == window - 1) {
      if (before - best.bound < limits.tolerance * std::abs(best.bound)) break;
      before = best.bound;
    }
    steps.step(relaxation);
  }
  if (best.of.empty()) {
    best.of = steps.prices();
    best.bound = relaxation.pass(best.of);
  }
  // A price that hardly matters is none: the bound says whether that is better.
  std::vector<std::vector<double>> bare = best.of;
  for (std::size_t g = 0; g < bare.size(); ++g) {
    for (std::size_t row = 0; row < bare[g].size(); ++row) {
      if (bare[g][row] * relaxation.capacity()[g][row] < 1e-7 * std::abs(best.bound)) bare[g][row] = 0.0;
    }
  }
  const double bound = relaxation.pass(bare);
  if (bound <= best.bound) {
    best.bound = bound;
    best.of = std::move(bare);
  }
  return best;
}

double bound_of(const Model& model, const Stage& stage, const std::vector<std::vector<double>>& prices) {
  return Relaxation(model, stage).pass(prices);
}

Reduced best_at(const Kind& kind, const Menu& menu, const Item& item, const std::vector<double>& prices) {
  Reduced best;
  for (std::size_t o = 0; o < menu.size(); ++o) {
    double value = value_of(item, menu[o], item.rate);
    for (std::size_t row = 0; row < prices.size(); ++row) {
      value -= prices[row] * use_of(kind, menu[o], row, item.rate);
    }
    if (value > best.value) best = {value, o};
  }
  return best;
}

}  // namespace saccade::fleet
