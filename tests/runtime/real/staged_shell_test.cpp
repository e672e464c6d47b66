// The real shell with networks of the zoo on two processors: whole on one, and cut into two stages on both,
// each an engine of ONNX Runtime. While it switches from one to the other and back, clients push frames: each
// gets the answer of the whole network, and none is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

#include "profiles/profile_io.hpp"
#include "runtime/engines/frame_decoder.hpp"
#include "runtime/engines/stages.hpp"
#include "runtime/real/real_shell.hpp"
#include "tests/support/run_fixture.hpp"
#include "tests/support/scenes.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/yard_detector.hpp"

namespace saccade::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWhole = 0, kCut = 1, kCutTwice = 2;
constexpr double kDemand = 1e5;  // frames/s: far more than clients push
constexpr std::size_t kPictures = 8;

// Plans the variant that a test names, and the whole network once that one is excluded.
class NamedVariant final : public scheduler::Policy {
 public:
  void name_variant(std::size_t variant) { variant_ = variant; }
  [[nodiscard]] bool was_excluded() const { return excluded_; }
  [[nodiscard]] const char* name() const override { return "transprecision"; }
  [[nodiscard]] scheduler::Plan decide(const scheduler::Snapshot& snapshot,
                                       const scheduler::DecideLimits&) const override {
    const std::size_t variant = variant_;
    const auto& excluded = snapshot.tasks.front().excluded;
    if (excluded.empty() || !excluded[variant]) return test::scripted(snapshot, {variant});
    excluded_ = true;
    return test::scripted(snapshot, {kWhole});
  }

 private:
  std::atomic<std::size_t> variant_{kWhole};
  mutable std::atomic<bool> excluded_{false};
};

// The variant cut before these groups, its stages on the two processors in turn. The file of the first has a
// hash: variants may share its engine.
profiles::Variant cut_before(std::vector<std::size_t> groups, const vision::OnnxCutter& cutter,
                             const profiles::Variant& whole, const fs::path& folder) {
  profiles::Variant cut = whole;
  cut.id = VariantId("cut-" + std::to_string(groups.size()));
  cut.model.clear();
  cut.sha256.clear();
  cut.frame_time[ProcessorId("second")] = Seconds(1e-6);
  const std::size_t all = cutter.chain().groups.size();
  groups.push_back(all);
  std::size_t first = 0;
  for (const std::size_t last : groups) {
    const vision::CutModel model = cutter.cut(first, last);
    profiles::Stage& stage = cut.staging.stages.emplace_back();
    stage.kind = ProcessorId(cut.staging.stages.size() % 2 == 1 ? "first" : "second");
    stage.model = folder / (std::to_string(first) + "-" + std::to_string(last) + ".onnx");
    std::ofstream(stage.model, std::ios::binary) << model.bytes;
    if (first == 0) stage.sha256 = sha256_of(stage.model).value();
    if (first > 0) stage.takes = tensor_inputs(model.inputs);
    if (last < all) stage.gives = tensor_inputs(model.outputs);
    stage.frame_time = Seconds(1e-6);
    first = last;
  }
  cut.staging.latency = Seconds(2e-6);
  cut.staging.max_fps = Fps(1e6);
  cut.staging.max_in_flight = 3;
  return cut;
}

// A variant of a set, the same cut before a group in its middle, and cut once more behind that. At most
// `live` tensors cross.
profiles::ProfileSet whole_and_cut(profiles::ProfileSet set, const profiles::Variant& variant,
                                   std::size_t live, const fs::path& folder) {
  profiles::Variant whole = variant;
  set.device.processors = {ProcessorId("first"), ProcessorId("second")};
  set.device.threads.clear();
  whole.frame_time = {{ProcessorId("first"), Seconds(1e-6)}};
  whole.frame_time_p99.clear();
  whole.frame_time_parts.reset();
  whole.batch_time.clear();
  whole.power.reset();

  vision::ChainOptions options;
  options.max_live_tensors = live;
  options.picture = profiles::interface_of(set, whole).input;
  const auto cutter = vision::OnnxCutter::open(set.directory / whole.model, options);
  EXPECT_TRUE(cutter.ok()) << (cutter.ok() ? "" : to_string(cutter.errors()));
  const std::size_t groups = cutter.value().chain().groups.size();
  set.variants = {whole, cut_before({groups / 2}, cutter.value(), whole, folder),
                  cut_before({groups / 2, groups * 3 / 4}, cutter.value(), whole, folder)};
  return set;
}

