// The options by which a command finds the API of a running service. Threads: functions without state.
#pragma once

#include <optional>
#include <ostream>

#include "app/report/options.hpp"
#include "service/http/api_client.hpp"

namespace saccade::app {

inline const OptionSpec kApiUrl{
    "url", "URL",
    "where the service listens (default: http://127.0.0.1:8080); https where it has a certificate"};
inline const OptionSpec kApiSocket{"socket", "FILE", "the socket file that it listens on, instead of --url"};
inline const OptionSpec kApiCa{
    "ca", "FILE", "with an https URL: the certificates that are trusted (default: those of the system)"};
inline const OptionSpec kApiTokenFile{"token-file", "FILE", "file with the token that it asks for"};

// Sets what these options say; the exit code when one of them is wrong.
[[nodiscard]] std::optional<int> read_endpoint(const Invocation& call, const char* verb,
                                               service::ApiEndpoint& endpoint, std::ostream& err);

}  // namespace saccade::app
