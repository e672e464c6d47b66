#include "runtime/control/switch_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace saccade::runtime {
namespace {

using Kind = NextStep::Kind;

struct Case {
  double limit = 0.0;
  double others = 0.0;  // memory of engines that stay
  std::vector<SwitchStep> steps;

  [[nodiscard]] double in_use() const {
    double sum = others;
    for (const SwitchStep& step : steps) sum += step.old.host().value();
    return sum;
  }
};

Case random_case(std::mt19937_64& random) {
  Case c;
  const std::size_t count = 1 + random() % 5;
  for (std::size_t i = 0; i < count; ++i) {
    SwitchStep step;
    step.serving = Bytes(static_cast<double>(1 + random() % 50));
    step.loading = step.serving + MemoryAmounts(Bytes(static_cast<double>(random() % 3 * (random() % 20))));
    step.has_old = random() % 4 != 0;
    if (step.has_old) step.old = Bytes(static_cast<double>(1 + random() % 50));
    c.steps.push_back(step);
  }
  c.others = static_cast<double>(random() % 30);
  c.limit = c.in_use() + static_cast<double>(random() % 60) - 10.0;
  return c;
}

// Does any order of the steps fit, each beside its old engine?
bool some_order_fits(const Case& c) {
  std::vector<std::size_t> order(c.steps.size());
  std::iota(order.begin(), order.end(), 0U);
  do {
    double used = c.in_use();
    bool fits = true;
    for (const std::size_t i : order) {
      fits = fits && used + c.steps[i].loading.host().value() <= c.limit;
      used += c.steps[i].serving.host().value() - c.steps[i].old.host().value();
    }
    if (fits) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

struct Walk {
  std::size_t unloaded_first = 0;
  std::size_t paused = 0;
  bool all_loaded = false;
};

// Carries the steps out one after the other, as the controller does, and watches the limit.
Walk walk(Case c, TransitionMode mode) {
  Walk result;
  MemoryLedger memory;
  EngineKey next = 1;
  std::vector<EngineKey> old_keys;
  const auto must = [&](double amount) {
    EXPECT_TRUE(memory.reserve(next, Bytes(amount)));
    return next++;
  };
  must(c.others);
  for (const SwitchStep& step : c.steps) old_keys.push_back(step.has_old ? must(step.old.host().value()) : 0);
  memory.set_limits({Bytes(c.limit), {}});
  for (int guard = 0; guard < 100; ++guard) {
    if (c.steps.empty()) {
      result.all_loaded = true;
      return result;
    }
    const NextStep step = next_step(memory, Bytes(0.0), c.steps, mode);
    EXPECT_NE(step.kind, Kind::wait) << "nothing comes back";
    SwitchStep& chosen = c.steps[step.step];
    if (step.kind == Kind::never) return result;
    if (step.kind == Kind::unload_old) {
      EXPECT_TRUE(chosen.has_old);
      memory.release(old_keys[step.step]);
      chosen.has_old = false;
      chosen.old = Bytes(0.0);
      ++result.unloaded_first;
      continue;
    }
    const EngineKey key = must(chosen.loading.host().value());
    memory.shrink(key, chosen.serving);
    if (chosen.has_old) memory.release(old_keys[step.step]);
    c.steps.erase(c.steps.begin() + static_cast<std::ptrdiff_t>(step.step));
    old_keys.erase(old_keys.begin() + static_cast<std::ptrdiff_t>(step.step));
  }
  ADD_FAILURE() << "it never ends";
  return result;
}

TEST(SwitchOrder, NothingIsUnloadedFirstExactlyWhenSomeOrderFits) {
  int fitting = 0;
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    std::mt19937_64 random(seed);
    const Case c = random_case(random);
    const Walk result = walk(c, TransitionMode::keep_old);
    const bool fits = some_order_fits(c);
    fitting += fits ? 1 : 0;
    EXPECT_EQ(result.all_loaded && result.unloaded_first == 0, fits) << "seed " << seed;
  }
  EXPECT_GT(fitting, 500);
  EXPECT_LT(fitting, 4500);
}

TEST(SwitchOrder, EverythingIsLoadedWheneverSomeOrderWithEmptySlotsFits) {
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    std::mt19937_64 random(seed);
    Case c = random_case(random);
    Case emptied = c;
    for (SwitchStep& step : emptied.steps) step.old = Bytes(0.0);
    EXPECT_EQ(walk(c, TransitionMode::keep_old).all_loaded, some_order_fits(emptied)) << "seed " << seed;
  }
}

TEST(SwitchOrder, PreferenceDecidesAmongOrdersThatFit) {
  MemoryLedger memory;
  memory.set_limits({Bytes(100.0), {}});
  const std::vector<SwitchStep> steps{{Bytes(30.0), Bytes(30.0), Bytes(0.0), false},
                                      {Bytes(10.0), Bytes(10.0), Bytes(0.0), false}};
  const NextStep next = next_step(memory, Bytes(0.0), steps, TransitionMode::keep_old);
  EXPECT_EQ(next.kind, Kind::load);
  EXPECT_EQ(next.step, 0U);
}

TEST(SwitchOrder, MemoryThatComesBackIsWaitedFor) {
  MemoryLedger memory;
  ASSERT_TRUE(memory.reserve(1, Bytes(80.0)));
  memory.set_limits({Bytes(100.0), {}});
  const std::vector<SwitchStep> steps{{Bytes(50.0), Bytes(50.0), Bytes(20.0), true}};
  EXPECT_EQ(next_step(memory, Bytes(40.0), steps, TransitionMode::keep_old).kind, Kind::wait);
  EXPECT_EQ(next_step(memory, Bytes(0.0), steps, TransitionMode::keep_old).kind, Kind::never);
}

TEST(SwitchOrder, UnloadFirstNeverSearchesAndNeverGrowsAboveTheLimit) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    std::mt19937_64 random(seed);
    walk(random_case(random), TransitionMode::unload_first);  // must() inside is the check
  }
}

