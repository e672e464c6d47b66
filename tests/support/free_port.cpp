#include "tests/support/free_port.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include "base/check.hpp"

namespace saccade::test {
namespace {

constexpr unsigned kFirst = 20000;
constexpr unsigned kCount = 10000;

// Keeps `port` from all other processes until the descriptor is closed, or this process ends; -1: somebody
// has it. What keeps it is a name among the abstract Unix sockets, of which the kernel lets go itself.
int keep(unsigned port) {
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  SACCADE_CHECK(file >= 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "saccade-test-port-" + std::to_string(port);
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (bind(file, reinterpret_cast<const sockaddr*>(&address), size) == 0) return file;
  SACCADE_CHECK(errno == EADDRINUSE);
  close(file);
  return -1;
}

bool nobody_listens(unsigned port) {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  SACCADE_CHECK(file >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool free = bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(file);
  return free;
}

}  // namespace

std::uint16_t free_port() {
  // Processes begin at different ones, so that they seldom meet.
  static std::atomic<unsigned> next{static_cast<unsigned>(getpid()) * 37U};
  for (unsigned tried = 0; tried < kCount; ++tried) {
    const unsigned port = kFirst + next++ % kCount;
    const int kept = keep(port);
    if (kept < 0) continue;
    if (nobody_listens(port)) return static_cast<std::uint16_t>(port);
    close(kept);
  }
  SACCADE_CHECK(false && "a port is free");
  return 0;
}

}  // namespace saccade::test
