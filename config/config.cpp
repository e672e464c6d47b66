#include "config/config.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "config/api_config.hpp"
#include "config/document_patch.hpp"
#include "config/fleet_part.hpp"
#include "config/plan_only.hpp"
#include "config/processors_config.hpp"
#include "config/profile_sets.hpp"
#include "config/providers.hpp"
#include "config/results_config.hpp"
#include "config/rules_config.hpp"
#include "config/solvers.hpp"
#include "config/source_config.hpp"
#include "config/state_settings.hpp"
#include "config/timeline.hpp"
#include "runtime/machine/cores.hpp"
#include "runtime/run/limits.hpp"
#include "scheduler/latency.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {
namespace {

using text::in_quotes;
using text::JsonAt;
using text::JsonReport;
using text::JsonValue;
using text::kNotNegative;
using text::ObjectReader;

class ConfigReader {
 public:
  ConfigReader(const JsonValue& root, const std::filesystem::path& directory, JsonReport& report,
               KnownProfileSets& known_sets)
      : root_(root), directory_(directory), report_(report), library_(directory, known_sets) {}

  LoadedConfig read() {
    LoadedConfig loaded;
    ObjectReader top({&root_, ""}, report_);
    if (const auto version = top.require("version")) read_version(*version);
    ProcessorList processors;
    if (const auto list = top.require("processors")) {
      processors = read_processors(*list, runtime::machine_cores(), report_);
    }
    base_.processors = processors.planned;
    library_.plan_on(processors.kinds());
    read_device_settings(top, base_);
    if (const auto heuristics = top.find("heuristics")) read_heuristics(*heuristics);
    if (const auto solver = top.find("solver")) read_solver(*solver);
    if (const auto runtime = top.find("runtime")) read_runtime(*runtime);
    if (const auto engine = top.find("engine")) read_engine(*engine);
    if (const auto api = top.find_given("api")) loaded.api = read_api(*api, directory_, report_);
    top.choice("policy", run_.policy, scheduler::kPolicyKinds);
    double fps_scale = 1.0;
    constexpr double kMaxScale = 1000.0;
    top.number("fps_scale", fps_scale, {0.0, true, kMaxScale});
    if (const auto fleet = top.find_given("fleet")) {
      loaded.fleet = read_fleet_of_box(*fleet, directory_, library_, fleet_names_, report_);
    }
    if (const auto tasks = top.require("tasks")) read_tasks(*tasks, fps_scale, loaded.fleet.has_value());
    settle_threads(library_.files(), processors, report_);
    run_.processors = std::move(processors.run);
    loaded.results = read_results(top, base_.tasks, directory_);
    base_.idle_power = library_.idle_power(report_);
    top.accept("timeline");
    run_.timeline = read_timeline(root_, base_, processors.slowdowns, fps_scale, report_);
    loaded.rules = read_rules(top, base_.tasks, run_.tasks, run_.timeline, fps_scale);
    // A state is looked at as a whole only when all its parts could be read.
    if (report_.empty()) validate_states();
    if (report_.empty()) check_rules(loaded.rules, run_.timeline, root_, report_);
    const bool models_are_needed = run_.backend != "simulated";
    loaded.warnings = library_.warnings(models_are_needed);
    loaded.profile_notes = library_.notes();
    loaded.profile_files = library_.files();
    loaded.plan_only = plan_only(base_.tasks, models_are_needed, report_);
    if (models_are_needed) {
      const Errors other = measured_otherwise(library_.files(), run_.processors, base_.processors);
      loaded.plan_only.insert(loaded.plan_only.end(), other.begin(), other.end());
    }
    loaded.warnings.insert(loaded.warnings.end(), loaded.plan_only.begin(), loaded.plan_only.end());
    loaded.warnings.insert(loaded.warnings.end(), source_warnings_.begin(), source_warnings_.end());
    if (!loaded.api && report_.empty()) warn_of_silence(loaded.warnings);
    if (report_.empty()) warn_of_latencies(loaded.warnings);
    loaded.run = std::move(run_);
    loaded.fps_scale = fps_scale;
    loaded.state_dir = std::move(state_dir_);
    return loaded;
  }

