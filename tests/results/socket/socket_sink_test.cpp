// Results at a Unix socket, with readers that come, go, stop reading and are too many.
#include "results/socket/socket_sink.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/results/deliveries.hpp"
#include "tests/support/socket_reader.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::results {
namespace {

namespace fs = std::filesystem;
using deliveries::numbered;
using deliveries::until;
using nlohmann::json;
using test::SocketReader;

class SocketSinkTest : public testing::Test {
 protected:
  [[nodiscard]] SocketSettings settings() const { return {.path = folder_ / "results.sock"}; }
  [[nodiscard]] std::string path() const { return folder_ / "results.sock"; }
  static bool has_readers(const Sink& sink, std::int64_t count) {
    return until(sink, [&](const SinkAccount& account) { return account.readers->connected == count; });
  }
  test::TemporaryFolder folder_;
};

TEST_F(SocketSinkTest, EveryReaderGetsARecordPerLine) {
  SocketSink sink(settings(), "yard-box");
  SocketReader one(path());
  SocketReader other(path());
  ASSERT_TRUE(has_readers(sink, 2));
  for (int frame = 1; frame <= 100; ++frame) sink.take(numbered(frame));
  for (SocketReader* reader : {&one, &other}) {
    for (int frame = 1; frame <= 100; ++frame) {
      const json record = json::parse(reader->line().value_or("{}"));
      EXPECT_EQ(record.at("format"), "saccade-result/1");
      EXPECT_EQ(record.at("node"), "yard-box");
      EXPECT_EQ(record.at("frame"), frame);
    }
  }
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.sent == 100; }));
  EXPECT_TRUE(sink.account().connected);
  EXPECT_EQ(sink.account().fault, "");
  EXPECT_EQ(sink.account().dropped, 0);
}

TEST_F(SocketSinkTest, WithoutReadersResultsAreDropped) {
  SocketSink sink(settings(), "n");
  for (int frame = 1; frame <= 10; ++frame) sink.take(numbered(frame));
  EXPECT_EQ(sink.account().dropped, 10);
  SocketReader reader(path());
  ASSERT_TRUE(has_readers(sink, 1));
  sink.take(numbered(11));
  EXPECT_EQ(json::parse(reader.line().value_or("{}")).at("frame"), 11);
  reader.close();
  EXPECT_TRUE(has_readers(sink, 0));
  sink.take(numbered(12));
  EXPECT_EQ(sink.account().dropped, 11);
}

TEST_F(SocketSinkTest, AReaderThatSaysThatItOnlyReadsIsServed) {
  SocketSink sink({.path = path()}, "n");
  SocketReader reader(path());
  ASSERT_TRUE(has_readers(sink, 1));
  reader.say_no_more();
  for (int frame = 1; frame <= 3; ++frame) {
    sink.take(numbered(frame));
    EXPECT_EQ(json::parse(reader.line().value_or("{}")).at("frame"), frame);
  }
  reader.close();
  EXPECT_TRUE(has_readers(sink, 0));
}

TEST_F(SocketSinkTest, AReaderThatStopsReadingLosesResultsAndReadsHowMany) {
  constexpr int kResults = 20'000;
  SocketSink sink({.path = path(), .queue = 32}, "n");
  SocketReader slow(path());
  SocketReader quick(path());
  ASSERT_TRUE(has_readers(sink, 2));
  for (int frame = 1; frame <= kResults; ++frame) {
    sink.take(numbered(frame));
    const json record = json::parse(quick.line().value_or("{}"));
    ASSERT_EQ(record.at("frame"), frame) << "held up";
  }
  EXPECT_EQ(sink.account().dropped, 0);
  std::int64_t expected = 0;
  std::int64_t lost = 0;
  while (expected < kResults) {
    const json line = json::parse(slow.line().value_or("{}"));
    if (line.at("format") == "saccade-lost/1") {
      lost += line.at("lost").get<std::int64_t>();
      expected += line.at("lost").get<std::int64_t>();
    } else {
      ASSERT_EQ(line.at("frame"), ++expected) << "neither read nor told as lost";
    }
  }
  EXPECT_GT(lost, 0);
  EXPECT_EQ(sink.account().readers->lost, lost);
}

TEST_F(SocketSinkTest, OneReaderTooManyIsTurnedAway) {
  SocketSink sink({.path = path(), .readers = 1}, "n");
  SocketReader first(path());
  ASSERT_TRUE(has_readers(sink, 1));
  SocketReader second(path());
  EXPECT_EQ(second.line(), std::nullopt);
  first.close();
  ASSERT_TRUE(has_readers(sink, 0));
  SocketReader third(path());
  EXPECT_TRUE(has_readers(sink, 1));
}

TEST_F(SocketSinkTest, TheSocketHasThePermissionsAndGoesAtTheEnd) {
  {
    SocketSink sink({.path = path(), .mode = 0600}, "n");
    ASSERT_TRUE(until(sink, [](const SinkAccount& account) { return account.connected; }));
    struct stat facts {};
    ASSERT_EQ(::lstat(path().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  }
  EXPECT_FALSE(fs::exists(fs::symlink_status(path())));
}

TEST_F(SocketSinkTest, ASocketThatAnEarlierProgramLeftIsReplacedALivingOneIsNot) {
  {
    ListeningSocket left(settings());
    ASSERT_TRUE(left.open().ok());
    fs::rename(path(), folder_ / "left.sock");  // so that it is not removed with it
  }
  fs::rename(folder_ / "left.sock", path());
  ASSERT_TRUE(fs::is_socket(path()));
  SocketSink sink(settings(), "n");
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.connected; }));
  SocketSink late(settings(), "n");
  EXPECT_TRUE(until(late, [](const SinkAccount& account) { return !account.fault.empty(); }));
  EXPECT_NE(late.account().fault.find("another program listens there"), std::string::npos);
  SocketReader reader(path());
  EXPECT_TRUE(has_readers(sink, 1));
}

TEST_F(SocketSinkTest, WhatIsInTheWayIsAFaultUntilItGoes) {
  std::ofstream(path()) << "precious";
  SocketSink sink(settings(), "n");
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return !account.fault.empty(); }));
  EXPECT_NE(sink.account().fault.find("is no socket"), std::string::npos);
  EXPECT_FALSE(sink.account().connected);
  EXPECT_EQ(fs::file_size(path()), 8U);
  fs::remove(path());
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.connected; }));
  EXPECT_EQ(sink.account().fault, "");
}

TEST_F(SocketSinkTest, TheEndIsNotHeldUpByAReaderThatStopsReading) {
  std::optional<SocketReader> reader;
  {
    SocketSink sink(settings(), "n");
    reader.emplace(path());
    ASSERT_TRUE(has_readers(sink, 1));
    for (int frame = 1; frame <= 20'000; ++frame) sink.take(numbered(frame));
  }
  std::optional<std::string> line;
  do line = reader->line();
  while (line);  // until the connection is closed
  EXPECT_FALSE(fs::exists(fs::symlink_status(path())));
}

}  // namespace
}  // namespace saccade::results
