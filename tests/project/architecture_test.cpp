// The architecture as a test: who may include whom, that the CMake link lists say the same, which
// files may see a vendor's headers, and what the pure rooms must not do.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Rooms = std::set<std::string>;
using Edges = std::map<std::string, Rooms>;

// Who may include whom. Folders of the top level; a room may name folders below itself as rooms of its own.
const Edges& allowed_edges() {
  static const Edges edges = {
      {"base", {}},
      {"text", {"base"}},
      {"images", {"base"}},
      {"pareto", {"base"}},
      {"ilp", {"base"}},
      {"placement", {"base"}},
      {"profiles", {"base", "text"}},
      {"vision", {"base", "text", "profiles"}},
      {"results", {"base", "text", "profiles", "vision"}},
      {"scheduler", {"base", "profiles", "pareto", "ilp"}},
      {"fleet", {"base", "ilp", "scheduler"}},
      {"fleet_store", {"base", "text", "fleet"}},
      {"fleet_simulation", {"base", "fleet", "fleet_store", "runtime"}},
      {"rules", {"base", "results", "scheduler"}},
      {"runtime", {"base", "images", "profiles", "scheduler", "vision"}},
      {"config",
       {"base", "text", "profiles", "results", "rules", "ilp", "placement", "scheduler", "fleet", "runtime"}},
      {"service",
       {"base", "text", "profiles", "vision", "results", "rules", "scheduler", "fleet", "fleet_store",
        "runtime", "config"}},
      {"app",
       {"base", "text", "images", "profiles", "vision", "pareto", "placement", "scheduler", "fleet",
        "fleet_simulation", "rules", "runtime", "config", "service"}},
  };
  return edges;
}

const Edges& allowed_inner_edges() {
  static const Edges edges = {
      {"fleet/control", {}},
      {"runtime/machine", {}},
      {"runtime/pictures", {}},
      {"runtime/engines", {"runtime/machine", "runtime/pictures"}},
      {"runtime/frames", {}},
      {"runtime/control", {"runtime/frames"}},
      {"runtime/run", {"runtime/pictures", "runtime/frames", "runtime/control", "runtime/engines"}},
      {"runtime/sources", {"runtime/machine", "runtime/pictures", "runtime/frames", "runtime/run"}},
      {"runtime/profiling", {"runtime/machine", "runtime/pictures", "runtime/engines", "runtime/sources"}},
      {"runtime/real",
       {"runtime/machine", "runtime/engines", "runtime/frames", "runtime/control", "runtime/run",
        "runtime/sources"}},
      {"runtime/simulation", {"runtime/machine", "runtime/frames", "runtime/control", "runtime/run"}},
      {"vision/decode", {}},
      {"vision/accuracy", {"vision/decode"}},
      {"vision/model", {"vision/decode"}},
      {"results/mqtt", {}},
      {"results/webhook", {}},
      {"results/socket", {}},
      {"service/api", {}},
      {"service/http", {"service/api"}},
      {"service/fleet", {"service/api", "service/http"}},
      {"service/live", {"service/api", "service/http", "service/fleet"}},
      {"app/report", {}},
      {"app/verbs", {"app/report"}},
  };
  return edges;
}

// Rooms that decide: they neither log, throw, read a clock nor start a thread.
bool is_pure(const std::string& path) {
  static const std::vector<std::string> pure = {"pareto/",
                                                "ilp/",
                                                "placement/",
                                                "scheduler/",
                                                "fleet/",
                                                "fleet_store/",
                                                "fleet_simulation/",
                                                "rules/",
                                                "vision/decode/",
                                                "runtime/frames/",
                                                "runtime/control/",
                                                "runtime/run/",
                                                "results/presence",
                                                "results/filter",
                                                "results/hub.",
                                                "results/mqtt/topics",
                                                "results/mqtt/task_topics",
                                                "results/mqtt/discovery",
                                                "results/mqtt/retained_book",
                                                "results/mqtt/result_ring",
                                                "results/mqtt/mqtt_session",
                                                "results/back_off",
                                                "results/webhook/webhook_session",
                                                "results/socket/reader_ring"};
  if (path.starts_with("fleet_store/etcd_store") || path.starts_with("fleet_store/etcd_http")) return false;
  return std::any_of(pure.begin(), pure.end(),
                     [&](const std::string& room) { return path.starts_with(room); });
}