 private:
  void read_version(const JsonAt& at) {
    if (at->kind == JsonValue::Kind::number && at->number == 1.0) return;
    report_.add(at, "this program reads version 1 of the configuration", "write \"version\": 1");
  }

  void read_heuristics(const JsonAt& at) {
    ObjectReader reader(at, report_);
    reader.boolean("within_limits", base_.heuristics.within_limits);
    reader.boolean("redistribute", base_.heuristics.redistribute);
  }

  void read_solver(const JsonAt& at) {
    ObjectReader reader(at, report_);
    constexpr double kLongestSolve = 3600.0;
    if (const auto backend = reader.find("backend")) {
      if (const auto index = text::read_choice(*backend, solver_names(), report_)) {
        run_.solver = solver_names()[*index];
      }
    }
    reader.quantity("deadline_seconds", run_.solver_deadline, {0.0, true, kLongestSolve});
    reader.quantity("min_dwell_seconds", base_.min_dwell, kNotNegative);
    if (const auto penalty = reader.find("switch_penalty")) {
      ObjectReader per_objective(*penalty, report_);
      per_objective.number("max_accuracy", base_.switch_penalty.max_accuracy, kNotNegative);
      per_objective.number("min_energy", base_.switch_penalty.min_energy, kNotNegative);
      per_objective.number("min_memory", base_.switch_penalty.min_memory, kNotNegative);
    }
  }

  void read_runtime(const JsonAt& at) {
    using runtime::TransitionMode;
    using scheduler::Shares;
    runtime::RuntimeOptions& options = run_.runtime;
    ObjectReader reader(at, report_);
    constexpr double kLongestWait = 86'400.0;
    reader.choice("transition", options.transition, {TransitionMode::keep_old, TransitionMode::unload_first});
    reader.choice("shares", options.shares, {Shares::max_min, Shares::equal});
    reader.quantity("warm_cache_bytes", options.warm_cache, kNotNegative);
    reader.quantity("load_timeout_seconds", options.load_timeout, {0.0, true, kLongestWait});
    reader.quantity("inference_timeout_seconds", options.inference_timeout, {0.0, true, kLongestWait});
    reader.integer("loader_nice", options.loader_nice, 0, 19);
    reader.quantity("loader_boost_seconds", options.loader_boost, {0.0, false, kLongestWait});
    int gate_frames = static_cast<int>(options.gate_frames);
    reader.integer("gate_frames", gate_frames, 1, 64);
    options.gate_frames = static_cast<std::size_t>(gate_frames);
    reader.quantity("coalesce_seconds", options.coalesce, {0.0, false, 60.0});
    if (const auto state = reader.find_given("state_dir")) {
      const std::string place = text::read_text(*state, report_).value_or("");
      if (place.empty() && (*state)->kind == JsonValue::Kind::string) {
        report_.add(*state, "there is no folder", "write the path of a folder, or null to keep no state");
      }
      if (!place.empty()) state_dir_ = resolve(directory_, place);
    }
  }

  void read_engine(const JsonAt& at) {
    ObjectReader reader(at, report_);
    if (const auto backend = reader.find("backend")) {
      const std::vector<std::string> names = {"auto", "onnxruntime", "opencv", "simulated"};
      if (const auto index = text::read_choice(*backend, names, report_)) run_.backend = names[*index];
    }
    if (const auto cache = reader.find("graph_cache")) read_graph_cache(*cache);
    reader.quantity("graph_cache_bytes", run_.graph_cache.limit, kNotNegative);
    if (const auto library = reader.find_given("library")) {
      const std::string folder = text::read_text(*library, report_).value_or("");
      if (folder.empty() && (*library)->kind == JsonValue::Kind::string)
        report_.add(*library, "there is no folder", "write the path of a folder, or null for the default");
      if (!folder.empty()) run_.engine_library = resolve(directory_, folder).string();
    }
  }

