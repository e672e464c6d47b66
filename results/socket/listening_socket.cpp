#include "results/socket/listening_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace saccade::results {
namespace {

constexpr const char* kLater = "results are dropped until it can";

bool address_of(const std::filesystem::path& path, sockaddr_un& address) {
  const std::string text = path.string();
  address = {};
  address.sun_family = AF_UNIX;
  if (text.empty() || text.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, text.data(), text.size());
  return true;
}

int unix_socket() { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

// Connects, or the system's word for why not; 0: somebody listens.
int knock(const sockaddr_un& address) {
  const int file = unix_socket();
  if (file < 0) return errno;
  const int code = ::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int why = code == 0 ? 0 : errno;
  ::close(file);
  return why;
}

}  // namespace

Error ListeningSocket::failure(const std::string& what, const std::string& hint) const {
  return Error{path_.string(), what, hint};
}

Status ListeningSocket::make_room() const {
  struct stat facts {};
  if (::lstat(path_.c_str(), &facts) != 0) return Done{};
  if (!S_ISSOCK(facts.st_mode)) {
    return failure("is there already and is no socket", "name another path, or remove it");
  }
  sockaddr_un address{};
  if (!address_of(path_, address)) return Done{};
  const int why = knock(address);
  if (why == ECONNREFUSED) {
    ::unlink(path_.c_str());
    return Done{};
  }
  if (why == 0 || why == EAGAIN) {
    return failure("another program listens there", "name another path, or end it");
  }
  return failure(std::string("is there already and cannot be tried: ") + std::strerror(why),
                 "remove it, or name another path");
}

Status ListeningSocket::open() {
  if (is_open()) return Done{};
  sockaddr_un address{};
  if (!address_of(path_, address)) {
    return failure("the path is too long for a socket", "107 bytes at most");
  }
  const Status room = make_room();
  if (!room) return room.errors();
  const auto failed = [&](const char* doing) {
    const std::string words = std::string(doing) + ": " + std::strerror(errno);
    if (file_ >= 0) ::close(std::exchange(file_, -1));
    return failure(words, kLater);
  };
  file_ = unix_socket();
  if (file_ < 0) return failed("no socket can be made");
  if (::bind(file_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return failed("cannot listen");
  }
  // Before anybody can connect.
  struct stat facts {};
  if (::chmod(path_.c_str(), mode_) != 0 || ::lstat(path_.c_str(), &facts) != 0 || ::listen(file_, 16) != 0) {
    return failed("cannot listen");
  }
  device_ = facts.st_dev;
  inode_ = facts.st_ino;
  return Done{};
}

void ListeningSocket::close() {
  if (!is_open()) return;
  struct stat facts {};
  if (::lstat(path_.c_str(), &facts) == 0 && facts.st_dev == device_ && facts.st_ino == inode_) {
    ::unlink(path_.c_str());
  }
  ::close(std::exchange(file_, -1));
}

int ListeningSocket::accept() const {
  return ::accept4(file_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

}  // namespace saccade::results
