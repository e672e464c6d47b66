// A page that is shown again and again: when it pauses, what stands between two, and what ends it.
#include "app/report/watching.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "app/report/exit_codes.hpp"

namespace saccade::app {
namespace {

using std::chrono::seconds;

struct Watched {
  int code = 0;
  std::string text;
  std::vector<Duration> pauses;
};

// Pages are "1\n", "2\n", ...; the one of this number fails.
Watched watched(const Watching& watching, int fails = 0) {
  Watched seen;
  std::ostringstream out;
  int number = 0;
  const auto page = [&](std::ostream& text) {
    text << ++number << '\n';
    return number == fails ? kExitUnavailable : kExitOk;
  };
  seen.code = watch(watching, out, page, [&](Duration time) { seen.pauses.push_back(time); });
  seen.text = out.str();
  return seen;
}

TEST(Watching, PausesBetweenTwoPagesOnly) {
  const Watched three = watched({seconds(5), 3});
  EXPECT_EQ(three.code, kExitOk);
  EXPECT_EQ(three.text, "1\n\n2\n\n3\n\n");
  EXPECT_EQ(three.pauses, (std::vector<Duration>{seconds(5), seconds(5)}));
  EXPECT_EQ(watched({seconds(5), 0}).text, "");
}

TEST(Watching, ATerminalShowsAPageInPlaceOfTheLastAndJsonStandsAlone) {
  EXPECT_EQ(watched({seconds(1), 2, PageEnd::replaced}).text, "\x1b[H\x1b[2J1\n\x1b[H\x1b[2J2\n");
  EXPECT_EQ(watched({seconds(1), 2, PageEnd::none}).text, "1\n2\n");
}

TEST(Watching, EndsWithThePageThatFails) {
  const Watched failed = watched({seconds(1), std::nullopt, PageEnd::replaced}, 2);
  EXPECT_EQ(failed.code, kExitUnavailable);
  EXPECT_EQ(failed.text, "\x1b[H\x1b[2J1\n2\n");  // what was seen last stays to be read
  EXPECT_EQ(failed.pauses.size(), 1U);
}

}  // namespace
}  // namespace saccade::app
