// What the service manager hears, on a socket that stands in for it.
#include "service/live/service_manager.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace saccade::service {
namespace {

class ServiceManagerSocket : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = folder_ / "notify";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    path.copy(address.sun_path, path.size());
    socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    ASSERT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) unsetenv(name);
    close(socket_);
  }

  std::string heard() {  // empty: nothing was said
    std::array<char, 512> buffer{};
    const ssize_t size = recv(socket_, buffer.data(), buffer.size(), 0);
    return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string();
  }

  test::TemporaryFolder folder_;
  int socket_ = -1;
};

TEST_F(ServiceManagerSocket, HearsOfReadinessLifeAndTheEnd) {
  const ServiceManager manager;
  EXPECT_TRUE(manager.listens());
  manager.ready("5 of 5 tasks served");
  EXPECT_EQ(heard(), "READY=1\nSTATUS=5 of 5 tasks served");
  manager.alive("4 of 5 tasks served");
  EXPECT_EQ(heard(), "WATCHDOG=1\nSTATUS=4 of 5 tasks served");
  manager.stopping();
  EXPECT_EQ(heard().substr(0, 11), "STOPPING=1\n");
}

TEST_F(ServiceManagerSocket, ASignOfLifeIsDueAtHalfOfItsPatience) {
  EXPECT_FALSE(ServiceManager().interval());
  setenv("WATCHDOG_USEC", "10000000", 1);
  EXPECT_EQ(ServiceManager().interval(), Duration(std::chrono::seconds(5)));
  setenv("WATCHDOG_PID", "1", 1);  // another process's watchdog
  EXPECT_FALSE(ServiceManager().interval());
}

TEST(ServiceManager, WithoutOneNothingHappens) {
  unsetenv("NOTIFY_SOCKET");
  const ServiceManager manager;
  EXPECT_FALSE(manager.listens());
  EXPECT_FALSE(manager.interval());
  manager.ready("");
  manager.alive("");
  manager.stopping();
}

}  // namespace
}  // namespace saccade::service
