// What a change that comes by the API may name: a client that may change the configuration is not thereby
// allowed to read every file of this machine or to call every host of its network.
//   "api": {"allow": {"folders": ["videos", "/dev/video*"], "hosts": ["192.168.1.20", "cameras.local:554"]}}
// Allowed are the folder of the configuration file, the folders and hosts listed, and all that the file names
// already; a file with a password alone must be one that the file names. Paths are compared as they really
// are, links and `..` resolved; hosts take part in rtsp, rtsps, http and https only. Threads: plain values
// and functions. Errors: as values. Files: their places are resolved, none is opened.
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

  // All that this document of the operator's names is allowed from now on.
  void allow_all_of(const text::JsonValue& document);
  // Complains of what may not be named, and in the same words of what does not exist: the answer says nothing
  // about files elsewhere. `document` need not be a valid configuration.
  void check(const text::JsonValue& document, text::JsonReport& report) const;

 private:
  struct Named {  // a value of the document that names a place
    text::JsonAt at;
    enum class Kind { video, folder, profiles, address, device, password, file } kind;
    std::string place;  // as it is written; of a device: its path
  };
  [[nodiscard]] static std::vector<Named> files_of_sinks(const text::JsonValue& document);
  [[nodiscard]] std::vector<Named> names_in(const text::JsonValue& document) const;
  [[nodiscard]] std::string resolved(const std::string& path) const;
  [[nodiscard]] bool allows(const Named& named) const;
  [[nodiscard]] bool allows_path(const std::string& resolved) const;
  [[nodiscard]] bool allows_address(const std::string& address) const;

  AllowRules rules_;
  std::filesystem::path directory_;
  std::set<std::string> named_;  // resolved paths, and addresses as they are written
  std::set<std::string> hosts_;  // of these addresses
};

}  // namespace saccade::config
