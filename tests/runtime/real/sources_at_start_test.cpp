// Cameras that are away when a run begins: it begins all the same, and they are lost sources.
#include <gtest/gtest.h>

#include "tests/support/served_cameras.hpp"

namespace saccade::runtime {
namespace {

using test::Cameras;
using test::config_of;
using test::processes;
using test::Service;
using test::sound_books;

// As when it is lost during the run: noticed, reported, planned without.
bool planned_without(const RunStatus& status, std::size_t task) {
  return !status.tasks[task].source_connected && status.tasks[task].demanded.value() > 0.0 &&
         status.at > Duration(0) && status.tasks[task].granted.value() == 0.0;
}

TEST(SourcesAtStart, ACameraThatIsAwayIsALostSourceUntilItIsPluggedIn) {
  Service service(config_of({1, 2}), [](Cameras& cameras) { cameras.plug(2, false); });
  ASSERT_TRUE(service.until(processes("camera-1")));
  ASSERT_TRUE(service.until([](const RunStatus& status) { return planned_without(status, 1); }));
  EXPECT_EQ(service.count(EventKind::fault, "camera-2"), 1U);
  service.cameras.plug(2, true);
  ASSERT_TRUE(service.until(processes("camera-2")));
  EXPECT_EQ(service.count(EventKind::source_back, "camera-2"), 1U);
  EXPECT_TRUE(service->status().tasks[1].source_connected);
  sound_books(service.end());
}

TEST(SourcesAtStart, WithAllCamerasAwayTheRunBeginsAndServesThemWhenTheyCome) {
  Service service(config_of({1, 2}), [](Cameras& cameras) {
    cameras.plug(1, false);
    cameras.plug(2, false);
  });
  ASSERT_TRUE(service.until(
      [](const RunStatus& status) { return planned_without(status, 0) && planned_without(status, 1); }));
  service.cameras.plug(1, true);
  service.cameras.plug(2, true);
  ASSERT_TRUE(service.until(processes("camera-1")));
  ASSERT_TRUE(service.until(processes("camera-2")));
  sound_books(service.end());
}

TEST(SourcesAtStart, ACameraWhoseOpeningHangsHoldsNobodyUp) {
  Service service(config_of({1, 2}), [](Cameras& cameras) { cameras.hang(1, true); });
  ASSERT_TRUE(service.until(processes("camera-2"))) << "it is served while the other is being opened";
  ASSERT_TRUE(service.until([](const RunStatus& status) { return planned_without(status, 0); }));
  service.cameras.hang(1, false);
  ASSERT_TRUE(service.until(processes("camera-1")));
  sound_books(service.end());
}

}  // namespace
}  // namespace saccade::runtime
