#include "config/results_config.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "config/mqtt_config.hpp"
#include "config/source_config.hpp"
#include "config/webhook_config.hpp"
#include "results/mqtt/topics.hpp"

namespace saccade::config {
namespace {

namespace fs = std::filesystem;
using results::SinkSettings;
using results::When;
using text::in_quotes;
using text::JsonAt;
using text::JsonReport;
using text::JsonValue;
using text::ObjectReader;

constexpr std::size_t kMostSinks = 16;
constexpr int kLongestQueue = 65'536;
constexpr int kMostKept = 1000;
constexpr int kMostFrames = 1000;
constexpr double kLongestHold = 86'400.0;
constexpr double kLeastRotation = 65'536.0;  // a record fits
constexpr double kMostRotation = 1e15;

// As a name of a node may be.
std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "saccade";
  std::string node;
  for (const char c : std::string(name.data()).substr(0, 64)) {
    const bool fits = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                      ((c == '-' || c == '_' || c == '.') && !node.empty());
    if (fits) node += c;
  }
  return node.empty() ? "saccade" : node;
}

class ResultsReader {
 public:
  ResultsReader(std::string node, const std::vector<scheduler::Task>& tasks, const fs::path& directory,
                JsonReport& report)
      : node_(std::move(node)), tasks_(tasks), directory_(directory), report_(report) {}

  std::vector<SinkSettings> read(const JsonAt& at) {
    const std::vector<JsonAt> items = text::read_list(at, report_);
    std::vector<SinkSettings> sinks;
    if (items.size() > kMostSinks) {
      report_.add(at, "there are " + std::to_string(items.size()) + " sinks, at most " +
                          std::to_string(kMostSinks) + " are allowed");
      return sinks;
    }
    for (const JsonAt& item : items) {
      if (auto sink = read_sink(item)) sinks.push_back(std::move(*sink));
    }
    return sinks;
  }

 private:
  std::optional<SinkSettings> read_sink(const JsonAt& at) {
    ObjectReader reader(at, report_);
    SinkSettings sink;
    if (const auto id = reader.require("id")) {
      sink.id = text::read_id(*id, report_).value_or("");
      tell_twice(*id, sink.id, "id", ids_);
    }
    read_filter(reader, sink.filter);
    read_presence(reader, sink.presence);
    int queue = static_cast<int>(results::FileSettings{}.queue);
    reader.integer("queue", queue, 1, kLongestQueue);
    const std::optional<JsonAt> type = reader.require("type");
    const std::vector<std::string> types(results::kSinkTypes.begin(), results::kSinkTypes.end());
    const auto index = type ? text::read_choice(*type, types, report_) : std::nullopt;
    if (!index) {
      reader.accept_all();  // without the type nobody knows which keys belong here
      return std::nullopt;
    }
    const std::string& kind = types[*index];
    if (kind == "file") sink.kind = read_file(reader);
    if (kind == "mqtt") sink.kind = read_broker_sink(reader, at, sink);
    if (kind == "webhook") {
      results::WebhookSettings webhook = read_webhook(reader, directory_);
      webhook.id = sink.id;
      sink.kind = std::move(webhook);
    }
    if (kind == "socket") sink.kind = read_listening(reader);
    std::visit([queue](auto& each) { each.queue = static_cast<std::size_t>(queue); }, sink.kind);
    return sink;
  }

  results::MqttSettings read_broker_sink(ObjectReader& reader, const JsonAt& at, const SinkSettings& sink) {
    results::MqttSettings mqtt = read_mqtt(reader, node_, sink.id, directory_);
    const auto client = reader.find_given("client_id");
    tell_twice(client ? *client : at, mqtt.client_id, "client id", clients_);
    const auto prefix = reader.find_given("prefix");
    if (!mqtt.host.empty())
      tell_twice(prefix ? *prefix : at, mqtt.host + ":" + std::to_string(mqtt.port) + "/" + mqtt.prefix,
                 "broker and prefix", prefixes_);
    tell_topics(at, sink.filter, mqtt.home_assistant.has_value());
    const auto devices = reader.find_given("home_assistant");
    if (devices && mqtt.home_assistant && !mqtt.host.empty()) tell_same_devices(*devices, mqtt, sink.filter);
    return mqtt;
  }

