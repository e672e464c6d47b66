// The state directory: whatever happens while it is written, it holds the old or the new state.
#include "service/live/state_store.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>
#include <sstream>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace saccade::service {
namespace {

namespace fs = std::filesystem;

const SavedState kOld{"{\"a\": \"old\"}\n", "mark of the old file"};
const SavedState kNew{std::string(5000, 'n') + "\n\"\\\u00e9", "mark of the new file"};

std::unique_ptr<StateStore> open_store(
    const fs::path& folder, std::unique_ptr<StateFiles> files = std::make_unique<RealStateFiles>()) {
  auto store = StateStore::open(folder, std::move(files));
  if (!store) ADD_FAILURE() << to_string(store.errors());
  return std::move(store).value();
}

SavedState load(StateStore& store) {
  auto state = store.load();
  if (!state.ok()) ADD_FAILURE() << to_string(state.errors());
  if (!state.ok() || !state.value()) return {};
  return *state.value();
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Ends the world before its `last`-th step, after a part of it if that is a write: nothing works from
// then on, cleaning up included.
class Interrupted final : public RealStateFiles {
 public:
  Interrupted(int last, double part, std::vector<std::string>* steps = nullptr)
      : left_(last), part_(part), steps_(steps) {}

  Status write(const fs::path& file, std::string_view text) override {
    if (goes_on("write " + file.filename().string())) return RealStateFiles::write(file, text);
    if (left_ == -1 && part_ > 0.0) {
      const auto length = static_cast<std::size_t>(part_ * static_cast<double>(text.size()));
      (void)RealStateFiles::write(file, text.substr(0, length));
    }
    return gone();
  }
  Status rename(const fs::path& from, const fs::path& to) override {
    return goes_on("rename") ? RealStateFiles::rename(from, to) : gone();
  }
  Status sync_folder(const fs::path& folder) override {
    return goes_on("sync folder") ? RealStateFiles::sync_folder(folder) : gone();
  }

 private:
  bool goes_on(const std::string& step) {
    if (steps_ != nullptr) steps_->push_back(step);
    return --left_ >= 0;
  }
  static Status gone() { return Error{"the disk", "is gone", ""}; }

  int left_;
  double part_;
  std::vector<std::string>* steps_;
};

TEST(StateStore, GivesBackWhatWasSaved) {
  const test::TemporaryFolder folder;
  {
    auto store = open_store(folder / "a/b");
    EXPECT_FALSE(store->load().value()) << "nothing was saved yet";
    ASSERT_TRUE(store->save(kOld).ok());
    EXPECT_EQ(load(*store), kOld);
    ASSERT_TRUE(store->save(kNew).ok());
  }
  EXPECT_EQ(load(*open_store(folder / "a/b")), kNew);
}

TEST(StateStore, IsOnTheDiskBeforeItTakesTheNameOfTheOldOne) {
  const test::TemporaryFolder folder;
  std::vector<std::string> steps;
  auto store = open_store(folder.path(), std::make_unique<Interrupted>(100, 0.0, &steps));
  ASSERT_TRUE(store->save(kOld).ok());
  EXPECT_EQ(steps, (std::vector<std::string>{"write state.json.new", "rename", "sync folder"}));
}

TEST(StateStore, AnInterruptionAtAnyStepLeavesTheOldOrTheNewState) {
  const test::TemporaryFolder folder;
  int old_seen = 0;
  int new_seen = 0;
  for (int step = 0; step <= 3; ++step) {
    for (const double part : {0.0, 0.001, 0.2, 0.5, 0.999, 1.0}) {
      ASSERT_TRUE(open_store(folder.path())->save(kOld).ok());
      const bool saved =
          open_store(folder.path(), std::make_unique<Interrupted>(step, part))->save(kNew).ok();
      EXPECT_EQ(saved, step == 3);
      auto after = open_store(folder.path());
      const SavedState state = load(*after);
      EXPECT_TRUE(state == kOld || state == kNew) << "step " << step << ", part " << part;
      ++(state == kOld ? old_seen : new_seen);
      // What was left lying about does not stand in the way of the next.
      ASSERT_TRUE(after->save(kNew).ok());
      EXPECT_EQ(load(*after), kNew);
    }
  }
  EXPECT_EQ(old_seen, 12) << "before the rename";
  EXPECT_EQ(new_seen, 12) << "after it";
}

TEST(StateStore, AProcessKilledWhileItSavesLeavesTheOldOrTheNewState) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(open_store(folder.path())->save(kOld).ok());
  std::mt19937 random(20261121);
  for (int round = 0; round < 50; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto store = StateStore::open(folder.path());
      for (bool turn = false; store.ok() && write(pipe_ends[1], "s", 1) == 1; turn = !turn) {
        if (!store.value()->save(turn ? kOld : kNew)) break;
      }
      _exit(1);
    }
    close(pipe_ends[1]);
    char byte = 0;
    for (unsigned long saves = random() % 12 + 1; saves > 0; --saves)
      ASSERT_EQ(::read(pipe_ends[0], &byte, 1), 1);
    for (volatile unsigned long spin = random() % 200'000; spin > 0;) spin = spin - 1;
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    close(pipe_ends[0]);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";
    const SavedState state = load(*open_store(folder.path()));
    EXPECT_TRUE(state == kOld || state == kNew) << "round " << round;
  }
}

TEST(StateStore, EveryTruncationIsToldAndNeverUsed) {
  const test::TemporaryFolder folder;
  auto store = open_store(folder.path());
  ASSERT_TRUE(store->save(kOld).ok());
  const std::string whole = read(store->file());
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {  // the last character is a line break
    std::ofstream(store->file(), std::ios::binary | std::ios::trunc) << whole.substr(0, length);
    const auto state = store->load();
    ASSERT_FALSE(state.ok()) << length;
    EXPECT_NE(to_string(state.errors()).find("damaged"), std::string::npos);
  }
}

TEST(StateStore, AnyChangedCharacterIsToldOrMeansTheSame) {
  const test::TemporaryFolder folder;
  auto store = open_store(folder.path());
  ASSERT_TRUE(store->save(kOld).ok());
  const std::string whole = read(store->file());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char other : {'x', ' ', '"', '\0', '\xff'}) {
      std::string changed = whole;
      changed[i] = other;
      std::ofstream(store->file(), std::ios::binary | std::ios::trunc) << changed;
      const auto state = store->load();
      if (state.ok()) {
        EXPECT_EQ(load(*store), kOld) << i;
      }
    }
  }
}

