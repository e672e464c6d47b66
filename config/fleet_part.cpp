#include "config/fleet_part.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "config/source_config.hpp"
#include "text/service_url.hpp"

namespace saccade::config {
namespace {

namespace fs = std::filesystem;
using text::in_quotes;
using text::JsonAt;
using text::JsonReport;
using text::JsonValue;
using text::ObjectReader;

fs::path read_store_file(ObjectReader& reader, const char* key, const char* what, const fs::path& directory) {
  const auto at = reader.find_given(key);
  if (!at) return {};
  const std::string file = text::read_text(*at, reader.report()).value_or("");
  if (file.empty() && (*at)->kind == JsonValue::Kind::string) {
    reader.report().add(*at, "there is no file", std::string("write the path of ") + what);
  }
  return file.empty() ? fs::path() : resolve(directory, file);
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

// Scheme, host and port and nothing else.
void check_endpoint(const JsonAt& at, bool insecure, JsonReport& report) {
  const std::string& text = at->string;
  const std::size_t mark = text.find("://");
  const std::string scheme = text.substr(0, mark);
  const std::string rest = mark == std::string::npos ? std::string() : text.substr(mark + 3);
  if (rest.find('@') != std::string::npos) {
    report.add(at, "an address of the store holds no user and no password",
               "write them as `user` and `password_file`");
    return;
  }
  const std::size_t colon = rest.rfind(':');
  const std::string host = rest.substr(0, colon);
  const std::string port = colon == std::string::npos ? std::string() : rest.substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 &&
                      std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  const bool good = (scheme == "http" || scheme == "https") && !host.empty() && digits &&
                    std::stoi(port) >= 1 && std::stoi(port) <= 65535 &&
                    host.find_first_of("/?# ") == std::string::npos;
  if (!good) {
    report.add(at, in_quotes(text) + " is no address of a member of the store",
               "write scheme, host and port: \"https://10.0.0.1:2379\"");
  } else if (scheme == "http" && !is_loopback(host) && !insecure) {
    report.add(
        at, "beyond this machine the store is reached by https://, or anyone on the way can read and write",
        "write \"https://...\" with `ca`; or \"insecure\": true where the network is nobody else's");
  }
}

FleetStoreSettings read_store(const JsonAt& at, const fs::path& directory, JsonReport& report) {
  FleetStoreSettings store;
  ObjectReader reader(at, report);
  bool insecure = false;
  reader.boolean("insecure", insecure);
  if (const auto endpoints = reader.require("endpoints")) {
    for (const JsonAt& item : text::read_list(*endpoints, report)) {
      const auto endpoint = text::read_text(item, report);
      if (!endpoint) continue;
      check_endpoint(item, insecure, report);
      if (std::find(store.endpoints.begin(), store.endpoints.end(), *endpoint) != store.endpoints.end()) {
        report.add(item, "this member is listed twice", "name each member once");
      }
      store.endpoints.push_back(*endpoint);
    }
    if ((*endpoints)->kind == JsonValue::Kind::array && (*endpoints)->items.empty()) {
      report.add(*endpoints, "there is no member of the store", "for example [\"http://127.0.0.1:2379\"]");
    }
  }
  store.ca = read_store_file(reader, "ca", "the authority's certificate in PEM form", directory);
  store.certificate = read_store_file(reader, "certificate", "a client certificate in PEM form", directory);
  store.key = read_store_file(reader, "key", "the certificate's key in PEM form", directory);
  if (store.certificate.empty() != store.key.empty()) {
    report.add(at, "`certificate` and `key` go together", "write both, or none of them");
  }
  reader.text("user", store.user);
  store.password_file =
      read_store_file(reader, "password_file", "a file with the password in its first line", directory);
  if (store.user.empty() != store.password_file.empty()) {
    report.add(at, "`user` and `password_file` go together", "write both, or none of them");
  }
  return store;
}

void read_name_and_store(ObjectReader& reader, const fs::path& directory, FleetSettings& fleet) {
  if (const auto name = reader.require("name")) {
    fleet.name = text::read_id(*name, reader.report()).value_or("");
  }
  if (const auto store = reader.require("store"))
    fleet.store = read_store(*store, directory, reader.report());
}

void read_profile_folder(const JsonAt& at, const fs::path& directory, ProfileLibrary& library,
                         std::deque<JsonValue>& names, FleetSettings& fleet, JsonReport& report) {
  const auto place = text::read_text(at, report);
  if (!place) return;
  const fs::path folder = resolve(directory, *place);
  std::vector<fs::path> files;
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure)) {
    if (it->path().extension() == ".json") files.push_back(it->path());
  }
  if (failure) {
    report.add(at, "the folder " + in_quotes(*place) + " cannot be read: " + failure.message(),
               "name the folder with the profile sets of this box");
    return;
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    JsonValue& name = names.emplace_back();
    name.kind = JsonValue::Kind::string;
    name.line = at->line;
    name.string = fs::absolute(file).string();
    const profiles::ProfileSetPtr set = library.load({&name, at.pointer}, report);
    if (!set) continue;
    const auto [first, fresh] = fleet.networks.emplace(set->network, fs::absolute(file));
    if (fresh) continue;
    report.add(at, "two profile sets of network " + in_quotes(set->network),
               "keep one of " + first->second.filename().string() + " and " + file.filename().string());
  }
  if (files.empty()) {
    report.add(at, "there is no profile set in " + in_quotes(*place),
               "a box serves networks it has measured");
  }
}

}  // namespace

FleetSettings read_fleet_of_box(const JsonAt& at, const fs::path& directory, ProfileLibrary& library,
                                std::deque<JsonValue>& names, JsonReport& report) {
  FleetSettings fleet;
  ObjectReader reader(at, report);
  read_name_and_store(reader, directory, fleet);
  if (const auto box = reader.require("box")) fleet.box = text::read_id(*box, report).value_or("");
  if (const auto labels = reader.find("labels")) {
    for (const auto& [label, value] : text::read_members(*labels, report)) {
      if (const auto word = text::read_id(value, report)) fleet.labels[label] = *word;
    }
  }
  if (const auto livez = reader.find_given("livez")) {
    fleet.livez = text::read_text(*livez, report).value_or("");
    const bool good = fleet.livez.starts_with("http://") && fleet.livez.size() > 7 &&
                      fleet.livez.find_first_of("@ ") == std::string::npos;
    if ((*livez)->kind == JsonValue::Kind::string && !good) {
      report.add(*livez, in_quotes(fleet.livez) + " is no address that planners can ask",
                 "for example \"http://10.0.0.7:8081/livez\", where `api.health` listens");
    }
  }
  if (const auto api = reader.find_given("api")) {
    fleet.api = text::read_text(*api, report).value_or("");
    if ((*api)->kind == JsonValue::Kind::string && !text::is_service_url(fleet.api)) {
      report.add(*api, in_quotes(fleet.api) + " is no address of an API",
                 "for example \"http://10.0.0.7:8080\", where clients reach `api.listen`");
    }
  }
  if (const auto folder = reader.require("profiles")) {
    read_profile_folder(*folder, directory, library, names, fleet, report);
  }
  return fleet;
}

FleetSettings read_fleet_of_planner(const JsonAt& at, const fs::path& directory, JsonReport& report) {
  FleetSettings fleet;
  ObjectReader reader(at, report);
  read_name_and_store(reader, directory, fleet);
  return fleet;
}

}  // namespace saccade::config
