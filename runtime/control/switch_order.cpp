#include "runtime/control/switch_order.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.hpp"

namespace saccade::runtime {
namespace {

// Of the memories that are limited, in the order of their numbers.
using Column = ShortVector<double, 2>;

// A step as the order sees it: the headroom it takes and how use changes by it, per limited memory.
struct Need {
  Column headroom;
  Column growth;
};

std::vector<std::size_t> limited(const MemoryLedger& memory) {
  std::vector<std::size_t> memories;
  for (std::size_t m = 0; m <= memory.limits().devices.size(); ++m) {
    if (memory.limit(m)) memories.push_back(m);
  }
  return memories;
}

Column column_of(const MemoryAmounts& amounts, const std::vector<std::size_t>& memories) {
  Column column;
  for (const std::size_t m : memories) column.push_back(amounts.of(m).value());
  return column;
}

double sum(const Column& column) { return std::accumulate(column.begin(), column.end(), 0.0); }

void add(Column& to, const Column& amounts, double times = 1.0) {
  for (std::size_t m = 0; m < to.size(); ++m) to[m] += times * amounts[m];
}

bool frees(const Need& need) {
  return std::all_of(need.growth.begin(), need.growth.end(), [](double growth) { return growth <= 0.0; });
}

bool only_takes(const Need& need) {
  return std::all_of(need.growth.begin(), need.growth.end(), [](double growth) { return growth >= 0.0; });
}

// Whether steps fit one after the other, each beside what the others hold at that time.
class Fitting {
 public:
  Fitting(const Column& capacity, Column use) : capacity_(capacity), use_(std::move(use)) {}

  [[nodiscard]] bool take(const Need& need) {
    const bool holds = fits(use_, need);
    add(use_, need.growth);
    return holds;
  }

  [[nodiscard]] bool take_all(std::vector<Need> rest) {
    return capacity_.size() > 1 ? take_of_several(std::move(rest)) : take_sorted(std::move(rest));
  }

 private:
  [[nodiscard]] bool fits(const Column& use, const Need& need) const {
    for (std::size_t m = 0; m < capacity_.size(); ++m) {
      if (use[m] + need.headroom[m] > capacity_[m]) return false;
    }
    return true;
  }

  // One memory, or none: exact.
  [[nodiscard]] bool take_sorted(std::vector<Need> rest) {
    if (capacity_.empty()) return true;
    std::sort(rest.begin(), rest.end(), [](const Need& a, const Need& b) {
      const bool a_frees = a.growth[0] <= 0.0;
      const bool b_frees = b.growth[0] <= 0.0;
      if (a_frees != b_frees) return a_frees;
      return a_frees ? a.headroom[0] < b.headroom[0]
                     : a.headroom[0] - a.growth[0] > b.headroom[0] - b.growth[0];
    });
    return std::all_of(rest.begin(), rest.end(), [&](const Need& need) { return take(need); });
  }

  [[nodiscard]] bool take_of_several(std::vector<Need> rest) {
    take_what_frees(rest);
    put_last(rest);
    while (rest.size() > kMostTrades) {
      const auto next =
          std::find_if(rest.begin(), rest.end(), [&](const Need& need) { return fits(use_, need); });
      if (next == rest.end()) return false;
      add(use_, next->growth);
      rest.erase(next);
      take_what_frees(rest);
    }
    return some_order_fits(rest);
  }

  void take_what_frees(std::vector<Need>& rest) {
    const auto ready = [&](const Need& need) { return frees(need) && fits(use_, need); };
    for (auto next = std::find_if(rest.begin(), rest.end(), ready); next != rest.end();
         next = std::find_if(rest.begin(), rest.end(), ready)) {
      add(use_, next->growth);
      rest.erase(next);
    }
  }

