// What wins at the start, and that a change is proposed, run, saved and only then current.
#include "service/live/service_config.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/temporary_folder.hpp"

namespace saccade::service::service_config_test {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kNow(7);

std::string document(double fps) {
  const std::string profiles = std::string(SACCADE_SOURCE_DIR) + "/tests/support/profiles/shapes.json";
  const json task = {{"id", "gate"},
                     {"profiles", profiles},
                     {"fps", fps},
                     {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}};
  const json whole = {{"version", 1},
                      {"processors", {{{"name", "cpu"}}}},
                      {"engine", {{"backend", "simulated"}}},
                      {"tasks", {task}}};
  return whole.dump(1);
}

double fps_of(const config::LoadedConfig& loaded) {
  return loaded.run.timeline.front().snapshot.tasks.front().demand.value();
}

class Service : public ::testing::Test {
 protected:
  void write_file(const std::string& text) { std::ofstream(file(), std::ios::trunc) << text; }
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "config.json"; }
  [[nodiscard]] std::filesystem::path state_file() const { return folder_ / "state/state.json"; }

  [[nodiscard]] std::unique_ptr<StateStore> store() const {
    return std::move(StateStore::open(folder_ / "state")).value();
  }
  // Beside a service that holds the folder.
  [[nodiscard]] Result<std::optional<SavedState>> read_state() const {
    std::filesystem::create_directories(folder_ / "copy");
    std::filesystem::copy_file(state_file(), folder_ / "copy/state.json",
                               std::filesystem::copy_options::overwrite_existing);
    return std::move(StateStore::open(folder_ / "copy")).value()->load();
  }
  [[nodiscard]] Result<Start> start() const { return start_from(file(), store().get()); }

  // A service as at a start, attached to a run that takes everything.
  [[nodiscard]] std::unique_ptr<ServiceConfig> serve(std::function<void(std::uint64_t)> saved = {}) {
    auto kept = store();
    Result<Start> begun = start_from(file(), kept.get());
    if (!begun) ADD_FAILURE() << to_string(begun.errors());
    auto service =
        std::make_unique<ServiceConfig>(file(), std::move(begun).value(), std::move(kept), std::move(saved));
    service->attach(RunSeam{[this](const runtime::RunConfig& wanted) -> Result<std::uint64_t> {
                              if (refuses_) return Error{"camera", "is not there", ""};
                              running_fps_ = wanted.timeline.front().snapshot.tasks.front().demand.value();
                              return ++generation_;
                            },
                            [] { return Duration(kNow); }});
    return service;
  }

  // A change that came to serve: it is saved.
  void serve_with(double fps) {
    auto service = serve();
    ASSERT_TRUE(service->change(set_fps(fps)).ok());
    service->serves(generation_);
    service->flush();
  }

  static ServiceConfig::Propose set_fps(double fps) {
    return [fps](const LiveConfig& live, Duration at) {
      return live.task_patched("gate", "{\"fps\": " + std::to_string(fps) + "}", at);
    };
  }
  static double current_fps(const ServiceConfig& service) {
    double fps = 0.0;
    service.look([&](const LiveConfig& live, Duration) { fps = fps_of(live.loaded()); });
    return fps;
  }

  test::TemporaryFolder folder_;
  bool refuses_ = false;
  std::uint64_t generation_ = 1;
  double running_fps_ = 0.0;
};

TEST_F(Service, WithoutASavedStateTheFileIsWhatCounts) {
  write_file(document(10));
  const auto begun = start();
  ASSERT_TRUE(begun.ok());
  EXPECT_EQ(begun.value().origin, Origin::file);
  EXPECT_TRUE(begun.value().notes.empty());
  EXPECT_TRUE(start_from(file(), nullptr).ok()) << "nor is a state directory needed";
}

TEST_F(Service, TheSavedStateWinsOverAFileThatIsAsItWas) {
  write_file(document(10));
  serve_with(4);
  const auto begun = start();
  ASSERT_TRUE(begun.ok());
  EXPECT_EQ(begun.value().origin, Origin::saved_state);
  EXPECT_EQ(fps_of(begun.value().config.loaded), 4.0);
}

TEST_F(Service, AChangedFileThatIsValidWinsOverTheSavedState) {
  write_file(document(10));
  serve_with(4);
  write_file(document(12));
  const auto begun = start();
  ASSERT_TRUE(begun.ok());
  EXPECT_EQ(begun.value().origin, Origin::file);
  EXPECT_EQ(fps_of(begun.value().config.loaded), 12.0);
  EXPECT_TRUE(begun.value().notes.empty());
}

