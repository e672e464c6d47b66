#include "bench/results/other_sides.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "bench/service/connection.hpp"
#include "runtime/machine/thread_settings.hpp"

namespace saccade::bench {
namespace {

constexpr const char* kMosquitto = "/usr/sbin/mosquitto";
constexpr int kLook = 50;  // ms between looks at whether it is to end

// Listens on a free port of 127.0.0.1.
int listening_socket(std::uint16_t& port) {
  const int file = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  SACCADE_CHECK(file >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  SACCADE_CHECK(::bind(file, reinterpret_cast<const sockaddr*>(&address), size) == 0);
  SACCADE_CHECK(::listen(file, 16) == 0);
  SACCADE_CHECK(::getsockname(file, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port = ntohs(address.sin_port);
  return file;
}

bool has_bytes(int file) {
  pollfd wait{file, POLLIN, 0};
  return ::poll(&wait, 1, kLook) == 1;
}

// The length of the first request in `bytes`; 0: it is not whole.
std::size_t whole_request(const std::string& bytes) {
  constexpr std::string_view kLength = "Content-Length: ";
  const std::size_t end = bytes.find("\r\n\r\n");
  const std::size_t length = bytes.find(kLength);
  if (end == std::string::npos || length > end) return 0;
  const std::size_t whole = end + 4 + std::strtoul(bytes.c_str() + length + kLength.size(), nullptr, 10);
  return bytes.size() >= whole ? whole : 0;
}

[[noreturn]] void become_broker(const std::string& configuration, const std::vector<int>& cpus) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  runtime::pin_to(cpus);
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  ::execl(kMosquitto, kMosquitto, "-c", configuration.c_str(), nullptr);
  ::_exit(127);
}

}  // namespace

std::uint16_t port_that_is_free() {
  std::uint16_t port = 0;
  ::close(listening_socket(port));
  return port;
}

BenchBroker::BenchBroker(std::filesystem::path folder, bool lets_in, std::vector<int> cpus)
    : folder_(std::move(folder)), lets_in_(lets_in), cpus_(std::move(cpus)), port_(port_that_is_free()) {}

BenchBroker::~BenchBroker() { kill(); }

Status BenchBroker::start() {
  if (::access(kMosquitto, X_OK) != 0) {
    return Error{kMosquitto, "there is no broker", "install the package mosquitto (scripts/setup --test)"};
  }
  const std::string configuration = (folder_ / "mosquitto.conf").string();
  std::ofstream file(configuration);
  // A broker that holds small messages back (Nagle's algorithm) would be measured instead of the service.
  file << "listener " << port_ << " 127.0.0.1\npersistence false\nlog_dest none\nset_tcp_nodelay true\n"
       << "allow_anonymous " << (lets_in_ ? "true" : "false") << '\n';
  if (::geteuid() == 0) file << "user root\n";
  file.close();
  id_ = ::fork();
  if (id_ == 0) become_broker(configuration, cpus_);
  if (id_ < 0) return Error{kMosquitto, "cannot be started", ""};
  for (int i = 0; i < 200; ++i) {
    if (Connection(port_).is_open()) return Done{};
    std::this_thread::sleep_for(std::chrono::milliseconds(kLook));
  }
  return Error{kMosquitto, "does not listen after 10 s", ""};
}

void BenchBroker::signal(int number) const {
  if (id_ > 0) ::kill(id_, number);
}

void BenchBroker::kill() {
  if (id_ <= 0) return;
  ::kill(id_, SIGKILL);
  ::waitpid(std::exchange(id_, -1), nullptr, 0);
}

BenchReceiver::BenchReceiver(std::vector<int> cpus, Manner manner)
    : manner_(manner), door_(listening_socket(port_)) {
  thread_ = std::thread([this, cpus = std::move(cpus)] {
    runtime::pin_to(cpus);
    while (!end_) {
      if (!has_bytes(door_)) continue;
      const int connection = ::accept4(door_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      serve(connection);
      ::close(connection);
    }
  });
}

BenchReceiver::~BenchReceiver() {
  end_ = true;
  thread_.join();
  ::close(door_);
}

std::string BenchReceiver::url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

bool BenchReceiver::answer(int connection) {
  if (manner_ == Manner::hangs) return true;
  const std::string_view words = manner_ == Manner::takes ? "HTTP/1.1 204 No Content\r\n\r\n"
                                 : manner_ == Manner::fails
                                     ? "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"
                                     : "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
  if (::send(connection, words.data(), words.size(), MSG_NOSIGNAL) < 0) return false;
  if (manner_ != Manner::drips) return true;
  constexpr int kLooksPerByte = 1000 / kLook;
  for (int look = 1; !end_; ++look) {
    if (has_bytes(connection)) return false;  // it has closed: it says nothing else
    if (look % kLooksPerByte == 0 && ::send(connection, ".", 1, MSG_NOSIGNAL) < 0) return false;
  }
  return false;
}

void BenchReceiver::serve(int connection) {
  std::string bytes;
  std::array<char, 65536> some;
  while (!end_) {
    if (!has_bytes(connection)) continue;
    const ssize_t got = ::recv(connection, some.data(), some.size(), 0);
    if (got <= 0) return;
    bytes.append(some.data(), static_cast<std::size_t>(got));
    for (std::size_t whole = whole_request(bytes); whole > 0; whole = whole_request(bytes)) {
      bytes.erase(0, whole);
      if (!answer(connection)) return;
    }
  }
}

BenchReader::BenchReader(const std::filesystem::path& socket, std::vector<int> cpus) {
  thread_ = std::thread([this, path = socket.string(), cpus = std::move(cpus)] {
    runtime::pin_to(cpus);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    while (!end_ && ::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kLook));
    }
    std::array<char, 65536> some;
    while (!end_ && (!has_bytes(file) || ::recv(file, some.data(), some.size(), 0) > 0)) continue;
    ::close(file);
  });
}

BenchReader::~BenchReader() {
  end_ = true;
  thread_.join();
}

}  // namespace saccade::bench
