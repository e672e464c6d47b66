// The evaluation against sums made layer by layer, and what a placement may not be.
#include "placement/evaluate.hpp"

#include <gtest/gtest.h>

#include "tests/placement/support.hpp"

namespace saccade::placement {
namespace {

using test::chain_of;
using test::random_chain;

TEST(Evaluate, EqualsSumsMadeLayerByLayer) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    bench::Random random(seed);
    const Chain chain =
        random_chain(random, {1 + random.below(12), 1 + random.below(4), 0.2, 0.0}, test::payment_by(seed));
    const Costs costs(chain);
    std::vector<std::size_t> assignment;
    for (std::size_t i = 0; i < chain.layers.size(); ++i)
      assignment.push_back(random.below(chain.processors.size()));
    const test::Sums sums = test::sums_of(chain, assignment);
    const Placement placement = placement_of(assignment);
    ASSERT_TRUE(complaints(costs, placement).empty());
    const Evaluation evaluation = evaluate(costs, placement);
    EXPECT_EQ(placement.size(), sums.stages);
    for (std::size_t p = 0; p < sums.load.size(); ++p)
      EXPECT_NEAR(evaluation.load[p].value(), sums.load[p], 1e-12);
    EXPECT_NEAR(evaluation.period.value(), sums.period(), 1e-12);
    EXPECT_NEAR(evaluation.latency.value(), sums.latency, 1e-12);
    EXPECT_NEAR(evaluation.energy->value(), sums.energy, 1e-12);
  }
}

TEST(Evaluate, LoadsOfAProcessorWithTwoStagesAdd) {
  const Costs costs(chain_of({{1, 9, 9, 2}, {9, 2, 2, 9}}));
  const Evaluation evaluation = evaluate(costs, placement_of({0, 1, 1, 0}));
  EXPECT_DOUBLE_EQ(evaluation.load[0].value(), 3e-3);
  EXPECT_DOUBLE_EQ(evaluation.period.value(), 4e-3);  // the largest stage alone would be it, too: processor 1
  EXPECT_EQ(evaluation.binding, 1U);
  EXPECT_DOUBLE_EQ(evaluation.latency.value(), 7e-3);
  EXPECT_EQ(evaluation.max_in_flight, 5U);  // three stages and two queues of one
}

TEST(Evaluate, WhoPaysIsASetting) {
  Chain chain = chain_of({{1, 1}, {1, 1}});
  chain.boundaries[0].bytes = Bytes(1000.0);
  chain.links.assign(2, std::vector<Link>(2, Link{Seconds(1e-4), 1e-7, Joules(0.0), 0.0}));  // 0.2 ms
  const auto loads = [&](Payment payment) {
    chain.payment = payment;
    const Evaluation evaluation = evaluate(Costs(chain), placement_of({0, 1}));
    return std::pair(evaluation.load[0].value() * 1e3, evaluation.load[1].value() * 1e3);
  };
  EXPECT_DOUBLE_EQ(loads(kReceiverPays).first, 1.0);
  EXPECT_DOUBLE_EQ(loads(kReceiverPays).second, 1.2);
  EXPECT_DOUBLE_EQ(loads(kSenderPays).first, 1.2);
  EXPECT_DOUBLE_EQ(loads(kBothPay).second, 1.2);
  chain.processors[1].pays_transfers = false;
  EXPECT_DOUBLE_EQ(loads(kBothPay).first, 1.2);
  EXPECT_DOUBLE_EQ(loads(kBothPay).second, 1.0);
}

TEST(Evaluate, ACutCostsHalfOfWhatIsApartOnEitherSide) {
  Chain chain = chain_of({{1, 1}, {1, 1}});
  chain.boundaries[0].apart = {Seconds(4e-4), Seconds(6e-4)};
  const Evaluation cut = evaluate(Costs(chain), placement_of({0, 1}));
  EXPECT_DOUBLE_EQ(cut.load[0].value(), 1.2e-3);
  EXPECT_DOUBLE_EQ(cut.load[1].value(), 1.3e-3);
  EXPECT_DOUBLE_EQ(cut.latency.value(), 2.5e-3);
  EXPECT_DOUBLE_EQ(evaluate(Costs(chain), placement_of({0, 0})).latency.value(), 2e-3) << "nothing inside";
  EXPECT_EQ(Costs(chain).kinds(), 2U) << "processors that lose different times are not alike";
}

TEST(Evaluate, CopiesHalveTheLoadAndKeepTheLatency) {
  const Costs costs(chain_of({{9, 9, 2}, {4, 4, 9}, {4, 4, 9}}));
  const Placement placement = {{0, 2, 1, 2}, {2, 3, 0, 1}};
  ASSERT_TRUE(complaints(costs, placement).empty());
  const Evaluation evaluation = evaluate(costs, placement);
  EXPECT_DOUBLE_EQ(evaluation.period.value(), 4e-3);
  EXPECT_DOUBLE_EQ(evaluation.latency.value(), 10e-3);
  EXPECT_EQ(to_string(costs, placement), "p1+p2 0-1, p0 2");
  EXPECT_EQ(evaluation.max_in_flight, 4U) << "one in each copy, in the queue and in the second stage";
}