  void read_graph_cache(const JsonAt& at) {
    const std::string place = text::read_text(at, report_).value_or("");
    if (place.empty() && at->kind == JsonValue::Kind::string) {
      report_.add(at, "there is no folder", "write \"auto\", \"off\" or the path of a folder");
    }
    const bool word = place.empty() || place == "auto" || place == "off";
    run_.graph_cache.place = word ? place : (directory_ / place).string();
  }

  void read_tasks(const JsonAt& at, double fps_scale, bool may_be_empty) {
    const std::vector<JsonAt> items = text::read_list(at, report_);
    if (items.empty() && at->kind == JsonValue::Kind::array && !may_be_empty) {
      report_.add(at, "there is no task", "a configuration has at least one");
    }
    if (items.size() > runtime::kMostTasks) {
      report_.add(at,
                  "there are " + std::to_string(items.size()) + " tasks, at most " +
                      std::to_string(runtime::kMostTasks) + " are allowed",
                  "use regions for several places in one camera's picture, or a second service");
      return;
    }
    std::map<TaskId, std::size_t> first_line;
    for (const JsonAt& item : items) {
      read_task(item, fps_scale);
      const TaskId& id = base_.tasks.back().id;
      if (id.str().empty()) continue;
      const auto [first, fresh] = first_line.try_emplace(id, item->line);
      if (!fresh) {
        report_.add(item.member("id", *item->find("id")),
                    "the id " + in_quotes(id.str()) + " is used by two tasks",
                    "rename one of the two; the other is in line " + std::to_string(first->second));
      }
    }
  }

  void read_task(const JsonAt& at, double fps_scale) {
    scheduler::Task task;
    runtime::TaskConfig config;
    ObjectReader reader(at, report_);
    if (const auto id = reader.require("id")) {
      task.id = config.id = TaskId(text::read_id(*id, report_).value_or(""));
    }
    if (const auto path = reader.require("profiles")) task.profiles = library_.load(*path, report_);
    (void)reader.require("fps");
    read_task_settings(reader, fps_scale, task);
    const std::optional<JsonAt> regions = reader.find("regions");
    if (regions) config.regions = read_regions(*regions, report_);
    if (const auto source = reader.require("source")) {
      if (auto read = read_source(*source, directory_, report_)) config.source = std::move(*read);
      if (auto warning = source_warning(config.source, report_.where(*source)))
        source_warnings_.push_back(std::move(*warning));
      const auto* boxes = std::get_if<std::vector<runtime::PixelBox>>(&config.regions);
      if (std::holds_alternative<runtime::SyntheticSource>(config.source) && boxes && !boxes->empty()) {
        report_.add(*regions, "a synthetic source makes one image per region and has no pixels to cut from",
                    "write {\"grid\": [columns, rows]}");
      }
    }
    task.regions = std::max(1, runtime::region_count(config.regions));
    reader.boolean("standby", config.standby);
    base_.tasks.push_back(std::move(task));
    run_.tasks.push_back(std::move(config));
  }

  // Tasks that nobody can send a frame to.
  void warn_of_silence(Errors& warnings) const {
    for (std::size_t i = 0; i < run_.tasks.size(); ++i) {
      if (!run_.tasks[i].pushed()) continue;
      const JsonAt tasks = JsonAt{&root_, ""}.member("tasks", *root_.find("tasks"));
      const JsonAt task = tasks.item(i);
      warnings.push_back({report_.where(task.member("source", *task->find("source"))),
                          "nobody can send frames: there is no `api`",
                          "for example \"api\": {\"listen\": \"127.0.0.1:8080\"}"});
    }
  }

  // What only shows when a whole state is looked at, told at the first state that shows it.
  void validate_states() {
    std::set<std::pair<std::string, std::string>> told;
    for (std::size_t i = 0; i < run_.timeline.size(); ++i) {
      for (const Error& error : scheduler::validate(run_.timeline[i].snapshot)) {
        if (!told.emplace(error.where, error.what).second) continue;
        const JsonAt state = i == 0 ? JsonAt{&root_, ""} : patch_at(i - 1);
        report_.add(nearest_value(state, error.where), error.what, error.hint);
      }
    }
  }

