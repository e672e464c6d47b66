#include "runtime/control/switch_order.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.hpp"

namespace saccade::runtime {
namespace {

// A step as the order sees it: the headroom it takes and how use changes by it.
struct Need {
  double headroom = 0.0;
  double growth = 0.0;
};

Need need_of(const SwitchStep& step, bool unload_first) {
  const double before = unload_first ? step.old.value() : 0.0;
  return {step.loading.value() - before, step.serving.value() - step.old.value()};
}

class Order {
 public:
  Order(const MemoryLedger& memory, Bytes coming, std::span<const SwitchStep> steps)
      : steps_(steps), unload_first_(steps.size(), false), use_((memory.used() - coming).value()) {
    if (memory.limit()) capacity_ = memory.limit()->value() * (1.0 + 1e-9);
  }

  void let_go(std::size_t step) { unload_first_[step] = true; }
  void keep(std::size_t step) { unload_first_[step] = false; }
  [[nodiscard]] bool lets_go(std::size_t step) const { return unload_first_[step]; }

  // Whether all steps fit in some order, `first` (when it is a step) before the others.
  [[nodiscard]] bool fits(std::size_t first) const {
    double use = use_;
    std::vector<Need> rest;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Need need = need_of(steps_[i], unload_first_[i]);
      if (i != first) {
        rest.push_back(need);
      } else if (!take(need, use)) {
        return false;
      }
    }
    std::sort(rest.begin(), rest.end(), [](const Need& a, const Need& b) {
      const bool a_frees = a.growth <= 0.0;
      const bool b_frees = b.growth <= 0.0;
      if (a_frees != b_frees) return a_frees;
      return a_frees ? a.headroom < b.headroom : a.headroom - a.growth > b.headroom - b.growth;
    });
    return std::all_of(rest.begin(), rest.end(), [&](const Need& need) { return take(need, use); });
  }
  [[nodiscard]] bool fits() const { return fits(steps_.size()); }

 private:
  bool take(const Need& need, double& use) const {
    const bool holds = !capacity_ || use + need.headroom <= *capacity_;
    use += need.growth;
    return holds;
  }

  std::span<const SwitchStep> steps_;
  std::vector<bool> unload_first_;
  double use_;
  std::optional<double> capacity_;
};

// Marks tasks that let go of their old engine just before they load, until an order fits. False when
// even all of them are not enough.
bool choose_who_lets_go(Order& order, std::span<const SwitchStep> steps) {
  while (!order.fits()) {
    std::optional<std::size_t> enough;
    std::optional<std::size_t> largest;
    for (std::size_t i = steps.size(); i-- > 0;) {
      if (!steps[i].has_old || order.lets_go(i)) continue;
      if (!largest || steps[i].old > steps[*largest].old) largest = i;
      order.let_go(i);
      const bool fits = order.fits();
      order.keep(i);
      if (fits && !enough) enough = i;
    }
    if (!largest) return false;
    order.let_go(enough.value_or(*largest));
  }
  return true;
}

// Whether the steps would fit, in some order, if every old engine went before the first new one came.
bool fits_once_all_are_gone(const MemoryLedger& memory, Bytes coming, std::span<const SwitchStep> steps) {
  std::vector<SwitchStep> emptied(steps.begin(), steps.end());
  for (SwitchStep& step : emptied) coming += std::exchange(step.old, Bytes(0.0));
  return Order(memory, coming, emptied).fits();
}

std::size_t neediest(std::span<const SwitchStep> steps) {
  const auto least = [](const SwitchStep& a, const SwitchStep& b) { return a.loading < b.loading; };
  return static_cast<std::size_t>(std::max_element(steps.begin(), steps.end(), least) - steps.begin());
}

}  // namespace

NextStep next_step(const MemoryLedger& memory, Bytes coming, std::span<const SwitchStep> steps,
                   TransitionMode mode) {
  SACCADE_CHECK(!steps.empty());
  using Kind = NextStep::Kind;
  Order order(memory, coming, steps);
  if (mode == TransitionMode::unload_first) {
    // No search: whoever does not fit beside its old engine lets go of it when its turn comes.
    const SwitchStep& step = steps.front();
    if (memory.fits(step.loading)) return {Kind::load, 0};
    if (coming.value() > 0.0) return {Kind::wait, 0};
    if (step.has_old) return {Kind::unload_old, 0};
    for (std::size_t i = 1; i < steps.size(); ++i) {
      if (memory.fits(steps[i].loading)) return {Kind::load, i};
      if (steps[i].has_old) return {Kind::unload_old, i};
    }
    return {Kind::never, 0};
  }
  if (!choose_who_lets_go(order, steps)) {
    if (coming.value() > 0.0) return {Kind::wait, 0};
    if (!fits_once_all_are_gone(memory, coming, steps)) return {Kind::never, neediest(steps)};
    const auto last =
        std::find_if(steps.rbegin(), steps.rend(), [](const auto& step) { return step.has_old; });
    SACCADE_CHECK(last != steps.rend());
    return {Kind::unload_old, static_cast<std::size_t>(steps.rend() - last) - 1};
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!order.fits(i)) continue;
    if (memory.fits(steps[i].loading)) return {Kind::load, i};
    if (coming.value() > 0.0) return {Kind::wait, i};
    SACCADE_CHECK(order.lets_go(i));
    return {Kind::unload_old, i};
  }
  SACCADE_CHECK(false);
}

}  // namespace saccade::runtime
