// The journal alone, and a measurement that is stopped and goes on with it.
#include "runtime/profiling/profile_journal.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/engines/simulated_backend.hpp"
#include "runtime/profiling/profiler.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

namespace fs = std::filesystem;
using Numbers = ProfileJournal::Numbers;

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

std::unique_ptr<ProfileJournal> open(const fs::path& file, const std::string& identity = "identity",
                                     bool fresh = false) {
  auto journal = ProfileJournal::open(file, identity, fresh);
  if (!journal) {
    ADD_FAILURE() << to_string(journal.errors());
    return nullptr;
  }
  return std::move(journal).value();
}

Numbers found(const ProfileJournal& journal, const std::string& name) {
  const Numbers* const numbers = journal.find(name);
  return numbers != nullptr ? *numbers : Numbers{-1.0};
}

class JournalFile : public testing::Test {
 protected:
  const test::TemporaryFolder folder_;
  const fs::path file_ = folder_ / "set.json.journal";
};

TEST_F(JournalFile, GivesBackEveryNumberExactly) {
  const Numbers numbers = {0.1, 1.0 / 3.0, -0.0, 1e-300, 1.7976931348623157e308, 4000.0};
  {
    const auto journal = open(file_);
    EXPECT_EQ(journal->found(), 0U);
    ASSERT_TRUE(journal->add("a", numbers));
    ASSERT_TRUE(journal->add("empty", {}));
  }
  const auto journal = open(file_);
  EXPECT_EQ(journal->found(), 2U);
  EXPECT_EQ(found(*journal, "a"), numbers);
  EXPECT_EQ(found(*journal, "empty"), Numbers{});
  EXPECT_EQ(journal->find("b"), nullptr);
}

TEST_F(JournalFile, CutAnywhereItKeepsTheWholeLinesAndGoesOn) {
  {
    const auto journal = open(file_);
    for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(journal->add(name, {1.5, 2.5}));
  }
  const std::string whole = read(file_);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write(file_, whole.substr(0, size));
    std::size_t lines = 0;
    for (const char c : whole.substr(0, size)) lines += c == '\n' ? 1U : 0U;
    const auto journal = open(file_);
    ASSERT_EQ(journal->found(), lines == 0 ? 0 : lines - 1) << size << " bytes";
    if (journal->find("c") == nullptr) {
      ASSERT_TRUE(journal->add("c", {3.0}));
    }
    EXPECT_EQ(open(folder_ / "other")->found(), 0U);
  }
}

TEST_F(JournalFile, AChangedLineAndAllBehindItAreLost) {
  {
    const auto journal = open(file_);
    for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(journal->add(name, {1.5, 2.5}));
  }
  std::string text = read(file_);
  text[text.find(" b ") + 1] = 'x';
  write(file_, text);
  EXPECT_EQ(open(file_)->found(), 1U);
  EXPECT_EQ(open(file_)->found(), 1U) << "what cannot be used is cut off";
}

TEST_F(JournalFile, OfAnotherMeasurementOrFreshItStartsOver) {
  ASSERT_TRUE(open(file_)->add("a", {1.0}));
  EXPECT_EQ(open(file_, "other")->found(), 0U);
  EXPECT_EQ(open(file_)->found(), 0U);
  ASSERT_TRUE(open(file_)->add("a", {1.0}));
  EXPECT_EQ(open(file_, "identity", true)->found(), 0U);
}

TEST_F(JournalFile, OneHolderAtATimeAndRemovedItIsGone) {
  const auto journal = open(file_);
  EXPECT_FALSE(ProfileJournal::open(file_, "identity", false));
  journal->remove();
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_TRUE(ProfileJournal::open(file_, "identity", false)) << "a new file, not the removed one";
  EXPECT_FALSE(ProfileJournal::open(folder_ / "nowhere" / "x", "identity", false));
}

TEST_F(JournalFile, WhatCannotBeReadIsAnErrorAndNotCut) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  const auto journal = ProfileJournal::open(file_, "identity", false);
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.errors()[0].what.find("cannot be read"), std::string::npos)
      << to_string(journal.errors());
}

