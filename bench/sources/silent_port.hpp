// A port that accepts connections and says nothing, for tests and for `saccade bench sources`: a camera that
// hangs. Threads: one. Errors: listens().
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace saccade::bench {

class SilentPort {
 public:
  // `port` 0: one that is free.
  explicit SilentPort(int port = 0) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int again = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    socklen_t size = sizeof address;
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(socket_, 64) != 0)
      return;
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~SilentPort() { ::close(socket_); }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;

  [[nodiscard]] bool listens() const { return port_ != 0; }  // false: the port is taken
  [[nodiscard]] std::string url() const { return "rtsp://127.0.0.1:" + std::to_string(port_) + "/cam"; }
  // False: not before the deadline.
  [[nodiscard]] bool wait_for_client(std::chrono::milliseconds deadline) const {
    pollfd client{socket_, POLLIN, 0};
    return ::poll(&client, 1, static_cast<int>(deadline.count())) == 1;
  }

 private:
  int socket_;
  int port_ = 0;
};

}  // namespace saccade::bench
