#include "config/api_config.hpp"

#include <sys/un.h>

#include "config/source_config.hpp"

namespace saccade::config {

namespace {

// The path of a file that exists is not looked for here: a certificate may come after a check.
std::filesystem::path read_file_name(const std::optional<text::JsonAt>& at, const std::string& what,
                                     const std::filesystem::path& directory, text::JsonReport& report) {
  if (!at) return {};
  const std::string file = text::read_text(*at, report).value_or("");
  if (file.empty() && (*at)->kind == text::JsonValue::Kind::string) {
    report.add(*at, "there is no file", "write the path of " + what);
  }
  return file.empty() ? std::filesystem::path() : resolve(directory, file);
}

std::optional<TlsFiles> read_tls(const text::JsonAt& at, const std::filesystem::path& directory,
                                 text::JsonReport& report) {
  text::ObjectReader reader(at, report);
  TlsFiles tls;
  tls.certificate =
      read_file_name(reader.require("certificate"), "a certificate in PEM form", directory, report);
  tls.key = read_file_name(reader.require("key"), "the certificate's key in PEM form", directory, report);
  return tls;
}

std::string read_origin(const text::JsonAt& at, text::JsonReport& report) {
  std::string origin = text::read_text(at, report).value_or("");
  if (at->kind != text::JsonValue::Kind::string) return origin;
  const std::size_t mark = origin.find("://");
  const std::string scheme = origin.substr(0, mark);
  const bool good = (scheme == "https" || scheme == "http") && mark != std::string::npos &&
                    origin.size() > mark + 3 && origin.find_first_of("/?#@* ", mark + 3) == std::string::npos;
  if (!good) {
    report.add(at, text::in_quotes(origin) + " is no origin of a page",
               "write scheme, host and port as browsers do, without a path: \"https://cameras.example\"");
  }
  return origin;
}

std::optional<ListenAddress> read_address(const text::JsonAt& at, const std::filesystem::path& directory,
                                          text::JsonReport& report) {
  const auto text = text::read_text(at, report);
  if (!text) return std::nullopt;
  auto address = listen_address_from(*text);
  if (!address) {
    report.add(at, text::in_quotes(*text) + " is no address to listen on",
               "write an IP address and a port, \"127.0.0.1:8080\", or \"unix:/run/saccade/api.sock\"");
    return std::nullopt;
  }
  if (address->is_socket()) {
    address->socket = resolve(directory, address->socket.string());
    if (address->socket.string().size() >= sizeof(sockaddr_un::sun_path)) {
      report.add(at, "the path of the socket is too long for this system", "107 bytes at most");
    }
  }
  return address;
}

}  // namespace

ApiConfig read_api(const text::JsonAt& at, const std::filesystem::path& directory, text::JsonReport& report) {
  ApiConfig api;
  text::ObjectReader reader(at, report);
  api.token_file = read_file_name(reader.find_given("token_file"),
                                  "a file that has one token, or ROLE TOKEN, per line", directory, report);
  if (const auto tls = reader.find_given("tls")) api.tls = read_tls(*tls, directory, report);
  if (const auto origin = reader.find_given("origin")) api.origin = read_origin(*origin, report);
  if (const auto health = reader.find_given("health")) api.health = read_address(*health, directory, report);
  if (const auto allow = reader.find("allow")) api.allow = read_allow(*allow, directory, report);
  const auto listen = reader.find("listen");
  if (!listen) return api;
  const auto address = read_address(*listen, directory, report);
  if (!address) return api;
  api.address = *address;
  if (!address->is_local() && api.token_file.empty()) {
    report.add(*listen, "an address beyond this machine needs a `token_file`",
               "openssl rand -hex 32 > FILE; chmod 600 FILE; or listen on 127.0.0.1");
  }
  return api;
}

}  // namespace saccade::config
