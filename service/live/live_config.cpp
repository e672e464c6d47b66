#include "service/live/live_config.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "config/document_patch.hpp"
#include "config/providers.hpp"
#include "runtime/machine/checksum.hpp"
#include "runtime/run/reconfiguration.hpp"
#include "text/json_text.hpp"

namespace saccade::service {
namespace {

using text::JsonReport;
using text::JsonValue;

// Pointers as fragments, relative to what was sent when they are below it.
JsonReport report_by_pointer(const std::string& sent_at) {
  return {"#", [sent_at](std::size_t, const std::string& pointer) {
            const bool below = pointer.starts_with(sent_at) &&
                               (pointer.size() == sent_at.size() || pointer[sent_at.size()] == '/');
            return "#" + (below ? pointer.substr(sent_at.size()) : pointer);
          }};
}

// A pointer into the patched document as the patch has it: by name where the patch names the task or
// processor, else by position.
class PatchPointers {
 public:
  PatchPointers(const JsonValue& patch, const JsonValue& document)
      : lists_{names_in(patch, document, "tasks", "id"), names_in(patch, document, "processors", "name")} {}

  std::string operator()(const std::string& pointer) const {
    for (const auto& [start, names] : lists_) {
      if (!pointer.starts_with(start)) continue;
      const std::size_t end = std::min(pointer.find('/', start.size()), pointer.size());
      std::size_t index = names.size();
      std::from_chars(pointer.data() + start.size(), pointer.data() + end, index);
      if (index >= names.size()) return pointer;  // a task of the fleet, which the document does not have
      return start + names[index] + pointer.substr(end);
    }
    return pointer;
  }

 private:
  using Names = std::pair<std::string, std::vector<std::string>>;
  static Names names_in(const JsonValue& patch, const JsonValue& document, const std::string& list,
                        const char* key) {
    Names names{"/" + list + "/", {}};
    const JsonValue* by_name = patch.find(list);
    const JsonValue* items = document.find(list);
    for (std::size_t i = 0; items != nullptr && i < items->items.size(); ++i) {
      const JsonValue* name = items->items[i].find(key);
      const bool sent = by_name != nullptr && name != nullptr && by_name->find(name->string) != nullptr;
      names.second.push_back(sent ? name->string : std::to_string(i));
    }
    return names;
  }

