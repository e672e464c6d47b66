// Stages that two variants of a task have: loaded once, and alive as long as one of them is. Engines are
// counted stand-ins; staged_shell_test.cpp has real ones.
#include "runtime/real/shared_stages.hpp"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <utility>

#include "runtime/real/loader.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::runtime {
namespace {

using Files = std::vector<std::string>;

struct Counts {
  std::mutex mutex;
  std::map<std::string, int> loaded, inferred, alive;
};

class CountedStage final : public Engine {
 public:
  CountedStage(std::shared_ptr<Counts> counts, const EngineSpec& spec)
      : counts_(std::move(counts)), file_(spec.model.filename().string()), last_(spec.classes > 0) {
    change(&Counts::alive, 1);
    change(&Counts::loaded, 1);
  }
  ~CountedStage() override { change(&Counts::alive, -1); }
  CountedStage(const CountedStage&) = delete;
  CountedStage& operator=(const CountedStage&) = delete;
  Status prepare(std::size_t, const Picture&, const PixelBox&) override { return Done{}; }
  Status prepare(std::span<const float>) override { return Done{}; }
  Status take(std::span<const vision::TensorView>) override { return Done{}; }
  Status infer(Outputs& outputs) override {
    change(&Counts::inferred, 1);
    outputs = {{last_ ? "prob" : "middle", shape_, std::span<const float>(numbers_)}};
    return Done{};
  }
  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override { return {}; }
  [[nodiscard]] int batch() const override { return 1; }
  [[nodiscard]] std::size_t classes() const override { return last_ ? 2 : 0; }

 private:
  void change(std::map<std::string, int> Counts::*which, int by) {
    const std::lock_guard lock(counts_->mutex);
    ((*counts_).*which)[file_] += by;
  }

  std::shared_ptr<Counts> counts_;
  const std::string file_;
  const bool last_;
  const std::vector<std::int64_t> shape_ = {1, 2};
  const std::vector<float> numbers_ = {0.0F, 1.0F};
};

class CountedBackend final : public EngineBackend {
 public:
  explicit CountedBackend(std::shared_ptr<Counts> counts) : counts_(std::move(counts)) {}
  [[nodiscard]] std::string name() const override { return "counted"; }
  [[nodiscard]] std::string version() const override { return "counted"; }
  [[nodiscard]] Result<std::unique_ptr<Engine>> load(const EngineSpec& spec) const override {
    return std::unique_ptr<Engine>(std::make_unique<CountedStage>(counts_, spec));
  }

 private:
  std::shared_ptr<Counts> counts_;
};

profiles::Variant in_stages(const Files& files, const std::vector<std::string>& kinds, bool hashed = true) {
  profiles::Variant variant = test::two_variants(2).variants.front();
  variant.frame_time[ProcessorId("cpu1")] = Seconds(5e-5);
  const profiles::StageTensor middle{"middle", profiles::ElementType::fp32, {1, 2}};
  for (std::size_t i = 0; i < files.size(); ++i) {
    profiles::Stage& stage = variant.staging.stages.emplace_back();
    stage.kind = ProcessorId(kinds.at(i));
    stage.model = files[i];
    stage.sha256 = hashed ? "hash of " + files[i] : "";
    if (i > 0) stage.takes = {middle};
    if (i + 1 < files.size()) stage.gives = {middle};
  }
  return variant;
}

class SharedStagesTest : public testing::Test {
 protected:
  enum : std::size_t { kStart, kSameStart, kStartElsewhere, kNoHash, kSameEnd };

