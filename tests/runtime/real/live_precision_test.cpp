// The accuracy that a service shows of its own frames, where their truth is known, is what the profile
// promised: the shipped detector on its live source, through a worker's real thread, against the shipped
// profile set.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "profiles/profile_io.hpp"
#include "runtime/profiling/picture_accuracy.hpp"
#include "runtime/sources/synthetic_scenes.hpp"
#include "tests/conformance/engine_models.hpp"
#include "tests/support/gated_serving.hpp"
#include "vision/accuracy/average_precision.hpp"

namespace saccade::runtime {
namespace {

constexpr const char* kVariant = "w0.50-128-fp32";

class LivePrecisionTest : public test::GatedServing {
 protected:
  // What the source delivers next, whatever the content.
  Frame frame_of(int) override {
    Frame frame;
    EXPECT_TRUE(source_->next(Duration(0), frame));
    truths_.push_back(frame.truths);
    return frame;
  }
  bool is_right(int, const FrameAnswer& answer) override {
    answers_.push_back(answer.objects);
    return true;
  }
  // Objects from `score` on.
  [[nodiscard]] vision::PrecisionFigures figures(std::size_t labels, double score) const {
    vision::DetectionAccuracy accuracy(labels);
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      vision::Objects objects;
      for (const vision::Object& object : answers_[i])
        if (object.score >= score) objects.push_back(object);
      accuracy.add(truths_[i], objects);
    }
    return accuracy.figures();
  }

  std::unique_ptr<FrameSource> source_;
  std::vector<vision::Truths> truths_;
  std::vector<vision::Objects> answers_;  // written on the worker, one at a time
};

TEST_F(LivePrecisionTest, IsWithinTheRangeThatTheProfilesIntervalGives) {
  const auto backend = make_backend("onnxruntime");
  if (!backend) GTEST_SKIP() << to_string(backend.errors());
  const auto read = profiles::read_profile_set(std::filesystem::path(SACCADE_SOURCE_DIR) /
                                               "profiles/zoo/yard-detector.json");
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  const profiles::ProfileSet& set = read.value();
  const std::size_t v = set.index_of(VariantId(kVariant)).value();
  const profiles::Variant& variant = set.variants[v];
  ASSERT_EQ(set.interface.metric, "map");
  ASSERT_TRUE(variant.accuracy_interval && variant.accuracy_images);

  auto opened = open_source(SyntheticSource{"yard", 1}, WholeFrame{}, inputs_of(set), set.labels);
  ASSERT_TRUE(opened.ok()) << to_string(opened.errors());
  source_ = std::move(opened).value();
  profiles::ModelInterface interface = profiles::interface_of(set, variant);
  interface.selection.score_threshold = kLeastScore;  // as the profile was measured
  add(conformance::load(*backend.value(), engine_spec(set, v, 1)), interface, set.labels.size());
  route_to(0);
  for (int frame = 1; frame <= static_cast<int>(kSyntheticScenes); ++frame) {
    push(frame);
    wait_for(frame);
  }
  ASSERT_EQ(answers_.size(), kSyntheticScenes);
  EXPECT_EQ(lost_, 0);

  const vision::PrecisionFigures live = figures(set.labels.size(), kLeastScore);
  const vision::PrecisionInterval interval{variant.accuracy_interval->first,
                                           variant.accuracy_interval->second};
  const vision::PrecisionInterval range = vision::range_of_others(
      variant.accuracy, interval, static_cast<std::size_t>(*variant.accuracy_images), kSyntheticScenes);
  RecordProperty("live_map", std::to_string(live.map.value()));
  EXPECT_GE(live.map.value(), range.low);
  EXPECT_LE(live.map.value(), range.high);
  // What the status shows is the evaluator's figure for these frames. At the set's own threshold, which
  // leaves objects out, it would be lower.
  const std::optional<vision::MeanPrecision> shown = serving_.live_precision(0);
  ASSERT_TRUE(shown);
  EXPECT_NEAR(shown->map, live.map.value(), 1e-12) << "the figure in the profile's own metric";
  EXPECT_NEAR(shown->map50, live.map50.value(), 1e-12);
  EXPECT_LT(figures(set.labels.size(), set.interface.selection.score_threshold).map50.value(),
            live.map50.value());
}

}  // namespace
}  // namespace saccade::runtime
