// The ring of events: numbers without gaps, and nobody is told less than what was lost.
#include "service/api/event_feed.hpp"

#include <gtest/gtest.h>

namespace saccade::service {
namespace {

TEST(EventFeed, EveryEventIsReadOnceOrCountedAsLost) {
  for (std::size_t capacity = 1; capacity <= 5; ++capacity) {
    for (std::uint64_t after = 0; after <= 7; ++after) {
      EventFeed feed(capacity);
      for (int i = 0; i < 7; ++i) feed.publish("plan", "{}");
      EventFeed::Batch batch = feed.read(after, 2);
      std::uint64_t next = after;
      next += batch.lost;
      for (; !batch.events.empty(); batch = feed.read(next, 2)) {
        for (const FeedEvent& event : batch.events) EXPECT_EQ(event.number, ++next);
      }
      EXPECT_EQ(next, 7U) << capacity << " " << after;
    }
  }
}

TEST(EventFeed, ANumberOfAnotherLifeCountsAsNone) {
  EventFeed feed;
  feed.publish("plan", "{}");
  EXPECT_EQ(feed.read(99, 10).events.size(), 1U);
  EXPECT_EQ(feed.read(99, 10).lost, 0U);
}

TEST(EventFeed, CallsWhoeverWaitsForNews) {
  EventFeed feed;
  int calls = 0;
  feed.on_publish([&] { ++calls; });
  feed.publish("plan", "{}");
  feed.on_publish({});
  feed.publish("plan", "{}");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(feed.newest(), 2U);
}

}  // namespace
}  // namespace saccade::service
