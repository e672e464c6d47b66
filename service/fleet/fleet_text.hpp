// The store's documents of cameras, boxes, reports and policy as one file of a fleet (config/fleet_file.hpp),
// and back: which document a complaint about the file is about. Documents are named by their keys below the
// fleet's root ("camera/gate"). Whatever a document holds, nothing here throws. Threads: functions without
// state.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace saccade::service {

// By key below the root.
using FleetDocuments = std::map<std::string, std::string>;

// An object of the format 1, without the mark of it; no deeper than any document may be.
[[nodiscard]] std::optional<nlohmann::ordered_json> store_json(const std::string& text);

// What an operator may say of a box, beside `id`.
inline constexpr std::string_view kKeysOfBox[] = {"labels", "state", "reserve", "max_cameras",
                                                  "autonomy_seconds"};

struct FleetText {
  std::string text;
  std::map<std::string, std::string> livez;  // by box: the address at which it says that it lives
  std::map<std::string, std::string> api;    // by box: where clients reach its API
  std::vector<std::string> unreadable;       // documents that are not in the text
  std::vector<std::string> boxes;            // in the order of the text
  std::vector<std::string> cameras;
  std::map<std::string, std::vector<std::string>> boxes_of_kind;
  std::map<std::string, std::vector<std::string>> profiles_of_kind;  // digests

  // What the place of a complaint is about ("fleet:1 /cameras/12/fps"): documents, and what of them.
  struct Place {
    std::vector<std::string> documents;  // empty: none of these
    std::string below;                   // "/fps"
  };
  [[nodiscard]] Place place_of(const std::string& where, const FleetDocuments& documents) const;
};

// `profiles`: digests of the profile sets that lie beside the file.
[[nodiscard]] FleetText fleet_text(const FleetDocuments& documents, const std::set<std::string>& profiles);

}  // namespace saccade::service
