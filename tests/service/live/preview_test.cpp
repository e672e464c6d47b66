// A preview is the change without its consequences: for every patch both accept or both refuse with the same
// complaints, and what is previewed is what holds afterwards.
#include "service/live/preview.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "service/api/api.hpp"
#include "service/live/live_service.hpp"
#include "tests/support/corpus.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::service::preview_test {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kNow(7);
const std::filesystem::path kCorpus = std::filesystem::path(SACCADE_SOURCE_DIR) / "tests/config/corpus/patch";

std::string document() {
  const std::string profiles = std::string(SACCADE_SOURCE_DIR) + "/tests/support/profiles/shapes.json";
  json tasks = json::array();
  for (const char* id : {"gate", "dock"}) {
    tasks.push_back({{"id", id},
                     {"profiles", profiles},
                     {"fps", 5},
                     {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}});
  }
  const json timeline = {{{"at_seconds", 5}, {"patch", {{"tasks", {{"dock", {{"fps", 3}}}}}}}},
                         {{"at_seconds", 9}, {"patch", {{"objective", "min_memory"}}}}};
  return json{{"version", 1},
              {"processors", {{{"name", "cpu"}}}},
              {"engine", {{"backend", "simulated"}}},
              {"tasks", tasks},
              {"timeline", timeline}}
      .dump(1);
}

class NoPolicy final : public scheduler::Policy {
 public:
  [[nodiscard]] const char* name() const override { return "none"; }
  [[nodiscard]] scheduler::Plan decide(const scheduler::Snapshot&,
                                       const scheduler::DecideLimits&) const override {
    return {};
  }
};

// Everything that a plan is made from.
json said(const scheduler::Snapshot& state) {
  const auto number = [](const auto& value) { return value ? json(value->value()) : json(); };
  json tasks = json::array();
  for (const scheduler::Task& task : state.tasks) {
    tasks.push_back(
        {task.id.str(), task.profiles->network, task.profiles->variants.size(), task.demand.value(),
         task.regions, task.weight, task.priority, task.min_accuracy ? *task.min_accuracy : -1.0,
         task.min_relative_accuracy ? *task.min_relative_accuracy : -1.0, number(task.max_frame_time),
         number(task.max_latency), task.min_time_share, task.min_fps.value(), number(task.max_power),
         number(task.max_memory), task.running ? *task.running : 99, task.running_rate.value()});
  }
  json processors = json::array();
  for (const scheduler::Processor& processor : state.processors) {
    processors.push_back({processor.id.str(), processor.budget(), processor.correction});
  }
  return {tasks,
          processors,
          number(state.limits.peak_power),
          number(state.limits.energy_per_second),
          number(state.limits.memory),
          state.idle_power.value(),
          to_string(state.objective),
          to_string(state.selection),
          to_string(state.degrade),
          state.switch_penalty.max_accuracy,
          state.switch_penalty.min_energy,
          state.switch_penalty.min_memory,
          state.min_dwell.value(),
          state.heuristics.within_limits,
          state.heuristics.redistribute};
}

// The API over a configuration whose run takes every change; nothing is loaded.
class Changes {
 public:
  Changes() {
    std::ofstream(folder_ / "config.json") << document();
    auto start = start_from(folder_ / "config.json", nullptr);
    if (!start) ADD_FAILURE() << to_string(start.errors());
    config_ = std::make_unique<ServiceConfig>(folder_ / "config.json", std::move(start).value(), nullptr);
    service_ = std::make_unique<LiveService>(*config_, plans_, scheduler::PolicyKind::transprecision);
    service_->attach({}, [](const auto&) { return runtime::RunOutline{}; }, {}, {}, {});
    config_->attach(RunSeam{[this](runtime::RunConfig wanted) -> Result<std::uint64_t> {
                              in_force_ = wanted;
                              return std::uint64_t{2};
                            },
                            [] { return Duration(kNow); }});
  }

