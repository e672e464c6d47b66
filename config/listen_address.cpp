#include "config/listen_address.hpp"

#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <string_view>

namespace saccade::config {
namespace {

bool is_ip(const std::string& text, bool v6) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return inet_pton(v6 ? AF_INET6 : AF_INET, text.c_str(), address.data()) == 1;
}

}  // namespace

bool ListenAddress::is_local() const {
  return is_socket() || ip == "::1" || (is_ip(ip, false) && ip.starts_with("127."));
}

std::string to_string(const ListenAddress& address, bool tls) {
  if (address.is_socket()) return "unix:" + address.socket.string();
  const bool v6 = address.ip.find(':') != std::string::npos;
  return std::string(tls ? "https://" : "http://") + (v6 ? "[" + address.ip + "]" : address.ip) + ":" +
         std::to_string(address.port);
}

std::optional<ListenAddress> listen_address_from(const std::string& text) {
  constexpr std::string_view kSocket = "unix:";
  ListenAddress address;
  if (text.starts_with(kSocket)) {
    address.socket = text.substr(kSocket.size());
    if (address.socket.empty()) return std::nullopt;
    return address;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data() + colon + 1, end, address.port);
  if (failure != std::errc{} || stop != end) return std::nullopt;
  address.ip = text.substr(0, colon);
  const bool v6 = address.ip.size() > 2 && address.ip.front() == '[' && address.ip.back() == ']';
  if (v6) address.ip = address.ip.substr(1, address.ip.size() - 2);
  if (!is_ip(address.ip, v6)) return std::nullopt;
  return address;
}

}  // namespace saccade::config
