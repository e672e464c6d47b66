// How large a file and a function may be. A file above the bound does a second thing: it is split by that.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLines = 400;         // of a file
constexpr std::size_t kMostFunctionLines = 60;  // from its first line to its closing brace

const std::set<std::string>& folders() {
  static const std::set<std::string> folders = [] {
    static const std::set<std::string> not_ours = {"build", "docs", "out"};
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(SACCADE_SOURCE_DIR)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_directory() && !name.starts_with('.') && !not_ours.contains(name)) found.insert(name);
    }
    return found;
  }();
  return folders;
}

template <class Use>
void for_each_file(const std::set<std::string>& extensions, const Use& use) {
  for (const std::string& folder : folders()) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SACCADE_SOURCE_DIR) / folder)) {
      if (!entry.is_regular_file() || !extensions.contains(entry.path().extension().string())) continue;
      std::ifstream in(entry.path());
      std::vector<std::string> lines;
      for (std::string line; std::getline(in, line);) lines.push_back(line);
      use(fs::relative(entry.path(), SACCADE_SOURCE_DIR).generic_string(), std::move(lines));
    }
  }
}

std::size_t indentation(const std::string& line) { return line.find_first_not_of(' '); }

// Without comments, preprocessor lines, labels, and what stands in raw strings.
std::vector<std::string> code_of(std::vector<std::string> lines) {
  static const std::regex no_code("\\s*(//|#).*|\\s*(public|private|protected):.*");
  static const std::regex raw_begin("\\bR\"\\w*\\(");
  bool raw = false;
  for (std::string& line : lines) {
    std::smatch begin;
    if (raw || std::regex_search(line, begin, raw_begin)) {
      const std::size_t from = raw ? 0 : static_cast<std::size_t>(begin.position());
      const bool ends = line.find(")\"", from) != std::string::npos;
      if (raw || !ends) line.resize(from);
      raw = !ends;
    }
    if (std::regex_match(line, no_code)) line.clear();
  }
  return lines;
}

// The line on which the block begins that line `end` closes: by the formatter, the last one before it that is
// indented no deeper.
std::size_t begin_of_block(const std::vector<std::string>& code, std::size_t end) {
  const std::size_t depth = indentation(code[end]);
  std::size_t begin = end;
  while (begin > 0) {
    --begin;
    if (!code[begin].empty() && indentation(code[begin]) <= depth) break;
  }
  return begin;
}

// Namespaces, types and tables may be longer.
bool is_function_or_part_of_one(const std::vector<std::string>& code, std::size_t begin) {
  static const std::regex other(
      "\\s*(template\\s*<.*>)?\\s*(typedef )?(namespace|class|struct|enum|union|extern \"C\")\\b.*");
  static const std::regex table(".*(=|\\bk[A-Z]\\w*)\\s*\\{.*");
  std::string text;
  for (std::size_t i = begin; i < code.size() && i < begin + 6; ++i) {
    text += code[i] + ' ';
    if (code[i].find('{') != std::string::npos) break;
  }
  return !std::regex_match(text, other) && !std::regex_match(text, table);
}

std::vector<std::pair<std::size_t, std::size_t>> long_functions(const std::vector<std::string>& lines) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  const std::vector<std::string> code = code_of(lines);
  for (std::size_t end = 0; end < code.size(); ++end) {
    const std::size_t depth = indentation(code[end]);
    if (depth == std::string::npos || code[end][depth] != '}') continue;
    const std::size_t begin = begin_of_block(code, end);
    const std::size_t length = end - begin + 1;
    if (length > kMostFunctionLines && is_function_or_part_of_one(code, begin))
      found.emplace_back(begin + 1, length);
  }
  return found;
}

TEST(Size, NoFileIsTooLong) {
  for_each_file({".cpp", ".hpp", ".py"}, [](const std::string& path, const std::vector<std::string>& lines) {
    EXPECT_LE(lines.size(), kMostLines) << path;
  });
}

TEST(Size, NoFunctionIsTooLong) {
  std::size_t files = 0;
  for_each_file({".cpp", ".hpp"}, [&](const std::string& path, const std::vector<std::string>& lines) {
    ++files;
    for (const auto& [line, length] : long_functions(lines)) {
      ADD_FAILURE() << path << ":" << line << ": a function, or a part of one, of " << length << " lines";
    }
  });
  EXPECT_GT(files, 500U);
}

// The test of functions sees what it has to see.
TEST(Size, LongFunctionsAreFound) {
  const auto with_body = [](std::vector<std::string> before, const std::string& close) {
    before.insert(before.end(), kMostFunctionLines, "    f();");
    before.push_back(close);
    return before;
  };
  EXPECT_EQ(long_functions(with_body({"int g() {"}, "}")).size(), 1U);
  EXPECT_EQ(long_functions(with_body({"Shell::Shell(int a)", "    : a_(a) {"}, "}")).size(), 1U);
  EXPECT_EQ(long_functions(with_body({"class C {", " public:", "  int g(int a,", "        int b) {"}, "  }"))
                .front(),
            (std::pair<std::size_t, std::size_t>{3, kMostFunctionLines + 3}));
  EXPECT_EQ(long_functions(with_body({"TEST(A, B) {"}, "}")).size(), 1U);
  EXPECT_EQ(long_functions(with_body({"const auto f = [&](int a) {"}, "};")).size(), 1U);
  EXPECT_TRUE(long_functions(with_body({"class C {"}, "};")).empty());
  EXPECT_TRUE(long_functions(with_body({"namespace a {"}, "}  // namespace a")).empty());
  EXPECT_TRUE(long_functions(with_body({"constexpr std::array kTable = {"}, "};")).empty());
  EXPECT_TRUE(long_functions(with_body({"constexpr std::array kTable{"}, "};")).empty());
  // A string that ends with an R begins no raw one.
  EXPECT_TRUE(long_functions(with_body({"void g() { f(\"--data FOLDER\"); }", "class C {"}, "};")).empty());
  EXPECT_EQ(long_functions(with_body({"void g() {", "  f(\"--data FOLDER\");"}, "}")).size(), 1U);
  std::vector<std::string> short_one(kMostFunctionLines - 2, "  f();");
  short_one.insert(short_one.begin(), "int g() {");
  short_one.push_back("}");
  EXPECT_TRUE(long_functions(short_one).empty());
}

}  // namespace
