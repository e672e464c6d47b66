// A sink that begins to fail and one that recovers is told once each; one that does so all the time does not
// fill the log.
#include "service/live/sink_watch.hpp"

#include <gtest/gtest.h>

namespace saccade::service {
namespace {

using News = std::vector<SinkNews>;
using std::chrono::seconds;

results::DeliveryAccount account_of(const std::string& id, const std::string& fault) {
  results::DeliveryAccount account;
  account.id = id;
  account.fault = fault;
  return account;
}

TimePoint at(int time) { return TimePoint(seconds(time)); }

TEST(SinkWatch, TellsOnceThatASinkFailsAndOnceThatItIsBack) {
  SinkWatch watch;
  EXPECT_EQ(watch.look({account_of("a", ""), account_of("b", "no answer")}, at(0)),
            (News{{"b", true, "no answer", 0}}));
  EXPECT_EQ(watch.look({account_of("a", ""), account_of("b", "answers 500")}, at(0)), News{})
      << "it fails still";
  EXPECT_EQ(watch.look({account_of("a", "full"), account_of("b", "")}, at(0)),
            (News{{"a", true, "full", 0}, {"b", false, "", 0}}));
  EXPECT_EQ(watch.look({account_of("a", "full"), account_of("b", "")}, at(0)), News{});
  EXPECT_EQ(watch.look({account_of("a", ""), account_of("b", "no answer")}, at(0)),
            (News{{"a", false, "", 0}, {"b", true, "no answer", 0}}));
}

TEST(SinkWatch, OneThatFlapsIsToldSixTimesInTenMinutesAndThenWhatItIs) {
  SinkWatch watch;
  std::size_t told = 0;
  for (int second = 0; second < 599; ++second) {
    told +=
        watch.look({account_of("a", second % 2 == 0 ? "lost" : ""), account_of("b", "")}, at(second)).size();
  }
  EXPECT_EQ(told, SinkWatch::kMostNews);
  EXPECT_EQ(watch.look({account_of("a", "lost"), account_of("b", "full")}, at(599)),
            (News{{"b", true, "full", 0}}))
      << "another sink is told at once";
  // The first news is ten minutes old: it is back, after 593 changes that nobody was told.
  EXPECT_EQ(watch.look({account_of("a", ""), account_of("b", "full")}, at(600)),
            (News{{"a", false, "", 593}}));
  EXPECT_EQ(watch.look({account_of("a", ""), account_of("b", "full")}, at(601)), News{});
}

}  // namespace
}  // namespace saccade::service