TEST(StateStore, WhatIsForeignIsToldAndSetAsideBeforeTheNextIsSaved) {
  const test::TemporaryFolder folder;
  auto store = open_store(folder.path());
  for (const char* text : {"", "{}", "[]", "null", "\"state\"", R"({"format": "saccade-state/2"})",
                           R"({"format": 1})", R"({"format": "saccade-state/1"})",
                           R"({"format": "saccade-state/1", "started_from": 1, "document": "{}"})"}) {
    std::ofstream(store->file(), std::ios::trunc) << text;
    const auto state = store->load();
    ASSERT_FALSE(state.ok()) << text;
    EXPECT_EQ(state.errors().front().where, store->file().string());
    EXPECT_FALSE(state.errors().front().hint.empty());
    EXPECT_EQ(read(store->file()), text);
    ASSERT_TRUE(store->save(kNew).ok());
    EXPECT_EQ(read(folder / "state.json.refused"), text) << "set aside";
    EXPECT_EQ(load(*store), kNew);
  }
  std::ofstream(store->file(), std::ios::trunc) << std::string(9 << 20, ' ');
  EXPECT_NE(to_string(store->load().errors()).find("larger than 8 MiB"), std::string::npos);
  fs::remove(store->file());
  fs::create_directory(store->file());
  EXPECT_FALSE(store->load().ok());
}

TEST(StateStore, WhatCannotBeWrittenIsToldAndLeavesTheOldState) {
  const test::TemporaryFolder folder;
  auto store = open_store(folder.path());
  ASSERT_TRUE(store->save(kOld).ok());
  fs::create_directory(folder / "state.json.new");
  const Status saved = store->save(kNew);
  ASSERT_FALSE(saved.ok());
  EXPECT_NE(to_string(saved.errors()).find("cannot be written"), std::string::npos);
  EXPECT_EQ(load(*store), kOld);
}

TEST(StateStore, AFullDiskIsToldWithWhatToDo) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const test::TemporaryFolder folder;
  auto store = open_store(folder.path());
  ASSERT_TRUE(store->save(kOld).ok());
  fs::create_symlink("/dev/full", folder / "state.json.new");
  const Status saved = store->save(kNew);
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.errors().front().hint, "make room on the disk");
  EXPECT_EQ(load(*store), kOld);
}

TEST(StateStore, TwoProcessesCannotKeepTheirStateInOneFolder) {
  const test::TemporaryFolder folder;
  auto first = open_store(folder.path());
  const auto second = StateStore::open(folder.path());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.errors().front().what, "another process keeps its state in this folder");
  first.reset();
  EXPECT_TRUE(StateStore::open(folder.path()).ok()) << "free again";
}

TEST(StateStore, AFileIsNoFolder) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  const auto store = StateStore::open(folder / "file");
  ASSERT_FALSE(store.ok());
  EXPECT_NE(to_string(store.errors()).find("cannot be used"), std::string::npos);
}

TEST(StateStore, TheMarkIsOfTextAndPlace) {
  EXPECT_EQ(mark_of("/a/b/../c.json", "x"), mark_of("/a/c.json", "x"));
  EXPECT_NE(mark_of("/a/c.json", "x"), mark_of("/a/c.json", "y"));
  EXPECT_NE(mark_of("/a/c.json", "x"), mark_of("/b/c.json", "x"));
}

}  // namespace
}  // namespace saccade::service
