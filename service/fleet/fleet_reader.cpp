#include "service/fleet/fleet_reader.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "config/fleet_file.hpp"
#include "service/fleet/box_report.hpp"
#include "text/object_reader.hpp"
#include "text/strict_json.hpp"
#include "text/text_file.hpp"

namespace saccade::service {
namespace {

using fleet_store::Entry;

constexpr int kMostRounds = 12;                   // of leaving out what is wrong
constexpr std::size_t kMostMebibytesOfASet = 64;  // of a profile set

// What is wrong with a document by itself.
Errors mistakes_alone(const PutDocument& document) {
  text::JsonReport report(document.where,
                          [&](std::size_t, const std::string& pointer) { return document.where + pointer; });
  const std::optional<text::JsonValue> parsed = text::parse_json(document.text, report);
  if (!parsed || !report.empty()) return report.errors();
  const std::size_t slash = document.key.find('/');
  const std::string id = slash == std::string::npos ? "policy" : document.key.substr(slash + 1);
  if (!text::is_id(id)) return {{document.where, "the name is no id", ""}};
  const std::optional<nlohmann::ordered_json> json = store_json(document.text);
  if (!json) return {{document.where, "is no object of the format 1", ""}};
  if (slash != std::string::npos && json->contains("id") && json->at("id") != id)
    return {{document.where + "/id", "is another one than that of the path", ""}};
  Errors errors;
  for (const auto& [key, value] : json->items()) {
    const bool known = !document.key.starts_with("box/") || key == "id" ||
                       std::find(std::begin(kKeysOfBox), std::end(kKeysOfBox), key) != std::end(kKeysOfBox);
    if (!known) errors.push_back({document.where + "/" + key, "is no key of a box", ""});
  }
  return errors;
}

// Empty: it is there, and nobody else's. It may have been tidied up, and where temporary files lie, anybody
// can have made one of its name since.
std::string fault_of_folder(const std::filesystem::path& folder) {
  const auto said = [] { return std::generic_category().message(errno); };
  if (::mkdir(folder.c_str(), S_IRWXU) == 0) return {};
  if (errno != EEXIST) return said();
  struct stat facts {};
  if (::lstat(folder.c_str(), &facts) != 0) return said();
  if (!S_ISDIR(facts.st_mode)) return "is no folder";
  if (facts.st_uid != ::geteuid()) return "belongs to another user";
  return (facts.st_mode & (S_IRWXG | S_IRWXO)) == 0 ? "" : "is open to other users";
}

}  // namespace

void FleetReader::complain(const std::string& where, const std::string& what) {
  complaints_.push_back({where, what, "what was read before stays in force"});
}

void FleetReader::lay_profiles(const std::string& digest, const std::string& text) {
  if (bad_.contains(digest)) complain("profiles/" + digest, "cannot be read");
  if (laid_.contains(digest) || bad_.contains(digest)) return;
  if (digest_of(text) != digest) {
    complain("profiles/" + digest, "is not what its name says");
    return;
  }
  if (const std::string fault = fault_of_folder(folder_); !fault.empty()) {
    complain("profiles/" + digest, folder_.string() + ": " + fault);
    return;
  }
  const Status written = text::write_text_file(folder_ / (digest + ".json"), text);
  if (written) laid_.insert(digest);
  if (!written) complain("profiles/" + digest, to_string(written.errors()));
}

bool FleetReader::lies(const std::string& digest) const {
  const Result<std::string> text = text::read_text_file(folder_ / (digest + ".json"), kMostMebibytesOfASet);
  return text && digest_of(text.value()) == digest;
}

void FleetReader::lay_again(const StoreEntries& entries) {
  const std::set<std::string> laid = laid_;
  for (const std::string& digest : laid) {
    std::error_code ignored;
    if (std::filesystem::exists(folder_ / (digest + ".json"), ignored)) continue;
    const auto entry = entries.find(keys_.profiles(digest));
    if (entry == entries.end()) continue;
    laid_.erase(digest);
    lay_profiles(digest, entry->second.value);
  }
}

// A profile set that cannot be read. If that is its file's fault, it is laid there again.
void FleetReader::leave_out_profiles(const std::string& digest, const std::string& what,
                                     const StoreEntries& entries) {
  if (!laid_.contains(digest)) return;  // already
  laid_.erase(digest);
  const auto entry = entries.find(keys_.profiles(digest));
  if (entry != entries.end() && !lies(digest)) {
    lay_profiles(digest, entry->second.value);
  } else if (bad_.insert(digest).second) {
    complain("profiles/" + digest, what);
  }
}

FleetDocuments FleetReader::documents_of(const std::map<std::string, Entry>& entries) {
  FleetDocuments documents;
  for (const auto& [key, entry] : entries) {
    const fleet_store::Keys::Parts parts = keys_.parts(key);
    if (parts.kind == "profiles") lay_profiles(parts.id, entry.value);
    const bool configured = parts.kind == "camera" || parts.kind == "box" || parts.kind == "report";
    if (configured) documents[parts.kind + "/" + parts.id] = entry.value;
    if (parts.kind == "policy") documents["policy"] = entry.value;
  }
  return documents;
}

// The document that was read before it, or none.
void FleetReader::fall_back(const std::string& key, const std::string& what, FleetDocuments& documents) {
  const auto wrong = documents.find(key);
  if (wrong == documents.end()) return;  // already
  complain(key, what);
  const auto good = good_.find(key);
  if (good != good_.end() && good->second != wrong->second) {
    wrong->second = good->second;
  } else {
    documents.erase(wrong);
  }
}

// Leaves out what the complaints are about. False: nothing that can be left out.
bool FleetReader::leave_out(const Errors& errors, const FleetText& text, const StoreEntries& entries,
                            FleetDocuments& documents) {
  std::set<std::string> done;
  for (const Error& error : errors) {
    for (const std::string& key : text.place_of(error.where, documents).documents) {
      if (!done.insert(key).second) continue;
      if (key.starts_with("profiles/")) {
        leave_out_profiles(key.substr(key.find('/') + 1), error.what, entries);
      } else {
        fall_back(key, error.what, documents);
      }
    }
  }
  return !done.empty();
}

void FleetReader::read_pins(const std::map<std::string, Entry>& entries,
                            fleet_store::Configured& configured) {
  std::map<TaskId, fleet::BoxId> pins;
  for (const auto& [key, entry] : entries) {
    const fleet_store::Keys::Parts parts = keys_.parts(key);
    if (parts.kind != "pin") continue;
    const TaskId camera(parts.id);
    const auto json = store_json(entry.value);
    if (json && json->contains("box") && json->at("box").is_string()) {
      pins[camera] = fleet::BoxId(json->at("box").get<std::string>());
      continue;
    }
    complain("pin/" + parts.id, "cannot be read");
    const auto good = pins_.find(camera);
    if (good != pins_.end()) pins.insert(*good);
  }
  pins_ = pins;
  configured.pins = std::move(pins);
}

FleetDocuments FleetReader::laid_over(const std::vector<PutDocument>& documents) const {
  FleetDocuments all = good_;
  for (const PutDocument& document : documents) all[document.key] = document.text;
  return all;
}

Errors FleetReader::mistakes(const std::vector<PutDocument>& documents) const {
  Errors errors;
  std::vector<PutDocument> good;
  for (const PutDocument& document : documents) {
    const Errors alone = mistakes_alone(document);
    errors.insert(errors.end(), alone.begin(), alone.end());
    if (alone.empty()) good.push_back(document);
  }
  const FleetDocuments all = laid_over(good);
  const FleetText text = fleet_text(all, laid_);
  const Result<config::LoadedFleet> loaded = config::parse_fleet(text.text, "fleet", folder_);
  if (loaded) return errors;
  for (const Error& error : loaded.errors()) {
    const FleetText::Place place = text.place_of(error.where, all);
    for (const PutDocument& document : good) {
      const auto& about = place.documents;
      if (std::find(about.begin(), about.end(), document.key) == about.end()) continue;
      errors.push_back({document.where + place.below, error.what, error.hint});
    }
  }
  return errors;
}

std::optional<fleet::Problem> FleetReader::with(const std::vector<PutDocument>& documents) const {
  Result<config::LoadedFleet> loaded =
      config::parse_fleet(fleet_text(laid_over(documents), laid_).text, "fleet", folder_);
  if (!loaded) return std::nullopt;
  return std::move(loaded.value().problem);
}

std::optional<fleet_store::Configured> FleetReader::read(const std::map<std::string, Entry>& entries) {
  complaints_.clear();
  FleetDocuments documents = documents_of(entries);
  for (int round = 0; round < kMostRounds; ++round) {
    FleetText text = fleet_text(documents, laid_);
    if (!text.unreadable.empty()) {
      for (const std::string& key : text.unreadable) fall_back(key, "cannot be read", documents);
      continue;
    }
    if (text.boxes.empty()) break;
    Result<config::LoadedFleet> loaded = config::parse_fleet(text.text, "fleet", folder_);
    if (!loaded) {
      if (!leave_out(loaded.errors(), text, entries, documents)) break;
      continue;
    }
    fleet_store::Configured configured{std::move(loaded.value().problem), {}};
    for (const std::string& id : text.cameras)
      configured.tasks.emplace(TaskId(id), documents.at("camera/" + id));
    for (const std::string& id : text.boxes) {
      if (!text.livez.contains(id)) configured.mute.insert(fleet::BoxId(id));
    }
    for (const auto& [id, api] : text.api) configured.apis.emplace(fleet::BoxId(id), api);
    read_pins(entries, configured);
    livez_ = std::move(text.livez);
    good_ = std::move(documents);
    return configured;
  }
  return std::nullopt;
}

}  // namespace saccade::service
