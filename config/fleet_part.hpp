// The part `fleet` of a configuration: which fleet a box, or a planner, belongs to, and how its store is
// reached. Threads: function without state. Errors: into the report; addresses are shown without the secrets
// that they should not have.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/profile_sets.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {

struct FleetStoreSettings {            // files resolved; empty: none
  std::vector<std::string> endpoints;  // "https://10.0.0.1:2379"
  std::filesystem::path ca;
  std::filesystem::path certificate;
  std::filesystem::path key;
  std::string user;
  std::filesystem::path password_file;
  bool operator==(const FleetStoreSettings&) const = default;
};

struct FleetSettings {
  std::string name;
  std::string box;  // of a box, as the next four
  std::map<std::string, std::string> labels;
  std::map<std::string, std::filesystem::path> networks;  // profile set of each network that it can serve
  std::string livez;  // where planners ask whether it lives; empty: not given
  std::string api;    // where clients reach its API; empty: not given
  FleetStoreSettings store;
  bool operator==(const FleetSettings&) const = default;
};

// Of a box. Profile sets of the folder `profiles` are read by the library; `names` is where their names live
// as long as it.
[[nodiscard]] FleetSettings read_fleet_of_box(const text::JsonAt& at, const std::filesystem::path& directory,
                                              ProfileLibrary& library, std::deque<text::JsonValue>& names,
                                              text::JsonReport& report);
// Of a planner: only name and store.
[[nodiscard]] FleetSettings read_fleet_of_planner(const text::JsonAt& at,
                                                  const std::filesystem::path& directory,
                                                  text::JsonReport& report);

}  // namespace saccade::config