// Counts the loads of every file.
class CountingBackend final : public EngineBackend {
 public:
  explicit CountingBackend(std::unique_ptr<EngineBackend> backend) : backend_(std::move(backend)) {}
  [[nodiscard]] std::string name() const override { return backend_->name(); }
  [[nodiscard]] std::string version() const override { return backend_->version(); }
  [[nodiscard]] Result<std::unique_ptr<Engine>> load(const EngineSpec& spec) const override {
    const std::lock_guard lock(mutex_);
    ++loads_[spec.model];
    return backend_->load(spec);
  }
  [[nodiscard]] int loads(const fs::path& file) const {
    const std::lock_guard lock(mutex_);
    return loads_[file];
  }

 private:
  const std::unique_ptr<EngineBackend> backend_;
  mutable std::mutex mutex_;
  mutable std::map<fs::path, int> loads_;
};

class StagedNetwork : public testing::Test {
 protected:
  void SetUp() override {
    auto backend = make_backend("onnxruntime");
    if (!backend) GTEST_SKIP() << to_string(backend.errors());
    backend_ = std::make_shared<CountingBackend>(std::move(backend).value());
    set_ = std::make_shared<const profiles::ProfileSet>(make_set());
    config_ = test::run_config({test::state_at(0.0, 1, kDemand, 4e9, set_)});
    config_.tasks[0].source = PushSource{};
    auto engine = backend_->load(engine_spec(*set_, kWhole, 1));
    ASSERT_TRUE(engine.ok()) << to_string(engine.errors());
    ask_whole(*engine.value());
    auto shell = RealShell::open(config_, backend_, policy_, {});
    ASSERT_TRUE(shell.ok()) << to_string(shell.errors());
    shell_ = std::move(shell).value();
    run_ = std::thread([this] { summary_ = shell_->run(std::nullopt); });
    while (shell_->elapsed() == Duration(0)) std::this_thread::yield();
  }
  void TearDown() override { end(); }
  void end() {
    if (!run_.joinable()) return;
    shell_->stop();
    run_.join();
  }

  virtual profiles::ProfileSet make_set() = 0;
  // Finds what the whole network answers to each picture.
  virtual void ask_whole(Engine& engine) = 0;
  virtual Frame frame_of(std::size_t picture) = 0;
  virtual bool is_right(std::size_t picture, const FrameAnswer& answer) = 0;

  // Waits while two frames are on their way.
  void push() {
    const std::size_t number = pushed_;
    Frame frame = frame_of(number % kPictures);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return pushed_ - answered_ < 2; });
    ++pushed_;
    lock.unlock();
    const PushVerdict verdict =
        shell_->push(0, {std::move(frame), set_->input, WholeFrame{}},
                     [this, number](const FrameAnswer& answer) { note(number, answer); });
    ASSERT_EQ(verdict, PushVerdict::accepted);
  }
  void note(std::size_t number, const FrameAnswer& answer) {
    const std::size_t picture = number % kPictures;
    const std::lock_guard lock(mutex_);
    ++answered_;
    if (!answer.dropped) {  // those of a variant come from one worker
      if (number < newest_.at(answer.variant)) ++overtaken_;
      newest_[answer.variant] = number;
    }
    if (answer.dropped == DropReason::over_quota) {
      ++above_rate_;  // clients push as fast as they are answered, beyond the rate of a transition
    } else if (answer.dropped) {
      ++dropped_;
    } else {
      ++by_variant_.at(answer.variant);
      if (!is_right(picture, answer)) ++wrong_;
    }
    changed_.notify_all();
  }
  void wait_for_all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answered_ == pushed_; });
  }
  void ask_for(std::size_t variant) {
    policy_.name_variant(variant);
    RunConfig config = config_;
    config.timeline[0].snapshot.tasks[0].demand = Fps(kDemand + static_cast<double>(++changes_));
    const auto taken = shell_->reconfigure(std::move(config));
    ASSERT_TRUE(taken.ok());
  }
  void switch_to(std::size_t variant) {
    ask_for(variant);
    while (serving() != variant) push();
  }
  // Switches to one and back to the other again and again, pushing frames all the time.
  void expect_no_frame_lost_or_wrong(std::size_t one, std::size_t other, int switches, int frames) {
    for (int i = 0; i < switches && !HasFatalFailure(); ++i) {
      switch_to(i % 2 == 0 ? one : other);
      for (int frame = 0; frame < frames; ++frame) push();
    }
    wait_for_all();
    end();
    EXPECT_EQ(dropped_, 0U);
    EXPECT_EQ(wrong_, 0U);
    EXPECT_EQ(overtaken_, 0U);
    EXPECT_GE(by_variant_[one], 20U);
    EXPECT_GE(by_variant_[other], 20U);
    const TaskSummary& task = summary_.tasks.at(0);
    EXPECT_EQ(task.processed, static_cast<std::int64_t>(pushed_ - above_rate_));
    EXPECT_EQ(task.in_flight, 0);
  }

  [[nodiscard]] std::optional<std::size_t> serving() const { return shell_->outline().tasks[0].variant; }

  test::TemporaryFolder folder_;
  std::shared_ptr<const CountingBackend> backend_;
  profiles::ProfileSetPtr set_;
  RunConfig config_;
  NamedVariant policy_;
  std::unique_ptr<RealShell> shell_;
  std::thread run_;
  RunSummary summary_;
  int changes_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t pushed_ = 0, answered_ = 0, dropped_ = 0, wrong_ = 0, above_rate_ = 0;
  std::size_t overtaken_ = 0;
  std::vector<std::size_t> newest_ = {0, 0, 0};  // by variant: that was answered
  std::vector<std::size_t> by_variant_ = {0, 0, 0};
};