  // A broker keeps one message for Home Assistant of each task, whatever the prefix of the sink.
  void tell_same_devices(const JsonAt& at, const results::MqttSettings& mqtt,
                         const results::FilterRule& filter) {
    Devices ours{mqtt.host + ":" + std::to_string(mqtt.port) + "/" + *mqtt.home_assistant, filter, at->line};
    const auto shares_a_task = [&](const Devices& other) {
      const std::vector<std::string>& ids = other.filter.tasks;  // empty: all tasks, later ones as well
      return ids.empty() || filter.tasks.empty() ||
             std::any_of(ids.begin(), ids.end(),
                         [&](const std::string& id) { return filter.wants_task(id); });
    };
    for (const Devices& other : devices_) {
      if (other.where != ours.where || !shares_a_task(other)) continue;
      report_.add(
          at, "two sinks announce the same tasks to Home Assistant through one broker",
          "leave `home_assistant` out of one of the two, or name different tasks in their `tasks`; the "
          "other is in line " +
              std::to_string(other.line));
      break;
    }
    devices_.push_back(std::move(ours));
  }

  results::SocketSettings read_listening(ObjectReader& reader) {
    results::SocketSettings socket = read_socket(reader, directory_);
    const auto path = reader.find("path");
    if (!path || socket.path.empty()) return socket;
    look_at(*path, (*path)->string, socket.path, "saccade.sock");
    tell_twice(*path, socket.path.string(), "path", paths_);
    return socket;
  }

  void read_presence(ObjectReader& top, results::PresenceRule& rule) {
    const auto at = top.find("presence");
    if (!at) return;
    ObjectReader reader(*at, report_);
    int frames = static_cast<int>(rule.frames);
    reader.integer("frames", frames, 1, kMostFrames);
    rule.frames = static_cast<std::size_t>(frames);
    Seconds hold = to_seconds(rule.hold);
    reader.quantity("hold_seconds", hold, {0.0, false, kLongestHold});
    rule.hold = to_duration(hold);
    reader.number("min_score", rule.min_score, {0.0, false, 1.0, "scores are shares of 1, not percent"});
  }

  // `what`: of which each sink has its own.
  void tell_twice(const JsonAt& at, const std::string& value, const std::string& what,
                  std::map<std::string, std::size_t>& first_line) {
    if (value.empty()) return;
    const auto [first, fresh] = first_line.try_emplace(value, at->line);
    if (fresh) return;
    report_.add(at, "the " + what + " " + in_quotes(value) + " is used by two sinks",
                "change one of the two; the other is in line " + std::to_string(first->second));
  }

  // Topics have fewer letters than labels, the devices of Home Assistant fewer than tasks.
  void tell_topics(const JsonAt& at, const results::FilterRule& filter, bool home_assistant) {
    std::vector<std::string> ids;
    for (const scheduler::Task& task : tasks_) {
      if (!filter.wants_task(task.id.str())) continue;
      ids.push_back(task.id.str());
      if (!task.profiles) continue;  // it has been complained of
      std::vector<std::string> labels = task.profiles->labels;
      std::erase_if(labels, [&](const std::string& label) { return !filter.objects.wants_label(label); });
      tell_one_topic(at, labels, "labels",
                     "name only one of them in the sink's `labels`, or rename one in the profile set");
    }
    if (home_assistant)
      tell_one_topic(at, ids, "tasks",
                     "rename one of the tasks, or name only one of them in the sink's `tasks`");
  }

  void tell_one_topic(const JsonAt& at, const std::vector<std::string>& names, const std::string& what,
                      const std::string& hint) {
    const auto two = results::labels_with_one_topic(names);
    if (!two) return;
    report_.add(at,
                "the " + what + " " + in_quotes(two->first) + " and " + in_quotes(two->second) +
                    " would be told under one topic",
                hint);
  }

  results::FileSettings read_file(ObjectReader& reader) {
    results::FileSettings file;
    if (const auto path = reader.require("path")) {
      const std::string name = text::read_text(*path, report_).value_or("");
      if (!name.empty()) {
        file.path = resolve(directory_, name).lexically_normal();
        look_at(*path, name, file.path, "results.jsonl");
        tell_twice(*path, file.path.string(), "path", paths_);
      } else if ((*path)->kind == JsonValue::Kind::string) {
        report_.add(*path, "the path is empty", "name a file for the results");
      }
    }
    auto rotate = static_cast<double>(file.rotate_bytes);
    reader.number("rotate_bytes", rotate, {kLeastRotation, false, kMostRotation});
    file.rotate_bytes = static_cast<std::int64_t>(rotate);
    reader.integer("keep", file.keep, 1, kMostKept);
    reader.quantity("sync_seconds", file.sync, {0.0, false, 3600.0});
    return file;
  }

