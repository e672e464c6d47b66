#include "runtime/machine/cores.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "runtime/machine/thread_settings.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

namespace fs = std::filesystem;

void tell_siblings(const fs::path& folder, int cpu, const std::string& list) {
  const fs::path topology = folder / ("cpu" + std::to_string(cpu)) / "topology";
  fs::create_directories(topology);
  std::ofstream(topology / "thread_siblings_list") << list << '\n';
}

using Cores = std::vector<std::vector<int>>;

TEST(Cores, AreTheCpusThatShareOne) {
  const test::TemporaryFolder folder;
  for (const int cpu : {0, 4}) tell_siblings(folder.path(), cpu, "0,4");
  for (const int cpu : {1, 5}) tell_siblings(folder.path(), cpu, "1,5");
  for (const int cpu : {2, 3}) tell_siblings(folder.path(), cpu, "2-3");
  EXPECT_EQ(cores_of({0, 1, 2, 3, 4, 5}, folder.path()), (Cores{{0, 4}, {1, 5}, {2, 3}}));
}

TEST(Cores, LeaveOutCpusThatMayNotBeUsed) {
  const test::TemporaryFolder folder;
  for (const int cpu : {0, 4}) tell_siblings(folder.path(), cpu, "0,4");
  for (const int cpu : {1, 5}) tell_siblings(folder.path(), cpu, "1,5");
  EXPECT_EQ(cores_of({1, 4, 5}, folder.path()), (Cores{{1, 5}, {4}}));
}

TEST(Cores, OfWhichNothingIsToldHaveOneCpuEach) {
  const test::TemporaryFolder folder;
  tell_siblings(folder.path(), 1, "unknown");
  EXPECT_EQ(cores_of({0, 1, 7}, folder.path()), (Cores{{0}, {1}, {7}}));
}

TEST(Cores, OfThisMachineAreItsAllowedCpus) {
  std::size_t cpus = 0;
  for (const std::vector<int>& core : machine_cores()) cpus += core.size();
  EXPECT_EQ(cpus, allowed_cpus().size());
}

}  // namespace
}  // namespace saccade::runtime
