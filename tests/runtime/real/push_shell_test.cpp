// The real shell with a task whose frames are pushed, and an engine that a test holds in the middle of an
// inference. Waits are for what threads have done, none is for a time to pass.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "ilp/core_solver.hpp"
#include "runtime/engines/simulated_backend.hpp"
#include "runtime/real/real_shell.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::runtime {
namespace {

class HeldEngine {
 public:
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  Status infer() {
    std::unique_lock lock(mutex_);
    ++inside_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !held_; });
    --inside_;
    return Done{};
  }
  void wait_until_held() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return inside_ > 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  int inside_ = 0;
};

class Answers {
 public:
  AnswerFrame one() {
    return [this](FrameAnswer answer) {
      const std::lock_guard lock(mutex_);
      answers_.push_back(std::move(answer));
      changed_.notify_all();
    };
  }
  std::vector<FrameAnswer> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answers_.size() >= count; });
    return answers_;
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return answers_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<FrameAnswer> answers_;
};

class PushShell : public testing::Test {
 protected:
  PushShell() {
    const auto profiles = std::make_shared<const profiles::ProfileSet>(test::two_variants());
    RunConfig config = test::run_config({test::state_at(0.0, 1, 1000.0, 100e6, profiles)});
    config.tasks[0].source = PushSource{};
    auto backend = std::make_shared<SimulatedBackend>(
        SimulatedBehaviour{.before_inference = [this](const EngineSpec&) { return engine_.infer(); }});
    auto shell = RealShell::open(std::move(config), backend, *policy_, {});
    EXPECT_TRUE(shell.ok()) << (shell.ok() ? "" : to_string(shell.errors()));
    shell_ = std::move(shell).value();
  }
  ~PushShell() override { end(); }

  void begin() {
    run_ = std::thread([this] { summary_ = shell_->run(std::nullopt); });
    while (shell_->elapsed() == Duration(0)) std::this_thread::yield();
  }
  RunSummary end() {
    engine_.let_go();
    if (run_.joinable()) {
      shell_->stop();
      run_.join();
    }
    return summary_;
  }
  // A frame whose right answer is "odd".
  PushVerdict push(const AnswerFrame& answer) {
    std::vector<float> input(test::kTinyInput.size());
    for (std::size_t i = 1; i < input.size(); i += 2) input[i] = 1.0F;
    Frame frame;
    frame.input = std::move(input);
    return shell_->push(0, {std::move(frame), test::kTinyInput, WholeFrame{}}, answer);
  }
  // Again and again until one is not above the granted rate.
  void push_within_quota(Answers& answers) {
    const auto above = std::make_shared<std::atomic<bool>>();  // told before push() returns
    do {
      *above = false;
      const PushVerdict verdict = push([above, keep = answers.one()](FrameAnswer answer) {
        if (answer.dropped == DropReason::over_quota) {
          *above = true;
        } else {
          keep(std::move(answer));
        }
      });
      ASSERT_EQ(verdict, PushVerdict::accepted);
    } while (*above);
  }
  [[nodiscard]] TaskFrames frames() const { return shell_->status().tasks.front().frames; }

  HeldEngine engine_;
  const ilp::CoreSolver solver_;
  std::unique_ptr<scheduler::Policy> policy_ =
      scheduler::make_policy(scheduler::PolicyKind::transprecision, solver_);
  std::unique_ptr<RealShell> shell_;
  std::thread run_;
  RunSummary summary_;
};

TEST_F(PushShell, AFullGateRefusesAndWhoWaitsIsAnswered) {
  Answers answers;
  EXPECT_EQ(push(answers.one()), PushVerdict::starting);
  begin();
  engine_.hold();
  push_within_quota(answers);
  engine_.wait_until_held();
  push_within_quota(answers);
  push_within_quota(answers);
  EXPECT_EQ(push(answers.one()), PushVerdict::full);
  EXPECT_EQ(frames().rejected, 1);
  EXPECT_EQ(frames().in_flight, 3);
  EXPECT_TRUE(shell_->status().tasks.front().source_connected);
  EXPECT_EQ(answers.count(), 0U);
  engine_.let_go();
  for (const FrameAnswer& answer : answers.wait_for(3)) {
    EXPECT_FALSE(answer.dropped);
    ASSERT_EQ(answer.logits.size(), 2U);
    EXPECT_GT(answer.logits[1], answer.logits[0]);
    EXPECT_EQ(answer.variant, 1U) << "the better one";
    EXPECT_GE(answer.latency, answer.inference);
  }
  const RunSummary summary = end();
  EXPECT_EQ(push(answers.one()), PushVerdict::ending);
  EXPECT_EQ(summary.tasks[0].rejected, 1);
  EXPECT_EQ(summary.tasks[0].processed, 3);
  EXPECT_EQ(summary.tasks[0].in_flight, 0);
}

TEST_F(PushShell, WhatWaitsAtTheEndIsAnswered) {
  Answers answers;
  begin();
  engine_.hold();
  push_within_quota(answers);
  engine_.wait_until_held();
  push_within_quota(answers);
  shell_->stop();
  // The run gives what waits two seconds; then it is dropped, and the one that runs may end.
  for (const FrameAnswer& answer : answers.wait_for(1)) EXPECT_EQ(answer.dropped, DropReason::shutdown);
  engine_.let_go();
  EXPECT_FALSE(answers.wait_for(2).back().dropped);
  EXPECT_EQ(end().tasks[0].processed, 1);
}

TEST_F(PushShell, ManyClientsAtOnceAreEachAnsweredOnce) {
  begin();
  Answers answers;
  std::vector<std::thread> clients;
  std::atomic<std::int64_t> accepted{0};
  std::atomic<std::int64_t> refused{0};
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      for (int k = 0; k < 500; ++k) (push(answers.one()) == PushVerdict::accepted ? accepted : refused) += 1;
    });
  }
  for (std::thread& client : clients) client.join();
  answers.wait_for(static_cast<std::size_t>(accepted));
  const RunSummary summary = end();
  EXPECT_EQ(answers.count(), static_cast<std::size_t>(accepted));
  EXPECT_EQ(summary.tasks[0].received, accepted);
  EXPECT_EQ(summary.tasks[0].rejected, refused);
}

TEST_F(PushShell, ATaskThatIsReconfiguredToASourceTakesNoMoreAndBackAgain) {
  begin();
  const auto profiles = std::make_shared<const profiles::ProfileSet>(test::two_variants());
  RunConfig config = test::run_config({test::state_at(0.0, 1, 1000.0, 100e6, profiles)});
  config.tasks[0].source = ImagesSource{"/nowhere", true};  // cannot be opened, which is no reason to end
  ASSERT_TRUE(shell_->reconfigure(config).ok());
  Answers answers;
  EXPECT_EQ(push(answers.one()), PushVerdict::not_pushed);
  config.tasks[0].source = PushSource{};
  ASSERT_TRUE(shell_->reconfigure(config).ok());
  push_within_quota(answers);
  EXPECT_FALSE(answers.wait_for(1).front().dropped);
  // The status is told now and then, by another thread than the one that answers.
  while (!shell_->status().tasks.front().source_connected) std::this_thread::yield();
}

}  // namespace
}  // namespace saccade::runtime
