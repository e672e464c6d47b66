#include "runtime/control/bridge.hpp"

#include <limits>
#include <utility>

#include "runtime/control/executable.hpp"
#include "scheduler/filter.hpp"

namespace saccade::runtime {
namespace {

template <class Quantity>
bool at_most(const std::optional<Quantity>& amount, const std::optional<Quantity>& other) {
  return !other || (amount && *amount <= *other);
}

}  // namespace

bool takes_no_more(const scheduler::VariantCost& cost, const scheduler::VariantCost& old) {
  return cost.total_time() <= old.total_time() && at_most(cost.energy, old.energy) &&
         at_most(cost.power, old.power);
}

std::optional<std::size_t> bridge_variant(const scheduler::Snapshot& snapshot, const EngineSlot& old,
                                          const MemoryAmounts& loading, const MemoryLedger& memory) {
  const scheduler::Task& task = snapshot.tasks.at(old.task);
  // An engine of several stages leaves each of its processors less time than a whole network would need
  // there.
  if (old.broken || task.profiles != old.profiles || !old.profile().staging.empty()) return std::nullopt;
  const std::vector<scheduler::VariantCost> costs = scheduler::variant_costs(snapshot, task);
  const MemoryAmounts& released = memory.reserved(old.key);
  std::optional<std::size_t> best;
  std::pair<double, double> best_key;
  for (const std::size_t v : scheduler::filter_variants(snapshot, task, costs).kept) {
    const profiles::Variant& variant = task.profiles->variants[v];
    const MemoryAmounts serving = memory_serving(variant, old.memories);
    const bool small = serving.total() < released.total() &&
                       memory.fits(memory_loading(variant, old.memories)) &&
                       memory.fits(serving + loading - released);
    if (v == old.variant || !small || !variant.staging.empty() ||
        processor_of(variant, snapshot, task.regions) != old.processor ||
        !takes_no_more(costs[v], costs[old.variant])) {
      continue;
    }
    const std::pair key(variant.load_time.value_or(Seconds(std::numeric_limits<double>::max())).value(),
                        -costs[v].accuracy);
    if (best && best_key <= key) continue;
    best = v;
    best_key = key;
  }
  return best;
}

}  // namespace saccade::runtime
