// What a box says when it is asked whether it lives, and what a planner reads of it.
#include "service/api/livez.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace saccade::service {
namespace {

using std::chrono::milliseconds;

TEST(Livez, SaysHowLongAgoTheStoreAnswered) {
  EXPECT_EQ(livez_text({}), "ok\n");
  EXPECT_EQ(livez_text(1.5), "ok\nstore_age_milliseconds 1500\n");
  EXPECT_EQ(store_age_in(livez_text(1.5)), milliseconds(1500));
  EXPECT_EQ(store_age_in(livez_text(0.0)), milliseconds(0));
  EXPECT_FALSE(store_age_in(livez_text({})));
  EXPECT_EQ(livez_text(-1.0), "ok\n");
  EXPECT_EQ(livez_text(std::numeric_limits<double>::quiet_NaN()), "ok\n");
}

TEST(Livez, WhatIsNoAgeIsNone) {
  for (const char* text :
       {"", "ok", "store_age_milliseconds 5\n", "ok\nstore_age_milliseconds ", "ok\nstore_age_milliseconds 5",
        "ok\nstore_age_milliseconds -5\n", "ok\nstore_age_milliseconds 5.5\n",
        "ok\nstore_age_milliseconds 1e3\n", "ok\nstore_age_milliseconds 99999999999999999999\n",
        "ok\nstore_age_milliseconds 9223372036854775807\n"}) {
    EXPECT_FALSE(store_age_in(text)) << text;
  }
}

}  // namespace
}  // namespace saccade::service
