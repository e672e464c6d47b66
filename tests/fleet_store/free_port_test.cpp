#include "tests/support/free_port.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <set>

namespace saccade::test {
namespace {

// A server that started a moment after its port had been chosen found it taken, by a connection or by a
// server of another test.
TEST(FreePort, IsOneThatNoConnectionGets) {
  constexpr std::uint16_t kFirstOfConnections = 32768;  // as Linux is delivered
  for (int time = 0; time < 100; ++time) EXPECT_LT(free_port(), kFirstOfConnections);
}

TEST(FreePort, IsKeptFromOtherProcessesUntilThisOneEnds) {
  constexpr int kPorts = 200;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::uint16_t mine = free_port();
  const pid_t other = fork();
  ASSERT_GE(other, 0);
  if (other == 0) {  // goes on where this process does, and so meets each of its ports
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int time = 0; time < kPorts; ++time) {
      const std::uint16_t port = free_port();
      if (write(ends[1], &port, sizeof port) != sizeof port) _exit(1);
    }
    pause();
    _exit(0);
  }
  close(ends[1]);  // so that reading ends with the other
  std::set<std::uint16_t> ports{mine};
  for (int time = 0; time < kPorts; ++time) {
    std::uint16_t theirs = 0;
    EXPECT_EQ(read(ends[0], &theirs, sizeof theirs), static_cast<ssize_t>(sizeof theirs));
    EXPECT_TRUE(ports.insert(theirs).second) << theirs;
  }
  for (int time = 0; time < kPorts; ++time) {
    const std::uint16_t port = free_port();
    EXPECT_TRUE(ports.insert(port).second) << port;
  }
  kill(other, SIGKILL);
  EXPECT_EQ(waitpid(other, nullptr, 0), other);
  close(ends[0]);
}

}  // namespace
}  // namespace saccade::test
