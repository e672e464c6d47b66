#include "service/live/capture_load.hpp"

#include <gtest/gtest.h>

namespace saccade::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Cameras that have taken so much of a processor; absent: a task without one.
runtime::RunStatus status_of(Duration at, const std::vector<std::optional<Duration>>& taken) {
  runtime::RunStatus status;
  status.at = at;
  for (const std::optional<Duration>& time : taken) {
    runtime::TaskStatus& task = status.tasks.emplace_back();
    task.index = status.tasks.size();
    if (time) task.capture.emplace().processor_time = *time;
  }
  return status;
}

TEST(CaptureLoad, IsTheReadersShareOfTheirCpusOverTheLastTenSeconds) {
  CaptureLoad load;
  load.runs_on(2);
  load.add(status_of(seconds(0), {seconds(100), std::nullopt, seconds(7)}));
  EXPECT_FALSE(load.busy().has_value()) << "nothing to compare with";
  for (int i = 1; i <= 40; ++i) {  // 0.9 + 0.6 of a CPU, later 0.1 + 0.1
    const double first = i <= 20 ? 0.9 * i : 18.0 + 0.1 * (i - 20);
    const double second = i <= 20 ? 0.6 * i : 12.0 + 0.1 * (i - 20);
    load.add(status_of(seconds(i), {seconds(100) + to_duration(Seconds(first)), std::nullopt,
                                    seconds(7) + to_duration(Seconds(second))}));
    ASSERT_TRUE(load.busy().has_value()) << i;
    EXPECT_EQ(load.busy()->cpus, 2U);
    if (i > 20 && i < 31) continue;  // of both
    EXPECT_NEAR(load.busy()->share, i <= 20 ? 0.75 : 0.1, 1e-6) << i;
  }
}

TEST(CaptureLoad, SamplesThatComeOftenerThanOnceASecondChangeNothing) {
  CaptureLoad load;
  load.runs_on(1);
  for (int i = 0; i <= 80; ++i) load.add(status_of(milliseconds(250) * i, {milliseconds(200) * i}));
  EXPECT_NEAR(load.busy()->share, 0.8, 1e-6);
}

TEST(CaptureLoad, ACameraThatIsNewOrAnotherCountsFromThenOn) {
  CaptureLoad load;
  load.runs_on(2);
  load.add(status_of(seconds(0), {seconds(50)}));
  load.add(status_of(seconds(1), {seconds(1), seconds(5000)}));
  EXPECT_EQ(load.busy()->share, 0.0);
}

TEST(CaptureLoad, IsNotKnownWithoutTheNumberOfCpus) {
  CaptureLoad load;
  load.add(status_of(seconds(0), {seconds(0)}));
  load.add(status_of(seconds(1), {seconds(1)}));
  EXPECT_FALSE(load.busy().has_value());
}

}  // namespace
}  // namespace saccade::service