// Vendor headers (by a prefix of the include) and the only files that may see them.
struct VendorRule {
  std::string include_prefix;
  std::regex allowed_files;
};
const std::vector<VendorRule>& vendor_rules() {
  static const std::vector<VendorRule> rules = {
      {"glpk", std::regex("ilp/glpk_solver\\.cpp")},
      {"onnxruntime", std::regex("runtime/engines/onnxruntime_(library\\..pp|engine\\.cpp|backend\\.cpp)")},
      {"opencv2", std::regex("runtime/(engines/opencv_backend\\.cpp|pictures/"
                             "((motion_meter|preparer)\\.cpp|resizing\\..pp)|sources/.*)|images/.*")},
      {"libav", std::regex("runtime/sources/(stream_capture|stream_trouble|hardware_decoder)\\.cpp")},
      {"libswscale", std::regex("runtime/sources/stream_capture\\.cpp")},
      {"onnx/", std::regex("vision/model/onnx_((chain|cut|file)\\.cpp|nodes\\.hpp)")},
      {"google/protobuf", std::regex("vision/model/onnx_((chain|cut|file)\\.cpp|nodes\\.hpp)")},
      {"curl", std::regex("results/webhook/http_client\\.cpp|fleet_store/etcd_http\\.cpp")},
      {"mosquitto", std::regex("results/mqtt/mqtt_connection\\.cpp")},
      {"mqtt_protocol", std::regex("results/mqtt/mqtt_connection\\.cpp")},
      {"systemd", std::regex("service/live/service_manager\\.cpp")},
      {"boost", std::regex("app/report/options\\.cpp|service/http/.*")},
      {"boost/program_options", std::regex("app/report/options\\.cpp")},
      {"prometheus", std::regex("service/api/metrics\\.cpp")},
      {"openssl", std::regex("runtime/engines/model_file\\.cpp|results/webhook/signature\\.cpp|"
                             "service/http/http_stream\\.cpp|service/fleet/certificate_name\\.cpp")},
      {"nlohmann",
       std::regex(
           "(text|profiles|vision|results|service|app)/.*|fleet_store/(documents|etcd_messages)\\.cpp")},
      {"spdlog", std::regex("(runtime|app)/.*|service/http/http_(session|late)\\.cpp")},
      {"Eigen", std::regex("(pareto|scheduler|ilp)/.*")},
  };
  return rules;
}

struct SourceFile {
  std::string path;  // relative to the project
  std::string room;
  std::string text;
  std::vector<std::string> includes;
};

std::string read_file(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<SourceFile> source_files() {
  static const std::regex include_line("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]");
  std::vector<SourceFile> files;
  for (const auto& [room, edges] : allowed_edges()) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SACCADE_SOURCE_DIR) / room)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".hpp" && extension != ".cpp") continue;
      SourceFile file;
      file.path = fs::relative(entry.path(), SACCADE_SOURCE_DIR).generic_string();
      file.room = room;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line); file.text += line + '\n') {
        std::smatch match;
        if (std::regex_search(line, match, include_line)) file.includes.push_back(match[1]);
      }
      files.push_back(std::move(file));
    }
  }
  return files;
}

std::string first_folder(const std::string& include) { return include.substr(0, include.find('/')); }

// "runtime/frames" of a file in such a folder; else empty.
std::string inner_room(const std::string& path) {
  const std::size_t second = path.find('/', path.find('/') + 1);
  return second == std::string::npos ? "" : path.substr(0, second);
}

// Every edge that is there, with how many includes make it.
std::map<std::pair<std::string, std::string>, int> edges_of(const std::vector<SourceFile>& files,
                                                            bool inner) {
  std::map<std::pair<std::string, std::string>, int> edges;
  for (const SourceFile& file : files) {
    for (const std::string& include : file.includes) {
      const std::string from = inner ? inner_room(file.path) : file.room;
      const std::string to = inner ? inner_room(include) : first_folder(include);
      const Edges& known = inner ? allowed_inner_edges() : allowed_edges();
      if (from != to && known.contains(from) && known.contains(to)) ++edges[{from, to}];
    }
  }
  return edges;
}

// A room after all that it includes; a room that is missing lies on a circle.
std::vector<std::string> bottom_up(const Edges& edges) {
  std::vector<std::string> order;
  Rooms placed;
  for (bool found = true; found;) {
    found = false;
    for (const auto& [room, uses] : edges) {
      if (placed.contains(room) || !std::includes(placed.begin(), placed.end(), uses.begin(), uses.end()))
        continue;
      order.push_back(room);
      placed.insert(room);
      found = true;
    }
  }
  return order;
}

TEST(Architecture, EveryRoomHasSources) {
  Rooms seen;
  for (const SourceFile& file : source_files()) seen.insert(file.room);
  for (const auto& [room, edges] : allowed_edges()) EXPECT_TRUE(seen.contains(room)) << room;
}

TEST(Architecture, IncludesFollowTheEdges) {
  for (const SourceFile& file : source_files()) {
    for (const std::string& include : file.includes) {
      const std::string target = first_folder(include);
      EXPECT_NE(target, "tests") << file.path;
      EXPECT_NE(target, "bench") << file.path;
      if (!allowed_edges().contains(target) || include.find('/') == std::string::npos) continue;
      EXPECT_TRUE(target == file.room || allowed_edges().at(file.room).contains(target))
          << file.path << " includes " << include;
    }
  }
}

TEST(Architecture, IncludesInsideARoomFollowTheEdges) {
  for (const SourceFile& file : source_files()) {
    const std::string from = inner_room(file.path);
    for (const std::string& include : file.includes) {
      const std::string to = inner_room(include);
      if (to == from || first_folder(include) != file.room || !allowed_inner_edges().contains(to)) continue;
      if (from.empty()) continue;  // app/main.cpp, which is everybody's
      ASSERT_TRUE(allowed_inner_edges().contains(from)) << file.path << " lies in no room";
      EXPECT_TRUE(allowed_inner_edges().at(from).contains(to)) << file.path << " includes " << include;
    }
  }
}

