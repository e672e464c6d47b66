#include "app/config_api.hpp"

#include <sys/un.h>

#include "app/config_source.hpp"

namespace saccade::app {

ApiConfig read_api(const profiles::JsonAt& at, const std::filesystem::path& directory,
                   profiles::JsonReport& report) {
  ApiConfig api;
  profiles::ObjectReader reader(at, report);
  if (const auto token = reader.find_given("token_file")) {
    const std::string file = profiles::read_text(*token, report).value_or("");
    if (file.empty() && (*token)->kind == profiles::JsonValue::Kind::string) {
      report.add(*token, "there is no file", "write the path of a file with one secret line");
    }
    if (!file.empty()) api.token_file = resolve(directory, file);
  }
  const auto listen = reader.find("listen");
  if (!listen) return api;
  const auto text = profiles::read_text(*listen, report);
  if (!text) return api;
  const auto address = runtime::listen_address_from(*text);
  if (!address) {
    report.add(*listen, profiles::in_quotes(*text) + " is no address to listen on",
               "write an IP address and a port, \"127.0.0.1:8080\", or \"unix:/run/saccade/api.sock\"");
    return api;
  }
  api.address = *address;
  if (address->is_socket()) {
    api.address.socket = resolve(directory, address->socket.string());
    if (api.address.socket.string().size() >= sizeof(sockaddr_un::sun_path)) {
      report.add(*listen, "the path of the socket is too long for this system", "107 bytes at most");
    }
  } else if (!address->is_local() && api.token_file.empty()) {
    report.add(*listen, "an address beyond this machine needs a `token_file`",
               "openssl rand -hex 32 > FILE; chmod 600 FILE; or listen on 127.0.0.1");
  }
  return api;
}

}  // namespace saccade::app
