// A sink that begins to fail and one that recovers is told once each.
#include "service/live/sink_watch.hpp"

#include <gtest/gtest.h>

namespace saccade::service {
namespace {

results::DeliveryAccount account_of(const std::string& id, const std::string& fault) {
  results::DeliveryAccount account;
  account.id = id;
  account.fault = fault;
  return account;
}

TEST(SinkWatch, TellsOnceThatASinkFailsAndOnceThatItIsBack) {
  using News = std::vector<SinkNews>;
  SinkWatch watch;
  EXPECT_EQ(watch.look({account_of("a", ""), account_of("b", "no answer")}),
            (News{{"b", true, "no answer"}}));
  EXPECT_EQ(watch.look({account_of("a", ""), account_of("b", "answers 500")}), News{}) << "it fails still";
  EXPECT_EQ(watch.look({account_of("a", "full"), account_of("b", "")}),
            (News{{"a", true, "full"}, {"b", false, ""}}));
  EXPECT_EQ(watch.look({account_of("a", "full"), account_of("b", "")}), News{});
  EXPECT_EQ(watch.look({account_of("a", ""), account_of("b", "no answer")}),
            (News{{"a", false, ""}, {"b", true, "no answer"}}));
}

}  // namespace
}  // namespace saccade::service
