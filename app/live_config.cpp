#include "app/live_config.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "base/check.hpp"
#include "profiles/strict_json.hpp"
#include "runtime/checksum.hpp"

namespace saccade::app {
namespace {

using Json = nlohmann::ordered_json;
using profiles::JsonReport;

// Pointers as fragments, relative to what was sent when they are below it.
JsonReport report_by_pointer(const std::string& sent_at) {
  return {"#", [sent_at](std::size_t, const std::string& pointer) {
            const bool below = pointer.starts_with(sent_at) &&
                               (pointer.size() == sent_at.size() || pointer[sent_at.size()] == '/');
            return "#" + (below ? pointer.substr(sent_at.size()) : pointer);
          }};
}

Result<Candidate> read(std::string text, JsonReport report, const std::filesystem::path& directory) {
  Result<LoadedConfig> loaded = parse_config(text, std::move(report), directory);
  if (!loaded) return loaded.errors();
  if (!loaded.value().plan_only.empty()) return loaded.value().plan_only;
  return Candidate{std::move(text), std::move(loaded).value()};
}

// What was sent, after the strict reader has passed it.
Result<Json> parse_sent(std::string_view text) {
  JsonReport report = report_by_pointer("");
  const auto parsed = profiles::parse_json(text, report);
  if (!report.empty()) return report.errors();
  SACCADE_CHECK(parsed);
  return Json::parse(text);
}

Result<Json> parse_patch(std::string_view text) {
  Result<Json> patch = parse_sent(text);
  if (patch && !patch.value().is_object()) {
    return Error{"#", "a merge patch is an object", "write the keys that change, for example {\"fps\": 10}"};
  }
  return patch;
}

// Position of the task in the list; its end when there is none.
std::size_t find_task(const Json& document, std::string_view id) {
  const Json& tasks = document.at("tasks");
  const auto found =
      std::find_if(tasks.begin(), tasks.end(), [&](const Json& task) { return task.at("id") == id; });
  return static_cast<std::size_t>(std::distance(tasks.begin(), found));
}

void apply_entry(const Json& patch, Json& document) {
  Json rest = patch;
  rest.erase("tasks");
  if (const auto tasks = patch.find("tasks"); tasks != patch.end()) {
    for (const auto& [id, change] : tasks->items()) {
      document["tasks"].at(find_task(document, id)).merge_patch(change);
    }
  }
  document.merge_patch(rest);
}

// What the timeline has done until `at` becomes part of the document. The document has been read.
void fold_timeline(Duration at, Json& document) {
  const auto timeline = document.find("timeline");
  if (timeline == document.end()) return;
  Json later = Json::array();
  const Json entries = *timeline;
  for (const Json& entry : entries) {
    if (to_duration(Seconds(entry.at("at_seconds").get<double>())) > at) {
      later.push_back(entry);
    } else {
      apply_entry(entry.at("patch"), document);
    }
  }
  document["timeline"] = std::move(later);
}

const char* const kRestart = "restart the service to change it";

// What cannot be changed while the service runs.
Errors fixed_parts(const LoadedConfig& now, const LoadedConfig& wanted, const JsonReport& report) {
  const scheduler::Snapshot& before = now.run.timeline.front().snapshot;
  const scheduler::Snapshot& after = wanted.run.timeline.front().snapshot;
  const struct {
    const char* pointer;
    bool same;
    const char* what;
  } parts[] = {
      {"/processors", now.run.processors == wanted.run.processors && before.processors == after.processors,
       "the processors cannot change while the service runs"},
      {"/policy", now.run.policy == wanted.run.policy, "the policy cannot change while the service runs"},
      {"/solver",
       now.run.solver == wanted.run.solver && now.run.solver_deadline == wanted.run.solver_deadline,
       "the solver and its deadline cannot change while the service runs"},
      {"/runtime", now.run.runtime == wanted.run.runtime,
       "the runtime's options cannot change while the service runs"},
      {"/runtime/state_dir", now.state_dir == wanted.state_dir,
       "the folder of the state cannot change while the service runs"},
      {"/engine", now.run.backend == wanted.run.backend && now.run.graph_cache == wanted.run.graph_cache,
       "the engine backend cannot change while the service runs"},
      {"/api", now.api == wanted.api, "where the API is served cannot change while the service runs"},
  };
  Errors errors;
  for (const auto& part : parts) {
    if (!part.same) errors.push_back({report.where(0, part.pointer), part.what, kRestart});
  }
  return errors;
}

}  // namespace

Result<Candidate> read_candidate(std::string text, const std::string& name,
                                 const std::filesystem::path& directory) {
  return read(std::move(text), name.empty() ? report_by_pointer("") : JsonReport(name), directory);
}

std::string etag_of(std::string_view text) {
  char tag[19];
  std::snprintf(tag, sizeof tag, "\"%016llx\"",
                static_cast<unsigned long long>(runtime::checksum(std::span(text.data(), text.size()))));
  return tag;
}

LiveConfig::LiveConfig(Candidate first, std::filesystem::path directory)
    : current_(std::move(first)), directory_(std::move(directory)) {}

bool LiveConfig::has_task(std::string_view id) const {
  const auto& tasks = current_.loaded.run.tasks;
  return std::any_of(tasks.begin(), tasks.end(), [&](const auto& task) { return task.id.str() == id; });
}

Result<Candidate> LiveConfig::replaced(std::string text, const std::string& name) const {
  Result<Candidate> candidate = read_candidate(std::move(text), name, directory_);
  if (!candidate) return candidate;
  const JsonReport report = name.empty() ? report_by_pointer("") : JsonReport(name);
  Errors errors = fixed_parts(current_.loaded, candidate.value().loaded, report);
  if (!errors.empty()) return errors;
  return candidate;
}

Result<Candidate> LiveConfig::task_patched(std::string_view id, std::string_view patch, Duration at) const {
  SACCADE_CHECK(has_task(id));
  const Result<Json> sent = parse_patch(patch);
  if (!sent) return sent.errors();
  if (const auto other = sent.value().find("id"); other != sent.value().end() && *other != id) {
    return Error{"#/id", "a task keeps its id", "remove the key; add a task by replacing the configuration"};
  }
  Json document = Json::parse(text());
  fold_timeline(at, document);
  const std::size_t index = find_task(document, id);
  document["tasks"].at(index).merge_patch(sent.value());
  return changed(document, "/tasks/" + std::to_string(index));
}

Result<Candidate> LiveConfig::limits_patched(std::string_view patch, Duration at) const {
  const Result<Json> sent = parse_patch(patch);
  if (!sent) return sent.errors();
  Json document = Json::parse(text());
  fold_timeline(at, document);
  Json& limits = document["limits"];
  if (limits.is_null()) limits = Json::object();
  limits.merge_patch(sent.value());
  return changed(document, "/limits");
}

Result<Candidate> LiveConfig::objective_put(std::string_view text, Duration at) const {
  const Result<Json> sent = parse_sent(text);
  if (!sent) return sent.errors();
  Json document = Json::parse(this->text());
  fold_timeline(at, document);
  document["objective"] = sent.value();
  return changed(document, "/objective");
}

Result<Candidate> LiveConfig::changed(const nlohmann::ordered_json& document,
                                      const std::string& sent_at) const {
  std::string text = document.dump(1) + "\n";
  if (text.size() > profiles::JsonLimits{}.bytes()) text = document.dump();  // sent without any spaces
  return read(std::move(text), report_by_pointer(sent_at), directory_);
}

void LiveConfig::accept(Candidate&& candidate) {
  current_ = std::move(candidate);
  ++version_;
}

}  // namespace saccade::app
