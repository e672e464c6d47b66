#include "bench/service/connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <utility>

namespace saccade::bench {
namespace {

constexpr std::string_view kVersion = "HTTP/1.1 ";
constexpr std::string_view kHeaderEnd = "\r\n\r\n";

bool is_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 127; });
}

// "HTTP/1.1 404 Not Found"
bool read_status(std::string_view line, int& status) {
  if (!line.starts_with(kVersion) || !is_visible(line)) return false;
  const char* const begin = line.data() + kVersion.size();
  const auto [stop, failure] = std::from_chars(begin, line.data() + line.size(), status);
  return failure == std::errc{} && stop - begin == 3 && status >= 100 && status < 600 &&
         stop != line.data() + line.size() && *stop == ' ';
}

bool read_header(std::string_view line, std::map<std::string, std::string>& headers) {
  const std::size_t colon = line.find(": ");
  if (colon == 0 || colon == std::string_view::npos || !is_visible(line)) return false;
  std::string name(line.substr(0, colon));
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return headers.emplace(std::move(name), line.substr(colon + 2)).second;
}

void set_patience(int socket, Duration patience) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(patience).count();
  const timeval time{static_cast<time_t>(micros / 1'000'000),
                     static_cast<suseconds_t>(micros % 1'000'000 + 1)};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

}  // namespace

Reading take_answer(std::string& bytes, HttpAnswer& answer) {
  answer = {};
  const std::size_t end = bytes.find(kHeaderEnd);
  if (end == std::string::npos) return Reading::incomplete;
  const std::string_view head = std::string_view(bytes).substr(0, end);
  std::size_t begin = std::min(head.find("\r\n"), head.size());
  if (!read_status(head.substr(0, begin), answer.status)) return Reading::malformed;
  for (begin += 2; begin < head.size();) {
    const std::size_t line_end = std::min(head.find("\r\n", begin), head.size());
    if (!read_header(head.substr(begin, line_end - begin), answer.headers)) return Reading::malformed;
    begin = line_end + 2;
  }
  std::size_t size = 0;
  if (const auto length = answer.headers.find("content-length"); length != answer.headers.end()) {
    const std::string& text = length->second;
    const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (failure != std::errc{} || stop != text.data() + text.size()) return Reading::malformed;
  } else if (answer.status >= 200 && answer.status != 204 && answer.status != 304) {
    return Reading::malformed;
  }
  const std::size_t whole = end + kHeaderEnd.size();
  if (bytes.size() - whole < size) return Reading::incomplete;
  answer.body = bytes.substr(whole, size);
  bytes.erase(0, whole + size);
  return Reading::answer;
}

Connection::Connection(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const timeval patience{5, 0};  // a service that takes nothing for so long will not take it
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(socket_);
    socket_ = -1;
  }
}

Connection::~Connection() {
  if (socket_ >= 0) close(socket_);
}

bool Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return is_open();
}

void Connection::send_no_more() { shutdown(socket_, SHUT_WR); }

void Connection::abandon() {
  const linger at_once{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(socket_);
  socket_ = -1;
}

bool Connection::receive(int flags) {
  std::array<char, 16384> bytes;
  errno = 0;
  const ssize_t count = recv(socket_, bytes.data(), bytes.size(), flags);
  if (count <= 0) return false;
  received_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

bool Connection::receive_what_is_there() {
  while (receive(MSG_DONTWAIT)) {
  }
  return errno == EAGAIN || errno == EWOULDBLOCK;
}

std::optional<HttpAnswer> Connection::answer(Duration patience) {
  set_patience(socket_, patience);
  HttpAnswer answer;
  for (;;) {
    const Reading reading = take_answer(received_, answer);
    if (reading == Reading::answer) return answer;
    if (reading == Reading::malformed || !receive(0)) return std::nullopt;
  }
}

std::optional<std::string> Connection::rest(Duration patience) {
  set_patience(socket_, patience);
  while (receive(0)) {
  }
  if (errno == EAGAIN || errno == EWOULDBLOCK) return std::nullopt;
  return std::exchange(received_, {});
}

std::string plain_request(std::string_view method, std::string_view target, std::string_view body) {
  std::string text(method);
  text.append(" ").append(target).append(" HTTP/1.1\r\nHost: localhost\r\n");
  if (!body.empty()) {
    text.append("Content-Type: application/json\r\nContent-Length: ").append(std::to_string(body.size()));
    text.append("\r\n");
  }
  return text.append("\r\n").append(body);
}

}  // namespace saccade::bench
