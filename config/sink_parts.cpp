#include "config/sink_parts.hpp"

#include <algorithm>
#include <charconv>

#include "config/source_config.hpp"

namespace saccade::config {
namespace {

std::optional<int> port_of(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && port >= 1 && port <= 65535 ? std::optional(port) : std::nullopt;
}

}  // namespace

std::optional<HostAndPort> host_and_port_from(std::string_view authority) {
  HostAndPort read;
  std::string_view rest;  // behind the host: empty, or a colon and the port
  if (authority.starts_with('[')) {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return std::nullopt;
    read.host = authority.substr(1, bracket - 1);
    rest = authority.substr(bracket + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    read.host = authority.substr(0, colon);
    rest = authority.substr(colon);
  }
  if (read.host.empty() || read.host.find_first_of(" \t\"'\\@/?#[]") != std::string::npos)
    return std::nullopt;
  if (rest.empty()) return read;
  read.port = rest.front() == ':' ? port_of(rest.substr(1)) : std::nullopt;
  return read.port ? std::optional(read) : std::nullopt;
}

std::string read_optional_path(text::ObjectReader& reader, const std::string& key,
                               const std::filesystem::path& directory) {
  const auto at = reader.find_given(key);
  if (!at) return {};
  const std::string file = text::read_text(*at, reader.report()).value_or("");
  if (file.empty() && (*at)->kind == text::JsonValue::Kind::string) {
    reader.report().add(*at, "there is no file", "write the path of a file, or null");
  }
  return file.empty() ? std::string() : resolve(directory, file).string();
}

}  // namespace saccade::config