// --- several memories ------------------------------------------------------------------------------

struct Several {
  MemoryAmounts limit;
  MemoryAmounts others;
  std::vector<SwitchStep> steps;
};

MemoryAmounts drawn(std::mt19937_64& random, std::size_t memories, std::uint64_t most) {
  MemoryAmounts amounts;
  for (std::size_t m = 0; m < memories; ++m) {
    if (random() % 4 != 0) amounts.set(m, Bytes(static_cast<double>(random() % most)));
  }
  return amounts;
}

Several random_several(std::mt19937_64& random) {
  Several c;
  const std::size_t memories = 2 + random() % 2;
  const std::size_t count = 1 + random() % 5;
  MemoryAmounts use = c.others = drawn(random, memories, 30);
  for (std::size_t i = 0; i < count; ++i) {
    SwitchStep step;
    step.serving = drawn(random, memories, 50);
    step.loading = step.serving + drawn(random, memories, 20);
    step.has_old = random() % 5 != 0;
    if (step.has_old) step.old = drawn(random, memories, 50);
    use += step.old;
    c.steps.push_back(step);
  }
  for (std::size_t m = 0; m < memories; ++m)
    c.limit.set(m, use.of(m) + Bytes(static_cast<double>(random() % 70) - 10.0));
  return c;
}

bool some_order_fits(const Several& c) {
  std::vector<std::size_t> order(c.steps.size());
  std::iota(order.begin(), order.end(), 0U);
  MemoryAmounts start = c.others;
  for (const SwitchStep& step : c.steps) start += step.old;
  do {
    MemoryAmounts used = start;
    bool fits = true;
    for (const std::size_t i : order) {
      const MemoryAmounts most = used + c.steps[i].loading;
      for (std::size_t m = 0; m < c.limit.size(); ++m) fits = fits && most.of(m) <= c.limit.of(m);
      used += c.steps[i].serving - c.steps[i].old;
    }
    if (fits) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

Walk walk(Several c, TransitionMode mode) {
  Walk result;
  MemoryLedger memory;
  EngineKey next = 1;
  std::vector<EngineKey> old_keys;
  const auto must = [&](const MemoryAmounts& amounts) {
    EXPECT_TRUE(memory.reserve(next, amounts));
    return next++;
  };
  must(c.others);
  for (const SwitchStep& step : c.steps) old_keys.push_back(step.has_old ? must(step.old) : 0);
  MemoryLimits limits{c.limit.host(), {}};
  for (std::size_t m = 1; m < c.limit.size(); ++m) limits.devices.emplace_back(c.limit.of(m));
  memory.set_limits(limits);
  for (int guard = 0; guard < 100 && !c.steps.empty(); ++guard) {
    const NextStep step = next_step(memory, MemoryAmounts(), c.steps, mode);
    EXPECT_NE(step.kind, Kind::wait) << "nothing comes back";
    SwitchStep& chosen = c.steps[step.step];
    if (step.kind == Kind::never) return result;
    if (step.kind == Kind::pause) {
      EXPECT_GT(std::exchange(chosen.pause, Duration(0)), Duration(0)) << "it is over";
      ++result.paused;
      continue;
    }
    EXPECT_EQ(chosen.pause, Duration(0));
    if (step.kind == Kind::unload_old) {
      EXPECT_TRUE(chosen.has_old);
      memory.release(old_keys[step.step]);
      chosen.has_old = false;
      chosen.old = MemoryAmounts();
      ++result.unloaded_first;
      continue;
    }
    const EngineKey key = must(chosen.loading);
    memory.shrink(key, chosen.serving);
    if (chosen.has_old) memory.release(old_keys[step.step]);
    c.steps.erase(c.steps.begin() + static_cast<std::ptrdiff_t>(step.step));
    old_keys.erase(old_keys.begin() + static_cast<std::ptrdiff_t>(step.step));
  }
  result.all_loaded = c.steps.empty();
  EXPECT_TRUE(result.all_loaded) << "it never ends";
  return result;
}

TEST(SwitchOrder, OfSeveralMemoriesNothingIsUnloadedFirstExactlyWhenSomeOrderFits) {
  int fitting = 0;
  for (std::uint64_t seed = 1; seed <= 5000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Several c = random_several(random);
    const Walk result = walk(c, TransitionMode::keep_old);
    const bool fits = some_order_fits(c);
    fitting += fits ? 1 : 0;
    EXPECT_EQ(result.all_loaded && result.unloaded_first == 0, fits);
  }
  EXPECT_GT(fitting, 500);
  EXPECT_LT(fitting, 4500);
}

TEST(SwitchOrder, OfSeveralMemoriesUnloadFirstNeverGrowsAboveALimit) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    std::mt19937_64 random(seed);
    walk(random_several(random), TransitionMode::unload_first);  // must() inside is the check
  }
}