  std::array<Names, 2> lists_;
};

// Places of the patched document as fragments, or in the file `name` with the line that the patch has there.
JsonReport report_by_id(const JsonValue& patch, const JsonValue& document, const std::string& name) {
  const PatchPointers patch_pointer(patch, document);
  if (name.empty()) {
    return {"#", [patch_pointer](std::size_t, const std::string& pointer) {
              return "#" + patch_pointer(pointer);
            }};
  }
  return {name, [patch_pointer, &patch, name](std::size_t, const std::string& pointer) {
            const std::string sent = patch_pointer(pointer);
            const JsonValue* value = config::value_at(patch, sent);
            return JsonReport(name).where(value == nullptr ? 0 : value->line, sent);
          }};
}

Result<JsonValue> parse_sent(std::string_view text) {
  JsonReport report = report_by_pointer("");
  auto parsed = text::parse_json(text, report);
  if (!report.empty()) return report.errors();
  SACCADE_CHECK(parsed);
  return *std::move(parsed);
}

}  // namespace

Result<Candidate> read_candidate(std::string text, const std::string& name,
                                 const std::filesystem::path& directory) {
  JsonReport report = name.empty() ? report_by_pointer("") : JsonReport(name);
  Result<config::LoadedConfig> loaded = config::parse_config(text, std::move(report), directory);
  if (!loaded) return loaded.errors();
  if (!loaded.value().plan_only.empty()) return loaded.value().plan_only;
  return Candidate{std::move(text), std::move(loaded).value()};
}

std::string etag_of(std::string_view text) {
  char tag[19];
  std::snprintf(tag, sizeof tag, "\"%016llx\"",
                static_cast<unsigned long long>(runtime::checksum(std::span(text.data(), text.size()))));
  return tag;
}

LiveConfig::LiveConfig(Candidate first, std::filesystem::path directory)
    : current_(std::move(first)),
      directory_(std::move(directory)),
      allowed_(current_.loaded.api ? current_.loaded.api->allow : config::AllowRules{}, directory_),
      runs_(current_.loaded.plan_only.empty() && runtime::not_executable(current_.loaded.run).empty()) {
  allow_all_of(current_.text);
}

bool LiveConfig::has_task(std::string_view id) const {
  const auto& tasks = current_.loaded.run.tasks;
  return !has_fleet_task(id) &&
         std::any_of(tasks.begin(), tasks.end(), [&](const auto& task) { return task.id.str() == id; });
}

bool LiveConfig::has_fleet_task(std::string_view id) const {
  const auto& tasks = current_.fleet_tasks;
  return std::any_of(tasks.begin(), tasks.end(), [&](const JsonValue& task) {
    const JsonValue* named = task.find("id");
    return named != nullptr && named->string == id;
  });
}

Result<Candidate> LiveConfig::with_fleet_tasks(std::vector<JsonValue> tasks) const {
  const JsonReport report("fleet");
  Result<config::LoadedConfig> loaded =
      config::parse_config(text(), report, directory_, known_sets_.get(), tasks);
  if (!loaded) return loaded.errors();
  if (Errors refused = cannot_become(loaded.value(), report); !refused.empty()) return refused;
  return Candidate{text(), std::move(loaded).value(), false, std::move(tasks)};
}

Result<Candidate> LiveConfig::replaced(std::string text, const std::string& name) const {
  return read(std::move(text), name.empty() ? report_by_pointer("") : JsonReport(name), !name.empty());
}

Result<Candidate> LiveConfig::patched(std::string_view patch, Duration at) const {
  const Result<JsonValue> sent = parse_sent(patch);
  if (!sent) return sent.errors();
  return patched(sent.value(), at, "");
}

Result<Candidate> LiveConfig::patched(const JsonValue& patch, Duration at, const std::string& name) const {
  JsonValue document = document_at(at);
  JsonReport of_patch = name.empty() ? report_by_pointer("") : JsonReport(name);
  config::check_patch({&patch, ""}, document, of_patch);
  if (!of_patch.empty()) return of_patch.errors();
  config::apply_patch(patch, document);
  return changed(document, report_by_id(patch, document, name), !name.empty());
}

Result<Candidate> LiveConfig::task_patched(std::string_view id, std::string_view patch, Duration at) const {
  SACCADE_CHECK(has_task(id));
  const Result<JsonValue> sent = parse_sent(patch);
  if (!sent) return sent.errors();
  JsonReport of_patch = report_by_pointer("");
  config::check_task_patch({&sent.value(), ""}, id, of_patch);
  if (!of_patch.empty()) return of_patch.errors();
  JsonValue document = document_at(at);
  const std::size_t index = config::task_position(document, id).value();
  config::merge_patch(sent.value(), config::member_of(document, "tasks").items.at(index));
  return changed(document, report_by_pointer("/tasks/" + std::to_string(index)));
}

Result<Candidate> LiveConfig::limits_patched(std::string_view patch, Duration at) const {
  const Result<JsonValue> sent = parse_sent(patch);
  if (!sent) return sent.errors();
  JsonValue document = document_at(at);
  config::merge_patch(sent.value(), config::member_of(document, "limits"));
  return changed(document, report_by_pointer("/limits"));
}

Result<Candidate> LiveConfig::objective_put(std::string_view text, Duration at) const {
  Result<JsonValue> sent = parse_sent(text);
  if (!sent) return sent.errors();
  JsonValue document = document_at(at);
  config::member_of(document, "objective") = std::move(sent).value();
  return changed(document, report_by_pointer("/objective"));
}

std::string LiveConfig::text_at(Duration at) const { return text::write_json(document_at(at), 1) + "\n"; }

JsonValue LiveConfig::document_at(Duration at) const {
  JsonReport report("");
  auto document = text::parse_json(text(), report);
  SACCADE_CHECK(document && report.empty());
  config::fold_timeline(at, *document);
  return *std::move(document);
}

Result<Candidate> LiveConfig::changed(const JsonValue& document, const JsonReport& report,
                                      bool from_operator) const {
  std::string text = text::write_json(document, 1) + "\n";
  if (text.size() > text::JsonLimits{}.bytes()) text = text::write_json(document);  // sent without any spaces
  return read(std::move(text), report, from_operator);
}

Errors LiveConfig::names_what_is_not_allowed(std::string_view text, const JsonReport& report) const {
  JsonReport unreadable("");  // the reader says so
  const auto document = text::parse_json(text, unreadable);
  if (!document || !unreadable.empty()) return {};
  JsonReport complaints = report;
  allowed_.check(*document, complaints);
  return complaints.errors();
}

Result<Candidate> LiveConfig::read(std::string text, const JsonReport& report, bool from_operator) const {
  // Before anything that the document names is looked at.
  if (!from_operator && current_.loaded.api) {
    if (Errors refused = names_what_is_not_allowed(text, report); !refused.empty()) return refused;
  }
  Result<config::LoadedConfig> loaded =
      config::parse_config(text, report, directory_, known_sets_.get(), current_.fleet_tasks);
  if (!loaded) return loaded.errors();
  if (Errors refused = cannot_become(loaded.value(), report); !refused.empty()) return refused;
  return Candidate{std::move(text), std::move(loaded).value(), from_operator, current_.fleet_tasks};
}

Errors LiveConfig::cannot_become(const config::LoadedConfig& wanted, const JsonReport& report) const {
  const config::LoadedConfig& now = current_.loaded;
  if (runs_ && !wanted.plan_only.empty()) return wanted.plan_only;
  if (runs_) {
    if (Errors others = config::other_cards_here(wanted.profile_files, wanted.run); !others.empty())
      return others;
  }
  Errors errors = runtime::fixed_parts(now.run, wanted.run);
  if (now.state_dir != wanted.state_dir) {
    errors.push_back({"/runtime/state_dir", "the folder of the state cannot change while the service runs",
                      runtime::kRestartHint});
  }
  if (now.api != wanted.api) {
    errors.push_back(
        {"/api", "where the API is served cannot change while the service runs", runtime::kRestartHint});
  }
  if (now.results.sinks != wanted.results.sinks) {
    errors.push_back(
        {"/results", "where results go cannot change while the service runs", runtime::kRestartHint});
  }
  if (now.results.node != wanted.results.node) {
    errors.push_back({"/node", "the name cannot change while the service runs", runtime::kRestartHint});
  }
  if (now.fleet != wanted.fleet) {
    errors.push_back({"/fleet", "the fleet cannot change while the service runs", runtime::kRestartHint});
  }
  for (Error& error : errors) error.where = report.where(0, error.where);
  if (!runs_) return errors;
  for (Error& error : runtime::not_executable(wanted.run)) {
    const auto& tasks = wanted.run.tasks;
    const auto task = std::find_if(tasks.begin(), tasks.end(),
                                   [&](const auto& each) { return each.id.str() == error.where; });
    error.where = report.where(0, "/tasks/" + std::to_string(task - tasks.begin()) + "/profiles");
    errors.push_back(std::move(error));
  }
  return errors;
}

void LiveConfig::accept(Candidate&& candidate) {
  current_ = std::move(candidate);
  if (current_.from_operator) allow_all_of(current_.text);
}

void LiveConfig::allow_all_of(std::string_view text) {
  JsonReport ignored("");
  if (const auto document = text::parse_json(text, ignored)) allowed_.allow_all_of(*document);
}

}  // namespace saccade::service