  // Steps that only take, as far as they fit after all others.
  void put_last(std::vector<Need>& rest) const {
    Column end = use_;
    for (const Need& need : rest) add(end, need.growth);
    const auto before = [&](const Need& need) {
      Column use = end;
      add(use, need.growth, -1.0);
      return use;
    };
    const auto ready = [&](const Need& need) { return only_takes(need) && fits(before(need), need); };
    for (auto last = std::find_if(rest.begin(), rest.end(), ready); last != rest.end();
         last = std::find_if(rest.begin(), rest.end(), ready)) {
      end = before(*last);
      rest.erase(last);
    }
  }

  // What is in use depends on which steps were taken, not on their order.
  [[nodiscard]] bool some_order_fits(const std::vector<Need>& rest) const {
    const std::size_t all = (std::size_t{1} << rest.size()) - 1;
    std::vector<bool> reached(all + 1, false);
    reached[0] = true;
    for (std::size_t taken = 0; taken < all; ++taken) {
      if (!reached[taken]) continue;
      Column use = use_;
      for (std::size_t i = 0; i < rest.size(); ++i) {
        if ((taken >> i & 1U) != 0) add(use, rest[i].growth);
      }
      for (std::size_t i = 0; i < rest.size(); ++i) {
        if ((taken >> i & 1U) == 0 && fits(use, rest[i])) reached[taken | std::size_t{1} << i] = true;
      }
    }
    return reached[all];
  }

  const Column& capacity_;
  Column use_;
};

class Order {
 public:
  Order(const MemoryLedger& memory, const MemoryAmounts& coming, std::span<const SwitchStep> steps)
      : steps_(steps), unload_first_(steps.size(), false), memories_(limited(memory)) {
    use_ = column_of(memory.used() - coming, memories_);
    for (const std::size_t m : memories_) capacity_.push_back(memory.limit(m)->value() * (1.0 + 1e-9));
  }

  void let_go(std::size_t step) { unload_first_[step] = true; }
  void keep(std::size_t step) { unload_first_[step] = false; }
  [[nodiscard]] bool lets_go(std::size_t step) const { return unload_first_[step]; }

  // What letting go of the step's old engine frees, all limited memories together.
  [[nodiscard]] double relief(std::size_t step) const { return sum(column_of(steps_[step].old, memories_)); }

  // Whether all steps fit in some order, `first` (when it is a step) before the others.
  [[nodiscard]] bool fits(std::size_t first) const {
    Fitting fitting(capacity_, use_);
    if (first < steps_.size() && !fitting.take(need_of(first))) return false;
    std::vector<Need> rest;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (i != first) rest.push_back(need_of(i));
    }
    return fitting.take_all(std::move(rest));
  }
  [[nodiscard]] bool fits() const { return fits(steps_.size()); }

 private:
  [[nodiscard]] Need need_of(std::size_t step) const {
    const Column old = column_of(steps_[step].old, memories_);
    Need need{column_of(steps_[step].loading, memories_), column_of(steps_[step].serving, memories_)};
    if (unload_first_[step]) add(need.headroom, old, -1.0);
    add(need.growth, old, -1.0);
    return need;
  }

