// Classifiers, and tensors that are handed on.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vision/decode/decoder.hpp"

namespace saccade::vision::test {
namespace {

Decoder classifier(profiles::Activation activation, std::size_t labels) {
  // On the heap: GCC 12 takes the variant's other alternatives for uninitialised ones otherwise.
  const auto interface = std::make_unique<profiles::ModelInterface>();
  std::get<profiles::ClassifyDecoder>(interface->decoder).activation = activation;
  auto decoder = Decoder::make(*interface, labels, {32, 32}, {});
  return std::move(decoder).value();
}

Classified classify(profiles::Activation activation, const std::vector<float>& values, std::size_t labels,
                    const std::vector<std::int64_t>& shape, std::size_t picture = 0) {
  const TensorView view{"logits", shape, std::span(values)};
  return classifier(activation, labels).classify({&view, 1}, picture);
}

TEST(Classify, GivesTheBestLabelAndItsScore) {
  const std::vector<float> logits = {1.0F, 3.0F, 2.0F};
  const double sum = std::exp(1.0) + std::exp(2.0) + std::exp(3.0);
  const Classified softmax = classify(profiles::Activation::softmax, logits, 3, {1, 3});
  EXPECT_EQ(softmax.label, 1);
  EXPECT_NEAR(softmax.score, std::exp(3.0) / sum, 1e-6);
  EXPECT_NEAR(classify(profiles::Activation::sigmoid, logits, 3, {3}).score, 1 / (1 + std::exp(-3.0)), 1e-6);
  EXPECT_FLOAT_EQ(classify(profiles::Activation::none, {0.25F, 0.5F}, 2, {1, 2}).score, 0.5F);
  EXPECT_FLOAT_EQ(classify(profiles::Activation::none, {0.25F, 1.5F}, 2, {1, 2}).score, 1.0F);
  EXPECT_EQ(classify(profiles::Activation::softmax, {2.0F, 2.0F}, 2, {1, 2}).label,
            0);  // the first of the best
}

TEST(Classify, LargeLogitsDoNotOverflow) {
  EXPECT_FLOAT_EQ(classify(profiles::Activation::softmax, {3e38F, -3e38F}, 2, {1, 2}).score, 1.0F);
  EXPECT_FLOAT_EQ(classify(profiles::Activation::softmax, {-3e38F, -3e38F}, 2, {1, 2}).score, 0.5F);
  EXPECT_FLOAT_EQ(classify(profiles::Activation::sigmoid, {-3e38F, -3e38F}, 2, {1, 2}).score, 0.0F);
}

TEST(Classify, ReadsTheRegionOfABatch) {
  const std::vector<float> logits = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int picture = 0; picture < 3; ++picture)
    EXPECT_EQ(
        classify(profiles::Activation::softmax, logits, 3, {3, 3}, static_cast<std::size_t>(picture)).label,
        picture);
  EXPECT_EQ(classify(profiles::Activation::softmax, logits, 3, {3, 3}, 3).fault, Fault::outputs);
}

TEST(Classify, FaultsAreSeen) {
  EXPECT_EQ(classify(profiles::Activation::softmax, {1.0F, std::nanf("")}, 2, {1, 2}).fault, Fault::numbers);
  EXPECT_EQ(classify(profiles::Activation::softmax, {1.0F, std::numeric_limits<float>::infinity()}, 2, {1, 2})
                .fault,
            Fault::numbers);
  EXPECT_EQ(classify(profiles::Activation::softmax, {1.0F, 2.0F, 3.0F}, 2, {1, 3}).fault, Fault::outputs);
  EXPECT_EQ(classify(profiles::Activation::softmax, {1.0F, 2.0F}, 2, {1, 3}).fault, Fault::outputs);
}

Decoder handing_on(std::vector<std::string> outputs) {
  const auto interface = std::make_unique<profiles::ModelInterface>();
  interface->task = profiles::NetworkTask::tensor;
  interface->decoder.emplace<profiles::TensorDecoder>().outputs = std::move(outputs);
  auto decoder = Decoder::make(*interface, 0, {32, 32}, {});
  return std::move(decoder).value();
}

TEST(HandOn, GivesTheWantedOutputsInTheirOrder) {
  const std::vector<float> numbers(4);
  const std::vector<std::int64_t> shape{4};
  const std::vector<TensorView> views = {
      {"a", shape, std::span(numbers)}, {"b", shape, std::span(numbers)}, {"c", shape, std::span(numbers)}};
  const Decoder named = handing_on({"b", "a"});
  std::vector<const TensorView*> handed;
  EXPECT_EQ(named.hand_on(views, handed), Fault::none);
  EXPECT_EQ(handed, (std::vector<const TensorView*>{&views[1], &views[0]}));
  EXPECT_EQ(named.hand_on(std::span(views).first(1), handed), Fault::outputs);
  const Decoder all = handing_on({});
  EXPECT_EQ(all.hand_on(views, handed), Fault::none);
  EXPECT_EQ(handed.size(), 3U);
}

TEST(HandOn, SixteenMebibytesAtMost) {
  const Decoder decoder = handing_on({});
  std::vector<std::uint8_t> bytes(16U << 20U);
  std::vector<const TensorView*> handed;
  const auto fault = [&] {
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(bytes.size())};
    const TensorView view{"a", shape, std::span<const std::uint8_t>(bytes)};
    return decoder.hand_on({&view, 1}, handed);
  };
  EXPECT_EQ(fault(), Fault::none);
  bytes.push_back(0);
  EXPECT_EQ(fault(), Fault::outputs);
}

}  // namespace
}  // namespace saccade::vision::test
