// Paper 003: its options, what duplication gains, and how far from the best its search ends.
#include "placement/jedi.hpp"

#include <gtest/gtest.h>

#include <map>

#include "placement/exact.hpp"
#include "tests/placement/support.hpp"

namespace saccade::placement {
namespace {

// A GPU and two DLAs of about half its speed; the last layers do not run on a DLA.
Chain board(std::uint64_t seed, std::size_t layers) {
  bench::Random random(seed);
  Chain chain;
  chain.processors = {{ProcessorId("gpu")}, {ProcessorId("dla0")}, {ProcessorId("dla1")}};
  for (std::size_t i = 0; i < layers; ++i) {
    const double seconds = random.uniform(0.2, 2.0) * 1e-3;
    const LayerCost dla{Seconds(seconds * random.uniform(1.5, 3.0)), std::nullopt};
    Layer layer;
    layer.name = std::to_string(i);
    layer.on = {LayerCost{Seconds(seconds), std::nullopt}, dla, dla};
    if (i + 3 > layers) layer.on[1] = layer.on[2] = std::nullopt;
    chain.layers.push_back(std::move(layer));
    if (i > 0) chain.boundaries.push_back({Bytes(1e5 * random.uniform(0.2, 1.0)), true, {}});
  }
  chain.links.assign(3, std::vector<Link>(3, Link{Seconds(5e-5), 1e-10, Joules(0.0), 0.0}));
  return chain;
}

TEST(Jedi, KnowsTheRolesAndTheSixOptionsOfTableI) {
  const Costs costs(board(1, 20));
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
    const Costs costs(board(seed, 40));
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
      const Costs costs(board(seed, layers));
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
  const StreamChoice free = choose_streams(model, 8.0, 0.0);
  EXPECT_EQ(free.streams, 4U);
  EXPECT_DOUBLE_EQ(free.period, 4.0);
  EXPECT_EQ(free.pre_threads, 1U);
  model.pre_seconds = 9.0;  // two threads bring it to 4.5, three to 3
  const StreamChoice bound = choose_streams(model, 8.0, 0.0);
  EXPECT_DOUBLE_EQ(bound.period, 4.0);
  EXPECT_EQ(bound.pre_threads, 3U);
  EXPECT_EQ(bound.streams % bound.pre_threads, 0U);
  EXPECT_EQ(choose_streams(model, 8.0, 6.0).period, 6.0);
}

}  // namespace
}  // namespace saccade::placement
