// When memory is near its end, by the system's own words.
#include "runtime/machine/memory_watch.hpp"

#include <gtest/gtest.h>

namespace saccade::runtime {
namespace {

std::optional<MemoryLeft> left(double bytes) {
  return MemoryLeft{Bytes(bytes), Bytes(1000e6), "the machine"};
}

TEST(MemoryWatch, WarnsOnceUntilThereIsRoomAgain) {
  MemoryWatch watch;
  EXPECT_EQ(watch.look(left(100e6), std::nullopt), std::nullopt);
  EXPECT_EQ(watch.look(left(99e6), Bytes(640e6)),
            "memory is running out: 99 MB of 1000 MB of the machine are left, this process holds 640 MB; the "
            "system may end it");
  EXPECT_EQ(watch.look(left(10e6), std::nullopt), std::nullopt) << "said already";
  EXPECT_EQ(watch.look(left(149e6), std::nullopt), std::nullopt);
  EXPECT_EQ(watch.look(left(90e6), std::nullopt), std::nullopt) << "it never was far";
  EXPECT_EQ(watch.look(left(150e6), std::nullopt), std::nullopt);
  EXPECT_NE(watch.look(left(90e6), std::nullopt), std::nullopt);
  EXPECT_EQ(watch.look(std::nullopt, std::nullopt), std::nullopt);
}

TEST(MemoryWatch, ReadsWhatTheSystemTells) {
  const auto machine =
      machine_memory_left("MemTotal:        2000 kB\nMemFree: 1 kB\nMemAvailable:    500 kB\n");
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->left, Bytes(500.0 * 1024));
  EXPECT_EQ(machine->of, Bytes(2000.0 * 1024));
  EXPECT_FALSE(machine_memory_left("MemTotal: 2000 kB\n"));
  EXPECT_FALSE(machine_memory_left(""));
}

TEST(MemoryWatch, PagesThatCanBeDroppedAreLeft) {
  const auto group =
      group_memory_left("1000\n", "900\n", "anon 500\ninactive_file 300\nactive_file 100\n", "/a");
  ASSERT_TRUE(group);
  EXPECT_EQ(group->left, Bytes(400.0));
  EXPECT_EQ(group->of, Bytes(1000.0));
  EXPECT_EQ(group->whose, "the control group /a");
  EXPECT_FALSE(group_memory_left("max\n", "900\n", "", "/a")) << "no limit";
  EXPECT_EQ(group_memory_left("1000", "1100", "", "/a")->left, Bytes(0.0));
}

TEST(MemoryWatch, TheTighterOfTwoCounts) {
  const MemoryLeft large{Bytes(50.0), Bytes(1000.0), "the machine"};
  const MemoryLeft small{Bytes(40.0), Bytes(100.0), "the control group /a"};
  EXPECT_EQ(tighter(large, small)->whose, "the machine");
  EXPECT_EQ(tighter(std::nullopt, small)->whose, small.whose);
  EXPECT_FALSE(tighter(std::nullopt, std::nullopt));
}

TEST(MemoryWatch, ThisMachineHasMemory) {
  const auto memory = read_memory_left();
  ASSERT_TRUE(memory);
  EXPECT_GT(memory->of, Bytes(0.0));
  EXPECT_LE(memory->left, memory->of);
}

}  // namespace
}  // namespace saccade::runtime