TEST_F(Service, TheLastGoodStateServesWhenTheFileIsBrokenOrGoneAndThatIsSaid) {
  write_file(document(10));
  serve_with(4);
  write_file("{\"version\": 1");
  auto begun = start();
  ASSERT_TRUE(begun.ok());
  EXPECT_EQ(begun.value().origin, Origin::last_good_state);
  EXPECT_EQ(fps_of(begun.value().config.loaded), 4.0);
  EXPECT_NE(to_string(begun.value().notes).find("not JSON"), std::string::npos);
  EXPECT_NE(to_string(serve()->notes()).find("not JSON"), std::string::npos);
  std::filesystem::remove(file());
  begun = start();
  ASSERT_TRUE(begun.ok());
  EXPECT_EQ(begun.value().origin, Origin::last_good_state);
  // The file as it was when the state began: nothing was lost.
  write_file(document(10));
  begun = start();
  ASSERT_TRUE(begun.ok());
  EXPECT_EQ(begun.value().origin, Origin::saved_state);
  EXPECT_EQ(fps_of(begun.value().config.loaded), 4.0);
}

TEST_F(Service, AnUnchangedConfigurationIsALastGoodStateToo) {
  write_file(document(10));
  (void)serve();
  write_file("{}");
  const auto begun = start();
  ASSERT_TRUE(begun.ok()) << to_string(begun.errors());
  EXPECT_EQ(fps_of(begun.value().config.loaded), 10.0);
}

TEST_F(Service, WithoutAnyGoodStateThereIsNothingToRun) {
  write_file("{}");
  const auto begun = start();
  ASSERT_FALSE(begun.ok());
  EXPECT_NE(to_string(begun.errors()).find("`tasks` is missing"), std::string::npos);
}

TEST_F(Service, ADamagedStateIsSaidAndTheFileServes) {
  write_file(document(10));
  (void)serve();
  std::ofstream(state_file(), std::ios::trunc) << "{\"form";
  auto begun = start();
  ASSERT_TRUE(begun.ok());
  EXPECT_EQ(begun.value().origin, Origin::file);
  EXPECT_NE(to_string(begun.value().notes).find("damaged"), std::string::npos);
  write_file("{}");
  begun = start();
  ASSERT_FALSE(begun.ok()) << "neither can be used";
  EXPECT_NE(to_string(begun.errors()).find("damaged"), std::string::npos);
}

TEST_F(Service, AStateThatIsNotValidAnyMoreIsSaidAndTheFileServes) {
  write_file(document(10));
  (void)serve();
  const std::string mark = start().value().file_mark;
  ASSERT_TRUE(store()->save({"{\"version\": 1}", mark}).ok());
  const auto begun = start();
  ASSERT_TRUE(begun.ok());
  EXPECT_EQ(begun.value().origin, Origin::file);
  EXPECT_NE(to_string(begun.value().notes).find("`tasks` is missing"), std::string::npos);
}

TEST_F(Service, WhatHasNotRunIsNoLastGoodState) {
  write_file(document(10));
  Start begun = std::move(start()).value();
  { const ServiceConfig never_attached(file(), std::move(begun), store()); }
  write_file("{}");
  EXPECT_FALSE(start().ok());
}

// Two that change the same service at once: each is told of its own change, never of the other's.
TEST_F(Service, TheAnswerToAChangeIsAboutThatChange) {
  write_file(document(10));
  auto service = serve();
  const auto change_often = [&](double first) {
    for (double fps = first; fps < first + 200; ++fps) {
      const std::string wanted = document(fps);
      const auto applied =
          service->change([&](const LiveConfig& live, Duration) { return live.replaced(wanted); });
      ASSERT_TRUE(applied.ok());
      EXPECT_EQ(applied.value().etag, etag_of(wanted));
    }
  };
  std::thread other(change_often, 1000);
  change_often(2000);
  other.join();
  EXPECT_EQ(generation_, 401U);
}

// A camera that hangs, a model that crashes: what brought the process down is not what it starts with.
TEST_F(Service, AChangeIsSavedOnceItServes) {
  write_file(document(10));
  auto service = serve();
  ASSERT_TRUE(service->change(set_fps(4)).ok());
  const auto saved_fps = [&] {
    const Result<std::optional<SavedState>> state = read_state();
    return json::parse(state.value()->document).at("tasks").at(0).at("fps").get<double>();
  };
  EXPECT_EQ(saved_fps(), 10.0);
  service->serves(generation_ - 1);  // what ran before still does
  service->flush();
  EXPECT_EQ(saved_fps(), 10.0);
  service->serves(generation_);
  service->flush();
  EXPECT_EQ(saved_fps(), 4.0);
}

