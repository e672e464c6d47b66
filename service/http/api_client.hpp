// Asks a running service over its API: one connection for each request, with an end to every wait.
// Threads: function without state. Errors: Result; nothing throws. An answer that says no is no error
// here: its status does.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "service/api/access.hpp"

namespace saccade::service {

struct ApiEndpoint {
  config::ListenAddress address{"", "127.0.0.1", 8080};
  std::string token;  // empty: none
  struct Tls {
    std::string name;         // that the certificate has to have
    std::string authorities;  // PEM file of those who may have signed it; empty: those of the system
  };
  std::optional<Tls> tls = {};  // absent: in the clear
};

struct ApiAnswer {
  int status = 0;
  std::string etag;
  std::string body;
};

// `body` is JSON; empty: none.
[[nodiscard]] Result<ApiAnswer> ask_api(const ApiEndpoint& endpoint, const std::string& method,
                                        const std::string& target, const std::string& body = {});

}  // namespace saccade::service
