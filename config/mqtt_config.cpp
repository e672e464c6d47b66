#include "config/mqtt_config.hpp"

#include <algorithm>
#include <optional>

#include "base/address.hpp"
#include "config/sink_parts.hpp"

namespace saccade::config {
namespace {

using text::in_quotes;
using text::JsonAt;
using text::JsonReport;
using text::JsonValue;
using text::ObjectReader;

constexpr int kPlainPort = 1883;
constexpr int kTlsPort = 8883;

void read_broker(const JsonAt& at, results::MqttSettings& mqtt, JsonReport& report) {
  const std::optional<std::string> url = text::read_text(at, report);
  if (!url) return;
  const std::string hint = "write \"mqtt://broker.lan:1883\", or \"mqtts://\" for TLS";
  const std::size_t mark = url->find("://");
  const std::string scheme = url->substr(0, mark);
  if (mark == std::string::npos || (scheme != "mqtt" && scheme != "mqtts")) {
    report.add(at, in_quotes(without_secrets(*url)) + " is no address of a broker", hint);
    return;
  }
  mqtt.tls = scheme == "mqtts";
  std::string authority = url->substr(mark + 3);
  if (authority.find('@') != std::string::npos) {
    report.add(at, "the address has a user or a password in it",
               "write `username`, and the path of a file with the password as `password_file`");
    return;
  }
  if (authority.ends_with('/')) authority.pop_back();
  const std::optional<HostAndPort> broker = host_and_port_from(authority);
  if (!broker) {
    report.add(at, in_quotes(without_secrets(*url)) + " is no address of a broker", hint);
    return;
  }
  mqtt.host = broker->host;
  mqtt.port = broker->port.value_or(mqtt.tls ? kTlsPort : kPlainPort);
}

// As topics begin with it.
std::string read_prefix(const JsonAt& at, JsonReport& report) {
  std::string prefix = text::read_text(at, report).value_or("");
  if (at->kind != JsonValue::Kind::string) return prefix;
  const bool control = std::any_of(prefix.begin(), prefix.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (prefix.empty() || control || prefix.find_first_of("+#") != std::string::npos ||
      prefix.starts_with('/') || prefix.ends_with('/') || prefix.starts_with('$')) {
    report.add(at, in_quotes(prefix) + " cannot begin a topic",
               "write levels without `+` and `#`, for example \"saccade/yard\"");
  }
  return prefix;
}

std::string read_word(ObjectReader& reader, const std::string& key) {
  const auto at = reader.find_given(key);
  if (!at) return {};
  std::string word = text::read_text(*at, reader.report()).value_or("");
  if (word.empty() && (*at)->kind == JsonValue::Kind::string) {
    reader.report().add(*at, "the text is empty", "leave `" + key + "` out, or write null");
  }
  return word;
}

}  // namespace

results::MqttSettings read_mqtt(ObjectReader& reader, const std::string& node, const std::string& id,
                                const std::filesystem::path& directory) {
  JsonReport& report = reader.report();
  results::MqttSettings mqtt;
  mqtt.id = id;
  if (const auto url = reader.require("url")) read_broker(*url, mqtt, report);
  if (const auto version = reader.find("version")) {
    const std::vector<std::string> versions = {"3.1.1", "5"};
    if (const auto index = text::read_choice(*version, versions, report)) mqtt.version = versions[*index];
  }
  mqtt.client_id = read_word(reader, "client_id");
  if (mqtt.client_id.empty()) mqtt.client_id = "saccade-" + node + "-" + id;
  mqtt.username = read_word(reader, "username");
  mqtt.password_file = read_optional_path(reader, "password_file", directory);
  if (!mqtt.password_file.empty() && mqtt.username.empty()) {
    report.add(*reader.find("password_file"), "there is a password for nobody", "write `username`, too");
  }
  mqtt.ca_file = read_optional_path(reader, "ca_file", directory);
  if (!mqtt.ca_file.empty() && !mqtt.tls && !mqtt.host.empty()) {
    report.add(*reader.find("ca_file"), "nothing is encrypted with this address",
               "write mqtts:// as its scheme");
  }
  mqtt.prefix = "saccade/" + node;
  if (const auto prefix = reader.find_given("prefix")) mqtt.prefix = read_prefix(*prefix, report);
  reader.integer("qos", mqtt.qos, 0, 1);
  reader.boolean("snapshots", mqtt.snapshots);
  reader.boolean("control", mqtt.control);
  if (const auto prefix = reader.find_given("home_assistant"))
    mqtt.home_assistant = read_prefix(*prefix, report);
  return mqtt;
}

}  // namespace saccade::config