TEST_F(Service, TheNewestOfSeveralChangesIsTheOneThatIsSaved) {
  write_file(document(10));
  std::vector<std::uint64_t> told;
  auto service = serve([&](std::uint64_t generation) { told.push_back(generation); });
  ASSERT_TRUE(service->change(set_fps(4)).ok());
  ASSERT_TRUE(service->change(set_fps(5)).ok());
  service->serves(generation_ - 1);
  service->flush();
  EXPECT_EQ(json::parse(read_state().value()->document).at("tasks").at(0).at("fps"), 10.0);
  service->serves(generation_);
  service->flush();
  EXPECT_EQ(json::parse(read_state().value()->document).at("tasks").at(0).at("fps"), 5.0);
  service.reset();  // its thread has ended
  EXPECT_EQ(told, (std::vector<std::uint64_t>{3}));
}

TEST_F(Service, AReloadReplacesEverythingByTheFile) {
  write_file(document(10));
  auto service = serve();
  ASSERT_TRUE(service->change(set_fps(4)).ok());
  EXPECT_EQ(running_fps_, 4.0);
  const auto reloaded = service->reload();
  ASSERT_TRUE(reloaded.ok()) << to_string(reloaded.errors());
  EXPECT_EQ(reloaded.value().generation, 3u);
  EXPECT_EQ(reloaded.value().etag, etag_of(document(10)));
  EXPECT_EQ(running_fps_, 10.0);
  service.reset();
  EXPECT_EQ(fps_of(start().value().config.loaded), 10.0);
}

TEST_F(Service, AnInvalidReloadChangesNothingAndIsCounted) {
  write_file(document(10));
  auto service = serve();
  ASSERT_TRUE(service->change(set_fps(4)).ok());
  write_file(document(-1));
  const auto refused = service->reload();
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.errors().front().where.find("/tasks/0/fps"), std::string::npos);
  EXPECT_EQ(current_fps(*service), 4.0);
  EXPECT_EQ(running_fps_, 4.0);
  EXPECT_EQ(service->reloads().failed, 1);
  EXPECT_FALSE(service->reloads().last_succeeded);
  EXPECT_FALSE(service->notes().empty());
  write_file(document(11));
  ASSERT_TRUE(service->reload().ok());
  EXPECT_EQ(service->reloads().succeeded, 1);
  EXPECT_TRUE(service->reloads().last_succeeded);
  EXPECT_TRUE(service->notes().empty()) << to_string(service->notes());
}

TEST_F(Service, WhatTheRunRefusesIsNeitherCurrentNorSaved) {
  write_file(document(10));
  auto service = serve();
  refuses_ = true;
  EXPECT_FALSE(service->change(set_fps(4)).ok());
  EXPECT_EQ(current_fps(*service), 10.0);
  service->attach(std::nullopt);
  refuses_ = false;
  EXPECT_FALSE(service->change(set_fps(4)).ok()) << "no run, no change";
  service.reset();
  EXPECT_EQ(fps_of(start().value().config.loaded), 10.0);
}

TEST_F(Service, AChangeThatCannotBeSavedRunsAndIsSaid) {
  write_file(document(10));
  auto service = serve();
  std::filesystem::create_directory(folder_ / "state/state.json.new");
  ASSERT_TRUE(service->change(set_fps(4)).ok());
  service->serves(generation_);
  service->flush();
  EXPECT_EQ(running_fps_, 4.0);
  EXPECT_NE(to_string(service->notes()).find("the state is not saved"), std::string::npos);
  std::filesystem::remove(folder_ / "state/state.json.new");
  ASSERT_TRUE(service->change(set_fps(5)).ok());
  service->serves(generation_);
  service->flush();
  EXPECT_TRUE(service->notes().empty());
}

TEST_F(Service, AProposalSeesTheTimeOfTheTimeline) {
  write_file(document(10));
  auto service = serve();
  Duration seen{0};
  service->look([&](const LiveConfig&, Duration at) { seen = at; });
  EXPECT_EQ(seen, Duration(kNow));
}

TEST_F(Service, TheFolderOfTheStateIsFoundInAFileThatIsWrongOtherwise) {
  write_file(R"({"runtime": {"state_dir": "kept"}, "tasks": 5})");
  EXPECT_EQ(state_dir_of(file()), folder_ / "kept");
  write_file(R"({"runtime": {"state_dir": null}})");
  EXPECT_TRUE(state_dir_of(file()).empty());
  write_file(R"({"runtime": 5})");
  EXPECT_TRUE(state_dir_of(file()).empty());
  write_file("{");
  EXPECT_TRUE(state_dir_of(file()).empty());
}

}  // namespace
}  // namespace saccade::service::service_config_test