TEST(Architecture, NoFileLiesFlatBesideRooms) {
  for (const SourceFile& file : source_files()) {
    if (file.path == "app/main.cpp") continue;
    if (file.room != "runtime" && file.room != "service" && file.room != "app") continue;
    EXPECT_TRUE(allowed_inner_edges().contains(inner_room(file.path))) << file.path;
  }
}

// Prints the graph: rooms from the bottom up, each with what it includes and how often.
TEST(Architecture, TheGraphHasNoCircleAndNoEdgeThatNobodyUses) {
  const std::vector<SourceFile> files = source_files();
  for (const bool inner : {false, true}) {
    const Edges& allowed = inner ? allowed_inner_edges() : allowed_edges();
    const auto used = edges_of(files, inner);
    const std::vector<std::string> order = bottom_up(allowed);
    EXPECT_EQ(order.size(), allowed.size()) << "rooms lie on a circle";
    for (const std::string& room : order) {
      std::string line = room + " <-";
      for (const std::string& other : allowed.at(room)) {
        const auto edge = used.find({room, other});
        EXPECT_NE(edge, used.end()) << room << " may include " << other << " and never does";
        if (edge != used.end()) line += " " + other + " (" + std::to_string(edge->second) + ")";
      }
      std::cout << line << '\n';
    }
  }
}

TEST(Architecture, LinkListsFollowTheSameEdges) {
  static const std::regex link(
      "saccade_(base|text|images|profiles|vision|results|pareto|ilp|placement|scheduler|fleet|fleet_store|"
      "fleet_simulation|rules|runtime|"
      "config|service|"
      "app)"
      "\\b");
  for (const auto& [room, edges] : allowed_edges()) {
    const std::string lists = read_file(fs::path(SACCADE_SOURCE_DIR) / room / "CMakeLists.txt");
    ASSERT_FALSE(lists.empty()) << room;
    for (std::sregex_iterator it(lists.begin(), lists.end(), link), end; it != end; ++it) {
      const std::string target = (*it)[1];
      EXPECT_TRUE(target == room || edges.contains(target)) << room << " links " << target;
    }
  }
}

TEST(Architecture, VendorHeadersStayInTheirAdapters) {
  for (const SourceFile& file : source_files()) {
    for (const std::string& include : file.includes) {
      for (const VendorRule& rule : vendor_rules()) {
        if (!include.starts_with(rule.include_prefix)) continue;
        EXPECT_TRUE(std::regex_match(file.path, rule.allowed_files)) << file.path << " includes " << include;
      }
    }
  }
}

TEST(Architecture, PureRoomsNeitherLogThrowReadAClockNorStartAThread) {
  static const std::regex impure(
      "\\bthrow\\b|spdlog|std::c(out|err)|\\bprintf\\(|steady_clock|system_clock|high_resolution_clock|"
      "std::j?thread|std::async|<thread>|<future>|<mutex>|base/mutex\\.hpp");
  static const std::regex comment("//[^\n]*");
  for (const SourceFile& file : source_files()) {
    if (!is_pure(file.path)) continue;
    const std::string code = std::regex_replace(file.text, comment, "");
    std::smatch match;
    EXPECT_FALSE(std::regex_search(code, match, impure)) << file.path << ": " << match.str();
  }
}

TEST(Architecture, LocksAreThoseThatTheCompilerChecks) {
  static const std::regex unchecked(
      "std::(recursive_|shared_|timed_)*(mutex|timed_mutex)|std::(lock_guard|unique_lock|scoped_lock)|"
      "std::condition_variable");
  for (const SourceFile& file : source_files()) {
    if (file.path == "base/mutex.hpp") continue;
    std::smatch match;
    EXPECT_FALSE(std::regex_search(file.text, match, unchecked)) << file.path << ": " << match.str();
  }
}

TEST(Architecture, NothingThatDecidesReadsTheWallClock) {
  // So that a wall clock which steps by an hour changes no plan, no frame and no back-off.
  static const std::regex wall("system_clock|\\bgettimeofday\\b|CLOCK_REALTIME|std::time\\(|\\blocaltime");
  static const std::set<std::string> may = {"app", "profiles", "results",
                                            "service"};  // dates, told to people
  for (const SourceFile& file : source_files()) {
    if (may.contains(file.room) || file.path.starts_with("runtime/profiling/")) continue;
    if (file.path == "runtime/sources/capture_time.cpp") continue;  // which people are told
    std::smatch match;
    EXPECT_FALSE(std::regex_search(file.text, match, wall)) << file.path << ": " << match.str();
  }
}

TEST(Architecture, EveryHeaderIsGuardedAndSaysWhatItIs) {
  for (const SourceFile& file : source_files()) {
    if (!file.path.ends_with(".hpp")) continue;
    EXPECT_NE(file.text.find("#pragma once"), std::string::npos) << file.path;
    EXPECT_NE(file.text.find("// "), std::string::npos) << file.path << " says nothing of itself";
  }
}

}  // namespace
