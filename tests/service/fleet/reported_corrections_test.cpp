// When a box tells its fleet that frames take longer than profiled, and when that they do not any more.
#include "service/fleet/reported_corrections.hpp"

#include <gtest/gtest.h>

namespace saccade::service {
namespace {

// Looks every second.
class ReportedCorrectionsTest : public ::testing::Test {
 protected:
  // How many reports there were. Processors that are not `busy` do nothing meanwhile.
  int look(int looks, const std::vector<double>& measured, const std::vector<bool>& busy = {true, true}) {
    int reports = 0;
    for (int i = 0; i < looks; ++i) {
      at_ += std::chrono::seconds(1);
      for (std::size_t p = 0; p < busy_.size(); ++p) busy_[p] += std::chrono::milliseconds(busy[p] ? 300 : 0);
      reports += told_.follow(measured, busy_, at_) ? 1 : 0;
    }
    return reports;
  }
  [[nodiscard]] double reported(std::size_t processor) const { return told_.reported().at(processor); }

  ReportedCorrections told_;
  Duration at_{0};
  std::vector<Duration> busy_ = {Duration(0), Duration(0)};
};

TEST_F(ReportedCorrectionsTest, WorseForAMinuteIsToldBetterAfterTen) {
  EXPECT_TRUE(told_.reported().empty());
  EXPECT_EQ(look(60, {1.31, 1.0}), 0);
  EXPECT_EQ(look(1, {1.31, 1.0}), 1);
  EXPECT_EQ(reported(0), 1.3);
  EXPECT_EQ(reported(1), 1.0);
  EXPECT_EQ(look(600, {1.0, 1.0}), 0);
  EXPECT_EQ(look(1, {1.0, 1.0}), 1);
  EXPECT_EQ(reported(0), 1.0);
}

TEST_F(ReportedCorrectionsTest, WhatPassesIsNotTold) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(look(59, {2.0, 1.0}), 0);
    EXPECT_EQ(look(1, {1.0, 1.0}), 0);
  }
  EXPECT_EQ(look(61, {1.2, 1.0}), 1);
  EXPECT_EQ(look(599, {1.0, 1.0}), 0);
  EXPECT_EQ(look(1, {1.2, 1.0}), 0);
  EXPECT_EQ(look(599, {1.0, 1.0}), 0);
}

TEST_F(ReportedCorrectionsTest, LessThanAStepIsNotToldAndProcessorsAreToldApart) {
  EXPECT_EQ(look(3600, {1.049, 1.0}), 0);
  EXPECT_EQ(look(61, {1.3, 1.0}), 1);
  EXPECT_EQ(look(3600, {1.26, 1.04}), 0);
  EXPECT_EQ(look(61, {1.26, 1.5}), 1);
  EXPECT_EQ(reported(0), 1.3);
  EXPECT_EQ(reported(1), 1.5);
}

TEST_F(ReportedCorrectionsTest, ABoxThatIsFasterThanProfiledSaysNothingOfIt) {
  EXPECT_EQ(look(3600, {0.7, 1.0}), 0);
  EXPECT_EQ(look(61, {1.4, 1.0}), 1);
  EXPECT_EQ(look(3600, {0.7, 1.0}), 1);
  EXPECT_EQ(reported(0), 1.0);
}

// It would never be given a camera that shows how quick it is now.
TEST_F(ReportedCorrectionsTest, AProcessorWithNothingToDoCountsAsProfiledAgain) {
  EXPECT_EQ(look(61, {10.0, 1.0}), 1);
  EXPECT_EQ(look(3600, {10.0, 1.0}), 0);
  EXPECT_EQ(look(659, {10.0, 1.0}, {false, true}), 0);
  EXPECT_EQ(look(1, {10.0, 1.0}, {false, true}), 1);
  EXPECT_EQ(reported(0), 1.0);
}

}  // namespace
}  // namespace saccade::service
