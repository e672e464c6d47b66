// An address that a service listens on, or that a client connects to: a socket file, or a literal IP
// address and a port.
// Threads: plain values and functions. Errors: an absent value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace saccade::config {

struct ListenAddress {
  // Either a socket file, or a literal IP address and a port.
  std::filesystem::path socket;
  std::string ip;
  std::uint16_t port = 0;  // 0: any that is free

  [[nodiscard]] bool is_socket() const { return !socket.empty(); }
  [[nodiscard]] bool is_local() const;  // a socket file or a loopback address
  bool operator==(const ListenAddress&) const = default;
};
// "unix:/run/saccade.sock", "http://127.0.0.1:8080"; with TLS "https://127.0.0.1:8080"
[[nodiscard]] std::string to_string(const ListenAddress& address, bool tls = false);

// "127.0.0.1:8080", "[::1]:8080", "unix:/path"; nothing if `text` is none of these.
[[nodiscard]] std::optional<ListenAddress> listen_address_from(const std::string& text);

}  // namespace saccade::config
