// Results in a file: whole lines whatever happens, rotated, and books of what could not be written.
#include "results/file_sink.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/temporary_folder.hpp"

namespace saccade::results {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Mounts a disk of 64 KiB that this process alone sees, as root or in a user namespace of its own. False: the
// system does not allow it.
bool mount_small_disk(const std::string& place) {
  const std::string user = "0 " + std::to_string(::getuid()) + " 1";
  const std::string group = "0 " + std::to_string(::getgid()) + " 1";
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << user;
    std::ofstream("/proc/self/gid_map") << group;
  }
  constexpr std::uint64_t kSize = 65'536;
  struct statvfs facts {};
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", place.c_str(), "tmpfs", 0, "size=64k") == 0 &&
         ::statvfs(place.c_str(), &facts) == 0 && facts.f_blocks * facts.f_frsize <= kSize;
}

class FileSinkTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path path() const { return folder_ / "results.jsonl"; }
  [[nodiscard]] static std::shared_ptr<const Result> result(std::int64_t frame) {
    auto made = std::make_shared<Result>();
    made->task = "gate";
    made->frame = frame;
    return made;
  }
  // Waits for what is to come.
  static bool until(const Sink& sink, const std::function<bool(const SinkAccount&)>& wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!wanted(sink.account())) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }

  test::TemporaryFolder folder_;
};

TEST_F(FileSinkTest, OneRecordPerLine) {
  {
    FileSink sink({.path = path()}, "yard-box");
    for (int frame = 1; frame <= 100; ++frame) sink.take(result(frame));
    EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.sent == 100; }));
    EXPECT_TRUE(sink.account().connected);
    EXPECT_EQ(sink.account().fault, "");
  }
  std::ifstream in(path());
  int frame = 0;
  for (std::string line; std::getline(in, line);) {
    const auto record = nlohmann::json::parse(line);
    EXPECT_EQ(record.at("frame"), ++frame);
    EXPECT_EQ(record.at("node"), "yard-box");
  }
  EXPECT_EQ(frame, 100);
}

TEST_F(FileSinkTest, WhatWaitsIsWrittenAtTheEnd) {
  {
    FileSink sink({.path = path()}, "n");
    for (int frame = 1; frame <= 50; ++frame) sink.take(result(frame));
  }
  const std::string text = text_of(path());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 50);
}

TEST_F(FileSinkTest, AFolderThatIsMissingCostsResultsUntilItIsThere) {
  FileSink sink({.path = folder_ / "gone" / "results.jsonl"}, "n");
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return !account.fault.empty(); }));
  EXPECT_NE(sink.account().fault.find("No such file or directory"), std::string::npos)
      << sink.account().fault;
  sink.take(result(1));
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.dropped == 1; }));
  fs::create_directory(folder_ / "gone");
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.connected; }));
  sink.take(result(2));
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.sent == 1; }));
  EXPECT_EQ(sink.account().fault, "");
}

TEST_F(FileSinkTest, AFullDiskIsAFault) {
  FileSink sink({.path = "/dev/full"}, "n");
  for (int frame = 1; frame <= 10; ++frame) sink.take(result(frame));
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.dropped == 10; }));
  EXPECT_FALSE(sink.account().connected);
  EXPECT_EQ(sink.account().sent, 0);
  EXPECT_EQ(sink.account().fault,
            "/dev/full: cannot be written: No space left on device (results are dropped until it can)");
}

// In a process of its own, which ends with the number of the step that failed; 77: it may not mount.
TEST_F(FileSinkTest, ADiskThatWasReallyFullIsWrittenAgainOnceThereIsRoom) {
  const std::string disk = folder_ / "disk";
  fs::create_directory(disk);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!mount_small_disk(disk)) ::_exit(77);
    std::ofstream(disk + "/ballast") << std::string(40'000, 'b') << std::flush;
    const std::string path = disk + "/results.jsonl";
    std::int64_t frame = 0;
    {
      FileSink sink({.path = path}, "n");
      const bool full = until(sink, [&](const SinkAccount& account) {
        sink.take(result(++frame));
        return account.fault.find("No space left on device") != std::string::npos;
      });
      if (!full) ::_exit(1);
      if (sink.account().connected || sink.account().dropped == 0) ::_exit(2);
      const std::int64_t sent = sink.account().sent;
      if (sent == 0) ::_exit(3);
      const std::int64_t lost = frame;
      fs::remove(disk + "/ballast");
      const bool again = until(sink, [&](const SinkAccount& account) {
        if (account.waiting == 0) sink.take(result(++frame));
        return account.sent > sent && account.connected && account.fault.empty();
      });
      if (!again) ::_exit(4);
      if (frame <= lost) ::_exit(5);
    }
    std::ifstream in(path);
    std::int64_t last = 0;
    for (std::string line; std::getline(in, line);) {
      const auto record = nlohmann::json::parse(line, nullptr, false);
      if (record.is_discarded() || record.value("frame", std::int64_t{0}) <= last) ::_exit(6);
      last = record.at("frame");
    }
    ::_exit(last > 0 ? 0 : 7);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "a small disk cannot be mounted here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(FileSinkTest, FilesAreRotatedBeforeTheyGrowTooLarge) {
  LineFile file(path(), 30, 2);
  for (const char* const line : {"the first line", "the second one", "the third line", "the fourth one",
                                 "fifth", "sixth", "a line that is longer than a file may be"}) {
    ASSERT_TRUE(file.append(line).ok());
  }
  EXPECT_EQ(text_of(path()), "a line that is longer than a file may be\n");
  EXPECT_EQ(text_of(path().string() + ".1"), "fifth\nsixth\n");
  EXPECT_EQ(text_of(path().string() + ".2"), "the third line\nthe fourth one\n");
  EXPECT_FALSE(fs::exists(path().string() + ".3"));
}

TEST_F(FileSinkTest, ALineThatACrashToreIsCutOff) {
  std::ofstream(path()) << "whole\ntorn by a cra" << std::string(10'000, 's') << 'h';
  LineFile file(path(), 1'000'000, 2);
  ASSERT_TRUE(file.append("next").ok());
  EXPECT_EQ(text_of(path()), "whole\nnext\n");
}

TEST_F(FileSinkTest, AFileThatSomebodyMovedAwayIsBegunAnew) {
  LineFile file(path(), 1'000'000, 2);
  ASSERT_TRUE(file.append("old").ok());
  fs::rename(path(), folder_ / "archived");
  ASSERT_TRUE(file.sync().ok());
  ASSERT_TRUE(file.append("new").ok());
  EXPECT_EQ(text_of(path()), "new\n");
  EXPECT_EQ(text_of(folder_ / "archived"), "old\n");
}

// In a process of its own, whose files may not grow beyond 25 bytes for a while: as a disk that fills up
// within a line.
TEST_F(FileSinkTest, ADiskThatFillsUpWithinALineLeavesWholeLines) {
  const std::string place = path().string();
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit {};
    (void)::getrlimit(RLIMIT_FSIZE, &limit);
    const struct rlimit small { 25, limit.rlim_max };
    LineFile file(place, 1'000'000, 2);
    bool well = ::setrlimit(RLIMIT_FSIZE, &small) == 0;
    well = well && file.append("0123456789").ok() && file.append("0123456789").ok();
    well = well && !file.append("0123456789").ok() && fs::file_size(place) == 22;
    well = well && ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
    well = well && file.append("9876543210").ok();
    ::_exit(well ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text_of(path()), "0123456789\n0123456789\n9876543210\n");
}

}  // namespace
}  // namespace saccade::results
