// Times of a network's groups: with engines that do nothing and a clock that is moved, and once for real.
#include "runtime/profiling/layer_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <utility>

#include "profiles/profile_io.hpp"
#include "runtime/engines/simulated_backend.hpp"
#include "runtime/profiling/hand_over.hpp"
#include "runtime/profiling/layer_profile.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

constexpr double kMs = 1e-3;

// Three groups that take 2, 3 and 4 ms alone and save 1 ms when the first two are one; the whole takes 0.5 ms
// to prepare, 8 ms to infer and 0.25 ms to decode. Twice that where the last run was of another chain.
class MadeUpNetwork {
 public:
  LayerTrial trial() {
    LayerTrial made;
    made.groups = 3;
    made.load = [] { return engines(); };
    made.run = [this](std::size_t span, Engine&) -> Status {
      order_.push_back(span);
      const std::vector<double> took = {2.0, 3.0, 4.0, 4.0, 7.5, 8.75};
      warm_.resize(took.size());
      const std::vector<std::size_t> chain = {0, 0, 0, 1, 2, 3};
      if (std::exchange(last_chain_, chain[span]) != chain[span]) warm_.assign(took.size(), false);
      const double times = warm_[span] ? 1.0 : 2.0;
      warm_[span] = true;
      clock_.advance(to_duration(Seconds(times * took[span] * kMs)));
      if (span == fails_) return Error{"a span", "fails", ""};
      return Done{};
    };
    made.whole_parts = [] { return TimeParts{0.5 * kMs, 8.0 * kMs, 0.25 * kMs}; };
    made.report = [](double) {};
    return made;
  }
  static Result<std::vector<std::unique_ptr<Engine>>> engines() {
    EngineSpec spec;
    spec.input.width = spec.input.height = 1;
    std::vector<std::unique_ptr<Engine>> engines;
    for (int k = 0; k < 6; ++k) engines.push_back(SimulatedBackend().load(spec).value());
    return engines;
  }
  ManualClock clock_;
  std::vector<std::size_t> order_;
  std::size_t fails_ = 99;

 private:
  std::vector<bool> warm_;  // by span
  std::size_t last_chain_ = 99;
};

RoundLimits limits_of(int rounds) {
  RoundLimits limits;
  limits.warmup = 1;
  limits.fewest = limits.most = rounds;
  return limits;
}

TEST(LayerTimes, EveryChainRunsTwiceInTurn) {
  MadeUpNetwork network;
  ASSERT_TRUE(measure_layers(network.trial(), limits_of(3), network.clock_));
  std::vector<std::size_t> expected;
  for (int round = 0; round < 4; ++round) {
    for (const std::size_t span : std::vector<std::size_t>{0, 1, 2, 0, 1, 2, 3, 3, 4, 4, 5, 5})
      expected.push_back(span);
  }
  EXPECT_EQ(network.order_, expected);
  const auto spans = timed_spans(3);
  EXPECT_EQ(spans[3], (GroupSpan{0, 2}));
  EXPECT_EQ(spans[4], (GroupSpan{1, 3}));
  EXPECT_EQ(spans[5], (GroupSpan{0, 3}));
}

TEST(LayerTimes, RestsAreNotMeasured) {
  MadeUpNetwork network;
  LayerTrial trial = network.trial();
  Duration rested{0};
  trial.rest = [&](Duration took) {
    rested += 3 * took;
    network.clock_.advance(3 * took);
  };
  const auto resting = measure_layers(trial, limits_of(3), network.clock_);
  MadeUpNetwork busy;
  const auto without = measure_layers(busy.trial(), limits_of(3), busy.clock_);
  ASSERT_TRUE(resting.ok() && without.ok());
  EXPECT_EQ(resting.value().alone, without.value().alone);
  EXPECT_EQ(resting.value().whole, without.value().whole);
  EXPECT_GT(rested, Duration(0));
}

