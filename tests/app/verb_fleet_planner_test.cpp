// The verbs of `saccade fleet` that ask a planner, against its API on a socket: what they show, and what they
// send.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "base/mutex.hpp"
#include "service/fleet/planner_model.hpp"
#include "service/http/http_server.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/verb_outputs.hpp"

namespace saccade::app {
namespace {

class FleetPlannerVerb : public test::ProgramOutputs {
 protected:
  void SetUp() override {
    access_.address = {folder_ / "api.sock", "", 0};
    auto server = service::HttpServer::open(access_, model_, events_);
    ASSERT_TRUE(server.ok()) << to_string(server.errors());
    server_ = std::move(server).value();
  }
  [[nodiscard]] int ask(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "fleet");
    arguments.insert(arguments.end(), {"--socket", (folder_ / "api.sock").string()});
    return ProgramOutputs::ask(arguments);
  }
  std::optional<service::FleetChange> sent() {
    const Lock lock(mutex_);
    return std::exchange(sent_, std::nullopt);
  }

  test::TemporaryFolder folder_;
  Mutex mutex_;
  std::optional<service::FleetChange> sent_ SACCADE_GUARDED_BY(mutex_);
  service::PlannerModel model_{[this](const service::FleetChange& change, const auto& done) {
    {
      const Lock lock(mutex_);
      sent_ = change;
    }
    done({service::FleetOutcome::Kind::accepted, 7});
  }};
  service::EventFeed events_;
  service::Access access_;
  std::unique_ptr<service::HttpServer> server_;  // the first to go
};

TEST_F(FleetPlannerVerb, StatusIsShownOnceOrAgainAndAgain) {
  service::FleetPicture picture;
  picture.status = R"({"fleet": "city", "planner": "p1", "leads": true, "store": {"connected": true},
    "boxes": {"alive": 2}, "cameras": {"serving": 3}, "plan": {"number": 4}})";
  model_.show(picture);
  ASSERT_EQ(ask({"status"}), kExitOk) << err_;
  const std::string page = out_;
  EXPECT_EQ(page,
            "fleet    city, planner p1, leads\n"
            "store    answers\n"
            "boxes    2 alive\n"
            "cameras  3 serving\n"
            "plan     4\n");
  ASSERT_EQ(ask({"status", "--watch", "--count", "2", "--interval", "0"}), kExitOk) << err_;
  EXPECT_EQ(out_, page + "\n" + page + "\n");
  ASSERT_EQ(ask({"status", "--watch", "--count", "2", "--interval", "0", "--json"}), kExitOk) << err_;
  EXPECT_EQ(out_, picture.status + picture.status);
  server_.reset();
  EXPECT_EQ(ask({"status", "--watch"}), kExitUnavailable);
}

TEST_F(FleetPlannerVerb, TheStateOfABoxIsChangedWhateverItsDocumentIs) {
  service::FleetPicture picture;
  picture.box["north-07"] = {"{\"id\": \"north-07\"}\n", "\"5\""};
  model_.show(picture);
  for (const auto& [verb, state] : {std::pair{"cordon", "cordoned"},
                                    {"uncordon", "active"},
                                    {"drain", "draining"},
                                    {"retire", "retired"}}) {
    ASSERT_EQ(ask({verb, "north-07"}), kExitOk) << err_;
    EXPECT_EQ(out_, std::string("north-07: ") + state + "\n");
    const auto change = sent();
    ASSERT_TRUE(change);
    EXPECT_EQ(change->id, "north-07");
    EXPECT_TRUE(change->patch);
    EXPECT_EQ(change->text, std::string("{\"state\":\"") + state + "\"}");
    EXPECT_EQ(change->only_if, std::nullopt);
  }
}

TEST_F(FleetPlannerVerb, StatusTakesOnlyWhatItKnows) {
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"status", "--count", "2"},
                                                {"status", "--interval", "1s"},
                                                {"status", "--watch", "--count", "x"},
                                                {"status", "--watch", "--interval", "soon"}}) {
    EXPECT_EQ(ask(wrong), kExitUsage) << wrong.back();
  }
  EXPECT_NE(err_.find("--interval takes a time"), std::string::npos) << err_;
}

}  // namespace
}  // namespace saccade::app
