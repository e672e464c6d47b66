#include "text/utf8.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace saccade::text {
namespace {

// Decodes as the table of RFC 3629 reads, one row after the other.
bool well_formed(const std::string& text) {
  const auto in = [](char c, int least, int most) {
    const int byte = static_cast<unsigned char>(c);
    return byte >= least && byte <= most;
  };
  struct Row {
    int length, least, most, second_least, second_most;
  };
  static constexpr Row kRows[] = {
      {1, 0x00, 0x7F, 0, 0},       {2, 0xC2, 0xDF, 0x80, 0xBF}, {3, 0xE0, 0xE0, 0xA0, 0xBF},
      {3, 0xE1, 0xEC, 0x80, 0xBF}, {3, 0xED, 0xED, 0x80, 0x9F}, {3, 0xEE, 0xEF, 0x80, 0xBF},
      {4, 0xF0, 0xF0, 0x90, 0xBF}, {4, 0xF1, 0xF3, 0x80, 0xBF}, {4, 0xF4, 0xF4, 0x80, 0x8F}};
  for (std::size_t i = 0; i < text.size();) {
    std::size_t taken = 0;
    for (const Row& row : kRows) {
      const auto length = static_cast<std::size_t>(row.length);
      if (!in(text[i], row.least, row.most) || text.size() - i < length) continue;
      bool good = length == 1 || in(text[i + 1], row.second_least, row.second_most);
      for (std::size_t k = 2; k < length; ++k) good = good && in(text[i + k], 0x80, 0xBF);
      if (good) taken = length;
    }
    if (taken == 0) return false;
    i += taken;
  }
  return true;
}

TEST(Utf8, AgreesWithTheTable) {
  std::mt19937_64 random(5);
  constexpr unsigned char kEdges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                                      0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
                                      0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF};
  int good = 0;
  for (int round = 0; round < 500'000; ++round) {
    std::string text;
    for (std::uint64_t i = random() % 5; i > 0; --i)
      text += static_cast<char>(kEdges[random() % std::size(kEdges)]);
    ASSERT_EQ(is_utf8(text), well_formed(text));
    good += is_utf8(text) ? 1 : 0;
  }
  EXPECT_GT(good, 10'000);
}

TEST(Utf8, APlainLineHasNoControlCharacters) {
  EXPECT_TRUE(is_plain_line("Straße 😀"));
  EXPECT_TRUE(is_plain_line(""));
  EXPECT_FALSE(is_plain_line("a\nb"));
  EXPECT_FALSE(is_plain_line("a\x7f"));
  EXPECT_FALSE(is_plain_line("\xff"));
}

}  // namespace
}  // namespace saccade::text