TEST(LayerTimes, APartIsWhatAGroupAddsToTheNetwork) {
  MadeUpNetwork network;
  const auto measured = measure_layers(network.trial(), limits_of(5), network.clock_);
  ASSERT_TRUE(measured);
  const LayerTimes& times = measured.value();
  EXPECT_EQ(times.rounds, 5U);
  EXPECT_NEAR(times.alone[2], 4.0 * kMs, 1e-9);
  EXPECT_NEAR(times.apart[0], 1.0 * kMs, 1e-9);   // 2 + 3 - 4
  EXPECT_NEAR(times.apart[1], 0.0, 1e-9);         // 3 + 4 - 7.5 is less than nothing
  EXPECT_NEAR(times.share[0], 2.0 * kMs, 1e-9);   // 2 - 0.5 and preparing 0.5
  EXPECT_NEAR(times.share[1], 2.5 * kMs, 1e-9);   // 3 - 0.5
  EXPECT_NEAR(times.share[2], 4.25 * kMs, 1e-9);  // 4 and decoding 0.25
  EXPECT_NEAR(times.sum_alone(), 9.75 * kMs, 1e-9);
  EXPECT_NEAR(times.sum_shares(), 8.75 * kMs, 1e-9);
  EXPECT_NEAR(times.whole, 8.75 * kMs, 1e-9);
}

TEST(LayerTimes, PairsAreFoundByTheirFirstGroup) {
  for (const std::size_t groups : {1U, 2U, 5U, 6U}) {
    const auto spans = timed_spans(groups);
    const auto chains = timed_chains(groups);
    EXPECT_EQ(std::accumulate(chains.begin(), chains.end(), std::size_t{0}), spans.size());
    Samples samples;
    for (const auto& [first, last] : spans) {
      const bool pair = last - first == 2 && groups > 2;
      samples.push_back({pair ? 20.0 - static_cast<double>(first + 1) : 10.0});
    }
    if (groups == 2) samples[2] = {19.0};
    const LayerTimes times = layer_times(samples, groups, {});
    for (std::size_t k = 0; k + 1 < groups; ++k) EXPECT_DOUBLE_EQ(times.apart[k], static_cast<double>(k + 1));
  }
}

TEST(LayerTimes, OneGroupIsTheWhole) {
  const LayerTimes times = layer_times({{4.0, 5.0, 6.0}, {5.0, 6.0, 7.0}}, 1, {1.5, 15.0, 1.5});
  EXPECT_DOUBLE_EQ(times.share[0], 6.0);  // 5 and a third of 3
  EXPECT_TRUE(times.apart.empty());
  EXPECT_DOUBLE_EQ(times.alone_p99[0], 6.0);
}

TEST(LayerTimes, AnInferenceThatFailsEndsIt) {
  MadeUpNetwork network;
  network.fails_ = 4;
  const auto measured = measure_layers(network.trial(), limits_of(3), network.clock_);
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.errors()[0].what, "fails");
}

// Draws the same all the time.
class SteadyMeter final : public EnergyMeter {
 public:
  explicit SteadyMeter(Watts power) : power_(power) {}
  [[nodiscard]] std::string name() const override { return "steady"; }
  [[nodiscard]] std::optional<Joules> total(TimePoint now) override { return power_ * since_start(now); }

 private:
  Watts power_;
};

