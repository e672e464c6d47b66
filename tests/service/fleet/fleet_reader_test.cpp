// The folder where a planner's profile sets lie: it is nobody else's, and what is gone from it comes back.
#include "service/fleet/fleet_reader.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/service/fleet/planner_on_a_store.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::service {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Kind = FleetOutcome::Kind;

class FleetReaderFolder : public PlannerOnAStore {
 protected:
  // What is complained of after the profile sets have to be laid again.
  std::string complaints() {
    put_camera("gate");
    return status().at("complaints").dump();
  }
  void expect_that_it_works_again() {
    put_camera("yard");
    EXPECT_EQ(assigned().size(), 2U);
    EXPECT_TRUE(status().at("complaints").empty()) << status().at("complaints").dump(1);
  }
};

TEST_F(FleetReaderFolder, NothingIsWrittenIntoOneThatOthersCanWriteTo) {
  fs::remove_all(folder_.path());
  fs::create_directory(folder_.path());
  fs::permissions(folder_.path(), fs::perms::all);
  const std::string said = complaints();
  EXPECT_NE(said.find(folder_.path().string()), std::string::npos) << said;
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  fs::remove(folder_.path());
  expect_that_it_works_again();
  EXPECT_EQ(fs::status(folder_.path()).permissions(), fs::perms::owner_all);
}

TEST_F(FleetReaderFolder, NothingIsWrittenThroughALink) {
  const test::TemporaryFolder other;
  fs::remove_all(folder_.path());
  fs::create_directory_symlink(other.path(), folder_.path());
  const std::string said = complaints();
  EXPECT_NE(said.find(folder_.path().string()), std::string::npos) << said;
  EXPECT_TRUE(fs::is_empty(other.path()));
  fs::remove(folder_.path());
  expect_that_it_works_again();
}

TEST_F(FleetReaderFolder, ChangesAreCheckedAlthoughProfileSetsAreGone) {
  put_camera("gate");
  json wrong = camera();
  wrong["where"] = {{"boxes", {"nowhere"}}};
  for (const bool whole : {false, true}) {
    const auto tidy_up = [&] {
      for (const auto& each : fs::directory_iterator(folder_.path())) fs::remove(each.path());
      if (whole) fs::remove(folder_.path());
    };
    tidy_up();
    EXPECT_EQ(change(put_change("yard", wrong)).kind, Kind::invalid);
    tidy_up();
    const json named = {{"id", "dock"}, {"network", network_}, {"fps", 5}, {"source", camera().at("source")}};
    FleetChange all{FleetKind::all, "", json{{"cameras", {named}}}.dump()};
    all.dry_run = true;
    const FleetOutcome tried = change(all);
    ASSERT_EQ(tried.kind, Kind::accepted);
    EXPECT_TRUE(json::parse(tried.show(tried.revision)).contains("after"));
    tidy_up();
    EXPECT_EQ(change(put_change("yard", camera())).kind, Kind::accepted);
  }
}

}  // namespace
}  // namespace saccade::service
