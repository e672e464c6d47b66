#include "app/verbs/api_options.hpp"

#include <string>
#include <utility>

#include "app/report/exit_codes.hpp"
#include "app/report/output.hpp"
#include "config/listen_address.hpp"

namespace saccade::app {
namespace {

// With `tls` where the URL is one of https; its certificate is to have the name that stands there.
std::optional<service::ApiEndpoint> endpoint_of_url(std::string url) {
  const std::string local = "localhost:";
  service::ApiEndpoint endpoint;
  if (url.starts_with("https://")) endpoint.tls.emplace();
  for (const std::string scheme : {"http://", "https://"}) {
    if (url.starts_with(scheme)) url.erase(0, scheme.size());
  }
  if (url.ends_with('/')) url.pop_back();
  const bool by_name = url.starts_with(local);
  if (by_name) url.replace(0, local.size(), "127.0.0.1:");
  const auto address = config::listen_address_from(url);
  if (!address || address->is_socket()) return std::nullopt;
  endpoint.address = *address;
  if (endpoint.tls) endpoint.tls->name = by_name ? "localhost" : address->ip;
  return endpoint;
}

}  // namespace

std::optional<int> read_endpoint(const Invocation& call, const char* verb, service::ApiEndpoint& endpoint,
                                 std::ostream& err) {
  if (const auto url = call.value("url")) {
    const auto found = endpoint_of_url(*url);
    if (!found || call.has("socket")) {
      return usage_error(verb,
                         "--url is http://ADDRESS:PORT or https://ADDRESS:PORT with a numeric address, and "
                         "stands without --socket",
                         err);
    }
    endpoint = *found;
  }
  if (const auto authorities = call.value("ca")) {
    if (!endpoint.tls) return usage_error(verb, "--ca stands with --url https://ADDRESS:PORT", err);
    endpoint.tls->authorities = *authorities;
  }
  if (const auto socket = call.value("socket")) endpoint.address = {*socket, "", 0};
  if (const auto file = call.value("token-file")) {
    Result<std::string> token = service::read_token(*file);
    if (!token) {
      print_errors(token.errors(), err);
      return kExitConfig;
    }
    endpoint.token = std::move(token).value();
  }
  return std::nullopt;
}

}  // namespace saccade::app
