#include "tests/support/http_client.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "base/check.hpp"

namespace saccade::test {

HttpClient::HttpClient(const config::ListenAddress& address) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  if (address.is_socket()) {
    auto* local = reinterpret_cast<sockaddr_un*>(&storage);
    local->sun_family = AF_UNIX;
    std::strncpy(local->sun_path, address.socket.c_str(), sizeof local->sun_path - 1);
    size = sizeof *local;
  } else {
    auto* tcp = reinterpret_cast<sockaddr_in*>(&storage);
    tcp->sin_family = AF_INET;
    tcp->sin_port = htons(address.port);
    SACCADE_CHECK(inet_pton(AF_INET, address.ip.c_str(), &tcp->sin_addr) == 1);
    size = sizeof *tcp;
  }
  socket_ = socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{60, 0};  // a test that would hang fails
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&storage), size) != 0) {
    close(socket_);
    socket_ = -1;
  }
}

HttpClient::~HttpClient() {
  if (socket_ >= 0) close(socket_);
}

void HttpClient::send(const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

void HttpClient::send_no_more() { shutdown(socket_, SHUT_WR); }

bool HttpClient::receive() {
  char bytes[4096];
  const ssize_t count = recv(socket_, bytes, sizeof bytes, 0);
  if (count <= 0) return false;
  received_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

bool HttpClient::closed() { return received_.empty() && !receive(); }

std::string HttpClient::line() {
  std::size_t end = std::string::npos;
  while ((end = received_.find('\n')) == std::string::npos) {
    if (!receive()) return {};
  }
  std::string text = received_.substr(0, end);
  received_.erase(0, end + 1);
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

HttpReply HttpClient::reply(bool has_body) {
  HttpReply reply;
  const std::string first = line();
  if (!first.starts_with("HTTP/1.1 ")) return reply;
  reply.status = std::atoi(first.c_str() + std::strlen("HTTP/1.1 "));
  for (std::string header = line(); !header.empty(); header = line()) {
    const std::size_t colon = header.find(':');
    std::string name = header.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    reply.headers[name] = header.substr(colon + 2);
  }
  const auto length = reply.headers.find("content-length");
  if (!has_body || length == reply.headers.end()) return reply;
  const std::size_t size = std::stoul(length->second);
  while (received_.size() < size && receive()) {
  }
  reply.body = received_.substr(0, size);
  received_.erase(0, size);
  return reply;
}

HttpReply HttpClient::ask(const std::string& method, const std::string& target, const std::string& body,
                          const std::string& headers) {
  std::string text = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers;
  if (!body.empty()) {
    text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  }
  send(text + "\r\n" + body);
  return reply(method != "HEAD");
}

}  // namespace saccade::test
