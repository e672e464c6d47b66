#include "service/fleet/fleet_application.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "config/fleet_file.hpp"
#include "service/fleet/fleet_text.hpp"
#include "text/object_reader.hpp"
#include "text/strict_json.hpp"

namespace saccade::service {
namespace {

using fleet_store::Compare;
using ApplyJson = nlohmann::ordered_json;

constexpr std::size_t kMostPutBytes = 1'200'000;  // of one transaction

// Equal documents, whatever the order of their members.
bool same_document(const ApplyJson& a, const ApplyJson& b) {
  return nlohmann::json::parse(a.dump()) == nlohmann::json::parse(b.dump());
}

class ReadApplication {
 public:
  ReadApplication(const StoreEntries& entries, const fleet_store::Keys& keys)
      : entries_(entries), keys_(keys) {
    application_.base = configured_revision(entries, keys);
  }

  Result<FleetApplication> read(const std::string& text) {
    text::JsonReport report("#", [](std::size_t, const std::string& pointer) { return "#" + pointer; });
    const std::optional<text::JsonValue> strict = text::parse_json(text, report, config::kFleetLimits);
    if (!strict || !report.empty()) return report.errors();
    const ApplyJson document = ApplyJson::parse(text, nullptr, false);
    if (!document.is_object())
      return Error{"#", "is no object", "for example {\"cameras\": [...], \"boxes\": [...]}"};
    for (const auto& [key, value] : document.items()) {
      if (key == "cameras" || key == "boxes") {
        read_list(key, value);
      } else if (key == "policy") {
        add("policy", "#/policy", value);
      } else if (key != "kinds" && key != "format" && key != "version") {
        application_.errors.push_back(
            {"#/" + key, "is no part of a fleet", "`cameras`, `boxes` and `policy` are"});
      }
    }
    return std::move(application_);
  }

 private:
  void read_list(const std::string& list, const ApplyJson& items) {
    if (!items.is_array()) {
      application_.errors.push_back({"#/" + list, "is no list", ""});
      return;
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const ApplyJson& item = items[i];
      const std::string where = "#/" + list + "/" + std::to_string(i);
      const bool named = item.is_object() && item.contains("id") && item.at("id").is_string() &&
                         text::is_id(item.at("id").get<std::string>());
      if (!named) {
        application_.errors.push_back({where, "is no object with an `id`", ""});
        continue;
      }
      const std::string id = item.at("id").get<std::string>();
      if (!seen.insert(id).second) {
        application_.errors.push_back(
            {where + "/id", "the id " + text::in_quotes(id) + " is used twice", ""});
        continue;
      }
      ApplyJson document = item;
      document.erase(list == "boxes" ? "kind" : "serving");
      add((list == "boxes" ? "box/" : "camera/") + id, where, std::move(document));
    }
  }

  void add(const std::string& key, const std::string& where, ApplyJson document) {
    if (document.is_object()) {
      if (document.contains("format") && document.at("format") != 1) {
        application_.errors.push_back({where + "/format", "is another format than 1", ""});
        return;
      }
      document.erase("format");
    }
    const auto entry = entries_.find(keys_.root() + key);
    if (entry != entries_.end()) {
      std::optional<ApplyJson> known = store_json(entry->second.value);
      if (known && document.contains("id")) (*known)["id"] = document.at("id");
      if (known && same_document(*known, document)) {
        ++application_.same;
        return;
      }
    }
    ApplyJson written = {{"format", 1}};
    if (document.is_object()) written.update(document);
    application_.documents.push_back({key, document.is_object() ? written.dump() : document.dump(), where});
    application_.fresh.push_back(entry == entries_.end());
  }

  const StoreEntries& entries_;
  const fleet_store::Keys& keys_;
  FleetApplication application_;
};

}  // namespace

std::int64_t configured_revision(const StoreEntries& entries, const fleet_store::Keys& keys) {
  const auto found = entries.find(keys.configured());
  return found == entries.end() ? 0 : found->second.changed;
}

Result<FleetApplication> application_of(const std::string& text, const StoreEntries& entries,
                                        const fleet_store::Keys& keys) {
  return ReadApplication(entries, keys).read(text);
}

std::vector<fleet_store::request::Commit> transactions_of(const FleetApplication& application,
                                                          const StoreEntries& entries,
                                                          const fleet_store::Keys& keys) {
  std::vector<fleet_store::request::Commit> commits;
  std::size_t bytes = 0;
  const auto begin = [&] {
    fleet_store::request::Commit& commit = commits.emplace_back();
    commit.compares.push_back({keys.configured(), Compare::What::changed, application.base});
    commit.puts.push_back({keys.configured(), "{\"format\": 1}"});
    bytes = 0;
  };
  begin();
  for (const PutDocument& document : application.documents) {
    bytes += document.text.size();
    const bool full = commits.back().puts.size() == fleet_store::kMostOperations || bytes > kMostPutBytes;
    if (full && commits.back().puts.size() > 1) {
      begin();
      bytes = document.text.size();
    }
    const std::string key = keys.root() + document.key;
    const auto known = entries.find(key);
    commits.back().compares.push_back(
        {key, Compare::What::changed, known == entries.end() ? 0 : known->second.changed});
    commits.back().puts.push_back({key, document.text});
  }
  return commits;
}

}  // namespace saccade::service