  // Limits of latency that no variant meets which the task's other limits leave, at the first such state.
  void warn_of_latencies(Errors& warnings) const {
    std::set<TaskId> warned;
    for (std::size_t i = 0; i < run_.timeline.size(); ++i) {
      const scheduler::Snapshot& state = run_.timeline[i].snapshot;
      // A heuristic serves in spite of limits unless it is to keep within them.
      if (run_.policy != scheduler::PolicyKind::transprecision && !state.heuristics.within_limits) continue;
      for (const scheduler::Task& task : state.tasks) {
        if (!task.active()) continue;
        const std::optional<Seconds> least = scheduler::unmet_latency(state, task);
        if (!least || !warned.insert(task.id).second) continue;
        const JsonAt at = i == 0 ? JsonAt{&root_, ""} : patch_at(i - 1);
        warnings.push_back(
            {report_.where(nearest_value(at, "/tasks/" + task.id.str() + "/max_latency_seconds")),
             "task " + in_quotes(task.id.str()) +
                 " is off: no variant is quick enough; the least possible latency at " +
                 text::to_text(task.demand.value()) + " frames/s is " + text::to_text(least->value()) + " s",
             "raise `max_latency_seconds`, or demand fewer frames"});
      }
    }
  }

  // The value below `at` that comes nearest to a pointer of scheduler::validate(), in which tasks and
  // processors stand by name: in the configuration they are items of lists, in a patch keys.
  [[nodiscard]] static JsonAt nearest_value(JsonAt at, const std::string& pointer) {
    for (std::size_t begin = 1; begin <= pointer.size();) {
      const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
      const std::string token = pointer.substr(begin, end - begin);
      std::optional<JsonAt> next;
      if (const JsonValue* child = at->find(token)) next = at.member(token, *child);
      for (std::size_t i = 0; !next && i < at->items.size(); ++i) {
        for (const char* key : {"id", "name"}) {
          const JsonValue* name = at->items[i].find(key);
          if (name != nullptr && name->string == token) next = at.item(i);
        }
      }
      if (!next) break;
      at = *next;
      begin = end + 1;
    }
    return at;
  }

  [[nodiscard]] JsonAt patch_at(std::size_t entry) const {
    const JsonAt item = JsonAt{&root_, ""}.member("timeline", *root_.find("timeline")).item(entry);
    return item.member("patch", *item->find("patch"));
  }

  const JsonValue& root_;
  const std::filesystem::path& directory_;
  JsonReport& report_;
  std::deque<JsonValue> fleet_names_;  // outlives the library
  ProfileLibrary library_;
  runtime::RunConfig run_;
  Errors source_warnings_;
  scheduler::Snapshot base_;
  std::filesystem::path state_dir_;
};

Result<LoadedConfig> finish(const std::optional<JsonValue>& document, const std::filesystem::path& directory,
                            JsonReport& report, KnownProfileSets* known_sets) {
  if (!document) return report.errors();
  KnownProfileSets own;
  LoadedConfig loaded =
      ConfigReader(*document, directory, report, known_sets != nullptr ? *known_sets : own).read();
  if (!report.empty()) return report.errors();
  return loaded;
}

}  // namespace

Result<LoadedConfig> read_config(const std::filesystem::path& path) {
  JsonReport report(path.string());
  const std::optional<JsonValue> document = text::read_json_file(path, report);
  return finish(document, path.parent_path(), report, nullptr);
}

Result<LoadedConfig> parse_config(std::string_view text, const std::string& name,
                                  const std::filesystem::path& directory) {
  return parse_config(text, JsonReport(name), directory);
}

Result<LoadedConfig> parse_config(std::string_view text, JsonReport report,
                                  const std::filesystem::path& directory, KnownProfileSets* known_sets,
                                  const std::vector<JsonValue>& more_tasks) {
  std::optional<JsonValue> document = text::parse_json(text, report);
  if (document && document->is_object() && !more_tasks.empty()) {
    JsonValue& tasks = member_of(*document, "tasks");
    tasks.items.insert(tasks.items.end(), more_tasks.begin(), more_tasks.end());
  }
  return finish(document, directory, report, known_sets);
}

}  // namespace saccade::config
