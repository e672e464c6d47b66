// Access control: the checks that every request must pass before it is handled.
//
// On loopback the Host must name this machine (or the declared origin), so that a web page that rebinds its
// name to 127.0.0.1 gets no response. An Origin, which browsers send with every write, must be that of the
// Host or the declared one. Beyond loopback, and wherever tokens are configured, every request must carry one
// of them as `Authorization: Bearer`; its role determines what it may do. Threads: plain values and
// functions. Errors: Result.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/api_config.hpp"
#include "service/api/message.hpp"

namespace saccade::service {

// read   everything except passwords
// infer  send frames
// admin  everything
enum class Role { read, infer, admin };
[[nodiscard]] const char* to_string(Role role);

struct Token {
  Role role = Role::admin;
  std::string secret;
};

// The tokens in a file: one "ROLE TOKEN" per line, or a token alone, which has the role admin. A token has 16
// to 512 visible characters. The file must be readable by its owner only, or be a credential of this service
// from the service manager ($CREDENTIALS_DIRECTORY). Never empty.
[[nodiscard]] Result<std::vector<Token>> read_tokens(const std::filesystem::path& file);
// For a client: the one of them with the most permissions.
[[nodiscard]] Result<std::string> read_token(const std::filesystem::path& file);

struct Access {
  config::ListenAddress address;   // with the port that was bound
  std::vector<Token> tokens = {};  // none: every client that reaches the address is admin
  std::optional<config::TlsFiles> tls = {};
  std::string origin = {};   // declared; empty: none
  bool health_only = false;  // health and metrics, and nothing else
};

// The permission that a request needs.
enum class Needs { nothing, read, infer, read_or_infer, admin };

// Role of the request's token; absent: unknown token. Constant time, whichever token matches.
[[nodiscard]] std::optional<Role> role_of(const Access& access, const Request& request);

// The response to a request that is not permitted; absent if it is.
[[nodiscard]] std::optional<Response> refuse(const Access& access, const Request& request, Needs needs);

}  // namespace saccade::service
