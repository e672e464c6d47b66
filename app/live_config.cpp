#include "app/live_config.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

Error not_an_object(std::string where) {
  return {std::move(where), "a merge patch is an object",
          "write the keys that change, for example {\"fps\": 10}"};
}

Result<Json> parse_patch(std::string_view text) {
  Result<Json> patch = parse_sent(text);
  if (patch && !patch.value().is_object()) return not_an_object("#");
  return patch;
}

// Position of the task in the list; its end when there is none.
std::size_t find_task(const Json& document, std::string_view id) {
  const Json& tasks = document.at("tasks");
  const auto found =
      std::find_if(tasks.begin(), tasks.end(), [&](const Json& task) { return task.at("id") == id; });
  return static_cast<std::size_t>(std::distance(tasks.begin(), found));
}

std::optional<Error> another_id(const Json& patch, std::string_view id, const std::string& where) {
  const auto other = patch.find("id");
  if (other == patch.end() || *other == id) return std::nullopt;
  return Error{where + "/id", "a task keeps its id",
               "remove the key; add a task by replacing the configuration"};
}

// What of a patch by id does not go with the tasks that there are.
Errors misplaced_tasks(const Json& patch, const Json& document) {
  const auto tasks = patch.find("tasks");
  if (tasks == patch.end()) return {};
  if (!tasks->is_object()) {
    return {{"#/tasks", "a patch names tasks by their ids", "write {\"tasks\": {\"ID\": {\"fps\": 10}}}"}};
  }
  std::vector<std::string> ids;
  for (const Json& task : document.at("tasks")) ids.push_back(task.at("id").get<std::string>());
  Errors errors;
  for (const auto& [id, change] : tasks->items()) {
    const std::string where = profiles::child_pointer("#/tasks", id);
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
      const std::string meant = profiles::nearest(id, ids);
      errors.push_back({where, "there is no task " + profiles::in_quotes(id),
                        meant.empty() ? "" : "did you mean `" + meant + "`?"});
    } else if (!change.is_object()) {
      errors.push_back(not_an_object(where));
    } else if (auto renamed = another_id(change, id, where)) {
      errors.push_back(*std::move(renamed));
    }
  }
  return errors;
}

// Pointers as fragments: by id where the patch names the task, else into the patched document.
JsonReport report_by_id(const Json& patch, const Json& document) {
  std::vector<std::string> names;
  for (const Json& task : document.at("tasks")) {
    const auto id = task.at("id").get<std::string>();
    const bool sent = patch.contains("tasks") && patch.at("tasks").contains(id);
    names.push_back(sent ? id : std::to_string(names.size()));
  }
  return {"#", [names = std::move(names)](std::size_t, const std::string& pointer) {
            const std::string tasks = "/tasks/";
            if (!pointer.starts_with(tasks)) return "#" + pointer;
            const std::size_t end = std::min(pointer.find('/', tasks.size()), pointer.size());
            const std::size_t index = std::stoul(pointer.substr(tasks.size(), end - tasks.size()));
            return "#" + tasks + names.at(index) + pointer.substr(end);
          }};
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

Result<Candidate> LiveConfig::patched(std::string_view patch, Duration at) const {
  const Result<Json> sent = parse_patch(patch);
  if (!sent) return sent.errors();
  Json document = Json::parse(text());
  Errors misplaced = misplaced_tasks(sent.value(), document);
  if (!misplaced.empty()) return misplaced;
  fold_timeline(at, document);
  apply_entry(sent.value(), document);
  const JsonReport report = report_by_id(sent.value(), document);
  Result<Candidate> candidate = changed(document, report);
  if (!candidate) return candidate;
  Errors errors = fixed_parts(current_.loaded, candidate.value().loaded, report);
  if (!errors.empty()) return errors;
  return candidate;
}

Result<Candidate> LiveConfig::task_patched(std::string_view id, std::string_view patch, Duration at) const {
  SACCADE_CHECK(has_task(id));
  const Result<Json> sent = parse_patch(patch);
  if (!sent) return sent.errors();
  if (auto renamed = another_id(sent.value(), id, "#")) return *std::move(renamed);
  Json document = Json::parse(text());
  fold_timeline(at, document);
  const std::size_t index = find_task(document, id);
  document["tasks"].at(index).merge_patch(sent.value());
  return changed(document, report_by_pointer("/tasks/" + std::to_string(index)));
}

Result<Candidate> LiveConfig::limits_patched(std::string_view patch, Duration at) const {
  const Result<Json> sent = parse_patch(patch);
  if (!sent) return sent.errors();
  Json document = Json::parse(text());
  fold_timeline(at, document);
  Json& limits = document["limits"];
  if (limits.is_null()) limits = Json::object();
  limits.merge_patch(sent.value());
  return changed(document, report_by_pointer("/limits"));
}

Result<Candidate> LiveConfig::objective_put(std::string_view text, Duration at) const {
  const Result<Json> sent = parse_sent(text);
  if (!sent) return sent.errors();
  Json document = Json::parse(this->text());
  fold_timeline(at, document);
  document["objective"] = sent.value();
  return changed(document, report_by_pointer("/objective"));
}

Result<Candidate> LiveConfig::changed(const nlohmann::ordered_json& document, JsonReport report) const {
  std::string text = document.dump(1) + "\n";
  if (text.size() > profiles::JsonLimits{}.bytes()) text = document.dump();  // sent without any spaces
  return read(std::move(text), std::move(report), directory_);
}

void LiveConfig::accept(Candidate&& candidate) {
  current_ = std::move(candidate);
  ++version_;
}

}  // namespace saccade::app
