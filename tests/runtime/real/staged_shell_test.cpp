// The real shell with a network of the zoo on two processors: whole on one, and cut into two stages on both,
// each an engine of ONNX Runtime. While it switches from one to the other and back, clients push frames: each
// gets the answer of the whole network, and none is lost.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

#include "profiles/profile_io.hpp"
#include "runtime/engines/stages.hpp"
#include "runtime/real/real_shell.hpp"
#include "tests/support/run_fixture.hpp"
#include "tests/support/scenes.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWhole = 0, kCut = 1;
constexpr double kDemand = 1e5;  // frames/s: far more than clients push

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

// A variant of the zoo, and the same cut before a group in its middle.
profiles::ProfileSet whole_and_cut(const fs::path& folder) {
  auto read =
      profiles::read_profile_set(fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo/mobilenet_v2-glyphs.json");
  EXPECT_TRUE(read.ok());
  profiles::ProfileSet set = std::move(read).value();
  profiles::Variant whole = set.variants.front();
  for (const profiles::Variant& variant : set.variants) {
    if (variant.precision == profiles::Precision::fp32) whole = variant;
  }
  set.device.processors = {ProcessorId("first"), ProcessorId("second")};
  set.device.threads.clear();
  whole.frame_time = {{ProcessorId("first"), Seconds(1e-6)}};
  whole.frame_time_p99.clear();
  whole.frame_time_parts.reset();
  whole.batch_time.clear();
  whole.power.reset();

  const auto cutter = vision::OnnxCutter::open(set.directory / whole.model);
  EXPECT_TRUE(cutter.ok());
  const std::size_t groups = cutter.value().chain().groups.size();
  profiles::Variant cut = whole;
  cut.id = VariantId("cut");
  cut.model.clear();
  cut.sha256.clear();
  cut.frame_time[ProcessorId("second")] = Seconds(1e-6);
  for (const auto& [first, last] :
       {std::pair<std::size_t, std::size_t>{0, groups / 2}, {groups / 2, groups}}) {
    const vision::CutModel model = cutter.value().cut(first, last);
    profiles::Stage& stage = cut.staging.stages.emplace_back();
    stage.kind = set.device.processors[first == 0 ? 0 : 1];
    stage.model = folder / (std::to_string(first) + ".onnx");
    std::ofstream(stage.model, std::ios::binary) << model.bytes;
    if (first > 0) stage.takes = tensor_inputs(model.inputs);
    if (last < groups) stage.gives = tensor_inputs(model.outputs);
    stage.frame_time = Seconds(1e-6);
  }
  cut.staging.latency = Seconds(2e-6);
  cut.staging.max_fps = Fps(1e6);
  cut.staging.max_in_flight = 3;
  set.variants = {whole, cut};
  return set;
}

class StagedShell : public testing::Test {
 protected:
  void SetUp() override {
    auto backend = make_backend("onnxruntime");
    if (!backend) GTEST_SKIP() << to_string(backend.errors());
    backend_ = std::move(backend).value();
    set_ = std::make_shared<const profiles::ProfileSet>(whole_and_cut(folder_.path()));
    config_ = test::run_config({test::state_at(0.0, 1, kDemand, 4e9, set_)});
    config_.tasks[0].source = PushSource{};
    make_pictures();
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

  // Random ones, with what the whole network answers.
  void make_pictures() {
    const EngineSpec spec = engine_spec(*set_, kWhole, 1);
    auto engine = backend_->load(spec);
    ASSERT_TRUE(engine.ok()) << to_string(engine.errors());
    std::mt19937 random(11);  // NOLINT(cert-msc51-cpp): the same pictures in every run
    std::uniform_real_distribution<float> number(0.0F, 1.0F);
    for (int i = 0; i < 8; ++i) {
      std::vector<float>& picture = pictures_.emplace_back(spec.input_size());
      for (float& value : picture) value = number(random);
      Outputs outputs;
      ASSERT_TRUE(engine.value()->prepare(picture));
      ASSERT_TRUE(engine.value()->infer(outputs));
      const auto logits = logits_of(outputs);
      expected_.emplace_back(logits.begin(), logits.end());
    }
  }

  // Waits while two frames are on their way.
  void push() {
    const std::size_t picture = pushed_ % pictures_.size();
    Frame frame;
    frame.input = pictures_[picture];
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return pushed_ - answered_ < 2; });
    ++pushed_;
    lock.unlock();
    const PushVerdict verdict =
        shell_->push(0, {std::move(frame), set_->input, WholeFrame{}},
                     [this, picture](const FrameAnswer& answer) { note(picture, answer); });
    ASSERT_EQ(verdict, PushVerdict::accepted);
  }
  void note(std::size_t picture, const FrameAnswer& answer) {
    const std::lock_guard lock(mutex_);
    ++answered_;
    if (answer.dropped == DropReason::over_quota) {
      ++above_rate_;  // clients push as fast as they are answered, beyond the rate of a transition
    } else if (answer.dropped) {
      ++dropped_;
    } else {
      ++by_variant_.at(answer.variant);
      if (!is_right(answer.logits, expected_[picture])) ++wrong_;
    }
    changed_.notify_all();
  }
  static bool is_right(const std::vector<float>& found, const std::vector<float>& expected) {
    if (found.size() != expected.size()) return false;
    double largest = 1.0, difference = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
      difference = std::max(difference, std::abs(static_cast<double>(expected[i]) - found[i]));
    }
    return difference <= 1e-5 * largest;
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
  [[nodiscard]] std::optional<std::size_t> serving() const { return shell_->outline().tasks[0].variant; }

  test::TemporaryFolder folder_;
  std::shared_ptr<const EngineBackend> backend_;
  profiles::ProfileSetPtr set_;
  RunConfig config_;
  NamedVariant policy_;
  std::unique_ptr<RealShell> shell_;
  std::thread run_;
  RunSummary summary_;
  std::vector<std::vector<float>> pictures_, expected_;
  int changes_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t pushed_ = 0, answered_ = 0, dropped_ = 0, wrong_ = 0, above_rate_ = 0;
  std::vector<std::size_t> by_variant_ = {0, 0};
};

TEST_F(StagedShell, AnswersAsTheWholeNetworkAndLosesNoFrameInAnySwitch) {
  ASSERT_EQ(serving(), std::optional(kWhole));
#ifdef SACCADE_SANITIZED
  constexpr int kSwitches = 8, kFrames = 40;
#else
  constexpr int kSwitches = 200, kFrames = 8;
#endif
  for (int i = 0; i < kSwitches && !HasFatalFailure(); ++i) {
    switch_to(i % 2 == 0 ? kCut : kWhole);
    for (int frame = 0; frame < kFrames; ++frame) push();
  }
  wait_for_all();
  end();
  EXPECT_EQ(dropped_, 0U);
  EXPECT_EQ(wrong_, 0U);
  EXPECT_GE(by_variant_[kCut], 20U);
  EXPECT_GE(by_variant_[kWhole], 20U);
  const TaskSummary& task = summary_.tasks.at(0);
  EXPECT_EQ(task.processed, static_cast<std::int64_t>(pushed_ - above_rate_));
  EXPECT_EQ(task.in_flight, 0);
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

}  // namespace
}  // namespace saccade::runtime
