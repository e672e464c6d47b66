#include "runtime/control/engine_slot.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace saccade::runtime {
namespace {

using S = EngineState;
using E = EngineEvent;

TEST(EngineSlot, EveryStateAndEventIsEitherLegalWithItsTargetOrRefused) {
  // The contract, written a second time: what is not in it is refused.
  const std::map<std::pair<S, E>, S> legal{
      {{S::empty, E::load}, S::loading},          {{S::loading, E::loaded}, S::warming},
      {{S::loading, E::failed}, S::failed},       {{S::warming, E::warmed}, S::ready},
      {{S::warming, E::failed}, S::failed},       {{S::ready, E::swapped_in}, S::active},
      {{S::ready, E::swapped_out}, S::draining},  {{S::active, E::swapped_out}, S::draining},
      {{S::draining, E::parked}, S::parked},      {{S::draining, E::held}, S::held},
      {{S::draining, E::unload}, S::unloading},   {{S::parked, E::swapped_in}, S::active},
      {{S::parked, E::unload}, S::unloading},     {{S::held, E::swapped_in}, S::active},
      {{S::held, E::parked}, S::parked},          {{S::held, E::unload}, S::unloading},
      {{S::failed, E::unload}, S::unloading},     {{S::failed, E::unloaded}, S::unloaded},
      {{S::loading, E::timed_out}, S::abandoned}, {{S::warming, E::timed_out}, S::abandoned},
      {{S::abandoned, E::unload}, S::unloading},  {{S::abandoned, E::unloaded}, S::unloaded},
      {{S::unloading, E::unloaded}, S::unloaded},
  };
  for (std::size_t s = 0; s < kEngineStates; ++s) {
    for (std::size_t e = 0; e < kEngineEvents; ++e) {
      const auto state = static_cast<S>(s);
      const auto event = static_cast<E>(e);
      const auto expected = legal.find({state, event});
      const auto next = next_state(state, event);
      if (expected == legal.end()) {
        EXPECT_EQ(next, std::nullopt) << to_string(state) << " on " << to_string(event);
      } else {
        EXPECT_EQ(next, expected->second) << to_string(state) << " on " << to_string(event);
      }
    }
  }
}

TEST(EngineSlot, EveryLifeThatBeginsCanEndAndNothingFollowsTheEnd) {
  // Everything reachable from empty reaches unloaded.
  std::set<S> ends{S::unloaded};
  for (std::size_t round = 0; round < kEngineStates; ++round) {
    for (std::size_t s = 0; s < kEngineStates; ++s) {
      for (std::size_t e = 0; e < kEngineEvents; ++e) {
        const auto next = next_state(static_cast<S>(s), static_cast<E>(e));
        if (next && ends.contains(*next)) ends.insert(static_cast<S>(s));
      }
    }
  }
  EXPECT_EQ(ends.size(), kEngineStates);
  for (std::size_t e = 0; e < kEngineEvents; ++e) {
    EXPECT_EQ(next_state(S::unloaded, static_cast<E>(e)), std::nullopt);
  }
}

TEST(EngineSlotDeathTest, AnIllegalEventStopsTheProgram) {
  EngineSlot slot;
  slot.apply(E::load);
  EXPECT_DEATH(slot.apply(E::swapped_in), "check failed");
}

}  // namespace
}  // namespace saccade::runtime
