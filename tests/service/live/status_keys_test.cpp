// The keys of a status, each with a value, against the table of docs/api.md: every key is there, and nothing
// else.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <utility>

#include "service/live/live_service.hpp"
#include "service/live/status_json.hpp"
#include "tests/support/corpus.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;

class PlansNothing final : public scheduler::Policy {
 public:
  [[nodiscard]] const char* name() const override { return "nothing"; }
  [[nodiscard]] scheduler::Plan decide(const scheduler::Snapshot&,
                                       const scheduler::DecideLimits&) const override {
    return {};
  }
};

// A task of which everything is known.
runtime::TaskStatus whole_task(const scheduler::Task& wanted) {
  runtime::TaskStatus task;
  task.id = wanted.id;
  profiles::ProfileSet in_stages = *wanted.profiles;
  for (const char* kind : {"cpu", "gpu0"}) {
    in_stages.variants.front().staging.stages.emplace_back().kind = ProcessorId(kind);
  }
  task.profiles = std::make_shared<const profiles::ProfileSet>(std::move(in_stages));
  task.variant = 0;
  task.source_trouble = "says nothing for 5 s";
  task.live_precision = vision::MeanPrecision{0.25, 0.5};
  task.capture = runtime::CaptureFacts{
      .age = Duration(1), .sent = runtime::CaptureSize{640, 360}, .used = runtime::CaptureSize{320, 180}};
  task.frames.processed = 1;
  task.frames.latency.add(std::chrono::milliseconds(3));
  task.frames.age.add(std::chrono::milliseconds(4));
  return task;
}

runtime::RunStatus whole_status(const scheduler::Snapshot& state) {
  scheduler::Snapshot wanted = state;
  wanted.limits.memory = Bytes(1e6);
  runtime::RunStatus status;
  status.wanted = std::make_shared<const scheduler::Snapshot>(wanted);
  status.plan = std::make_shared<const scheduler::Plan>();
  status.tasks = {whole_task(wanted.tasks.front())};
  status.busy = {Duration(1)};
  status.corrections = {1.0};
  status.slowdowns = {2.0};
  status.energy = runtime::EnergyReading{Joules(12), Watts(3), runtime::EnergySource::modelled, ""};
  status.memories = {{"gpu0", Bytes(1.0), Bytes(2.0), Bytes(3.0)}};
  status.last_switches.emplace_back();
  return status;
}

// Of a configuration with one task, and of a service that knew everything of it and is gone.
std::function<std::string()> gathered_status() {
  const test::TemporaryFolder folder;
  const std::string profiles = std::string(SACCADE_SOURCE_DIR) + "/tests/support/profiles/shapes.json";
  const json task = {{"id", "gate"}, {"profiles", profiles}, {"fps", 5}, {"source", {{"type", "push"}}}};
  std::ofstream(folder / "config.json") << json{{"version", 1},
                                                {"processors", {{{"name", "cpu"}}}},
                                                {"engine", {{"backend", "simulated"}}},
                                                {"tasks", {task}}};
  auto start = start_from(folder / "config.json", nullptr);
  if (!start) ADD_FAILURE() << to_string(start.errors());
  ServiceConfig config(folder / "config.json", std::move(start).value(), nullptr);
  scheduler::Snapshot state;
  config.look([&](const LiveConfig& live, Duration) { state = live.loaded().run.timeline.front().snapshot; });
  const PlansNothing policy;
  const PlanBook plans(policy);
  (void)plans.decide(state, {});
  LiveService service(config, plans, scheduler::PolicyKind::transprecision);
  service.attach([&] { return whole_status(state); }, {}, {}, {}, {});
  results::DeliveryAccount socket;
  socket.id = "near";
  socket.readers = results::Readers{1, 0};
  service.tell_deliveries([&] { return std::vector{socket}; });
  service.tell_rules([] {
    ShownRule rule;
    rule.state = {"person", "gate", "a person", true, false, TimePoint{}, 1};
    return std::vector{rule};
  });
  service.tell_fleet([] { return std::optional(FleetFacts{true, 1.0, {}, 2, "", ""}); });
  return service.gather(Document::status);
}

json whole_document() {
  json document = json::parse(gathered_status()());
  document["temperatures"] = to_json(std::vector<runtime::Temperature>{{"core", 50.0, 90.0}});
  document["memory"]["process"] = {{"bytes", 1}, {"source", "measured"}};  // what this machine may not know
  return document;
}

// "tasks[].frames.demanded" and so on; objects whose keys are names have NAME.
void collect(const json& at, const std::string& path, std::set<std::string>& keys) {
  if (at.is_array() && !at.empty() && at.front().is_object()) return collect(at.front(), path + "[]", keys);
  if (!at.is_object()) {
    keys.insert(path);
    return;
  }
  const bool names = path == "memory.devices" || path == "tasks[].frames.dropped";
  for (const auto& [key, value] : at.items()) {
    collect(value, (path.empty() ? "" : path + ".") + (names ? "NAME" : key), keys);
  }
}

// Of the first column of the tables below "## Status".
std::set<std::string> documented() {
  std::string page = testing::file_text(std::filesystem::path(SACCADE_SOURCE_DIR) / "docs/api.md");
  page.erase(0, page.find("\n## Status\n") + 1);
  page.erase(std::min(page.find("\n## "), page.size()));
  std::set<std::string> keys;
  std::istringstream lines(page);
  const std::regex name("`([^`]+)`");
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string column = line.substr(0, line.find(" | "));
    for (std::sregex_iterator found(column.begin(), column.end(), name), end; found != end; ++found) {
      EXPECT_TRUE(keys.insert((*found)[1]).second) << (*found)[1] << " is there twice";
    }
  }
  return keys;
}

TEST(StatusKeys, AreAllDocumentedAndNothingElseIs) {
  std::set<std::string> keys;
  collect(whole_document(), "", keys);
  const std::set<std::string> known = documented();
  for (const std::string& key : keys) EXPECT_TRUE(known.contains(key)) << key << " is not documented";
  for (const std::string& key : known) EXPECT_TRUE(keys.contains(key)) << "there is no " << key;
  EXPECT_GT(keys.size(), 80U);
}

}  // namespace
}  // namespace saccade::service