  [[nodiscard]] Response ask(Method method, const std::string& target, const std::string& body) {
    Request request;
    request.method = method;
    request.target = target;
    request.host = "127.0.0.1:8080";
    request.content_type = "application/json";
    request.body = body;
    return Api(*service_, {{"", "127.0.0.1", 8080}}).handle(std::move(request));
  }
  [[nodiscard]] Result<scheduler::Snapshot> previewed(const std::string& patch) const {
    std::optional<Result<scheduler::Snapshot>> state;
    config_->look([&](const LiveConfig& live, Duration at) {
      state = preview(live, patch, at, runtime::RunOutline{});
    });
    return *std::move(state);
  }
  // The state that the run was given for this moment.
  [[nodiscard]] scheduler::Snapshot in_force() const {
    std::size_t i = 0;
    while (i + 1 < in_force_.timeline.size() && in_force_.timeline[i + 1].at <= kNow) ++i;
    return in_force_.timeline.at(i).snapshot;
  }

 private:
  test::TemporaryFolder folder_;
  const NoPolicy policy_;
  const PlanBook plans_{policy_};
  std::unique_ptr<ServiceConfig> config_;
  std::unique_ptr<LiveService> service_;
  runtime::RunConfig in_force_;
};

// The patch of the whole document that a line of the fuzzer's corpus stands for; its first byte says what is
// patched (tests/fuzz/patch.cpp).
std::string parts_of(const std::string& seed) {
  const std::string sent = seed.substr(1);
  switch (seed.at(0) % 5) {
    case 0:
      return R"({"tasks": {"gate": )" + sent + "}}";
    case 1:
      return R"({"limits": )" + sent + "}";
    case 2:
      return R"({"objective": )" + sent + "}";
    default:
      return sent;
  }
}

// Whether the patch is accepted; every difference between preview and change is a failure.
bool agree(const std::string& patch) {
  SCOPED_TRACE(patch);
  Changes changes;
  const Result<scheduler::Snapshot> previewed = changes.previewed(patch);
  const Response dry = changes.ask(Method::post, "/v1/plan/dry-run", patch);
  const Response change = changes.ask(Method::patch, "/v1/config", patch);
  EXPECT_EQ(previewed.ok(), change.status == 202) << change.body;
  EXPECT_EQ(dry.status == 422, change.status == 422) << dry.status << " and " << change.status;
  if (change.status == 422) {
    EXPECT_EQ(json::parse(dry.body).at("errors"), json::parse(change.body).at("errors"));
  } else if (change.status == 202 && previewed) {
    EXPECT_EQ(said(previewed.value()), said(changes.in_force()));
  } else {
    EXPECT_EQ(dry.status, change.status) << dry.body << change.body;
  }
  return change.status == 202;
}

TEST(Preview, AgreesWithTheChangeOnEveryPatchOfTheCorpus) {
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus)) {
    ++(agree(parts_of(testing::file_text(entry.path()))) ? accepted : refused);
  }
  EXPECT_GE(accepted, 8U);
  EXPECT_GE(refused, 4U);
}

TEST(Preview, DoesWhateverAChangeCanDo) {
  for (const char* patch :
       {R"({"tasks": {"gate": {"regions": {"grid": [2, 2]}}}})",
        R"({"heuristics": {"within_limits": true, "redistribute": true}})",
        R"({"solver": {"min_dwell_seconds": 2, "switch_penalty": {"max_accuracy": 0.1}}})",
        R"({"fps_scale": 0.5})", R"({"timeline": null})",
        R"({"tasks": {"dock": {"source": {"type": "push", "data_set": null}}}})"}) {
    EXPECT_TRUE(agree(patch)) << patch;
  }
  for (const char* patch : {R"({"policy": "greedy"})", R"({"solver": {"deadline_seconds": 1}})",
                            R"({"api": {"listen": "127.0.0.1:1"}})", R"({"tasks": {"gate": null}})", "[]",
                            "{", "null", R"({"processors": []})", R"({"fps": 1})"}) {
    EXPECT_FALSE(agree(patch)) << patch;
  }
}