#ifdef SACCADE_SANITIZED
constexpr int kSwitches = 8, kFrames = 40;
#else
constexpr int kSwitches = 200, kFrames = 8;
#endif

class StagedShell : public StagedNetwork {
 protected:
  profiles::ProfileSet make_set() override {
    auto read =
        profiles::read_profile_set(fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo/mobilenet_v2-glyphs.json");
    EXPECT_TRUE(read.ok());
    profiles::Variant whole = read.value().variants.front();
    for (const profiles::Variant& variant : read.value().variants) {
      if (variant.precision == profiles::Precision::fp32) whole = variant;
    }
    return whole_and_cut(std::move(read).value(), whole, 1, folder_.path());
  }
  void ask_whole(Engine& engine) override {
    std::mt19937 random(11);  // NOLINT(cert-msc51-cpp): the same pictures in every run
    std::uniform_real_distribution<float> number(0.0F, 1.0F);
    for (std::size_t i = 0; i < kPictures; ++i) {
      std::vector<float>& picture = pictures_.emplace_back(set_->input.size());
      for (float& value : picture) value = number(random);
      Outputs outputs;
      ASSERT_TRUE(engine.prepare(picture));
      ASSERT_TRUE(engine.infer(outputs));
      const auto logits = logits_of(outputs);
      expected_.emplace_back(logits.begin(), logits.end());
    }
  }
  Frame frame_of(std::size_t picture) override {
    Frame frame;
    frame.input = pictures_[picture];
    return frame;
  }
  bool is_right(std::size_t picture, const FrameAnswer& answer) override {
    const std::vector<float>&found = answer.logits, &expected = expected_[picture];
    if (found.size() != expected.size()) return false;
    double largest = 1.0, difference = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
      difference = std::max(difference, std::abs(static_cast<double>(expected[i]) - found[i]));
    }
    return difference <= 1e-5 * largest;
  }

  std::vector<std::vector<float>> pictures_, expected_;
};

TEST_F(StagedShell, AnswersAsTheWholeNetworkAndLosesNoFrameInAnySwitch) {
  ASSERT_EQ(serving(), std::optional(kWhole));
  expect_no_frame_lost_or_wrong(kCut, kWhole, kSwitches, kFrames);
}

TEST_F(StagedShell, TwoVariantsUseTheEngineOfTheStageThatBothHave) {
  const auto& stages = set_->variants[kCut].staging.stages;
  ASSERT_EQ(set_->variants[kCutTwice].staging.stages.size(), 3U);
  expect_no_frame_lost_or_wrong(kCut, kCutTwice, kSwitches, kFrames);
  EXPECT_EQ(backend_->loads(stages[0].model), 1);
  EXPECT_EQ(backend_->loads(stages[1].model), kSwitches / 2);
}

