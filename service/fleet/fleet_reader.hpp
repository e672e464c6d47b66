// The fleet as its store has it, for the planner: the documents of cameras, boxes and policy, the reports of
// boxes and their profile sets, read as a fleet file is (config/fleet_file.hpp). A document that cannot be
// read takes nothing else with it: the one that was read before stays in force, or it is left out, and it is
// in complaints(). Profile sets lie in a folder of the reader's meanwhile. Threads: one. Errors: in
// complaints().
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "fleet_store/planner_link.hpp"

namespace saccade::service {

class FleetReader {
 public:
  // `folder`: exists, and is nobody else's.
  FleetReader(const std::string& fleet, std::filesystem::path folder)
      : keys_(fleet), folder_(std::move(folder)) {}

  // Nothing: there is no box yet.
  [[nodiscard]] std::optional<fleet_store::Configured> read(
      const std::map<std::string, fleet_store::Entry>& entries);
  // What is wrong with a document that is to be put at this key ("camera", "box"), among the others; `where`
  // as a fragment of it.
  [[nodiscard]] Errors mistakes(std::map<std::string, fleet_store::Entry> entries, const std::string& kind,
                                const std::string& id, const std::string& text);
  // Of the last reading: `where` is the key below the fleet's root.
  [[nodiscard]] const Errors& complaints() const { return complaints_; }
  // Addresses at which boxes say that they live.
  [[nodiscard]] const std::map<std::string, std::string>& livez() const { return livez_; }

 private:
  struct Drafted;
  void gather(const std::map<std::string, fleet_store::Entry>& entries, Drafted& drafted);
  void add_box(const std::string& id, const fleet_store::Entry& report, const fleet_store::Entry* box,
               Drafted& drafted);
  void lay_profiles(const std::string& digest, const std::string& text);
  bool drop(const Errors& errors, Drafted& drafted);
  void complain(const std::string& where, const std::string& what);

  fleet_store::Keys keys_;
  std::filesystem::path folder_;
  std::set<std::string> laid_;  // digests
  std::map<std::string, std::string> good_cameras_;
  std::map<std::string, std::string> livez_;
  Errors complaints_;
};

}  // namespace saccade::service
