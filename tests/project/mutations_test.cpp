// The list of broken invariants that scripts/mutate tries is held to the sources: every text that it
// replaces is there, exactly once.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

struct Mutation {
  std::string name;
  std::string file;
  std::string old_text;
  std::string new_text;
};

// Without the sign in front.
void append(std::string& text, const std::string& line) {
  if (!text.empty()) text.push_back('\n');
  text.append(line, 1);
}

std::vector<Mutation> mutations() {
  std::vector<Mutation> list;
  std::ifstream in(std::filesystem::path(SACCADE_SOURCE_DIR) / "tests/simulation/mutations.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[') {
      Mutation& mutation = list.emplace_back();
      mutation.name.assign(line, 1, line.size() - 2);
    } else if (line.front() == '-') {
      append(list.back().old_text, line);
    } else if (line.front() == '+') {
      append(list.back().new_text, line);
    } else {
      list.back().file = line;
    }
  }
  return list;
}

TEST(Mutations, EveryTextThatIsReplacedIsThereOnce) {
  const std::vector<Mutation> list = mutations();
  EXPECT_GE(list.size(), 15U);
  for (const Mutation& mutation : list) {
    std::ifstream in(std::string(SACCADE_SOURCE_DIR) + "/" + mutation.file);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const std::size_t first = text.find(mutation.old_text);
    EXPECT_NE(first, std::string::npos) << mutation.name;
    EXPECT_EQ(text.find(mutation.old_text, first + 1), std::string::npos) << mutation.name;
    EXPECT_NE(mutation.old_text, mutation.new_text) << mutation.name;
    EXPECT_FALSE(mutation.new_text.empty()) << mutation.name;
  }
}

}  // namespace
