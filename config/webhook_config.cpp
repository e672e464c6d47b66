#include "config/webhook_config.hpp"

#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "base/address.hpp"
#include "config/sink_parts.hpp"
#include "config/source_config.hpp"

namespace saccade::config {
namespace {

using text::in_quotes;
using text::JsonAt;
using text::JsonReport;
using text::JsonValue;
using text::ObjectReader;

constexpr int kMostBatch = 64;
constexpr int kMostReaders = 64;

std::string read_receiver(const JsonAt& at, JsonReport& report) {
  std::string url = text::read_text(at, report).value_or("");
  if (at->kind != JsonValue::Kind::string) return {};
  const std::size_t mark = url.find("://");
  const std::string scheme = url.substr(0, mark);
  const std::string rest = mark == std::string::npos ? "" : url.substr(mark + 3);
  const std::string authority = rest.substr(0, rest.find_first_of("/?#"));
  if (authority.find('@') != std::string::npos) {
    report.add(at, "the address has a user or a password in it",
               "write the path of a file with a token as `token_file`");
    return {};
  }
  const bool plain = std::all_of(url.begin(), url.end(), [](char c) {
    return c > 0x20 && c < 0x7f && std::string_view("\"'\\<>^`{|}").find(c) == std::string_view::npos;
  });
  if (!plain || (scheme != "http" && scheme != "https") || !host_and_port_from(authority) ||
      url.find('#') != std::string::npos) {
    // Its path may be the key to it, and is not shown.
    std::string shown = without_secrets(url);
    const std::size_t host = shown.find("://");
    shown.resize(host == std::string::npos ? 0 : std::min(shown.find('/', host + 3), shown.size()));
    report.add(at, in_quotes(shown) + " is no address of a receiver", R"(write "https://hub.lan/saccade")");
    return {};
  }
  return url;
}

// "0660": nine bits as chmod takes them.
std::optional<unsigned> permissions_from(const std::string& text) {
  unsigned mode = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, mode, 8);
  const bool fits = error == std::errc() && stop == end && text.size() >= 3 && text.size() <= 4;
  constexpr unsigned kOwnerConnects = 0200;  // also a later run, which finds out whether anybody listens
  return fits && mode <= 0777U && (mode & kOwnerConnects) != 0 ? std::optional(mode) : std::nullopt;
}

}  // namespace

results::WebhookSettings read_webhook(ObjectReader& reader, const std::filesystem::path& directory) {
  JsonReport& report = reader.report();
  results::WebhookSettings webhook;
  if (const auto url = reader.require("url")) webhook.url = read_receiver(*url, report);
  webhook.token_file = read_optional_path(reader, "token_file", directory);
  webhook.hmac_file = read_optional_path(reader, "hmac_file", directory);
  webhook.ca_file = read_optional_path(reader, "ca_file", directory);
  if (!webhook.ca_file.empty() && webhook.url.starts_with("http://")) {
    report.add(*reader.find("ca_file"), "nothing is encrypted with this address",
               "write https:// as its scheme");
  }
  reader.quantity("timeout_seconds", webhook.timeout, {0.1, false, 60.0});
  reader.quantity("retry_seconds", webhook.retry, {0.0, false, 86'400.0});
  reader.integer("batch", webhook.batch, 1, kMostBatch);
  return webhook;
}

results::SocketSettings read_socket(ObjectReader& reader, const std::filesystem::path& directory) {
  JsonReport& report = reader.report();
  results::SocketSettings socket;
  if (const auto path = reader.require("path")) {
    const std::string name = text::read_text(*path, report).value_or("");
    if (!name.empty()) socket.path = resolve(directory, name).lexically_normal();
    if (name.empty() && (*path)->kind == JsonValue::Kind::string) {
      report.add(*path, "the path is empty", "name a socket for the readers");
    } else if (socket.path.string().size() >= sizeof(sockaddr_un::sun_path)) {
      report.add(*path, "the path of the socket is too long for this system", "107 bytes at most");
    }
  }
  if (const auto mode = reader.find("mode")) {
    const auto text = text::read_text(*mode, report);
    const auto permissions = text ? permissions_from(*text) : std::nullopt;
    if (text && !permissions) {
      report.add(
          *mode, in_quotes(*text) + " are no permissions of a file",
          R"(write three or four octal digits with which the owner may write, as chmod takes them: "0660")");
    }
    socket.mode = permissions.value_or(socket.mode);
  }
  reader.integer("readers", socket.readers, 1, kMostReaders);
  return socket;
}

}  // namespace saccade::config
