// Sends requests to a running service's API: one connection per request, with a time-out for every wait.
// Threads: function without state. Errors: Result; nothing throws. An error response is not an error here:
// see its status.
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
    std::string name;         // name that the certificate must contain
    std::string authorities;  // PEM file of trusted authorities; empty: the system's trust store
  };
  std::optional<Tls> tls = {};  // absent: plain HTTP
  int patience_seconds = 10;    // for the whole response
};

struct ApiAnswer {
  int status = 0;
  std::string etag;
  std::string body;
};

// `body` is JSON; empty: none. `if_match`: an ETag or "*"; empty: none.
[[nodiscard]] Result<ApiAnswer> ask_api(const ApiEndpoint& endpoint, const std::string& method,
                                        const std::string& target, const std::string& body = {},
                                        const std::string& if_match = {});

}  // namespace saccade::service
