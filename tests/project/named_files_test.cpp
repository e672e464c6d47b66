// The pages for developers name files by their paths: those must exist, or the pages have fallen behind.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace {

namespace fs = std::filesystem;

// A path in back quotes that begins with a folder of the project and ends with a file's name; patterns aside.
TEST(NamedFiles, Exist) {
  static const std::regex name("`([a-z_]+/[A-Za-z0-9_./-]+\\.(cpp|hpp|txt|json|py|md))`");
  for (const char* page : {"CONTRIBUTING.md", "docs/architecture.md"}) {
    std::ifstream in(fs::path(SACCADE_SOURCE_DIR) / page);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    int names = 0;
    for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) {
      ++names;
      EXPECT_TRUE(fs::exists(fs::path(SACCADE_SOURCE_DIR) / (*it)[1].str())) << page << " names " << (*it)[1];
    }
    EXPECT_GE(names, 10) << page;
  }
}

}  // namespace
