// Paper 003: its options, what duplication gains, and how far from the best its search ends.
#include "placement/jedi.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "bench/placement/five_methods.hpp"
#include "bench/placement/made_networks.hpp"
#include "placement/exact.hpp"
#include "tests/placement/support.hpp"

namespace saccade::placement {
namespace {

using bench::network_on_xavier;

TEST(Jedi, KnowsTheRolesAndTheSixOptionsOfTableI) {
  const Costs costs(network_on_xavier(1, 20));
  const auto roles = jedi_roles(costs);
  ASSERT_TRUE(roles);
  EXPECT_EQ(roles->gpu, 0U);
  EXPECT_EQ(roles->dlas, (std::vector<std::size_t>{1, 2}));
  std::vector<std::string> names;
  for (const JediOption& option : jedi_options(*roles)) {
    names.push_back(option.name);
    EXPECT_EQ(option.sequence.back(), (Mapping{0, 1}));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"A", "B", "C", "D", "A+PND", "B+PND"}));
  EXPECT_EQ(jedi_options({0, {1}}).size(), 2U);
  EXPECT_TRUE(jedi_options({0, {}}).empty());
}

double best_period(const Costs& costs, const Sequence& sequence) {
  double least = kImpossible;
  CutEnumeration(costs, sequence).run(100'000'000, [&](const Totals& totals, const Cuts&) {
    least = std::min(least, totals.period());
  });
  return least;
}

TEST(Jedi, DuplicationAlwaysHelpsAAndB) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Costs costs(network_on_xavier(seed, 40));
    std::map<std::string, double> period;
    for (const JediOption& option : jedi_options(*jedi_roles(costs)))
      period[option.name] = best_period(costs, option.sequence);
    EXPECT_LT(period["A+PND"], period["A"]) << seed;
    EXPECT_LT(period["B+PND"], period["B"]) << seed;
    EXPECT_LT(period["A"], costs.time(0, 0, costs.layers())) << seed;
  }
}

TEST(Jedi, SearchEndsNearTheBestInFewMeasurements) {
  for (const std::size_t layers : {54U, 179U}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Costs costs(network_on_xavier(seed, layers));
      const auto roles = *jedi_roles(costs);
      for (const JediOption& option : jedi_options(roles)) {
        if (option.sequence.size() == 4 && layers > 100) continue;  // the oracle's work
        const auto start = balanced_cuts(costs, roles, option.sequence);
        ASSERT_TRUE(start);
        ProfileMeasure measure(costs);
        const Found found = jedi_search(costs, roles, option.sequence, *start, measure);
        EXPECT_EQ(found.evaluations, measure.calls());
        EXPECT_LE(found.evaluations, 400);
        const double best = best_period(costs, option.sequence);
        EXPECT_GE(found.believed, best * (1.0 - 1e-12));
        EXPECT_LE(found.believed, best * 1.15) << option.name << ' ' << layers << ' ' << seed;
        EXPECT_LE(found.believed, measure.measure(placement_of(costs, option.sequence, *start)).period);
      }
    }
  }
}

TEST(Jedi, TakesTheGpuAloneWhereNothingElseHelps) {
  Chain chain = test::chain_of({{1, 1, 1, 1}, {50, 50, 50, 50}, {50, 50, 50, 50}});
  const Costs costs(chain);
  ProfileMeasure measure(costs);
  const JediFound best = jedi(costs, measure);
  EXPECT_EQ(best.option, "GPU");
  EXPECT_EQ(best.found.placement, whole_on(costs, 0));
}

TEST(Jedi, StreamsAreMultiplesOfTheThreadsAndNoMoreThanHelp) {
  StreamModel model;
  model.gains = {1.0, 1.6, 1.9, 2.0, 2.0, 2.0, 2.0, 2.0};
  const auto gpu = [&](std::size_t streams) { return 8.0 / model.gains[streams - 1]; };
  const StreamChoice free = choose_streams(model, gpu);
  EXPECT_EQ(free.streams, 4U);
  EXPECT_DOUBLE_EQ(free.period, 4.0);
  EXPECT_EQ(free.pre_threads, 1U);
  model.pre_seconds = 9.0;  // two threads bring it to 4.5, three to 3
  const StreamChoice bound = choose_streams(model, gpu);
  EXPECT_DOUBLE_EQ(bound.period, 4.0);
  EXPECT_EQ(bound.pre_threads, 3U);
  EXPECT_EQ(bound.streams % bound.pre_threads, 0U);
  EXPECT_EQ(choose_streams(model, [&](std::size_t s) { return std::max(gpu(s), 6.0); }).period, 6.0);
}

TEST(Jedi, StreamsAreMultiplesOfBothKindsOfThreadsAndOfTheCopies) {
  StreamModel model;
  model.gains = {1.0, 1.3, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0};
  model.most_threads = 3;
  model.pre_seconds = 12.0;  // three threads, to 4
  model.post_seconds = 8.0;  // two
  const auto gpu = [&](std::size_t streams) { return 7.0 / model.gains[streams - 1]; };
  const StreamChoice both = choose_streams(model, gpu);
  EXPECT_EQ(both.pre_threads, 3U);
  EXPECT_EQ(both.post_threads, 2U);
  EXPECT_EQ(both.streams, 6U);
  model.pre_seconds = model.post_seconds = 0.0;
  EXPECT_EQ(choose_streams(model, gpu, 3).streams, 6U);
}

TEST(Jedi, ACopyGetsItsShareOfTheStreams) {
  const Chain chain = network_on_xavier(1, 20);
  const Costs costs(chain);
  const JediRoles roles = *jedi_roles(costs);
  StreamModel model;
  model.gains = {1.0, 1.6, 1.9, 2.0};
  model.other_gains = {1.0, 1.2, 1.3, 1.35};
  const Costs alone(with_streams(chain, roles, model, 4, 1)), halved(with_streams(chain, roles, model, 4, 2));
  for (const Costs* streamed : {&alone, &halved})
    EXPECT_NEAR(streamed->time(roles.gpu, 0, 20), costs.time(roles.gpu, 0, 20) / 2.0, 1e-12);
  const std::size_t dla = roles.dlas.front();
  EXPECT_NEAR(alone.time(dla, 0, 10), costs.time(dla, 0, 10) / 1.35, 1e-12);
  EXPECT_NEAR(halved.time(dla, 0, 10), costs.time(dla, 0, 10) / 1.2, 1e-12);
}

// Figure 5 of the paper. Streams, threads and batches are assumed, the order is what it reports.
TEST(Jedi, TheHeuristicIsTheBestOfThePapersFiveMethods) {
  for (const std::size_t layers : {40U, 54U}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      for (const bool heavy : {false, true}) {
        SCOPED_TRACE(std::to_string(layers) + " layers, seed " + std::to_string(seed));
        const Chain chain = network_on_xavier(seed, layers);
        const auto methods = bench::five_methods(chain, bench::board_with_threads(chain, heavy));
        ASSERT_EQ(methods.size(), 5U);
        const auto period = [&](std::size_t m) { return methods[m].threads.period; };
        for (std::size_t m = 1; m < methods.size(); ++m) EXPECT_LT(period(m), period(0)) << methods[m].name;
        EXPECT_LE(period(3), period(2) * (1.0 + 1e-12)) << "balanced, against the GPU's streams";
        EXPECT_LE(period(4), period(3) * (1.0 + 1e-12)) << "the heuristic, against balanced";
        EXPECT_LE(period(4), period(1));
      }
    }
  }
}

}  // namespace
}  // namespace saccade::placement