TEST(Preview, AgreesWithTheChangeOnDamagedPatches) {
  std::vector<std::string> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus)) {
    seeds.push_back(parts_of(testing::file_text(entry.path())));
  }
  std::sort(seeds.begin(), seeds.end());
  std::mt19937_64 random(20261122);
  for (int i = 0; i < 300; ++i) {
    std::string patch = seeds[random() % seeds.size()];
    for (std::uint64_t edits = 1 + random() % 3; edits > 0; --edits) {
      patch.replace(random() % patch.size(), 1, 1, "{}[]\",:0-1e9n "[random() % 14]);
    }
    (void)agree(patch);
  }
}

TEST(Preview, KnowsWhatGoesOnRunningAndWhatBeginsAnew) {
  Result<Candidate> first = read_candidate(document(), "", SACCADE_SOURCE_DIR);
  ASSERT_TRUE(first.ok()) << to_string(first.errors());
  const LiveConfig live(std::move(first).value(), SACCADE_SOURCE_DIR);
  runtime::RunOutline status;
  for (const scheduler::Task& task : live.loaded().run.timeline.front().snapshot.tasks) {
    runtime::TaskOutline& running = status.tasks.emplace_back();
    running.id = task.id;
    running.profiles = task.profiles;
    running.variant = 1;
    running.granted = Fps(4);
  }
  status.tasks[1].source_connected = false;
  status.corrections = {1.5};
  status.decoding = {0.5};
  const auto weight = preview(live, R"({"tasks": {"gate": {"weight": 2}}})", kNow, status);
  ASSERT_TRUE(weight.ok()) << to_string(weight.errors());
  EXPECT_EQ(weight.value().tasks[0].running, 1U);
  EXPECT_EQ(weight.value().tasks[0].running_rate, Fps(4));
  EXPECT_EQ(weight.value().tasks[1].demand, Fps(0)) << "its source is lost";
  EXPECT_EQ(weight.value().processors[0].correction, 1.5);
  EXPECT_NEAR(weight.value().processors[0].capacity, 0.725, 1e-12)
      << "decoding takes what the correction leaves";
  const auto regions = preview(live, R"({"tasks": {"gate": {"regions": {"grid": [2, 2]}}}})", kNow, status);
  ASSERT_TRUE(regions.ok()) << to_string(regions.errors());
  EXPECT_EQ(regions.value().tasks[0].running, std::nullopt) << "engines are made for a number of regions";
  EXPECT_EQ(regions.value().tasks[0].regions, 4);
}

// As the change itself: rules that it changes or removes begin anew.
TEST(Preview, CountsTheRulesThatHoldAndThatTheChangeLeaves) {
  json ruled = json::parse(document());
  ruled["rules"] = {
      {{"id", "busy"}, {"task", "gate"}, {"when", {{"presence", json::object()}}}, {"set", {{"fps", 15}}}},
      {{"id", "heavy"},
       {"task", "gate"},
       {"when", {{"presence", json::object()}}},
       {"set", {{"weight", 3}}}}};
  Result<Candidate> first = read_candidate(ruled.dump(), "", SACCADE_SOURCE_DIR);
  ASSERT_TRUE(first.ok()) << to_string(first.errors());
  const LiveConfig live(std::move(first).value(), SACCADE_SOURCE_DIR);
  const auto gate = [&](const json& patch) {
    const auto state =
        preview(live, patch.dump(), kNow, runtime::RunOutline{}, {{"busy", "gate"}, {"heavy", "gate"}});
    EXPECT_TRUE(state.ok());
    return state.value().tasks[0];
  };
  const scheduler::Task kept = gate({{"objective", "min_memory"}});
  EXPECT_EQ(kept.demand, Fps(15));
  EXPECT_EQ(kept.weight, 3.0);
  const scheduler::Task without = gate({{"rules", json::array()}});
  EXPECT_EQ(without.demand, Fps(5));
  EXPECT_EQ(without.weight, 1.0);
  json changed = ruled["rules"];
  changed[0]["set"] = {{"fps", 12}};
  const scheduler::Task one = gate({{"rules", changed}});
  EXPECT_EQ(one.demand, Fps(5)) << "it begins anew";
  EXPECT_EQ(one.weight, 3.0);
}

}  // namespace
}  // namespace saccade::service::preview_test
