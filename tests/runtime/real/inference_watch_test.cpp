// When an inference counts as hanging, without threads: the test says when it begins, ends and is looked at.
#include "runtime/real/inference_watch.hpp"

#include <gtest/gtest.h>

namespace saccade::runtime {
namespace {

using Due = InferenceWatch::Due;

TimePoint at(int ms) { return TimePoint(std::chrono::milliseconds(ms)); }

TEST(InferenceWatch, FirstAsksItToStopThenLeavesItBehind) {
  InferenceWatch watch(std::chrono::seconds(2));
  EXPECT_EQ(watch.look(at(100'000)), Due::nothing) << "nothing runs";
  watch.begins(at(0), Duration(0));
  EXPECT_EQ(watch.look(at(1999)), Due::nothing);
  EXPECT_EQ(watch.look(at(2000)), Due::nothing) << "one look is not enough: the process may have stood still";
  EXPECT_EQ(watch.look(at(2100)), Due::stop);
  EXPECT_EQ(watch.look(at(2200)), Due::nothing) << "it gets a moment to stop";
  EXPECT_EQ(watch.look(at(2600)), Due::leave_behind);
  watch.ends();
  EXPECT_EQ(watch.look(at(9000)), Due::nothing);
}

TEST(InferenceWatch, AnInferenceThatIsKnownToBeSlowGetsTenTimesItsTime) {
  InferenceWatch watch(std::chrono::seconds(2));
  watch.begins(at(0), std::chrono::milliseconds(700));
  EXPECT_EQ(watch.look(at(6900)), Due::nothing);
  EXPECT_EQ(watch.look(at(6999)), Due::nothing);
  EXPECT_EQ(watch.look(at(7000)), Due::nothing);
  EXPECT_EQ(watch.look(at(7100)), Due::stop);
}

TEST(InferenceWatch, AProcessThatStoodStillTakesNoEngineOut) {
  InferenceWatch watch(std::chrono::seconds(2));
  watch.begins(at(0), Duration(0));
  EXPECT_EQ(watch.look(at(60'000)), Due::nothing);
  watch.ends();
  watch.begins(at(60'001), Duration(0));
  EXPECT_EQ(watch.look(at(60'100)), Due::nothing);
}

}  // namespace
}  // namespace saccade::runtime
