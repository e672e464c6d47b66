#include "tests/support/socket_reader.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <thread>

namespace saccade::test {

SocketReader::SocketReader(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < end) {
    file_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(file_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) break;
    close();
    std::this_thread::yield();
  }
  const timeval minute{60, 0};
  if (file_ >= 0) ::setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof minute);
}

std::optional<std::string> SocketReader::line() {
  for (;;) {
    const std::size_t end = unread_.find('\n');
    if (end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    std::array<char, 65536> bytes;
    const ssize_t got = ::recv(file_, bytes.data(), bytes.size(), 0);
    if (got <= 0) return std::nullopt;
    unread_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

bool SocketReader::has_more(int milliseconds) const {
  if (unread_.find('\n') != std::string::npos) return true;
  pollfd wait{file_, POLLIN, 0};
  return ::poll(&wait, 1, milliseconds) == 1;
}

void SocketReader::say_no_more() const { ::shutdown(file_, SHUT_WR); }

void SocketReader::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace saccade::test
