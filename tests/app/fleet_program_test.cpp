// A small fleet of real processes: etcd, a planner and two boxes. Cameras that are applied are served, and
// those of a box that is drained are served by the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/child_process.hpp"
#include "tests/support/etcd_server.hpp"
#include "tests/support/free_port.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app {
namespace {

using nlohmann::json;

const std::string kProgram = std::string(SACCADE_BINARY_DIR) + "/app/saccade";

class SmallFleet {
 public:
  SmallFleet() { server_.start(); }

  void start_planner() {
    planner_address_ = "127.0.0.1:" + std::to_string(test::free_port());
    const json config = {
        {"version", 1}, {"node", "p"}, {"api", {{"listen", planner_address_}}}, {"fleet", fleet()}};
    start("planner", config, {"fleet", "run"});
  }
  void start_box(const std::string& name) {
    json of_box = fleet();
    of_box["box"] = name;
    of_box["profiles"] = std::string(SACCADE_SOURCE_DIR) + "/profiles/zoo";
    ports_[name] = test::free_port();
    of_box["api"] = "http://" + address_of(name);
    const json config = {{"version", 1},
                         {"processors", {{{"name", "cpu"}}}},
                         {"engine", {{"backend", "simulated"}}},
                         {"tasks", json::array()},
                         {"api", {{"listen", address_of(name)}}},
                         {"runtime", {{"state_dir", (folder_.path() / (name + ".state")).string()}}},
                         {"fleet", of_box}};
    start(name, config, {"run"});
  }
  int ask(const std::vector<std::string>& arguments, std::string* said = nullptr) {
    std::vector<std::string> command = {kProgram, "fleet"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.insert(command.end(), {"--url", "http://" + planner_address_});
    const std::string out = folder_ / "asked.out";
    test::ChildProcess process(command, out);
    const int code = process.wait();
    std::ifstream file(out);
    std::ostringstream text;
    text << file.rdbuf();
    if (said != nullptr) *said = text.str();
    return code;
  }
  // By camera: the box that serves it.
  std::map<std::string, std::string> served() {
    std::map<std::string, std::string> found;
    std::string said;
    if (ask({"cameras", "--json"}, &said) != 0) return found;
    const json shown = json::parse(said, nullptr, false);
    if (!shown.is_object()) return found;
    for (const json& camera : shown.at("cameras")) {
      const bool moves = !camera.at("moves_to").is_null();
      if (camera.at("status") == "serving" && !moves) found[camera.at("id")] = camera.at("box");
    }
    return found;
  }
  [[nodiscard]] std::string address_of(const std::string& box) const {
    return "127.0.0.1:" + std::to_string(ports_.at(box));
  }
  // A frame that is none.
  test::HttpReply push(const std::string& box, const std::string& camera) {
    return test::HttpClient({"", "127.0.0.1", ports_.at(box)})
        .ask("POST", "/v2/models/" + camera + "/infer", "{}");
  }
  bool comes(const std::function<bool()>& what) {
    for (int i = 0; i < 300; ++i) {
      if (what()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    return false;
  }
  std::string write(const std::string& name, const json& document) {
    const std::string path = folder_.path() / name;
    std::ofstream(path) << document.dump(1);
    return path;
  }
  std::unique_ptr<test::ChildProcess> run(const std::string& name, const std::vector<std::string>& verb) {
    std::vector<std::string> command = {kProgram};
    command.insert(command.end(), verb.begin(), verb.end());
    command.push_back(folder_.path() / (name + ".json"));
    return std::make_unique<test::ChildProcess>(command, (folder_.path() / (name + ".out")).string());
  }
  void stop(const std::string& name, int signal) {
    processes_.at(name)->signal(signal);
    processes_.at(name)->wait();
    processes_.erase(name);
  }

 private:
  [[nodiscard]] json fleet() const { return {{"name", "t"}, {"store", {{"endpoints", {server_.url()}}}}}; }
  void start(const std::string& name, const json& config, const std::vector<std::string>& verb) {
    write(name + ".json", config);
    processes_[name] = run(name, verb);
  }
  test::TemporaryFolder folder_;
  test::EtcdServer server_;
  std::string planner_address_;
  std::map<std::string, std::uint16_t> ports_;  // of the boxes' APIs
  std::map<std::string, std::unique_ptr<test::ChildProcess>> processes_;
};

TEST(FleetProgram, CamerasAreServedAndADrainedBoxIsEmptied) {
  if (const std::string why = test::no_etcd(); !why.empty()) GTEST_SKIP() << why;
  SmallFleet fleet;
  fleet.start_planner();
  fleet.start_box("a");
  fleet.start_box("b");
  json cameras = json::array();
  for (const char* id : {"dock", "gate", "yard"}) {
    cameras.push_back({{"id", id},
                       {"network", "mobilenet_v2-glyphs"},
                       {"fps", 5},
                       {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}});
  }
  const std::string file = fleet.write("cameras.json", {{"cameras", cameras}});
  ASSERT_TRUE(fleet.comes([&] {
    std::string said;
    return fleet.ask({"boxes", "--json"}, &said) == 0 && json::parse(said).at("boxes").size() == 2;
  }));
  ASSERT_EQ(fleet.ask({"apply", file}), 0);
  ASSERT_TRUE(fleet.comes([&] { return fleet.served().size() == 3; }));
  std::string said;
  ASSERT_EQ(fleet.ask({"apply", file}, &said), 0);
  EXPECT_EQ(said, "3 same\n");
  const std::string from = fleet.served().at("gate");
  const std::string to = from == "a" ? "b" : "a";
  const std::string emptied =
      fleet.write("emptied.json", {{"boxes", {{{"id", from}, {"state", "draining"}}}}});
  ASSERT_EQ(fleet.ask({"apply", emptied, "--dry-run"}, &said), 0);
  EXPECT_NE(said.find("moves  gate: " + from + " -> " + to), std::string::npos) << said;
  EXPECT_NE(said.find("now    3 of 3 cameras"), std::string::npos) << said;
  EXPECT_EQ(fleet.ask({"apply", emptied, "--revision", "1"}), 1);  // it is another one by now
  EXPECT_EQ(fleet.served().at("gate"), from);
  ASSERT_EQ(fleet.ask({"move", "gate", to}), 0);
  EXPECT_TRUE(fleet.comes([&] {
    const auto served = fleet.served();
    return served.contains("gate") && served.at("gate") == to;
  }));
  EXPECT_EQ(fleet.ask({"move", "gate", "nowhere"}), 78);
  EXPECT_EQ(fleet.ask({"unpin", "gate"}), 0);
  ASSERT_EQ(fleet.ask({"drain", from, "--wait"}), 0);
  const auto drained = fleet.served();
  EXPECT_EQ(drained.size(), 3U);
  for (const auto& [camera, box] : drained) EXPECT_NE(box, from) << camera;
  EXPECT_EQ(fleet.ask({"uncordon", from}), 0);
  EXPECT_EQ(fleet.ask({"status"}, &said), 0);
  EXPECT_NE(said.find("leads"), std::string::npos);
  EXPECT_EQ(fleet.ask({"drain", "nowhere"}), 1);
  json wrong = cameras;
  wrong[0]["fps"] = -1;
  EXPECT_EQ(fleet.ask({"apply", fleet.write("wrong.json", {{"cameras", wrong}})}), 78);
  const test::TemporaryFolder other;
  const auto second = fleet.run("a", {"run", "--state-dir", other.path().string()});
  EXPECT_EQ(second->wait(), 69);  // the box is there already
  fleet.stop("planner", SIGTERM);
}

TEST(FleetProgram, ClientsThatSendFramesLearnWhichBoxHasTheCamera) {
  if (const std::string why = test::no_etcd(); !why.empty()) GTEST_SKIP() << why;
  SmallFleet fleet;
  fleet.start_planner();
  fleet.start_box("a");
  fleet.start_box("b");
  ASSERT_TRUE(fleet.comes([&] {
    std::string said;
    return fleet.ask({"boxes", "--json"}, &said) == 0 && json::parse(said).at("boxes").size() == 2;
  }));
  const json door = {
      {"id", "door"}, {"network", "mobilenet_v2-glyphs"}, {"fps", 5}, {"source", {{"type", "push"}}}};
  ASSERT_EQ(fleet.ask({"apply", fleet.write("door.json", {{"cameras", {door}}})}), 0);
  ASSERT_TRUE(fleet.comes([&] { return fleet.served().contains("door"); }));
  const std::string from = fleet.served().at("door");
  const std::string to = from == "a" ? "b" : "a";
  EXPECT_EQ(fleet.push(from, "door").status, 422);  // it is looked at
  EXPECT_EQ(fleet.push(to, "door").status, 404);
  ASSERT_EQ(fleet.ask({"move", "door", to}), 0);
  ASSERT_TRUE(fleet.comes([&] { return fleet.push(from, "door").status == 409; }));
  const test::HttpReply moved = fleet.push(from, "door");
  EXPECT_EQ(moved.headers.at("saccade-box"), to);
  EXPECT_EQ(moved.headers.at("location"), "http://" + fleet.address_of(to) + "/v2/models/door/infer");
  EXPECT_EQ(fleet.push(to, "door").status, 422);
}

}  // namespace
}  // namespace saccade::app
