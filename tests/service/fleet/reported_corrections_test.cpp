// When a box tells its fleet that frames take longer than profiled, and when that they do not any more.
#include "service/fleet/reported_corrections.hpp"

#include <gtest/gtest.h>

namespace saccade::service {
namespace {

constexpr Duration minutes(int count) { return std::chrono::minutes(count); }

TEST(ReportedCorrections, WorseIsToldAMinuteAfterTheLastReportBetterAfterTen) {
  ReportedCorrections told;
  EXPECT_FALSE(told.follow({1.3, 1.0}, minutes(1) - Duration(1)));
  EXPECT_TRUE(told.reported().empty());
  EXPECT_TRUE(told.follow({1.31, 1.0}, minutes(1)));
  ASSERT_EQ(told.reported().size(), 2U);
  EXPECT_DOUBLE_EQ(told.reported()[0], 1.3);
  EXPECT_DOUBLE_EQ(told.reported()[1], 1.0);
  EXPECT_FALSE(told.follow({1.0, 1.0}, minutes(11) - Duration(1)));
  EXPECT_FALSE(told.follow({1.3, 1.5}, minutes(2) - Duration(1)));
  EXPECT_TRUE(told.follow({1.0, 1.0}, minutes(11)));
  EXPECT_DOUBLE_EQ(told.reported()[0], 1.0);
}

TEST(ReportedCorrections, LessThanAStepIsNotTold) {
  ReportedCorrections told;
  EXPECT_FALSE(told.follow({1.049}, minutes(60)));
  EXPECT_TRUE(told.follow({1.2}, minutes(61)));
  for (const double near : {1.16, 1.24}) EXPECT_FALSE(told.follow({near}, minutes(200))) << near;
}

TEST(ReportedCorrections, ABoxThatIsFasterThanProfiledSaysNothingOfIt) {
  ReportedCorrections told;
  EXPECT_FALSE(told.follow({0.7}, minutes(30)));
  EXPECT_TRUE(told.follow({1.4}, minutes(31)));
  EXPECT_TRUE(told.follow({0.7}, minutes(60)));
  EXPECT_DOUBLE_EQ(told.reported()[0], 1.0);
  EXPECT_FALSE(told.follow({0.6}, minutes(90)));
}

TEST(ReportedCorrections, ARunThatBeginsAnewBeginsItsMinute) {
  ReportedCorrections told;
  EXPECT_TRUE(told.follow({1.2}, minutes(50)));
  EXPECT_FALSE(told.follow({1.5}, minutes(0)));
  EXPECT_TRUE(told.follow({1.5}, minutes(1)));
}

}  // namespace
}  // namespace saccade::service
