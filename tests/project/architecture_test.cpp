// The architecture as a test: who may include whom, that the CMake link lists say the same, which
// files may see a vendor's headers, and what the pure rooms must not do.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Rooms = std::set<std::string>;

const std::map<std::string, Rooms>& allowed_edges() {
  static const std::map<std::string, Rooms> edges = {
      {"base", {}},
      {"profiles", {"base"}},
      {"pareto", {"base", "profiles"}},
      {"ilp", {"base"}},
      {"scheduler", {"base", "profiles", "pareto", "ilp"}},
      {"runtime", {"base", "profiles", "pareto", "ilp", "scheduler"}},
      {"app", {"base", "profiles", "pareto", "ilp", "scheduler", "runtime"}},
  };
  return edges;
}

// Vendor headers (by a prefix of the include) and the only files that may see them.
struct VendorRule {
  std::string include_prefix;
  std::regex allowed_files;
};
const std::vector<VendorRule>& vendor_rules() {
  static const std::vector<VendorRule> rules = {
      {"glpk", std::regex("ilp/glpk_solver\\.cpp")},
      {"onnxruntime", std::regex("runtime/engines/onnxruntime_backend\\.cpp")},
      {"opencv2", std::regex("runtime/(engines/opencv_backend\\.cpp|sources/.*)")},
      {"systemd", std::regex("app/service_manager\\.cpp")},
      {"boost", std::regex("app/(options|api_client)\\.cpp|runtime/service/"
                           "http_(server\\.cpp|session\\.[ch]pp|late\\.[ch]pp)")},
      {"boost/program_options", std::regex("app/options\\.cpp")},
      {"prometheus", std::regex("runtime/service/metrics\\.cpp")},
      {"openssl", std::regex("runtime/engines/model_file\\.cpp")},
      {"nlohmann",
       std::regex("(profiles|app)/.*|runtime/service/(problem|infer_[a-z]+|handlers_[a-z]+)\\.cpp")},
      {"spdlog", std::regex("(runtime|app)/.*")},
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

TEST(Architecture, LinkListsFollowTheSameEdges) {
  static const std::regex link("saccade_(base|profiles|pareto|ilp|scheduler|runtime|app)\\b");
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
      "std::j?thread|std::async|<thread>|<future>|<mutex>");
  static const std::regex comment("//[^\n]*");
  for (const SourceFile& file : source_files()) {
    if (file.room != "pareto" && file.room != "ilp" && file.room != "scheduler") continue;
    const std::string code = std::regex_replace(file.text, comment, "");
    std::smatch match;
    EXPECT_FALSE(std::regex_search(code, match, impure)) << file.path << ": " << match.str();
  }
}

TEST(Architecture, NothingThatDecidesReadsTheWallClock) {
  // So that a wall clock which steps by an hour changes no plan, no frame and no back-off.
  static const std::regex wall("system_clock|\\bgettimeofday\\b|CLOCK_REALTIME|std::time\\(|\\blocaltime");
  static const std::set<std::string> may = {"app", "profiles"};  // dates in logs and files
  for (const SourceFile& file : source_files()) {
    if (may.contains(file.room) || file.path.starts_with("runtime/profiler")) continue;
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
