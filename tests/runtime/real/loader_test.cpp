// The loader by itself, with a clock that the test moves: on which threads it works, and how nice they are.
#include "runtime/real/loader.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "runtime/machine/thread_settings.hpp"
#include "tests/support/next_event.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kBoost = std::chrono::seconds(2);

class MovedClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return TimePoint(Duration(now_)); }

 private:
  std::atomic<Duration::rep> now_{0};
};

// Who did what, and a gate that loads wait at when the test wants them to.
struct Witness {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, pid_t> threads;
  std::map<std::string, int> times;
  bool holds_loads = false;
  int waiting = 0;
  std::vector<vision::OutputPort> declared;  // by the engines that are loaded; empty: nothing can be decoded
  std::vector<std::int64_t> given;           // shape of the one output

  void saw(const std::string& what) {
    const std::lock_guard lock(mutex);
    threads[what] = thread_id();
    ++times[what];
  }
  void pass_gate() {
    std::unique_lock lock(mutex);
    threads["load"] = thread_id();
    ++waiting;
    changed.notify_all();
    changed.wait(lock, [&] { return !holds_loads; });
    --waiting;
  }
  void hold() {
    const std::lock_guard lock(mutex);
    holds_loads = true;
  }
  pid_t wait_for_load() {  // the thread that waits at the gate
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return waiting > 0; });
    return threads.at("load");
  }
  void let_go() {
    const std::lock_guard lock(mutex);
    holds_loads = false;
    changed.notify_all();
  }
};

class WitnessedEngine final : public Engine {
 public:
  WitnessedEngine(std::shared_ptr<Witness> witness, const EngineSpec& spec)
      : witness_(std::move(witness)), batch_(spec.batch), classes_(spec.classes) {}
  ~WitnessedEngine() override { witness_->saw("destroy"); }
  WitnessedEngine(const WitnessedEngine&) = delete;
  WitnessedEngine& operator=(const WitnessedEngine&) = delete;
  Status prepare(std::size_t, const Picture&, const PixelBox&) override { return Done{}; }
  Status prepare(std::span<const float>) override { return Done{}; }
  Status infer(Outputs& outputs) override {
    witness_->saw("warm");
    numbers_.resize(static_cast<std::size_t>(std::accumulate(witness_->given.begin(), witness_->given.end(),
                                                             std::int64_t{1}, std::multiplies<>())));
    outputs = {{"prob", witness_->given, std::span<const float>(numbers_)}};
    return Done{};
  }
  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override { return witness_->declared; }
  [[nodiscard]] int batch() const override { return batch_; }
  [[nodiscard]] std::size_t classes() const override { return classes_; }

 private:
  std::shared_ptr<Witness> witness_;
  int batch_;
  std::size_t classes_;
  std::vector<float> numbers_;
};

class WitnessedBackend final : public EngineBackend {
 public:
  explicit WitnessedBackend(std::shared_ptr<Witness> witness) : witness_(std::move(witness)) {}
  [[nodiscard]] std::string name() const override { return "witnessed"; }
  [[nodiscard]] std::string version() const override { return "witnessed"; }
  [[nodiscard]] Result<std::unique_ptr<Engine>> load(const EngineSpec& spec) const override {
    witness_->pass_gate();
    return std::unique_ptr<Engine>(std::make_unique<WitnessedEngine>(witness_, spec));
  }

 private:
  std::shared_ptr<Witness> witness_;
};

class LoaderTest : public testing::Test {
 protected:
  static RuntimeOptions options() {
    RuntimeOptions options;
    options.loader_boost = to_seconds(kBoost);
    return options;
  }
  void load(EngineKey engine) { loader_.load({engine, 0, 0, 1, profiles_, 0}, TimePoint{}); }
  template <class Kind>
  Kind next() {
    return test::next_event<Kind>(*queue_);
  }
  static int nice_of(pid_t thread) { return getpriority(PRIO_PROCESS, static_cast<id_t>(thread)); }

  std::shared_ptr<Witness> witness_ = std::make_shared<Witness>();
  std::shared_ptr<const MovedClock> clock_ = std::make_shared<MovedClock>();
  std::shared_ptr<MessageQueue> queue_ = std::make_shared<MessageQueue>(*clock_);
  profiles::ProfileSetPtr profiles_ = std::make_shared<const profiles::ProfileSet>(test::two_variants());
  Loader loader_{std::make_shared<WitnessedBackend>(witness_),
                 options(),
                 {{ProcessorId("cpu"), {}, 1, "cpu"}},
                 clock_,
                 queue_};
};

TEST_F(LoaderTest, LoadsAndWarmsOnOneThreadAndDestroysOnAnotherNeverTheCallers) {
  load(1);
  EXPECT_TRUE(next<event::LoadFinished>().errors.empty());
  loader_.warm({1, 2});
  EXPECT_TRUE(next<event::WarmFinished>().errors.empty());
  EXPECT_EQ(witness_->times["warm"], 2);
  EXPECT_EQ(witness_->threads.count("destroy"), 0U);
  loader_.unload(1);
  EXPECT_EQ(next<event::Unloaded>().engine, 1U);
  const std::map<std::string, pid_t>& threads = witness_->threads;
  EXPECT_NE(threads.at("load"), thread_id());
  EXPECT_EQ(threads.at("warm"), threads.at("load"));
  EXPECT_NE(threads.at("destroy"), thread_id());
  EXPECT_NE(threads.at("destroy"), threads.at("load")) << "a load that hangs must not keep memory";
}