TEST_F(StagedShell, TheWholeNetworkServesOnWhenAStageDoesNotFit) {
  const auto& stages = set_->variants[kCut].staging.stages;
  fs::copy_file(stages[0].model, stages[1].model, fs::copy_options::overwrite_existing);
  ask_for(kCut);
  while (!policy_.was_excluded()) push();
  for (int frame = 0; frame < 40; ++frame) push();
  wait_for_all();
  EXPECT_EQ(serving(), std::optional(kWhole));
  end();
  EXPECT_EQ(dropped_, 0U);
  EXPECT_EQ(wrong_, 0U);
  EXPECT_EQ(by_variant_[kCut], 0U);
  EXPECT_GE(by_variant_[kWhole], 40U);
}

// The first stage of the cut network on two processors in turn.
class CopiedShell : public StagedShell {
 protected:
  profiles::ProfileSet make_set() override {
    profiles::ProfileSet set = StagedShell::make_set();
    set.device.processors.emplace_back("third");
    profiles::Variant& cut = set.variants[kCut];
    cut.staging.stages.front().copies = {ProcessorId("third")};
    cut.frame_time[ProcessorId("third")] = Seconds(5e-7);
    return set;
  }
};

TEST_F(CopiedShell, AnswersInOrderAndLosesNoFrameInAnySwitch) {
  const auto& stages = set_->variants[kCut].staging.stages;
  expect_no_frame_lost_or_wrong(kCut, kWhole, kSwitches, kFrames);
  EXPECT_GE(backend_->loads(stages[0].model), 2);
  EXPECT_LE(backend_->loads(stages[0].model), kSwitches) << "both, at every second, unless they live still";
}

TEST_F(CopiedShell, SharesTheCopyThatAnotherVariantHas) {
  const auto& stages = set_->variants[kCut].staging.stages;
  expect_no_frame_lost_or_wrong(kCut, kCutTwice, kSwitches, kFrames);
  EXPECT_LE(backend_->loads(stages[0].model), 1 + kSwitches / 2) << "once, and the copy at every second";
}

// A detector whose file leaves the picture's sides open, cut where three tensors cross. The first stage sees
// the picture, the last one decodes.
class StagedDetector : public StagedNetwork {
 protected:
  profiles::ProfileSet make_set() override {
    profiles::ProfileSet set = test::yard_detector({{"w0.50-fp32", 160}});
    const profiles::Variant whole = set.variants.front();
    return whole_and_cut(std::move(set), whole, 3, folder_.path());
  }
  void ask_whole(Engine& engine) override {
    auto decoder = FrameDecoder::make(profiles::interface_of(*set_, set_->variants[kWhole]),
                                      set_->labels.size(), engine, "model");
    ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
    std::size_t objects = 0;
    for (std::size_t i = 0; i < kPictures; ++i) {
      scenes_.push_back(test::yard_scene(i, {320, 240}));
      const Frame frame = frame_of(i);
      Outputs outputs;
      ASSERT_TRUE(engine.prepare(0, *frame.picture, frame.regions[0]));
      ASSERT_TRUE(engine.infer(outputs));
      FrameResult result;
      ASSERT_TRUE(decoder.value().decode(outputs, {frame.picture.get(), frame.regions, false}, result));
      objects += result.objects.size();
      expected_.push_back(std::move(result.objects));
    }
    ASSERT_GE(objects, kPictures) << "no boxes to compare";
  }
  Frame frame_of(std::size_t picture) override { return test::frame_of_scene(scenes_[picture]); }
  bool is_right(std::size_t picture, const FrameAnswer& answer) override {
    const auto alike = [](const vision::Object& a, const vision::Object& b) {
      constexpr float kPixels = 0.01F, kScore = 1e-4F;
      const auto near = [](float x, float y) { return std::abs(x - y) <= kPixels; };
      return a.label == b.label && std::abs(a.score - b.score) <= kScore && near(a.box.x, b.box.x) &&
             near(a.box.y, b.box.y) && near(a.box.width, b.box.width) && near(a.box.height, b.box.height);
    };
    return std::equal(answer.objects.begin(), answer.objects.end(), expected_[picture].begin(),
                      expected_[picture].end(), alike);
  }

  std::vector<images::LabelledScene> scenes_;
  std::vector<vision::Objects> expected_;
};

TEST_F(StagedDetector, FindsTheBoxesOfTheWholeAndLosesNoFrameInAnySwitch) {
  EXPECT_GT(set_->variants[kCut].staging.stages[1].takes.size(), 1U);
  ASSERT_EQ(serving(), std::optional(kWhole));
  expect_no_frame_lost_or_wrong(kCut, kWhole, kSwitches / 4, kFrames);
}

}  // namespace
}  // namespace saccade::runtime
