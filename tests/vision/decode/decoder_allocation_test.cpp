// A warm decoder allocates nothing.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/vision/decode/counted_new.hpp"
#include "tests/vision/decode/made_outputs.hpp"
#include "vision/decode/decoder.hpp"

namespace saccade::vision::test {
namespace {

class DecoderAllocation : public testing::TestWithParam<Family> {};

TEST_P(DecoderAllocation, AWarmDecoderAllocatesNothing) {
  Random random(5);
  profiles::PictureInput input;
  input.width = input.height = 320;
  input.resize = profiles::Resize::letterbox;
  std::vector<Made> pictures;
  for (int i = 0; i < 4; ++i) {
    std::vector<Known> known;
    for (int k = 0; k < 100 * (i + 1); ++k) {
      const double x = uniform(random, 0, 300);
      const double y = uniform(random, 0, 300);
      known.push_back({x, y, x + 20, y + 20, whole(random, 0, 4), uniform(random, 0.3, 0.9)});
    }
    Random same(1);  // the same number of extra columns
    pictures.push_back(make_outputs(GetParam(), input, 5, known, 500, same));
  }
  auto decoder = Decoder::make(pictures[0].interface, 5, {320, 320}, {});
  if (GetParam() == Family::detr_ready)
    decoder = Decoder::make(pictures[0].interface, 5, {320, 320}, pictures[0].ports());
  ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
  std::vector<std::vector<TensorView>> views;
  for (const Made& made : pictures) views.push_back(made.views());
  Objects objects;
  std::size_t found = 0;
  const auto all = [&] {
    for (const std::vector<TensorView>& outputs : views) {
      objects.clear();
      for (int region = 0; region < 3; ++region) {
        const Box box{static_cast<float>(100 * region), 0, 500, 500};
        const Decoded decoded =
            decoder.value().decode(outputs, place(input, box, {800, 600}, region), objects);
        if (decoded.fault != Fault::none) std::abort();
      }
      found += objects.size();
      merge_regions(objects, pictures[0].interface.selection);
    }
  };
  all();
  const std::size_t before = allocations();
  for (int i = 0; i < 5; ++i) all();
  EXPECT_EQ(allocations() - before, 0U);
  EXPECT_GT(found, 500U);
  EXPECT_GT(before, 0U);  // the counter counts
}

INSTANTIATE_TEST_SUITE_P(Families, DecoderAllocation, testing::ValuesIn(kFamilies),
                         [](const auto& family) { return name_of(family.param); });

TEST(ClassifyAllocation, ClassifyingAllocatesNothing) {
  const auto decoder = Decoder::make({}, 12, {32, 32}, {});
  ASSERT_TRUE(decoder.ok());
  const std::vector<float> logits(12, 0.5F);
  const std::vector<std::int64_t> shape{1, 12};
  const TensorView view{"logits", shape, std::span(logits)};
  const std::size_t before = allocations();
  const Classified classified = decoder.value().classify({&view, 1});
  EXPECT_EQ(allocations() - before, 0U);
  EXPECT_EQ(classified.label, 0);
}

}  // namespace
}  // namespace saccade::vision::test