TEST_F(LoaderTest, ItsEndDestroysEveryEngineAndLeavesNoThread) {
  const auto queue = std::make_shared<MessageQueue>(*clock_);
  const auto backend = std::make_shared<WitnessedBackend>(witness_);
  for (int times = 1; times <= 50; ++times) {
    std::optional<Loader> loader;
    loader.emplace(backend, options(), std::vector<ProcessorConfig>{{ProcessorId("cpu"), {}, 1, "cpu"}},
                   clock_, queue);
    loader->load({1, 0, 0, 1, profiles_, 0}, TimePoint{});
    while (!queue->take(std::nullopt)) {
    }
    const auto threads = loader->threads();
    loader.reset();
    ASSERT_EQ(threads->count(), 0U);
    ASSERT_EQ(witness_->times["destroy"], times) << "by a thread that may outlive the library";
    ASSERT_EQ(backend.use_count(), 1) << "a thread still holds it";
  }
}

TEST_F(LoaderTest, AnEngineWhoseOutputsDoNotFitIsRefusedBeforeItServes) {
  witness_->declared = {{"prob", {{1, 1000}}, profiles::ElementType::fp32}};
  load(1);
  const std::string declared = to_string(next<event::LoadFinished>().errors);
  EXPECT_NE(declared.find("[1, 1000]: 1000 classes; labels has 2"), std::string::npos) << declared;
  witness_->declared = {{"prob", {{-1, -1}}, profiles::ElementType::fp32}};
  witness_->given = {1, 3};
  load(2);
  EXPECT_TRUE(next<event::LoadFinished>().errors.empty()) << "what is open cannot be known yet";
  loader_.warm({2, 1});
  const std::string given = to_string(next<event::WarmFinished>().errors);
  EXPECT_NE(given.find("[1, 3]: 3 classes; labels has 2"), std::string::npos) << given;
}

TEST_F(LoaderTest, ALoadIsNiceOnlyWhileNoFrameWaitsForLoads) {
  if (!may_raise_priority()) GTEST_SKIP() << "this process may not raise a priority";
  witness_->hold();
  load(1);
  const pid_t thread = witness_->wait_for_load();
  EXPECT_EQ(nice_of(thread), 0) << "at first everything waits";
  loader_.set_urgency(false);
  EXPECT_EQ(nice_of(thread), options().loader_nice);
  loader_.watch(TimePoint(kBoost));
  EXPECT_EQ(nice_of(thread), 0) << "it takes long";
  loader_.set_urgency(true);
  loader_.set_urgency(false);
  EXPECT_EQ(nice_of(thread), 0) << "it still takes long";
  witness_->let_go();
  next<event::LoadFinished>();

  witness_->hold();
  load(2);
  EXPECT_EQ(nice_of(witness_->wait_for_load()), options().loader_nice);
  loader_.set_urgency(true);
  EXPECT_EQ(nice_of(thread), 0);
  witness_->let_go();
  next<event::LoadFinished>();
}

// The library starts an engine's threads during its load, whenever that is; they keep what they inherit.
TEST_F(LoaderTest, TheLoadOfAnEngineWithSeveralThreadsIsNotNiceUntilItEnds) {
  if (!may_raise_priority()) GTEST_SKIP() << "this process may not raise a priority";
  Loader loader(std::make_shared<WitnessedBackend>(witness_), options(),
                {{ProcessorId("cpu"), allowed_cpus(), 2, "cpu"}}, clock_, queue_);
  witness_->hold();
  loader.load({1, 0, 0, 1, profiles_, 0}, TimePoint{});
  const pid_t thread = witness_->wait_for_load();
  loader.set_urgency(false);
  EXPECT_EQ(nice_of(thread), 0) << "threads that it starts now would stay nice";
  witness_->let_go();
  next<event::LoadFinished>();
  EXPECT_EQ(nice_of(thread), options().loader_nice);
}

TEST_F(LoaderTest, ALoadThatTakesLongIsRaisedAndTheNextIsNiceAgain) {
  if (!may_raise_priority()) GTEST_SKIP() << "this process may not raise a priority";
  loader_.set_urgency(false);
  witness_->hold();
  load(1);
  const pid_t thread = witness_->wait_for_load();
  EXPECT_EQ(nice_of(thread), options().loader_nice);
  loader_.watch(TimePoint(kBoost - Duration(1)));
  EXPECT_EQ(nice_of(thread), options().loader_nice) << "not yet";
  loader_.watch(TimePoint(kBoost));
  EXPECT_EQ(nice_of(thread), 0);
  witness_->let_go();
  next<event::LoadFinished>();

  witness_->hold();
  load(2);
  const pid_t again = witness_->wait_for_load();
  EXPECT_EQ(again, thread);
  EXPECT_EQ(nice_of(again), options().loader_nice);
  witness_->let_go();
  next<event::LoadFinished>();
}

}  // namespace
}  // namespace saccade::runtime