  std::span<const SwitchStep> steps_;
  std::vector<bool> unload_first_;
  std::vector<std::size_t> memories_;
  Column use_;
  Column capacity_;
};

// Marks tasks that let go of their old engine just before they load, until an order fits. False when
// even all of them are not enough.
bool choose_who_lets_go(Order& order, std::span<const SwitchStep> steps) {
  while (!order.fits()) {
    std::optional<std::size_t> enough;
    std::optional<std::size_t> largest;
    for (std::size_t i = steps.size(); i-- > 0;) {
      if (!steps[i].has_old || order.lets_go(i)) continue;
      if (!largest || order.relief(i) > order.relief(*largest)) largest = i;
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
bool fits_once_all_are_gone(const MemoryLedger& memory, MemoryAmounts coming,
                            std::span<const SwitchStep> steps) {
  std::vector<SwitchStep> emptied(steps.begin(), steps.end());
  for (SwitchStep& step : emptied) coming += std::exchange(step.old, MemoryAmounts());
  return Order(memory, coming, emptied).fits();
}

// By the memory that it needs most of, as a share of what is allowed.
std::size_t neediest(const MemoryLedger& memory, std::span<const SwitchStep> steps) {
  const std::vector<std::size_t> memories = limited(memory);
  const auto share = [&](const SwitchStep& step) {
    double largest = 0.0;
    for (const std::size_t m : memories)
      largest = std::max(largest, step.loading.of(m).value() / memory.limit(m)->value());
    return largest;
  };
  const auto least = [&](const SwitchStep& a, const SwitchStep& b) { return share(a) < share(b); };
  return static_cast<std::size_t>(std::max_element(steps.begin(), steps.end(), least) - steps.begin());
}

// While `pausing` has to pause.
bool may_overtake(const SwitchStep& step, const SwitchStep& pausing) {
  if (step.pause > Duration(0)) return false;
  return step.rank <= pausing.rank || (step.takes && *step.takes <= pausing.pause);
}

// No search: what does not fit beside its old engine lets go of it when its turn comes.
NextStep in_turn(const MemoryLedger& memory, const MemoryAmounts& coming, std::span<const SwitchStep> steps) {
  using Kind = NextStep::Kind;
  const SwitchStep& first = steps.front();
  if (memory.fits(first.loading)) {
    for (std::size_t i = 1; i < steps.size() && first.pause > Duration(0); ++i) {
      if (may_overtake(steps[i], first) && memory.fits(first.loading + steps[i].loading))
        return {Kind::load, i};
    }
    return {Kind::load, 0};
  }
  if (coming.any()) return {Kind::wait, 0};
  if (first.has_old) return {Kind::unload_old, 0};
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (memory.fits(steps[i].loading)) return {Kind::load, i};
    if (steps[i].has_old) return {Kind::unload_old, i};
  }
  return {Kind::never, 0};
}

// What begins the order that is preferred, or overtakes it.
NextStep by_order(const MemoryLedger& memory, const MemoryAmounts& coming,
                  std::span<const SwitchStep> steps) {
  using Kind = NextStep::Kind;
  Order order(memory, coming, steps);
  if (!choose_who_lets_go(order, steps)) {
    if (coming.any()) return {Kind::wait, 0};
    if (!fits_once_all_are_gone(memory, coming, steps)) return {Kind::never, neediest(memory, steps)};
    const auto last =
        std::find_if(steps.rbegin(), steps.rend(), [](const auto& step) { return step.has_old; });
    SACCADE_CHECK(last != steps.rend());
    return {Kind::unload_old, static_cast<std::size_t>(steps.rend() - last) - 1};
  }
  std::optional<NextStep> pausing;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool ready = memory.fits(steps[i].loading);
    if (pausing && !(ready && may_overtake(steps[i], steps[pausing->step]))) continue;
    if (!order.fits(i)) continue;
    if (!ready && coming.any()) return {Kind::wait, i};
    SACCADE_CHECK(ready || order.lets_go(i));
    const NextStep next{ready ? Kind::load : Kind::unload_old, i};
    if (steps[i].pause == Duration(0)) return next;
    pausing = next;
  }
  SACCADE_CHECK(pausing);
  return *pausing;
}

}  // namespace

NextStep next_step(const MemoryLedger& memory, const MemoryAmounts& coming, std::span<const SwitchStep> steps,
                   TransitionMode mode) {
  SACCADE_CHECK(!steps.empty());
  NextStep next =
      mode == TransitionMode::unload_first ? in_turn(memory, coming, steps) : by_order(memory, coming, steps);
  const bool begins = next.kind == NextStep::Kind::load || next.kind == NextStep::Kind::unload_old;
  if (begins && steps[next.step].pause > Duration(0)) next.kind = NextStep::Kind::pause;
  return next;
}

}  // namespace saccade::runtime
