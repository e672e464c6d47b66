// What a change through the API may name: a client that may change the configuration must not thereby be able
// to read every file of this machine or to contact every host of its network.
//   "api": {"allow": {"folders": ["videos", "/dev/video*"], "hosts": ["192.168.1.20", "cameras.local:554"]}}
// Allowed are the folder of the configuration file, the folders and hosts listed, and everything that the
// file already names; a password file must be one that the file names. Paths are compared after resolving
// links and `..`; hosts may be used with rtsp, rtsps, http and https only. Threads: plain values and
// functions. Errors: as values. Files: paths are resolved, no file is opened.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "text/object_reader.hpp"

namespace saccade::config {

struct AllowRules {
  std::vector<std::string> folders;  // absolute; one with a `*` is a pattern for whole names
  std::vector<std::string> hosts;    // lower case, "name" or "name:port"
  bool operator==(const AllowRules&) const = default;
};

[[nodiscard]] AllowRules read_allow(const text::JsonAt& at, const std::filesystem::path& directory,
                                    text::JsonReport& report);

class AllowedPlaces {
 public:
  // `directory`: of the configuration file.
  AllowedPlaces(const AllowRules& rules, std::filesystem::path directory);

  // Allows everything that this document of the operator names.
  void allow_all_of(const text::JsonValue& document);
  // Reports places that may not be named, and in the same words places that do not exist, so that the
  // response reveals nothing about files elsewhere. `document` need not be a valid configuration.
  void check(const text::JsonValue& document, text::JsonReport& report) const;

 private:
  struct Named {  // a value of the document that names a place
    text::JsonAt at;
    enum class Kind { video, folder, profiles, address, device, password, file } kind;
    std::string place;  // as written; for a device: its path
  };
  [[nodiscard]] static std::vector<Named> files_of_sinks(const text::JsonValue& document);
  [[nodiscard]] std::vector<Named> names_in(const text::JsonValue& document) const;
  [[nodiscard]] std::string resolved(const std::string& path) const;
  [[nodiscard]] bool allows(const Named& named) const;
  [[nodiscard]] bool allows_path(const std::string& resolved) const;
  [[nodiscard]] bool allows_address(const std::string& address) const;

  AllowRules rules_;
  std::filesystem::path directory_;
  std::set<std::string> named_;  // resolved paths, and addresses as written
  std::set<std::string> hosts_;  // of these addresses
};

}  // namespace saccade::config
