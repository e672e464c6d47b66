// The cache of optimised graphs: as a store of its own, and below ONNX Runtime, where nothing but the
// time of a load may show that it is there.
#include "runtime/engines/graph_cache.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/engines/onnxruntime_backend.hpp"
#include "tests/conformance/engine_models.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

namespace fs = std::filesystem;
using conformance::contents_of;
using conformance::entries;
using conformance::infer;
using conformance::load;
using conformance::model_file;
using conformance::spec_of;

constexpr Bytes kPlenty{1e9};

GraphBytes bytes(const std::string& text) { return {text.begin(), text.end()}; }

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

TEST(GraphCache, GivesBackWhatWasStoredUnderTheSameKeyOnly) {
  const test::TemporaryFolder folder;
  const GraphCache cache(folder.path(), kPlenty);
  EXPECT_FALSE(cache.find("a"));
  cache.store("a", bytes("graph of a"));
  cache.store("b", {});
  EXPECT_EQ(cache.find("a"), bytes("graph of a"));
  EXPECT_EQ(cache.find("b"), GraphBytes{}) << "an empty graph is an entry";
  EXPECT_FALSE(cache.find("c"));
  cache.store("a", bytes("another"));
  EXPECT_EQ(cache.find("a"), bytes("another"));
  EXPECT_EQ(entries(folder.path().c_str()), 2U) << "nothing half written stays";
}

TEST(GraphCache, AnEntryThatIsCutOrChangedAnywhereIsDeleted) {
  const test::TemporaryFolder folder;
  const GraphCache cache(folder.path(), kPlenty);
  cache.store("key", bytes("a graph that is somewhat longer than a few machine words"));
  const fs::path file = cache.entry_file("key");
  const std::string whole = contents_of(file);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    for (const std::string& damaged : {changed, whole.substr(0, i), whole + changed.substr(i)}) {
      write(file, damaged);
      EXPECT_FALSE(cache.find("key")) << "byte " << i;
      EXPECT_FALSE(fs::exists(file));
    }
  }
}

TEST(GraphCache, AnEntryOfAnotherKeyIsNotTakenForThisOne) {
  const test::TemporaryFolder folder;
  const GraphCache cache(folder.path(), kPlenty);
  cache.store("one", bytes("graph"));
  fs::rename(cache.entry_file("one"), cache.entry_file("two"));
  EXPECT_FALSE(cache.find("two"));
}

TEST(GraphCache, TheLeastRecentlyUsedGiveWayAndTheLimitHolds) {
  const test::TemporaryFolder folder;
  const GraphCache cache(folder.path(), Bytes(4000.0));
  const GraphBytes graph(1000, 'x');
  for (const char* key : {"a", "b", "c"}) cache.store(key, graph);
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(cache.entry_file("b"), now - std::chrono::hours(3));
  fs::last_write_time(cache.entry_file("c"), now - std::chrono::hours(2));
  fs::last_write_time(cache.entry_file("a"), now - std::chrono::hours(4));
  EXPECT_TRUE(cache.find("a"));  // the oldest, but used just now
  cache.store("d", graph);
  EXPECT_FALSE(cache.find("b"));
  for (const char* key : {"a", "c", "d"}) EXPECT_TRUE(cache.find(key)) << key;
  cache.store("huge", GraphBytes(5000, 'x'));
  EXPECT_FALSE(cache.find("huge"));
  EXPECT_TRUE(cache.find("a")) << "what does not fit at all displaces nothing";
}

TEST(GraphCache, AnEntryThatIsReplacedDisplacesNoOther) {
  const test::TemporaryFolder folder;
  const GraphCache cache(folder.path(), Bytes(2500.0));
  const GraphBytes graph(1000, 'x');
  cache.store("a", graph);
  cache.store("b", graph);
  fs::last_write_time(cache.entry_file("b"), fs::file_time_type::clock::now() - std::chrono::hours(1));
  cache.store("a", graph);
  EXPECT_TRUE(cache.find("a"));
  EXPECT_TRUE(cache.find("b"));
}

TEST(GraphCache, WhatCannotBeReadIsNotDeleted) {
  const test::TemporaryFolder folder;
  const GraphCache cache(folder.path(), kPlenty);
  fs::create_symlink("/dev/null", cache.entry_file("a"));
  EXPECT_FALSE(cache.find("a"));
  EXPECT_TRUE(fs::is_symlink(cache.entry_file("a")));
}

