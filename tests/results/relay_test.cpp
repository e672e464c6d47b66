// Nothing gets lost unseen between a worker and a sink: produced = filtered + sent + dropped + failed +
// waiting.
#include "results/relay.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "tests/results/sightings.hpp"

namespace saccade::results {
namespace {

struct Made {
  std::vector<Relay::Channel> channels;
  std::vector<KeptSink*> sinks;
};

// One sink that gets everything, one that wants little, one whose queue is short.
Made three_sinks() {
  Made made;
  const auto add = [&](const std::string& id, const FilterRule& rule, std::size_t queue) {
    auto sink = std::make_unique<KeptSink>(queue);
    sink->keep_nothing();
    made.sinks.push_back(sink.get());
    made.channels.push_back({id, "test", rule, std::move(sink)});
  };
  add("all", {}, 64);
  add("changes", {.tasks = {"gate"}, .objects = {{}, 0.6}, .when = When::change}, 64);
  add("slow", {.when = When::objects, .max_per_second = 100.0}, 2);
  return made;
}

// As the other side of a sink does: what is in the queue is sent, dropped or refused.
void drain(BoundedQueue& queue, std::size_t most, std::mt19937& dice) {
  for (std::size_t i = 0; i < most; ++i) {
    const BoundedQueue::Item result = queue.take(Duration(0));
    if (!result) return;
    const auto fate = dice() % 10;
    if (fate == 0) {
      queue.failed();
    } else if (fate == 1) {
      queue.dropped();
    } else {
      queue.sent(*result, result->ended);
    }
  }
}

TEST(RelayTest, TenMillionResultsAndNoneUnaccounted) {
#ifdef SACCADE_SANITIZED  // ten times slower
  constexpr int kResults = 1'000'000;
#else
  constexpr int kResults = 10'000'000;
#endif
  ManualClock clock;
  Made made = three_sinks();
  Relay relay({"cpu"}, std::move(made.channels), clock, 32);
  relay.set_tasks({"gate", "dock"});
  std::mt19937 dice(1);
  const char* const tasks[] = {"gate", "dock", "gone"};
  std::int64_t produced = 0;
  while (produced < kResults) {
    const auto burst = 1 + dice() % 48;  // at times more than the ring holds
    for (unsigned i = 0; i < burst; ++i, ++produced) {
      relay.put([&](Sighting& place) {
        place = sighting(tasks[dice() % 3], produced, {});
        for (auto n = dice() % 3; n > 0; --n)
          place.objects.push_back(
              object(static_cast<int>(dice() % 2), static_cast<float>(dice() % 10) / 10.0F));
      });
    }
    clock.advance(std::chrono::milliseconds(dice() % 20));
    if (dice() % 64 == 0) clock.advance(std::chrono::seconds(6));
    relay.step(clock.now());
    for (KeptSink* sink : made.sinks) drain(sink->queue(), dice() % 48, dice);
    if (dice() % 64 != 0) continue;
    for (const DeliveryAccount& account : relay.accounts()) ASSERT_EQ(unaccounted(account), 0) << account.id;
  }
  for (KeptSink* sink : made.sinks) drain(sink->queue(), 1000, dice);
  for (const DeliveryAccount& account : relay.accounts()) {
    SCOPED_TRACE(account.id);
    EXPECT_EQ(account.produced, produced);
    EXPECT_EQ(unaccounted(account), 0);
    EXPECT_EQ(account.waiting, 0);
    EXPECT_GT(account.filtered, 0);
    EXPECT_GT(account.sent, 0);
    EXPECT_GT(account.dropped, 0);
    EXPECT_GT(account.failed, 0);
  }
}

// Of three places, emptied in between in part and whole, and overfull.
TEST(RelayTest, TheRingKeepsTheOrder) {
  HandOver ring(3);
  Sighting taken;
  std::vector<std::int64_t> frames;
  int frame = 0;
  for (const int put : {2, 2, 4, 1, 3, 7}) {
    for (int i = 0; i < put; ++i) ring.put([&](Sighting& place) { place = sighting("gate", ++frame, {}); });
    while (ring.counts().waiting > (put == 2 ? 1 : 0)) {
      ASSERT_TRUE(ring.take(taken));
      frames.push_back(taken.frame);
    }
  }
  EXPECT_EQ(frames, (std::vector<std::int64_t>{1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 17, 18, 19}));
}

TEST(RelayTest, AFullRingOverwritesTheOldest) {
  ManualClock clock;
  std::vector<Relay::Channel> channels;
  auto made = std::make_unique<KeptSink>();
  KeptSink& sink = *made;
  channels.push_back({"log", "test", {}, std::move(made)});
  Relay relay({}, std::move(channels), clock, 2);
  relay.set_tasks({"gate"});
  for (int frame = 1; frame <= 5; ++frame) {
    relay.put([&](Sighting& place) { place = sighting("gate", frame, {}); });
  }
  EXPECT_EQ(relay.accounts().at(0).dropped, 3);
  EXPECT_EQ(relay.accounts().at(0).waiting, 2);
  relay.step(clock.now());
  EXPECT_EQ(sink.heard, (std::vector<std::string>{"there gate", "gate #4", "gate #5"}));
}

// Nobody wakes the relay's thread: it looks often enough, also after a pause in which none came.
TEST(RelayTest, WhatComesAfterAPauseIsHandedOver) {
  constexpr int kResults = 200;
  const SteadyClock clock;
  auto made = std::make_unique<KeptSink>();
  made->keep_nothing();
  KeptSink& sink = *made;
  std::vector<Relay::Channel> channels;
  channels.push_back({"all", "test", {}, std::move(made)});
  Relay relay({"cpu"}, std::move(channels), clock);
  relay.set_tasks({"gate"});
  relay.run();
  for (int frame = 1; frame <= kResults; ++frame) {
    relay.put([&](Sighting& place) { place = sighting("gate", frame, {}); });
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (sink.account().taken < frame) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "nobody looked for result " << frame;
      std::this_thread::yield();
    }
  }
}

TEST(RelayTest, TheBooksAreCompleteWhileEverybodyWorks) {
  const SteadyClock clock;
  Made made = three_sinks();
  const std::vector<KeptSink*> sinks = made.sinks;
  Relay relay({"cpu"}, std::move(made.channels), clock, 16);
  relay.set_tasks({"gate", "dock"});
  relay.run();
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (KeptSink* sink : sinks) {
    threads.emplace_back([sink, &done] {
      std::mt19937 dice(7);
      while (!done) drain(sink->queue(), 1, dice);
    });
  }
  std::vector<std::thread> workers;
  for (const char* const task : {"gate", "dock"}) {
    workers.emplace_back([&relay, task] {
      for (int frame = 0; frame < 5000; ++frame) {
        relay.put([&](Sighting& place) { place = sighting(task, frame, {object(0, 0.9F)}); });
      }
    });
  }
  for (int look = 0; look < 500; ++look) {
    for (const DeliveryAccount& account : relay.accounts()) ASSERT_EQ(unaccounted(account), 0) << account.id;
  }
  for (std::thread& worker : workers) worker.join();
  for (const DeliveryAccount& account : relay.accounts()) {
    EXPECT_EQ(account.produced, 10'000);
    EXPECT_EQ(unaccounted(account), 0);
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  relay.end();
  EXPECT_TRUE(relay.accounts().empty());
  relay.put([](Sighting& place) { place = sighting("gate", 0, {}); });  // by a worker that was left behind
}

}  // namespace
}  // namespace saccade::results