  // Loads and warms.
  void load(EngineKey engine, std::size_t variant, TaskIndex task = 0) {
    loader_.load({engine, task, variant, 1, profiles_, 0}, TimePoint{});
    ASSERT_EQ(to_string(next<event::LoadFinished>().errors), "");
    loader_.warm({engine, 2});
    ASSERT_EQ(to_string(next<event::WarmFinished>().errors), "");
  }
  void unload(EngineKey engine) {
    loader_.unload(engine);
    EXPECT_EQ(next<event::Unloaded>().engine, engine);
  }
  template <class Kind>
  Kind next() {
    for (;;) {
      const std::optional<Message> message = queue_->take(std::nullopt);
      const Event* const event = std::get_if<Event>(&message->what);
      if (event != nullptr && std::holds_alternative<Kind>(*event)) return std::get<Kind>(*event);
    }
  }
  static profiles::ProfileSetPtr set() {
    profiles::ProfileSet set = test::two_variants(2);
    set.variants = {
        in_stages({"start", "end"}, {"cpu", "cpu1"}), in_stages({"start", "other"}, {"cpu", "cpu1"}),
        in_stages({"start", "end"}, {"cpu1", "cpu"}), in_stages({"start", "end"}, {"cpu", "cpu1"}, false),
        in_stages({"beginning", "end"}, {"cpu", "cpu1"})};
    return std::make_shared<const profiles::ProfileSet>(std::move(set));
  }

  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
  SteadyClock clock_;
  std::shared_ptr<MessageQueue> queue_ = std::make_shared<MessageQueue>(clock_);
  profiles::ProfileSetPtr profiles_ = set();
  Loader loader_{std::make_shared<CountedBackend>(counts_),
                 RuntimeOptions{},
                 {{ProcessorId("cpu"), {}, 1, "cpu"}, {ProcessorId("cpu1"), {}, 1, "cpu"}},
                 std::make_shared<SteadyClock>(),
                 queue_};
};

TEST_F(SharedStagesTest, IsLoadedAndWarmedUpOnceAndLivesWithTheLastThatHasIt) {
  load(1, kStart);
  load(2, kSameStart);
  EXPECT_EQ(&loader_.engine(1, 0), &loader_.engine(2, 0));
  EXPECT_NE(&loader_.engine(1, 1), &loader_.engine(2, 1));
  EXPECT_EQ(counts_->loaded, (std::map<std::string, int>{{"start", 1}, {"end", 1}, {"other", 1}}));
  EXPECT_EQ(counts_->inferred, (std::map<std::string, int>{{"start", 2}, {"end", 2}, {"other", 2}}))
      << "a worker may be using the start";
  unload(1);
  EXPECT_EQ(counts_->alive, (std::map<std::string, int>{{"start", 1}, {"end", 0}, {"other", 1}}));
  load(3, kStart);
  EXPECT_EQ(&loader_.engine(3, 0), &loader_.engine(2, 0));
  unload(2);
  unload(3);
  EXPECT_EQ(counts_->alive, (std::map<std::string, int>{{"start", 0}, {"end", 0}, {"other", 0}}));
  load(4, kStart);
  EXPECT_EQ(counts_->loaded["start"], 2) << "nobody had it any more";
}

TEST_F(SharedStagesTest, AnEndIsSharedAsWell) {
  load(1, kStart);
  load(2, kSameEnd);
  EXPECT_EQ(&loader_.engine(1, 1), &loader_.engine(2, 1));
  EXPECT_EQ(counts_->inferred, (std::map<std::string, int>{{"start", 2}, {"end", 2}, {"beginning", 2}}));
}

TEST_F(SharedStagesTest, OtherTasksOtherProcessorsAndFilesWithoutAHashHaveTheirOwn) {
  load(1, kStart);
  load(2, kStart, 1);
  load(3, kStartElsewhere);
  EXPECT_EQ(counts_->loaded["start"], 3);
  load(4, kNoHash);
  load(5, kNoHash);
  EXPECT_EQ(counts_->loaded["start"], 5);
}

TEST_F(SharedStagesTest, IsNotGivenToOthersBeforeItIsWarm) {
  loader_.load({1, 0, kStart, 1, profiles_, 0}, TimePoint{});
  loader_.load({2, 0, kSameStart, 1, profiles_, 0}, TimePoint{});
  next<event::LoadFinished>();
  next<event::LoadFinished>();
  EXPECT_EQ(counts_->loaded["start"], 2);
}

TEST_F(SharedStagesTest, ThatWasStoppedIsUsedNoMore) {
  load(1, kStart);
  load(2, kSameStart);
  loader_.engine(1, 0).stop();
  Outputs outputs;
  EXPECT_FALSE(loader_.engine(2, 0).infer(outputs).ok()) << "an inference of it may still be running";
  EXPECT_FALSE(loader_.engine(2, 0).prepare(std::vector<float>(4)).ok());
  load(3, kSameStart);
  EXPECT_NE(&loader_.engine(3, 0), &loader_.engine(2, 0));
  EXPECT_TRUE(loader_.engine(3, 0).infer(outputs).ok());
}

}  // namespace
}  // namespace saccade::runtime