  void look_at(const JsonAt& at, const std::string& name, const fs::path& path, const std::string& example) {
    std::error_code failure;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, failure)) {
      report_.add(at, "there is no folder for " + in_quotes(name), "make it: mkdir -p " + folder.string());
    } else if (fs::is_directory(path, failure) || !path.has_filename()) {
      report_.add(at, in_quotes(name) + " is a folder", "name a file in it: \"" + example + "\"");
    }
  }

  void read_filter(ObjectReader& reader, results::FilterRule& filter) {
    if (const auto tasks = reader.find("tasks")) read_tasks(*tasks, filter);
    if (const auto labels = reader.find("labels")) read_labels(*labels, filter);
    reader.number("min_score", filter.objects.min_score,
                  {0.0, false, 1.0, "scores are shares of 1, not percent"});
    reader.choice("when", filter.when, {When::every, When::objects, When::change});
    constexpr double kMostPerSecond = 1e6;
    reader.number("max_per_second", filter.max_per_second, {0.0, true, kMostPerSecond});
  }

  void read_tasks(const JsonAt& at, results::FilterRule& filter) {
    std::vector<std::string> ids;
    for (const scheduler::Task& task : tasks_) ids.push_back(task.id.str());
    for (const JsonAt& item : text::read_list(at, report_)) {
      const std::optional<std::string> id = text::read_text(item, report_);
      if (!id) continue;
      if (std::find(ids.begin(), ids.end(), *id) == ids.end()) tell_unknown(item, "task", *id, ids);
      filter.tasks.push_back(*id);
    }
  }

  // Of the tasks that the filter names, or of all.
  [[nodiscard]] std::optional<std::vector<std::string>> known_labels(
      const results::FilterRule& filter) const {
    std::set<std::string> labels;
    for (const scheduler::Task& task : tasks_) {
      const bool wanted = filter.tasks.empty() || std::find(filter.tasks.begin(), filter.tasks.end(),
                                                            task.id.str()) != filter.tasks.end();
      if (!wanted) continue;
      if (!task.profiles) return std::nullopt;  // it has been complained of
      labels.insert(task.profiles->labels.begin(), task.profiles->labels.end());
    }
    return std::vector<std::string>(labels.begin(), labels.end());
  }

  void read_labels(const JsonAt& at, results::FilterRule& filter) {
    const std::optional<std::vector<std::string>> known = known_labels(filter);
    for (const JsonAt& item : text::read_list(at, report_)) {
      const std::optional<std::string> label = text::read_text(item, report_);
      if (!label) continue;
      if (known && std::find(known->begin(), known->end(), *label) == known->end())
        tell_unknown(item, "label", *label, *known);
      filter.objects.labels.push_back(*label);
    }
  }

  void tell_unknown(const JsonAt& at, const std::string& what, const std::string& name,
                    const std::vector<std::string>& known) {
    const std::string meant = text::nearest(name, known);
    const bool label = what == "label";
    report_.add(at, (label ? "no task here has the label " : "there is no task ") + in_quotes(name),
                !meant.empty() ? "did you mean `" + meant + "`?"
                : label        ? "`labels` of the profile set lists them"
                               : "`tasks` of the configuration lists them");
  }

  // Whom a sink announces to Home Assistant.
  struct Devices {
    std::string where;
    results::FilterRule filter;
    std::size_t line = 0;
  };

  const std::string node_;
  const std::vector<scheduler::Task>& tasks_;
  const fs::path& directory_;
  JsonReport& report_;
  std::map<std::string, std::size_t> ids_;  // with the line of the first
  std::map<std::string, std::size_t> clients_;
  std::map<std::string, std::size_t> paths_;
  std::map<std::string, std::size_t> prefixes_;
  std::vector<Devices> devices_;
};

}  // namespace

results::ResultsSettings read_results(ObjectReader& top, const std::vector<scheduler::Task>& tasks,
                                      const fs::path& directory) {
  results::ResultsSettings settings;
  if (const auto node = top.find_given("node"))
    settings.node = text::read_id(*node, top.report()).value_or("");
  if (settings.node.empty()) settings.node = host_name();
  if (const auto list = top.find("results"))
    settings.sinks = ResultsReader(settings.node, tasks, directory, top.report()).read(*list);
  return settings;
}

}  // namespace saccade::config
