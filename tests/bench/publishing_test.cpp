// Figures go into the documentation from a commit only.
#include <gtest/gtest.h>

#include "bench/report.hpp"

namespace saccade::bench {
namespace {

TEST(Publishing, SourcesThatDifferFromTheirCommitAreRefused) {
  for (const char* commit : {"0123456789ab-dirty", "unknown"}) {
    for (const char* option : {"--docs", "--docs=x.md", "--section"}) {
      const Status may = may_publish(commit, {"switch", "--long", option});
      ASSERT_FALSE(may) << commit;
      EXPECT_EQ(may.errors().front().where, "--docs");
      EXPECT_NE(may.errors().front().what.find(commit), std::string::npos);
    }
    EXPECT_TRUE(may_publish(commit, {"switch", "--out", "docs"}));
  }
  EXPECT_TRUE(may_publish("0123456789ab", {"solver", "--docs", "x.md"}));
}

}  // namespace
}  // namespace saccade::bench
