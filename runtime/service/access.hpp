// Who may ask: where the service listens and what every request is held to before it is looked at.
//
// On loopback the Host must name this machine, so that a web page which rebinds its name to 127.0.0.1
// gets no answer. An Origin, which browsers send with every write, must be the Host's own. Beyond
// loopback, and wherever a token is configured, every request carries it as `Authorization: Bearer`.
// Threads: plain values and functions. Errors: Result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "runtime/service/message.hpp"

namespace saccade::runtime {

struct ListenAddress {
  // Either a socket file, or a literal IP address and a port.
  std::filesystem::path socket;
  std::string ip;
  std::uint16_t port = 0;  // 0: any that is free

  [[nodiscard]] bool is_socket() const { return !socket.empty(); }
  [[nodiscard]] bool is_local() const;  // a socket file or a loopback address
  bool operator==(const ListenAddress&) const = default;
};
// "unix:/run/saccade.sock", "http://127.0.0.1:8080"
[[nodiscard]] std::string to_string(const ListenAddress& address);

// "127.0.0.1:8080", "[::1]:8080", "unix:/path"; nothing when `text` is none of these.
[[nodiscard]] std::optional<ListenAddress> listen_address_from(const std::string& text);

// The secret in a token file: one line of 16 to 512 visible characters, in a file that only its owner
// may read; or one that the service manager keeps as this service's credential ($CREDENTIALS_DIRECTORY).
[[nodiscard]] Result<std::string> read_token(const std::filesystem::path& file);

struct Access {
  ListenAddress address;  // with the port that was bound
  std::optional<std::string> token;
};
// The answer to a request that may not be asked; absent when it may. `open`: of something that is no
// secret, so that no token is needed.
[[nodiscard]] std::optional<Response> refuse(const Access& access, const Request& request, bool open = false);

}  // namespace saccade::runtime
