#include "config/allowed_places.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "config/source_config.hpp"

namespace saccade::config {
namespace {

namespace fs = std::filesystem;
using text::JsonAt;
using text::JsonReport;
using text::JsonValue;

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

// "name:port" or "name" of an address of a camera; absent: of another scheme (cameras may have more), or not
// to be read.
std::optional<std::string> host_of_address(const std::string& address) {
  constexpr std::array<std::string_view, 4> kSchemes = {"rtsp", "rtsps", "http", "https"};
  const std::size_t mark = address.find("://");
  if (mark == std::string::npos) return std::nullopt;
  const std::string scheme = in_lower_case(address.substr(0, mark));
  if (std::find(kSchemes.begin(), kSchemes.end(), scheme) == kSchemes.end()) return std::nullopt;
  const std::size_t begin = mark + 3;
  const std::string authority = address.substr(begin, address.find_first_of("/?#\\", begin) - begin);
  // Readers differ about the host where there are two.
  const std::size_t at = authority.find('@');
  if (at != authority.rfind('@')) return std::nullopt;
  const std::string host = at == std::string::npos ? authority : authority.substr(at + 1);
  return host.empty() ? std::nullopt : std::optional(in_lower_case(host));
}

std::string without_port(const std::string& host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

const JsonValue* text_member(const JsonValue& object, const char* key) {
  const JsonValue* value = object.find(key);
  return value != nullptr && value->kind == JsonValue::Kind::string ? value : nullptr;
}

std::vector<std::string> read_names(const JsonAt& at, JsonReport& report) {
  std::vector<std::string> names;
  for (const JsonAt& item : text::read_list(at, report)) {
    const std::optional<std::string> name = text::read_text(item, report);
    if (!name) continue;
    if (name->empty()) report.add(item, "the name is empty");
    names.push_back(*name);
  }
  return names;
}

}  // namespace

AllowRules read_allow(const JsonAt& at, const fs::path& directory, JsonReport& report) {
  AllowRules rules;
  text::ObjectReader reader(at, report);
  if (const auto folders = reader.find("folders")) {
    for (const std::string& folder : read_names(*folders, report)) {
      std::string path = fs::absolute(resolve(directory, folder)).lexically_normal().string();
      if (path.size() > 1 && path.ends_with('/')) path.pop_back();
      rules.folders.push_back(std::move(path));
    }
  }
  if (const auto hosts = reader.find("hosts")) {
    for (const JsonAt& item : text::read_list(*hosts, report)) {
      const std::string host = text::read_text(item, report).value_or("");
      if (host.empty() || host.find('/') != std::string::npos || host.find('@') != std::string::npos) {
        report.add(item, text::in_quotes(host) + " is not the name of a host",
                   "write \"192.168.1.20\" or \"camera.local:554\", without a scheme");
      }
      rules.hosts.push_back(in_lower_case(host));
    }
  }
  return rules;
}

AllowedPlaces::AllowedPlaces(const AllowRules& rules, fs::path directory)
    : rules_(rules), directory_(std::move(directory)) {}

void AllowedPlaces::allow_all_of(const JsonValue& document) {
  for (const Named& named : names_in(document)) {
    if (named.kind == Named::Kind::address) {
      named_.insert(named.place);
      if (const auto host = host_of_address(named.place)) hosts_.insert(*host);
    } else {
      named_.insert(resolved(named.place));
    }
  }
}

void AllowedPlaces::check(const JsonValue& document, JsonReport& report) const {
  const std::string hint =
      "name what the configuration file names, or what is below its folder; `api.allow` "
      "of the file lists more";
  for (const Named& named : names_in(document)) {
    std::error_code failure;
    const fs::path path = resolve(directory_, named.place);
    const std::string shown = text::in_quotes(named.place);
    switch (named.kind) {
      case Named::Kind::address:
      case Named::Kind::device:
      case Named::Kind::password:
      case Named::Kind::file:
        if (!allows(named)) report.add(named.at, shown + " may not be named by the API", hint);
        break;
      case Named::Kind::video:
        if (allows(named) && fs::exists(path, failure) && !fs::is_directory(path, failure)) break;
        report.add(named.at, "there is no video " + shown, hint);
        break;
      case Named::Kind::folder:
        if (allows(named) && fs::is_directory(path, failure)) break;
        report.add(named.at, "there is no folder " + shown, hint);
        break;
      case Named::Kind::profiles:
        if (allows(named) && fs::is_regular_file(path, failure)) break;
        report.add(named.at, "there is no profile set " + shown, hint);
        break;
    }
  }
}

std::vector<AllowedPlaces::Named> AllowedPlaces::files_of_sinks(const JsonValue& document) {
  std::vector<Named> names;
  const JsonValue* sinks = document.find("results");
  if (sinks == nullptr || sinks->kind != JsonValue::Kind::array) return names;
  const JsonAt list = JsonAt{&document, ""}.member("results", *sinks);
  for (std::size_t i = 0; i < sinks->items.size(); ++i) {
    const JsonAt sink = list.item(i);
    for (const char* key : {"path", "password_file", "token_file", "hmac_file", "ca_file"}) {
      const JsonValue* file = text_member(*sink.value, key);
      if (file == nullptr || file->string.empty()) continue;
      names.push_back({sink.member(key, *file), Named::Kind::file, file->string});
    }
  }
  return names;
}

std::vector<AllowedPlaces::Named> AllowedPlaces::names_in(const JsonValue& document) const {
  std::vector<Named> names = files_of_sinks(document);
  if (const JsonValue* fleet = document.find("fleet")) {
    if (const JsonValue* folder = text_member(*fleet, "profiles"))
      names.push_back({JsonAt{&document, ""}.member("fleet", *fleet).member("profiles", *folder),
                       Named::Kind::folder, folder->string});
  }
  const JsonValue* tasks = document.find("tasks");
  if (tasks == nullptr || tasks->kind != JsonValue::Kind::array) return names;
  const JsonAt list = JsonAt{&document, ""}.member("tasks", *tasks);
  for (std::size_t i = 0; i < tasks->items.size(); ++i) {
    const JsonAt task = list.item(i);
    if (const JsonValue* set = text_member(*task.value, "profiles")) {
      names.push_back({task.member("profiles", *set), Named::Kind::profiles, set->string});
    }
    const JsonValue* source = task->find("source");
    const JsonValue* type = source == nullptr ? nullptr : text_member(*source, "type");
    if (type == nullptr) continue;
    const JsonAt from = task.member("source", *source);
    const JsonValue* device = source->find("device");
    if (type->string == "camera" && device != nullptr && device->kind == JsonValue::Kind::number) {
      names.push_back({from.member("device", *device), Named::Kind::device,
                       "/dev/video" + text::to_text(device->number)});
    }
    if (type->string == "stream") {
      if (const JsonValue* url = text_member(*source, "url"); url != nullptr && !url->string.empty())
        names.push_back({from.member("url", *url), Named::Kind::address, url->string});
      if (const JsonValue* file = text_member(*source, "password_file"))
        names.push_back({from.member("password_file", *file), Named::Kind::password, file->string});
    }
    const JsonValue* path = text_member(*source, "path");
    if (path == nullptr || path->string.empty()) continue;
    const bool address = path->string.find("://") != std::string::npos;
    if (type->string == "video") {
      names.push_back(
          {from.member("path", *path), address ? Named::Kind::address : Named::Kind::video, path->string});
    } else if (type->string == "replay") {
      names.push_back({from.member("path", *path), Named::Kind::video, path->string});
      if (const JsonValue* pictures = text_member(*source, "pictures"))
        names.push_back({from.member("pictures", *pictures), Named::Kind::folder, pictures->string});
    } else if (type->string == "images") {
      names.push_back({from.member("path", *path), Named::Kind::folder, path->string});
    }
  }
  return names;
}

std::string AllowedPlaces::resolved(const std::string& path) const {
  std::error_code failure;
  const fs::path whole = fs::absolute(resolve(directory_, path), failure);
  const fs::path real = fs::weakly_canonical(whole, failure);
  return (failure ? whole.lexically_normal() : real).string();
}

bool AllowedPlaces::allows(const Named& named) const {
  if (named.kind == Named::Kind::address) return allows_address(named.place);
  const std::string path = resolved(named.place);
  if (named_.contains(path)) return true;
  if (named.kind == Named::Kind::password) return false;  // it would be sent to whichever host is allowed
  // Devices are where they are: the folder of the configuration has none.
  return allows_path(path) || (named.kind == Named::Kind::device && allows_path(named.place));
}

bool AllowedPlaces::allows_path(const std::string& path) const {
  if (is_below(path, resolved("."))) return true;
  return std::any_of(rules_.folders.begin(), rules_.folders.end(), [&](const std::string& folder) {
    if (folder.find('*') != std::string::npos)
      return ::fnmatch(folder.c_str(), path.c_str(), FNM_PATHNAME) == 0;
    return is_below(path, resolved(folder));
  });
}

bool AllowedPlaces::allows_address(const std::string& address) const {
  if (named_.contains(address)) return true;
  const std::optional<std::string> host = host_of_address(address);
  if (!host) return false;
  if (hosts_.contains(*host)) return true;
  return std::any_of(rules_.hosts.begin(), rules_.hosts.end(),
                     [&](const std::string& each) { return each == *host || each == without_port(*host); });
}

}  // namespace saccade::config
