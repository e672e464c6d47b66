// The feed of results: who reads fast enough has every result of its tasks once and in order; who does not is
// told exactly how many it missed.
#include "service/api/result_feed.hpp"

#include <gtest/gtest.h>

#include <random>

namespace saccade::service {
namespace {

ResultFeed::Item result_of(const std::string& task, std::int64_t frame) {
  auto result = std::make_shared<results::Result>();
  result->task = task;
  result->frame = frame;
  return result;
}

std::string told(const ResultFeed::Batch& batch) {
  std::string text = batch.lost == 0 ? "" : "lost " + std::to_string(batch.lost) + " ";
  for (const ResultFeed::Entry& entry : batch.entries)
    text += std::to_string(entry.number) + ":" + entry.result->task + "#" +
            std::to_string(entry.result->frame) + " ";
  return text;
}

TEST(ResultFeed, AReaderBeginsWithWhatComesAndSeesItsTasksAlone) {
  ResultFeed feed("box", 8);
  feed.publish(result_of("gate", 1));
  ResultFeed::Reader all(feed, {}, {});
  ResultFeed::Reader gate(feed, {{"gate"}, {}}, {});
  feed.publish(result_of("gate", 2));
  feed.publish(result_of("yard", 1));
  feed.publish(result_of("gate", 3));
  EXPECT_EQ(told(all.read(2)), "2:gate#2 3:yard#1 ");
  EXPECT_EQ(told(all.read(2)), "4:gate#3 ");
  EXPECT_EQ(told(all.read(2)), "");
  EXPECT_EQ(told(gate.read(9)), "2:gate#2 4:gate#3 ");
  EXPECT_EQ(feed.node(), "box");
}

TEST(ResultFeed, WhoIsTooSlowIsToldHowManyOfItsTasksItMissed) {
  ResultFeed feed("", 3);
  ResultFeed::Reader all(feed, {}, {});
  ResultFeed::Reader gate(feed, {{"gate"}, {}}, {});
  ResultFeed::Reader roof(feed, {{"roof"}, {}}, {});
  for (int i = 1; i <= 4; ++i) {
    feed.publish(result_of("gate", i));
    feed.publish(result_of("yard", i));
  }
  EXPECT_EQ(told(all.read(9)), "lost 5 6:yard#3 7:gate#4 8:yard#4 ");
  EXPECT_EQ(told(gate.read(9)), "lost 3 7:gate#4 ");
  EXPECT_EQ(told(roof.read(9)), "");
  EXPECT_EQ(feed.counts().readers, 3);
  EXPECT_EQ(feed.counts().read, 4);
  EXPECT_EQ(feed.counts().lost, 8);
}

TEST(ResultFeed, AReaderThatReturnsContinuesWhereItWas) {
  ResultFeed feed("", 3);
  for (int i = 1; i <= 5; ++i) feed.publish(result_of("gate", i));
  EXPECT_EQ(told(ResultFeed::Reader(feed, {{}, 4}, {}).read(9)), "5:gate#5 ");
  EXPECT_EQ(told(ResultFeed::Reader(feed, {{}, 1}, {}).read(9)), "lost 1 3:gate#3 4:gate#4 5:gate#5 ");
  EXPECT_EQ(told(ResultFeed::Reader(feed, {{}, 0}, {}).read(9)), "lost 2 3:gate#3 4:gate#4 5:gate#5 ");
  EXPECT_EQ(told(ResultFeed::Reader(feed, {{}, 5}, {}).read(9)), "");
  EXPECT_EQ(told(ResultFeed::Reader(feed, {{}, 900}, {}).read(9)), "3:gate#3 4:gate#4 5:gate#5 ")
      << "a number of an earlier life of the service";
}

TEST(ResultFeed, WakesOnceUntilItIsRead) {
  ResultFeed feed;
  int woken = 0;
  {
    ResultFeed::Reader gate(feed, {{"gate"}, {}}, [&] { ++woken; });
    feed.publish(result_of("yard", 1));
    EXPECT_EQ(woken, 0);
    feed.publish(result_of("gate", 1));
    feed.publish(result_of("gate", 2));
    EXPECT_EQ(woken, 1);
    EXPECT_EQ(gate.read(1).entries.size(), 1U);
    feed.publish(result_of("gate", 3));
    EXPECT_EQ(woken, 2);
  }
  feed.publish(result_of("gate", 4));
  EXPECT_EQ(woken, 2) << "the reader has ended";
}

TEST(ResultFeed, KeepsTheNewestOfEachTaskUntilItIsGone) {
  ResultFeed feed("", 1);
  EXPECT_EQ(feed.newest("gate"), nullptr);
  feed.publish(result_of("gate", 1));
  feed.publish(result_of("gate", 2));
  feed.publish(result_of("yard", 7));
  EXPECT_EQ(feed.newest("gate")->frame, 2);
  EXPECT_EQ(feed.newest("yard")->frame, 7);
  feed.forget("gate");
  EXPECT_EQ(feed.newest("gate"), nullptr);
  EXPECT_EQ(feed.newest("yard")->frame, 7);
}

// However publishing and reading fall together: read + lost = published of the reader's tasks, in order.
TEST(ResultFeed, EveryResultIsReadOnceOrCountedAsLost) {
  std::mt19937 random(5);
  const auto upto = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  const std::vector<std::string> tasks = {"a", "b", "c"};
  const std::vector<std::set<std::string>> filters = {{}, {"a"}, {"a", "c"}, {"none"}};
  for (int round = 0; round < 300; ++round) {
    ResultFeed feed("", static_cast<std::size_t>(1 + upto(6)));
    for (int i = upto(10); i > 0; --i) feed.publish(result_of(tasks[static_cast<std::size_t>(upto(2))], 0));
    std::vector<std::unique_ptr<ResultFeed::Reader>> readers;
    for (const auto& filter : filters)
      readers.push_back(std::make_unique<ResultFeed::Reader>(feed, ResultFeed::Wanted{filter, {}}, [] {}));
    std::vector<std::uint64_t> published(filters.size()), accounted(filters.size()), last(filters.size());
    const auto read = [&](std::size_t reader, std::size_t most) {
      const ResultFeed::Batch batch = readers[reader]->read(most);
      accounted[reader] += batch.lost + batch.entries.size();
      for (const ResultFeed::Entry& entry : batch.entries) {
        EXPECT_GT(entry.number, last[reader]);
        last[reader] = entry.number;
        EXPECT_TRUE(filters[reader].empty() || filters[reader].contains(entry.result->task));
      }
      return batch.entries.size();
    };
    for (int step = 0; step < 40; ++step) {
      const std::string& task = tasks[static_cast<std::size_t>(upto(2))];
      feed.publish(result_of(task, step));
      for (std::size_t i = 0; i < filters.size(); ++i)
        if (filters[i].empty() || filters[i].contains(task)) ++published[i];
      if (upto(3) == 0)
        static_cast<void>(read(static_cast<std::size_t>(upto(3)), static_cast<std::size_t>(1 + upto(3))));
    }
    for (std::size_t i = 0; i < filters.size(); ++i) {
      while (read(i, 2) > 0) {
      }
      EXPECT_EQ(accounted[i], published[i]) << "round " << round << ", reader " << i;
    }
  }
}

}  // namespace
}  // namespace saccade::service