TEST(Evaluate, CopiesStoreTheWeightsAgain) {
  Chain chain = chain_of({{1, 1}, {1, 1}});
  for (Layer& layer : chain.layers) layer.weights = Bytes(100.0), layer.working = Bytes(7.0);
  const Costs costs(chain);
  const Evaluation twice = evaluate(costs, {{0, 2, 0, 2}});
  EXPECT_DOUBLE_EQ(twice.memory[0].value(), 207.0);
  EXPECT_DOUBLE_EQ(twice.memory[1].value(), 207.0);
}

TEST(Evaluate, AQueueLiesInTheMemoryOfItsReceiver) {
  Chain chain = chain_of({{1, 1}, {1, 1}});
  chain.boundaries[0].bytes = Bytes(30.0);
  chain.queue = 2;
  const Evaluation evaluation = evaluate(Costs(chain), placement_of({0, 1}));
  EXPECT_DOUBLE_EQ(evaluation.memory[0].value(), 0.0);
  EXPECT_DOUBLE_EQ(evaluation.memory[1].value(), 60.0);
  EXPECT_EQ(evaluation.max_in_flight, 4U);
}

TEST(Evaluate, LayersThatDoNotRunFallBackWithATransferEachWay) {
  Chain chain = chain_of({{3, 3, 3, 3}, {1, 1, 1, 1}});
  chain.layers[2].on[1] = std::nullopt;
  chain.links.assign(2, std::vector<Link>(2, Link{Seconds(1e-4), 0.0, Joules(0.0), 0.0}));
  const Costs costs(chain);
  const Placement wanted = placement_of({1, 1, 1, 1});
  EXPECT_EQ(complaints(costs, wanted).size(), 1U);
  const Placement placement = with_fallback(costs, wanted, 0);
  EXPECT_EQ(placement, placement_of({1, 1, 0, 1}));
  const Evaluation evaluation = evaluate(costs, placement);
  EXPECT_NEAR(evaluation.load[0].value(), 3.1e-3, 1e-15);
  EXPECT_NEAR(evaluation.load[1].value(), 3.1e-3, 1e-15);
}

TEST(Evaluate, SaysWhatIsWrong) {
  Chain chain = chain_of({{1, 1, 1}, {1, 1, 1}, {1, 2, 1}});
  chain.layers[1].on[1] = std::nullopt;
  chain.boundaries[0].crossings.push_back({0, 2, std::nullopt, false});
  chain.processors[2].memory = Bytes(10.0);
  chain.layers[2].weights = Bytes(11.0);
  const Costs costs(chain);
  EXPECT_EQ(complaints(costs, {{0, 2, 0, 1}}).front(), "its stages do not reach the last layer");
  EXPECT_EQ(complaints(costs, {{0, 1, 0, 1}, {2, 3, 1, 1}}).front(),
            "its stages do not follow each other through the layers");
  EXPECT_EQ(complaints(costs, {{0, 3, 1, 1}}).front(), "layers 0-2 on p1: one of them does not run there");
  EXPECT_EQ(complaints(costs, {{0, 3, 0, 2}}).front(),
            "layers 0-2 on p0+p1: copies of a stage need processors that are alike");
  EXPECT_EQ(complaints(costs, {{0, 3, 5, 1}}).front(),
            "layers 0-2 are placed on a processor that does not exist");
  EXPECT_EQ(complaints(costs, {{0, 1, 0, 1}, {1, 3, 0, 1}}).front(),
            "two stages in a row share the processor p0");
  const auto both = complaints(costs, {{0, 1, 0, 1}, {1, 3, 2, 1}});
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0], "before layer 1 the way from p0 to p2 is not possible");
  EXPECT_EQ(both[1], "the memory of p2 is exceeded");
}

TEST(Chain, JoinsLayersBetweenLegalBoundaries) {
  Chain chain = chain_of({{1, 2, 3, 4}, {1, 2, 3, 4}});
  chain.boundaries[0].legal = chain.boundaries[2].legal = false;
  chain.boundaries[1].bytes = Bytes(5.0);
  chain.layers[3].on[1] = std::nullopt;
  for (Layer& layer : chain.layers) layer.working = Bytes(layer.on[0]->time.value()), layer.work = 1.0;
  chain.layers[1].work = std::nullopt;
  const Chain result = joined(chain);
  ASSERT_EQ(result.layers.size(), 2U);
  ASSERT_EQ(result.boundaries.size(), 1U);
  EXPECT_EQ(result.boundaries[0].bytes, Bytes(5.0));
  EXPECT_EQ(result.layers[0].name, "0 to 1");
  EXPECT_EQ(result.layers[1].size, 2);
  EXPECT_DOUBLE_EQ(result.layers[1].on[0]->time.value(), 7e-3);
  EXPECT_FALSE(result.layers[1].on[1]);
  EXPECT_DOUBLE_EQ(result.layers[1].working.value(), 4e-3);
  EXPECT_FALSE(result.layers[0].work);
  EXPECT_EQ(result.layers[1].work, 2.0);
}

TEST(Costs, ProcessorsThatCostTheSameAreOfOneKind) {
  Chain chain = chain_of({{1, 2}, {2, 2}, {1, 2}});
  EXPECT_EQ(Costs(chain).kinds(), 2U);
  EXPECT_EQ(Costs(chain).processors_of(0), (std::vector<std::size_t>{0, 2}));
  chain.links.assign(3, std::vector<Link>(3));
  chain.links[0][1].fixed = Seconds(1e-3);
  chain.boundaries[0].bytes = Bytes(1.0);
  EXPECT_EQ(Costs(chain).kinds(), 3U);
}

}  // namespace
}  // namespace saccade::placement
