#include "runtime/engines/device_threads.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "runtime/machine/thread_settings.hpp"

namespace saccade::runtime {
namespace {

struct Place {
  cpu_set_t cpus{};
  int nice = 0;

  friend bool operator==(const Place& a, const Place& b) {
    return a.nice == b.nice && CPU_EQUAL(&a.cpus, &b.cpus);
  }
};

Place here() { return {cpu_set(), niceness()}; }

Place place_in(DeviceThreads::Lease& thread) {
  Place place;
  thread.run([&] { place = here(); });
  return place;
}

// The loader is nice and off the workers' CPUs; what it loads serves on the workers', and is never nice.
TEST(DeviceThreads, AThreadRunsOnItsCallersCpusAndIsNotNice) {
  const auto threads = DeviceThreads::make(nullptr);
  const Place worker = here();
  const int last = allowed_cpus().back();
  const bool may_raise = may_raise_priority();
  std::unique_ptr<DeviceThreads::Lease> thread;
  const auto load = [&](auto&& call) {
    std::thread([&] {
      pin_to({last});
      if (may_raise) set_nice(thread_id(), worker.nice + 5);
      call();
      const Place loading = place_in(*thread);
      EXPECT_EQ(CPU_COUNT(&loading.cpus), 1);
      EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(last), &loading.cpus));
      EXPECT_EQ(loading.nice, worker.nice);
    }).join();
  };
  load([&] { thread = threads->take(); });
  EXPECT_EQ(place_in(*thread), worker) << "where who calls now may run, not who started it";
  load([] {});
  EXPECT_EQ(place_in(*thread), worker);
}

}  // namespace
}  // namespace saccade::runtime