// --- loads that pause ------------------------------------------------------------------------------

TEST(SwitchOrder, PausesCostNoTaskItsEngineWhereSomeOrderFits) {
  int fitting = 0;
  std::size_t paused = 0;
  for (std::uint64_t seed = 1; seed <= 5000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Several c = random_several(random);
    std::size_t rank = 0;
    for (SwitchStep& step : c.steps) {
      if (random() % 2 == 0) step.pause = Duration(1 + random() % 3);
      if (random() % 2 == 0) step.takes = Duration(1 + random() % 3);
      step.rank = rank += random() % 2;
    }
    const bool fits = some_order_fits(c);
    fitting += fits ? 1 : 0;
    const Walk result = walk(c, TransitionMode::keep_old);
    EXPECT_EQ(result.all_loaded && result.unloaded_first == 0, fits);
    paused += result.paused;
    walk(c, TransitionMode::unload_first);
  }
  EXPECT_GT(fitting, 500);
  EXPECT_LT(fitting, 4500);
  EXPECT_GT(paused, 1000U);
}

struct Loads {
  explicit Loads(double bytes) { memory.set_limits({Bytes(bytes), {}}); }
  SwitchStep& add(double bytes, std::size_t rank) {
    SwitchStep& step = steps.emplace_back();
    step.loading = step.serving = Bytes(bytes);
    step.rank = rank;
    return step;
  }
  [[nodiscard]] std::pair<Kind, std::size_t> next(TransitionMode mode = TransitionMode::keep_old) const {
    const NextStep step = next_step(memory, Bytes(0.0), steps, mode);
    return {step.kind, step.step};
  }
  MemoryLedger memory;
  std::vector<SwitchStep> steps;
};

TEST(SwitchOrder, WhatIsAsUrgentOvertakesALoadThatPauses) {
  for (const TransitionMode mode : {TransitionMode::keep_old, TransitionMode::unload_first}) {
    Loads loads(100.0);
    loads.add(10.0, 0).pause = Duration(250);
    EXPECT_EQ(loads.next(mode), std::pair(Kind::pause, std::size_t{0}));
    loads.add(10.0, 0).pause = Duration(250);
    loads.add(10.0, 0);
    EXPECT_EQ(loads.next(mode), std::pair(Kind::load, std::size_t{2}));
  }
}

TEST(SwitchOrder, WhatIsLessUrgentOvertakesOnlyIfItIsLoadedBeforeThePauseIsOver) {
  for (const TransitionMode mode : {TransitionMode::keep_old, TransitionMode::unload_first}) {
    Loads loads(100.0);
    loads.add(10.0, 0).pause = Duration(250);
    loads.add(10.0, 1);
    EXPECT_EQ(loads.next(mode), std::pair(Kind::pause, std::size_t{0})) << "not measured";
    loads.steps[1].takes = Duration(251);
    EXPECT_EQ(loads.next(mode), std::pair(Kind::pause, std::size_t{0}));
    loads.steps[1].takes = Duration(250);
    EXPECT_EQ(loads.next(mode), std::pair(Kind::load, std::size_t{1}));
  }
}

// Once the small engine is loaded, there is no room for the load peak of the large one.
TEST(SwitchOrder, WhatTakesTheMemoryOfALoadThatPausesDoesNotOvertakeIt) {
  for (const TransitionMode mode : {TransitionMode::keep_old, TransitionMode::unload_first}) {
    Loads loads(100.0);
    SwitchStep& large = loads.add(80.0, 0);
    large.loading = Bytes(95.0);
    large.pause = Duration(250);
    loads.add(10.0, 0);
    EXPECT_EQ(loads.next(mode), std::pair(Kind::pause, std::size_t{0}));
  }
}

// More trades than are searched: what is found still fits, and the walk ends.
TEST(SwitchOrder, ManyTradesBetweenMemoriesAreCarriedOut) {
  Several c;
  c.limit.set(0, Bytes(220.0));
  c.limit.set(1, Bytes(220.0));
  for (std::size_t i = 0; i < kMostTrades + 8; ++i) {
    SwitchStep step;
    step.serving.set(i % 2, Bytes(10.0));
    step.loading = step.serving;
    step.old.set(1 - i % 2, Bytes(10.0));
    step.has_old = true;
    c.steps.push_back(step);
  }
  const Walk result = walk(c, TransitionMode::keep_old);
  EXPECT_TRUE(result.all_loaded);
  EXPECT_EQ(result.unloaded_first, 0U);
}

}  // namespace
}  // namespace saccade::runtime