TEST(GraphCache, WhatAKilledProcessLeftIsClearedUpLaterAndWhatALivingOneWritesIsNot) {
  const test::TemporaryFolder folder;
  const GraphCache cache(folder.path(), kPlenty);
  write(folder / "1-0.part", "abandoned");
  write(folder / "2-0.part", "being written");
  fs::last_write_time(folder / "1-0.part", fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache.store("a", bytes("graph"));
  EXPECT_FALSE(fs::exists(folder / "1-0.part"));
  EXPECT_TRUE(fs::exists(folder / "2-0.part"));
}

TEST(GraphCache, AdoptsWhatALibraryWroteAndRemovesTheFile) {
  const test::TemporaryFolder folder;
  const GraphCache cache(folder.path(), kPlenty);
  const fs::path scratch = cache.scratch_file();
  EXPECT_NE(scratch, cache.scratch_file());
  cache.adopt("nothing", scratch);
  write(scratch, "graph");
  cache.adopt("a", scratch);
  EXPECT_FALSE(fs::exists(scratch));
  EXPECT_FALSE(cache.find("nothing"));
  EXPECT_EQ(cache.find("a"), bytes("graph"));
}

class Environment {  // a variable as it is to be while this lives; empty = unset
 public:
  Environment(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    value.empty() ? ::unsetenv(name_.c_str()) : ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    before_.empty() ? ::unsetenv(name_.c_str()) : ::setenv(name_.c_str(), before_.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::string name_;
  std::string before_;
};

TEST(GraphCache, StandsInTheUsersCacheFolderOrIsOff) {
  const test::TemporaryFolder folder;
  {
    const Environment cache("XDG_CACHE_HOME", folder.path().string());
    ASSERT_NE(GraphCache::open({}), nullptr);
    EXPECT_TRUE(fs::is_directory(folder / "saccade" / "graphs"));
    EXPECT_EQ(GraphCache::open({"off", kPlenty}), nullptr);
    EXPECT_EQ(GraphCache::open({"auto", Bytes(0.0)}), nullptr);
  }
  const Environment cache("XDG_CACHE_HOME", "");
  {
    const Environment home("HOME", (folder / "home").string());
    ASSERT_NE(GraphCache::open({}), nullptr);
    EXPECT_TRUE(fs::is_directory(folder / "home" / ".cache" / "saccade" / "graphs"));
  }
  const Environment home("HOME", "");
  EXPECT_EQ(GraphCache::open({}), nullptr);
  EXPECT_NE(GraphCache::open({(folder / "named").string(), kPlenty}), nullptr);
}

TEST(GraphCache, AFolderThatCannotBeUsedIsNoCache) {
  const test::TemporaryFolder folder;
  write(folder / "file", "");
  EXPECT_EQ(GraphCache::open({(folder / "file").string(), kPlenty}), nullptr);
  fs::create_directory(folder / "open");
  ASSERT_EQ(::chmod((folder / "open").c_str(), 0777), 0);
  EXPECT_EQ(GraphCache::open({(folder / "open").string(), kPlenty}), nullptr);
  ASSERT_EQ(::chmod((folder / "open").c_str(), 0770), 0);
  EXPECT_EQ(GraphCache::open({(folder / "open").string(), kPlenty}), nullptr);
  ASSERT_EQ(::chmod((folder / "open").c_str(), 0755), 0);
  EXPECT_NE(GraphCache::open({(folder / "open").string(), kPlenty}), nullptr);
}

TEST(GraphCache, AnotherUsersFolderIsNoCache) {
  const test::TemporaryFolder folder;
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  ASSERT_EQ(::chown(folder.path().c_str(), 65534, 65534), 0);
  EXPECT_EQ(GraphCache::open({folder.path().string(), kPlenty}), nullptr);
}

TEST(GraphCache, AFolderThatIsMadeIsItsOwnersWhateverTheUmask) {
  const test::TemporaryFolder folder;
  const mode_t before = ::umask(0002);
  EXPECT_NE(GraphCache::open({(folder / "made").string(), kPlenty}), nullptr);
  ::umask(before);
  EXPECT_EQ(fs::status(folder / "made").permissions(), fs::perms::owner_all);
}

class CachedOnnxRuntime : public testing::Test {
 protected:
  void SetUp() override {
    if (!make_backend("onnxruntime")) GTEST_SKIP() << "ONNX Runtime is not on every machine";
    plain_ = std::move(make_backend("onnxruntime")).value();
    cached_ = with_cache();
  }
  [[nodiscard]] std::unique_ptr<EngineBackend> with_cache() const {
    return std::move(make_backend("onnxruntime", GraphCacheOptions{folder_.path().string(), kPlenty}))
        .value();
  }
  [[nodiscard]] std::vector<fs::path> files() const {
    return {fs::directory_iterator(folder_.path()), fs::directory_iterator()};
  }
  [[nodiscard]] static std::vector<float> logits(const EngineBackend& backend, const EngineSpec& spec) {
    const auto engine = load(backend, spec);
    return engine ? infer(*engine, 0) : std::vector<float>{};
  }

  const test::TemporaryFolder folder_;
  std::unique_ptr<EngineBackend> plain_;
  std::unique_ptr<EngineBackend> cached_;
};

TEST_F(CachedOnnxRuntime, ResultsAreThoseOfALoadWithoutIt) {
  std::size_t models = 0;
  for (const char* model : {"tiny-gap", "tiny-flat", "tiny-int8", "tiny-fp16"}) {
    for (const int batch : {1, 4}) {
      const EngineSpec spec = spec_of(model_file(model + std::string(".onnx")), batch);
      const std::vector<float> wanted = logits(*plain_, spec);
      EXPECT_EQ(logits(*cached_, spec), wanted) << model << ", first load";
      EXPECT_EQ(logits(*cached_, spec), wanted) << model << ", later load";
      EXPECT_EQ(logits(*with_cache(), spec), wanted) << model << ", another process's load";
    }
    EXPECT_EQ(files().size(), ++models) << "one entry per model, whatever the batch";
  }
}

TEST_F(CachedOnnxRuntime, ADamagedEntryIsMadeAnew) {
  const EngineSpec spec = spec_of(model_file("tiny-int8.onnx"));
  const std::vector<float> wanted = logits(*cached_, spec);
  ASSERT_EQ(files().size(), 1U);
  const std::string whole = contents_of(files()[0]);
  for (const std::string& damaged :
       {whole.substr(0, whole.size() / 2), std::string(), "x" + whole.substr(1)}) {
    write(files()[0], damaged);
    EXPECT_EQ(logits(*cached_, spec), wanted);
    EXPECT_EQ(contents_of(files()[0]).size(), whole.size());
  }
}

TEST_F(CachedOnnxRuntime, AGraphThatTheLibraryCannotReadBackIsRememberedAsSuch) {
  const EngineSpec spec = spec_of(model_file("tiny-gap.onnx"));
  const std::vector<float> wanted = logits(*cached_, spec);
  ASSERT_EQ(files().size(), 1U);
  // A whole entry of the right key with a graph that is none: the key is what the entry begins with.
  const std::string entry = contents_of(files()[0]);
  const std::size_t begin = entry.find("model ");
  const GraphCache cache(folder_.path(), kPlenty);
  std::string key;
  for (std::size_t end = begin; end <= entry.size() && key.empty(); ++end) {
    if (cache.entry_file(entry.substr(begin, end - begin)) == files()[0])
      key = entry.substr(begin, end - begin);
  }
  ASSERT_FALSE(key.empty());
  cache.store(key, bytes("no graph"));
  EXPECT_EQ(logits(*cached_, spec), wanted);
  EXPECT_EQ(cache.find(key), GraphBytes{});
  EXPECT_EQ(logits(*cached_, spec), wanted);
}

TEST_F(CachedOnnxRuntime, AWrongModelIsRefusedAlthoughTheRightOneIsCached) {
  const conformance::TemporaryFile model(contents_of(model_file("tiny-gap.onnx")));
  EngineSpec spec = spec_of(model.path());
  spec.sha256 = sha256_of(model.path()).value();
  ASSERT_TRUE(cached_->load(spec));
  write(model.path(), contents_of(model_file("tiny-flat.onnx")));
  const auto loaded = cached_->load(spec);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.errors()[0].what.find("SHA-256"), std::string::npos);
}

TEST_F(CachedOnnxRuntime, AFolderThatVanishesOnlyCostsTime) {
  const EngineSpec spec = spec_of(model_file("tiny-gap.onnx"));
  fs::remove_all(folder_.path());
  EXPECT_EQ(logits(*cached_, spec), logits(*plain_, spec));
  fs::create_directory(folder_.path());
}

TEST_F(CachedOnnxRuntime, SeveralMayFillItAtOnce) {
  const std::vector<std::string> models = {"tiny-gap.onnx", "tiny-flat.onnx", "tiny-int8.onnx"};
  std::vector<std::vector<float>> wanted;
  for (const std::string& model : models) wanted.push_back(logits(*plain_, spec_of(model_file(model))));
  const auto other = with_cache();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> loaders;
  for (int i = 0; i < 4; ++i) {
    loaders.emplace_back([&, i] {
      const EngineBackend& backend = i % 2 == 0 ? *cached_ : *other;
      for (std::size_t round = 0; round < 9; ++round) {
        const std::size_t m = (round + static_cast<std::size_t>(i)) % models.size();
        if (logits(backend, spec_of(model_file(models[m]))) != wanted[m]) ++wrong;
        if (i == 3) fs::remove(files().empty() ? folder_ / "none" : files().front());
      }
    });
  }
  for (std::thread& loader : loaders) loader.join();
  EXPECT_EQ(wrong, 0);
  for (const fs::path& file : files()) EXPECT_EQ(file.extension(), ".graph");
}

}  // namespace
}  // namespace saccade::runtime