TEST(LayerTimes, ANetworkOfTheZooIsMeasured) {
  auto set = profiles::read_profile_set(std::filesystem::path(SACCADE_SOURCE_DIR) /
                                        "profiles/zoo/mobilenet_v2-glyphs.json");
  ASSERT_TRUE(set);
  LayerProfileRequest request;
  request.set = std::move(set).value();
  const auto at = request.set.index_of(VariantId("w0.55-d0.50-fp32"));
  request.set.variants = {request.set.variants.at(at.value())};
  const test::TemporaryFolder folder;
  request.folder = folder.path();
  request.rounds = limits_of(2);
  const auto backend = make_backend("onnxruntime");
  ASSERT_TRUE(backend);
  const auto cutter = vision::OnnxCutter::open(request.set.directory / request.set.variants[0].model);
  ASSERT_TRUE(cutter);
  const SteadyClock clock;
  const auto measured = profile_layers(*backend.value(), cutter.value(), request, clock, [](double) {});
  ASSERT_TRUE(measured) << to_string(measured.errors());
  EXPECT_EQ(measured.value().share.size(), cutter.value().chain().groups.size());
  EXPECT_GT(measured.value().whole, 0.0);
  for (const double seconds : measured.value().alone) EXPECT_GT(seconds, 0.0);
  EXPECT_TRUE(measured.value().energy.empty()) << "no meter says it";

  SteadyMeter meter(Watts(5.0));
  request.energy = EnergyTrial{};
  request.energy->meter = &meter;
  request.energy->clock = &clock;
  request.energy->per_variant = Seconds(1e-3);
  request.idle = Watts(2.0);
  const auto metered = profile_layers(*backend.value(), cutter.value(), request, clock, [](double) {});
  ASSERT_TRUE(metered) << to_string(metered.errors());
  ASSERT_EQ(metered.value().energy.size(), metered.value().share.size());
  for (std::size_t k = 0; k < metered.value().share.size(); ++k) {
    ASSERT_TRUE(metered.value().energy[k]) << k;
    EXPECT_NEAR(*metered.value().energy[k], 3.0 * metered.value().share[k], 1e-3 * metered.value().share[k]);
  }
  SteadyMeter resting(Watts(2.0));
  request.energy->meter = &resting;
  const auto absent = profile_layers(*backend.value(), cutter.value(), request, clock, [](double) {});
  ASSERT_TRUE(absent);
  const auto said = [](const std::optional<double>& joules) { return joules.value_or(0.0) > 1e-6; };
  EXPECT_TRUE(std::none_of(absent.value().energy.begin(), absent.value().energy.end(), said))
      << "what is not above rest is not made up";
}

TEST(HandOver, ALineIsFoundThroughItsPoints) {
  std::vector<TransferPoint> points;
  for (const double bytes : {1e3, 1e4, 1e5, 1e6}) points.push_back({bytes, 2e-5 + 3e-10 * bytes});
  const TransferLine line = fit_line(points);
  EXPECT_NEAR(line.fixed, 2e-5, 1e-10);
  EXPECT_NEAR(line.seconds_per_byte, 3e-10, 1e-14);
  EXPECT_NEAR(line.residual, 0.0, 1e-10);
}

TEST(HandOver, NoPartOfALineIsNegative) {
  const TransferLine falling = fit_line(std::vector<TransferPoint>{{1e3, 3e-5}, {1e6, 1e-5}});
  EXPECT_EQ(falling.seconds_per_byte, 0.0);
  EXPECT_GE(falling.fixed, 1e-5);
  EXPECT_GT(falling.residual, 1e-6);
  const TransferLine steep = fit_line(std::vector<TransferPoint>{{1e3, 1e-8}, {1e6, 1e-3}, {2e6, 4e-3}});
  EXPECT_EQ(steep.fixed, 0.0);
  EXPECT_GT(steep.seconds_per_byte, 0.0);
  EXPECT_EQ(fit_line(std::vector<TransferPoint>{{1e3, 2e-5}}).fixed, 2e-5);
}

TEST(HandOver, SizesTakeTurnsAndTheMedianCounts) {
  std::vector<std::size_t> order;
  std::map<std::size_t, int> calls;
  TransferLimits limits;
  limits.bytes = {10, 20};
  limits.warmup = 1;
  limits.repeats = 3;
  const auto points = measure_transfers(
      [&](std::size_t bytes) -> Result<double> {
        order.push_back(bytes);
        const double times[] = {99.0, 1.0, 50.0, 2.0};  // the warm-up, then three of which 2 is the median
        return times[calls[bytes]++] * static_cast<double>(bytes);
      },
      limits);
  ASSERT_TRUE(points);
  EXPECT_EQ(order, (std::vector<std::size_t>{10, 20, 10, 20, 10, 20, 10, 20}));
  EXPECT_DOUBLE_EQ(points.value()[0].seconds, 20.0);
  EXPECT_DOUBLE_EQ(points.value()[1].seconds, 40.0);
}

TEST(HandOver, BuffersReachTheOtherThread) {
  const SteadyClock clock;
  ThreadHandOver hand_over(clock, {});
  for (const std::size_t bytes : {1U, 1000U, 100000U, 10U}) EXPECT_GT(hand_over.once(bytes), 0.0);
}

}  // namespace
}  // namespace saccade::runtime
