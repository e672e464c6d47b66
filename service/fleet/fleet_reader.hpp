// The fleet as its store has it, for the planner: the documents of cameras, boxes and policy, the reports of
// boxes and their profile sets, read as a fleet file is (config/fleet_file.hpp), and the pins of cameras. A
// document that cannot be read takes nothing else with it: the one that was read before stays in force, or it
// is left out, and it is in complaints(). Profile sets lie in a folder of the reader's meanwhile, and are
// laid there again if they are gone, as after a tidying up of temporary files. Threads: one. Errors: in
// complaints().
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "fleet_store/planner_link.hpp"
#include "service/fleet/fleet_text.hpp"

namespace saccade::service {

struct PutDocument {
  std::string key;  // below the fleet's root: "camera/gate", "box/a", "policy"
  std::string text;
  std::string where;  // begins the places of complaints about it
};

class FleetReader {
 public:
  using StoreEntries = std::map<std::string, fleet_store::Entry>;
  // `folder`: exists, and is nobody else's.
  FleetReader(const std::string& fleet, std::filesystem::path folder)
      : keys_(fleet), folder_(std::move(folder)) {}

  // Nothing: there is no box yet.
  [[nodiscard]] std::optional<fleet_store::Configured> read(
      const std::map<std::string, fleet_store::Entry>& entries);
  // Before documents are checked between two readings: profile sets whose files are gone.
  void lay_again(const StoreEntries& entries);
  // What is wrong with documents that are to be put, all at once, beside those in force.
  [[nodiscard]] Errors mistakes(const std::vector<PutDocument>& documents) const;
  // The fleet as it would be with them: without mistakes.
  [[nodiscard]] std::optional<fleet::Problem> with(const std::vector<PutDocument>& documents) const;
  // Of the last reading: `where` is the key below the fleet's root.
  [[nodiscard]] const Errors& complaints() const { return complaints_; }
  // Addresses at which boxes say that they live.
  [[nodiscard]] const std::map<std::string, std::string>& livez() const { return livez_; }

 private:
  [[nodiscard]] FleetDocuments documents_of(const std::map<std::string, fleet_store::Entry>& entries);
  [[nodiscard]] FleetDocuments laid_over(const std::vector<PutDocument>& documents) const;
  void lay_profiles(const std::string& digest, const std::string& text);
  [[nodiscard]] bool lies(const std::string& digest) const;  // as the store has it
  void read_pins(const std::map<std::string, fleet_store::Entry>& entries,
                 fleet_store::Configured& configured);
  // The document before it, or none. False: it was the last.
  void fall_back(const std::string& key, const std::string& what, FleetDocuments& documents);
  void leave_out_profiles(const std::string& digest, const std::string& what, const StoreEntries& entries);
  bool leave_out(const Errors& errors, const FleetText& text, const StoreEntries& entries,
                 FleetDocuments& documents);
  void complain(const std::string& where, const std::string& what);

  fleet_store::Keys keys_;
  std::filesystem::path folder_;
  std::set<std::string> laid_;  // digests of profile sets
  std::set<std::string> bad_;   // of those that are no profile sets, whatever becomes of their files
  FleetDocuments good_;         // that were read last
  std::map<TaskId, fleet::BoxId> pins_;
  std::map<std::string, std::string> livez_;
  Errors complaints_;
};

}  // namespace saccade::service