TEST_F(JournalFile, ALineThatFitsOnlyInPartIsTakenBack) {
  const auto journal = open(file_);
  ASSERT_TRUE(journal->add("a", {1.0}));
  const std::string before = read(file_);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{before.size() + 5, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const Status added = journal->add("b", {2.0});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_FALSE(added);
  EXPECT_EQ(read(file_), before);
  EXPECT_TRUE(journal->add("b", {2.0}));
}

// Two variants measured at batches 1 and 2 with a backend that is told when to stop: every inference is
// counted, and the one of number `stop_at` ends the measurement, or the process.
class Stopped : public JournalFile {
 protected:
  Stopped() {
    request_.set.network = "net";
    request_.set.input = {2, 2, 1};
    request_.set.interface.input.color = profiles::ColorOrder::gray;
    request_.set.labels = {"a", "b"};
    for (const char* id : {"one", "two"}) {
      profiles::Variant v;
      v.id = VariantId(id);
      v.sha256 = id;
      request_.set.variants.push_back(v);
    }
    request_.batches = {1, 2};
    request_.rounds.warmup = 2;
    request_.rounds.fewest = request_.rounds.most = 20;
    request_.loads = 2;
    request_.memory_engines = 0;
    request_.rounds.block = Seconds(0.0055);  // of rounds that take 2 or 4 ms
    request_.images =
        LabelledImages{6, [](std::size_t index, Picture& picture) -> Result<PictureTruth> {
                         picture.resize(2, 2);
                         std::fill(picture.pixels.begin(), picture.pixels.end(), 0);
                         std::fill_n(picture.pixels.begin() + 3 * static_cast<long>(index % 2), 3, 255);
                         return PictureTruth{index < 4 ? static_cast<int>(index % 2) : 0, {}};
                       }};
  }

  enum class How { error, kill };
  [[nodiscard]] SimulatedBackend backend(long stop_at, How how) {
    return SimulatedBackend({.before_inference = [this, stop_at, how](const EngineSpec& spec) -> Status {
      if (inferences_ == stop_at) {
        if (how == How::kill) ::raise(SIGKILL);
        return Error{"test", "stopped", ""};
      }
      ++inferences_;
      clock_.advance(std::chrono::milliseconds(spec.batch));
      return Done{};
    }});
  }

  // Measures until the end or the stop.
  Result<MeasuredProfiles> measure(long stop_at, How how = How::error) {
    inferences_ = 0;
    const SimulatedBackend simulated = backend(stop_at, how);
    const auto journal = open(file_, measurement_identity(simulated, request_));
    request_.journal = journal.get();
    auto result = measure_profiles(simulated, request_, clock_, {});
    found_ = journal->found();
    request_.journal = nullptr;
    return result;
  }

  // The journal's lines by name without their checksum and time.
  [[nodiscard]] std::map<std::string, std::string> lines() const {
    std::map<std::string, std::string> found;
    std::istringstream stream(read(file_));
    std::string sum, name, seconds, numbers;
    std::getline(stream, numbers);
    while (stream >> sum >> name >> seconds && std::getline(stream, numbers)) {
      EXPECT_TRUE(found.emplace(name, numbers).second) << name << " was measured twice";
    }
    return found;
  }

  static constexpr long kNever = -1;
  ProfileRequest request_;
  ManualClock clock_;
  long inferences_ = 0;
  std::size_t found_ = 0;
};

void expect_same(const MeasuredProfiles& left, const MeasuredProfiles& right) {
  ASSERT_EQ(left.set.variants.size(), right.set.variants.size());
  for (std::size_t v = 0; v < left.set.variants.size(); ++v) {
    const profiles::Variant& a = left.set.variants[v];
    const profiles::Variant& b = right.set.variants[v];
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.accuracy, b.accuracy);
    EXPECT_EQ(a.accuracy_images, b.accuracy_images);
    EXPECT_EQ(a.frame_time, b.frame_time);
    EXPECT_EQ(a.frame_time_p99, b.frame_time_p99);
    EXPECT_EQ(a.batch_time, b.batch_time);
    EXPECT_EQ(a.load_time, b.load_time);
  }
  EXPECT_EQ(left.set.provenance.frames, right.set.provenance.frames);
}

TEST_F(Stopped, AtTenInstantsInARowItEndsAsIfItHadNeverBeen) {
  const auto whole = measure(kNever);
  ASSERT_TRUE(whole);
  const long all = inferences_;
  const auto wanted = lines();
  EXPECT_GT(wanted.size(), 10U) << "loading and accuracy per variant, and several blocks";
  fs::remove(file_);

  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    std::map<std::string, std::string> before;
    for (int stop = 0; stop < 10; ++stop) {
      (void)measure(static_cast<long>(random() % static_cast<unsigned long>(all / 6)));
      auto now = lines();
      for (const auto& [name, numbers] : before) EXPECT_EQ(now[name], numbers) << "measured again";
      if (stop % 3 == 2) {  // and the last line was only half on disk
        const std::string text = read(file_);
        write(file_, text.substr(0, text.size() - random() % 10));
        now = {};
      }
      before = std::move(now);
    }
    const auto resumed = measure(kNever);
    ASSERT_TRUE(resumed);
    expect_same(resumed.value(), whole.value());
    EXPECT_EQ(lines(), wanted) << "seed " << seed;
    fs::remove(file_);
  }
}

TEST_F(Stopped, WhatIsThereIsNotMeasuredAgain) {
  ASSERT_TRUE(measure(kNever));
  const auto again = measure(kNever);
  ASSERT_TRUE(again);
  EXPECT_EQ(inferences_, 0);
  EXPECT_EQ(found_, lines().size());
}

TEST_F(Stopped, AnotherModelOrOtherOptionsAreAnotherMeasurement) {
  const SimulatedBackend simulated;
  const std::string identity = measurement_identity(simulated, request_);
  EXPECT_EQ(measurement_identity(simulated, request_), identity);
  ProfileRequest other = request_;
  other.set.variants[1].sha256 = "retrained";
  EXPECT_NE(measurement_identity(simulated, other), identity);
  other = request_;
  other.batches = {1, 4};
  EXPECT_NE(measurement_identity(simulated, other), identity);
  other = request_;
  other.images.reset();
  EXPECT_NE(measurement_identity(simulated, other), identity);
}

TEST_F(Stopped, KilledForGoodItGoesOnInTheNextProcess) {
  const auto whole = measure(kNever);
  ASSERT_TRUE(whole);
  const long all = inferences_;
  fs::remove(file_);
  for (const long stop_at : {all / 4, all / 4, all / 3}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      (void)measure(stop_at, How::kill);
      ::_exit(0);  // not reached: the measurement is longer than that
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
  const auto resumed = measure(kNever);
  ASSERT_TRUE(resumed);
  EXPECT_GT(found_, 3U);
  expect_same(resumed.value(), whole.value());
}

}  // namespace
}  // namespace saccade::runtime
