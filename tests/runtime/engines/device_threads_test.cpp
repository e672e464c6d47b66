#include "runtime/engines/device_threads.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "runtime/machine/thread_settings.hpp"

namespace saccade::runtime {
namespace {

ThreadPlace place_in(DeviceThreads::Lease& thread) {
  ThreadPlace place;
  thread.run([&] { place = thread_place(); });
  return place;
}

// The loader is nice and off the workers' CPUs; what serves later is not.
TEST(DeviceThreads, AThreadRunsWhereItsCallerMayAndAsUrgently) {
  const auto threads = DeviceThreads::make(nullptr);
  const ThreadPlace here = thread_place();
  const int last = allowed_cpus().back();
  const bool may_raise = may_raise_priority();
  std::unique_ptr<DeviceThreads::Lease> thread;
  std::thread([&] {
    pin_to({last});
    if (may_raise) set_nice(thread_id(), here.nice + 5);
    thread = threads->take();
    const ThreadPlace loading = place_in(*thread);
    EXPECT_TRUE(loading == thread_place());
    EXPECT_EQ(CPU_COUNT(&loading.cpus), 1);
    EXPECT_EQ(loading.nice, may_raise ? here.nice + 5 : here.nice);
  }).join();
  EXPECT_TRUE(place_in(*thread) == here) << "as who calls now, not as who started it";
  std::thread([&] {
    pin_to({last});
    EXPECT_TRUE(place_in(*thread) == thread_place());
  }).join();
  EXPECT_TRUE(place_in(*thread) == here);
}

}  // namespace
}  // namespace saccade::runtime
