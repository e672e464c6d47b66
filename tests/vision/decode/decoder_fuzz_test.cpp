// 100 000 outputs that no network should give. The fuzzer of tests/fuzz makes up more of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "tests/vision/decode/fuzzed_outputs.hpp"

namespace saccade::vision::test {
namespace {

TEST(DecoderFuzz, AnyOutputsAreObjectsOrAFault) {
  std::size_t made = 0;
  std::size_t outputs = 0;
  std::size_t numbers = 0;
  std::size_t objects = 0;
  std::chrono::nanoseconds slowest{0};
  std::vector<std::uint8_t> bytes(6000);
  for (std::uint64_t seed = 1; seed <= 100'000; ++seed) {
    Random random(seed);
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
      const std::uint64_t drawn = random();
      for (std::size_t k = 0; k < 8; ++k) bytes[i + k] = static_cast<std::uint8_t>(drawn >> (8 * k));
    }
    const FuzzOutcome outcome = decode_fuzzed(Bytes(bytes));
    made += outcome.made ? 1 : 0;
    outputs += outcome.fault == Fault::outputs ? 1 : 0;
    numbers += outcome.fault == Fault::numbers ? 1 : 0;
    objects += outcome.objects;
    slowest = std::max(slowest, outcome.slowest);
  }
  std::cout << "slowest: " << static_cast<double>(slowest.count()) * 1e-6 << " ms of processor time\n";
  // All ways are taken.
  EXPECT_GT(made, 40'000U);
  EXPECT_GT(outputs, 1'000U);
  EXPECT_GT(numbers, 10'000U);
  EXPECT_GT(objects, 50'000U);
}

// 8400 candidates of 80 classes, all above the threshold, of the same score and place or of all kinds.
TEST(DecoderFuzz, AllAboveTheThreshold) {
  Random random(1);
  for (const int kind : {0, 1, 2}) {
    Made made;
    made.interface.task = profiles::NetworkTask::detect;
    made.interface.input.width = made.interface.input.height = 640;
    made.labels = 80;
    made.interface.decoder = profiles::YoloDecoder{};
    std::vector<float> numbers(84 * 8400);
    for (float& number : numbers)
      number = kind == 0 ? 0.9F : kind == 1 ? static_cast<float>(uniform(random, 0.3, 1e30)) : 3e38F;
    made.outputs.push_back({"out", {1, 84, 8400}, std::move(numbers)});
    auto decoder = Decoder::make(made.interface, made.labels, {640, 640}, made.ports());
    ASSERT_TRUE(decoder.ok());
    Objects objects;
    const Decoded decoded = decoder.value().decode(
        made.views(), place(made.interface.input, {0, 0, 640, 480}, {640, 480}), objects);
    // Boxes so large that their corners are not finite are no boxes.
    EXPECT_EQ(decoded.fault, kind == 2 ? Fault::numbers : Fault::none);
    EXPECT_EQ(decoded.beyond, 5400U);
    EXPECT_LE(objects.size(), 300U);
  }
}

}  // namespace
}  // namespace saccade::vision::test
