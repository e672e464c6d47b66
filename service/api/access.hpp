// Access control: what every request is held to before it is handled.
//
// On loopback the Host must name this machine (or the declared origin), so that a web page which rebinds its
// name to 127.0.0.1 gets no answer. An Origin, which browsers send with every write, must be the Host's own
// or the declared one. Beyond loopback, and wherever tokens are configured, every request carries one of them
// as `Authorization: Bearer`, whose role says what it may do. Threads: plain values and functions. Errors:
// Result.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/api_config.hpp"
#include "service/api/message.hpp"

namespace saccade::service {

// read   everything that is, but no passwords
// infer  send frames
// admin  everything
enum class Role { read, infer, admin };
[[nodiscard]] const char* to_string(Role role);

struct Token {
  Role role = Role::admin;
  std::string secret;
};

// The tokens in a file: "ROLE TOKEN" in each line, or a token alone, which is an admin's. A token has 16 to
// 512 visible characters. The file may be read by its owner alone; or it is one that the service manager
// keeps as this service's credential ($CREDENTIALS_DIRECTORY). Never empty.
[[nodiscard]] Result<std::vector<Token>> read_tokens(const std::filesystem::path& file);
// For a client: the one of them that may do most.
[[nodiscard]] Result<std::string> read_token(const std::filesystem::path& file);

struct Access {
  config::ListenAddress address;   // with the port that was bound
  std::vector<Token> tokens = {};  // none: everyone who reaches the address is admin
  std::optional<config::TlsFiles> tls = {};
  std::string origin = {};   // declared; empty: none
  bool health_only = false;  // health and metrics, and nothing else
};

// What a request needs.
enum class Needs { nothing, read, infer, read_or_infer, admin };

// Of the token that the request carries; absent: none that is known. Takes as long for any of them.
[[nodiscard]] std::optional<Role> role_of(const Access& access, const Request& request);

// The answer to a request that may not be asked; absent when it may.
[[nodiscard]] std::optional<Response> refuse(const Access& access, const Request& request, Needs needs);

}  // namespace saccade::service
