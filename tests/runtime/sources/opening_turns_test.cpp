// Addresses and files that are opened at the same time, each on a thread of its own.
#include "runtime/sources/opening_turns.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace saccade::runtime::opening_turns_test {
namespace {

const auto kNothing = [] {};

TEST(OpeningTurns, AddressesAreOpenedTogether) {
  OpeningTurns turns;
  turns.enter(false, kNothing);
  turns.enter(false, kNothing);
  EXPECT_EQ(turns.waiting(), 0U);
  turns.leave(false);
  turns.leave(false);
  turns.enter(true, kNothing);
  turns.leave(true);
}

TEST(OpeningTurns, AFileThatWaitsIsNotOvertakenByAddresses) {
  OpeningTurns turns;
  std::vector<std::string> order;  // written by one at a time
  std::atomic<int> came = 0;
  const auto open = [&](bool file) {
    turns.enter(file, [&] {
      order.emplace_back(file ? "file" : "address");
      ++came;
    });
    turns.leave(file);
  };
  turns.enter(false, kNothing);  // one that takes long
  std::thread file([&] { open(true); });
  while (turns.waiting() < 1) std::this_thread::yield();
  std::thread address([&] { open(false); });
  while (turns.waiting() < 2 && came == 0) std::this_thread::yield();
  EXPECT_EQ(came, 0);
  turns.leave(false);
  file.join();
  address.join();
  EXPECT_EQ(order, (std::vector<std::string>{"file", "address"}));
}

}  // namespace
}  // namespace saccade::runtime::opening_turns_test
