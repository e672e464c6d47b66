// A document with cameras, boxes and policy against the configuration that a fleet's store has: which
// documents it adds or changes, and the transaction that writes them. What it does not name stays. Threads:
// functions without state. Errors: with pointers into what was sent ("#/cameras/3/fps").
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fleet_store/documents.hpp"
#include "fleet_store/store.hpp"
#include "service/fleet/fleet_reader.hpp"

namespace saccade::service {

using StoreEntries = std::map<std::string, fleet_store::Entry>;

struct FleetApplication {
  std::vector<PutDocument> documents;  // that are new or differ
  std::vector<bool> fresh;             // of each: there was none
  std::size_t same = 0;                // others that it names
  std::int64_t base = 0;               // revision of the configuration that it was compared with
  Errors errors;                       // of what is no document; the documents are not checked yet
};

// `text`: {"cameras": [...], "boxes": [...], "policy": {...}}, all optional; a file of `saccade fleet plan`
// is one, whose `kinds` are ignored: boxes report themselves what they are.
[[nodiscard]] Result<FleetApplication> application_of(const std::string& text, const StoreEntries& entries,
                                                      const fleet_store::Keys& keys);

// One transaction that compares the configuration's revision and every document with what was read; more
// only beyond what a store takes in one: each then compares the revision that the one before it made, which
// the caller puts into its first comparison. Never empty.
[[nodiscard]] std::vector<fleet_store::request::Commit> transactions_of(const FleetApplication& application,
                                                                        const StoreEntries& entries,
                                                                        const fleet_store::Keys& keys);

// The revision of the configuration; 0: it was never changed through a planner.
[[nodiscard]] std::int64_t configured_revision(const StoreEntries& entries, const fleet_store::Keys& keys);

}  // namespace saccade::service
