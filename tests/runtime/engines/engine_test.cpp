#include "runtime/engines/engine.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <mutex>
#include <opencv2/core/utility.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/engines/fake_accelerator.hpp"
#include "runtime/engines/model_file.hpp"
#include "runtime/engines/simulated_backend.hpp"
#include "runtime/engines/stderr_filter.hpp"
#include "tests/conformance/engine_suite.hpp"

namespace saccade::runtime {
namespace {

using conformance::EngineSubject;
using conformance::infer;
using conformance::load;
using conformance::model_file;
using conformance::spec_of;

std::vector<EngineSubject> backends(const std::vector<std::string>& names) {
  std::vector<EngineSubject> subjects;
  for (const std::string& name : names) {
    if (!make_backend(name)) continue;  // ONNX Runtime is not on every machine
    subjects.push_back({name, [name] { return std::move(make_backend(name)).value(); }});
  }
  return subjects;
}

const auto kName = [](const auto& info) { return info.param.name; };

}  // namespace

namespace conformance {
INSTANTIATE_TEST_SUITE_P(Backends, EngineContract,
                         testing::ValuesIn(backends({"onnxruntime", "opencv", "simulated"})), kName);
INSTANTIATE_TEST_SUITE_P(FakeAccelerator, EngineContract,
                         testing::Values(EngineSubject{
                             "fake_accelerator", [] { return std::make_unique<FakeAcceleratorBackend>(); }}),
                         kName);
INSTANTIATE_TEST_SUITE_P(Backends, ModelReadingEngineContract,
                         testing::ValuesIn(backends({"onnxruntime", "opencv"})), kName);
}  // namespace conformance

namespace {

TEST(Backend, AnUnknownNameIsRefusedAndTheKnownOnesAreNamed) {
  const auto backend = make_backend("tensorflow");
  ASSERT_FALSE(backend);
  EXPECT_EQ(to_string(backend.errors()),
            "engine backend 'tensorflow': is not known (one of auto, onnxruntime, opencv, simulated)");
}

TEST(Backend, AutoTakesTheFirstThatIsListedAsAvailable) {
  const auto backend = make_backend("auto");
  ASSERT_TRUE(backend);
  EXPECT_EQ(available_backends().rfind(backend.value()->version(), 0), 0U) << available_backends();
  EXPECT_NE(available_backends().find("simulated"), std::string::npos);
}

TEST(Backend, OnnxRuntimeRunsModelsStoredInHalfPrecisionAndQuantisedOnes) {
  const auto backend = make_backend("onnxruntime");
  if (!backend) GTEST_SKIP() << to_string(backend.errors());
  for (const char* model : {"tiny-fp16.onnx", "tiny-int8.onnx"}) {
    const auto engine = load(*backend.value(), spec_of(model_file(model), conformance::kImages));
    ASSERT_NE(engine, nullptr);
    conformance::expect_near(infer(*engine, 0), conformance::expected_logits("tiny-gap"), 0.05);
  }
}

// OpenCV 4.6 of Debian 12 refuses stored fp16 and int8, 4.10 of Debian 13 runs them.
TEST(Backend, OpenCvAnswersRightlyOrRefusesAndSaysWhatCan) {
  const auto backend = std::move(make_backend("opencv")).value();
  for (const char* model : {"tiny-fp16.onnx", "tiny-int8.onnx", "tiny-alien.onnx"}) {
    auto loaded = backend->load(spec_of(model_file(model), conformance::kImages));
    if (loaded) {
      conformance::expect_near(infer(*loaded.value(), 0), conformance::expected_logits("tiny-gap"), 0.05);
    } else {
      EXPECT_NE(loaded.errors()[0].hint.find("ONNX Runtime"), std::string::npos)
          << model << ": " << to_string(loaded.errors());
    }
  }
  EXPECT_FALSE(backend->load(spec_of(model_file("tiny-alien.onnx"))));
}

// OpenCV prepares pictures for every backend. On threads of its own it would take time that no plan knows.
TEST(Backend, OpenCvsLoopsRunOnTheCallingThread) {
  ASSERT_TRUE(make_backend("simulated"));
  EXPECT_EQ(cv::getNumThreads(), 1);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  cv::parallel_for_(cv::Range(0, 64), [&](const cv::Range&) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(Backend, AProviderThatIsNotServedIsRefused) {
  const auto backend = make_backend("onnxruntime");
  if (!backend) GTEST_SKIP() << to_string(backend.errors());
  EngineSpec spec = spec_of(model_file("tiny-gap.onnx"));
  spec.provider = "rocm";
  const auto loaded = backend.value()->load(spec);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.errors()[0].what.find("'rocm'"), std::string::npos) << to_string(loaded.errors());
}

TEST(SimulatedBackend, AVariantWithoutAModelFileLoads) {
  EXPECT_NE(load(SimulatedBackend(), spec_of("")), nullptr);
}

TEST(SimulatedBackend, TheFirstLoadsFailAsPlannedAndTheNextSucceeds) {
  const SimulatedBackend backend({.failing_loads = 2});
  EXPECT_FALSE(backend.load(spec_of("")));
  EXPECT_FALSE(backend.load(spec_of("")));
  EXPECT_TRUE(backend.load(spec_of("")));
}

TEST(SimulatedBackend, EveryEnginesFirstInferencesFailAsPlanned) {
  const SimulatedBackend backend({.failing_inferences = 2});
  const std::vector<float> input = conformance::images(0, 1);
  std::vector<float> logits;
  for (int engines = 0; engines < 2; ++engines) {
    const auto engine = load(backend, spec_of(""));
    ASSERT_NE(engine, nullptr);
    EXPECT_FALSE(infer(*engine, input, logits));
    EXPECT_FALSE(infer(*engine, input, logits));
    EXPECT_TRUE(infer(*engine, input, logits));
  }
}

TEST(SimulatedBackend, HooksSeeEveryLoadAndInferenceAndMayRefuseThem) {
  std::vector<std::string> log;
  bool refuse = false;
  const auto hook = [&](const std::string& what) {
    return [&log, &refuse, what](const EngineSpec& spec) -> Status {
      log.push_back(what + " " + spec.processor.str());
      if (refuse) return Error{what, "refused", ""};
      return Done{};
    };
  };
  const SimulatedBackend backend({.before_load = hook("load"), .before_inference = hook("infer")});
  const auto engine = load(backend, spec_of(""));
  ASSERT_NE(engine, nullptr);
  infer(*engine, 0);
  refuse = true;
  EXPECT_FALSE(backend.load(spec_of("")));
  std::vector<float> logits;
  EXPECT_FALSE(infer(*engine, conformance::images(0, 1), logits));
  EXPECT_EQ(log, (std::vector<std::string>{"load cpu", "infer cpu", "load cpu", "infer cpu"}));
}

TEST(ModelFile, HashesAreThoseOfTheStandard) {  // FIPS 180-4, examples of its authors
  EXPECT_EQ(sha256_hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex(std::string("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const conformance::TemporaryFile file("abc");
  EXPECT_EQ(sha256_of(file.path()).value(), sha256_hex(std::string("abc")));
  EXPECT_FALSE(sha256_of("/nonexistent"));
}

TEST(StderrFilter, DropsTheNoiseAndKeepsTheRestInOrder) {
  testing::internal::CaptureStderr();
  {
    const StderrFilter filter("noise");
    const std::string text = "first\nsome noise here\nsecond\nnoise\nlast without an end";
    ASSERT_EQ(::write(STDERR_FILENO, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "first\nsecond\nlast without an end");
}

// A load that hangs says why first: its lines may not wait for its end.
TEST(StderrFilter, PassesLinesOnAsTheyCome) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const int original = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  std::string seen;
  {
    const StderrFilter filter("noise");
    const std::string text = "noise\nwaiting for the device\n";
    (void)!::write(STDERR_FILENO, text.data(), text.size());
    pollfd file{ends[0], POLLIN, 0};
    constexpr int kPatience = 10'000;  // ms; only a failure takes as long
    if (::poll(&file, 1, kPatience) == 1) {
      std::array<char, 100> buffer{};
      seen.assign(buffer.data(), static_cast<std::size_t>(::read(ends[0], buffer.data(), buffer.size())));
    }
  }
  ::dup2(original, STDERR_FILENO);
  for (const int file : {original, ends[0], ends[1]}) ::close(file);
  EXPECT_EQ(seen, "waiting for the device\n");
}

// A sanitizer has handlers of its own, which write a report and exit.
auto ended_by(int signal) {
#ifdef SACCADE_SANITIZED
  constexpr bool kReports = true;
#else
  constexpr bool kReports = false;
#endif
  return [signal](int status) {
    return (WIFSIGNALED(status) && WTERMSIG(status) == signal) ||
           (kReports && WIFEXITED(status) && WEXITSTATUS(status) != 0);
  };
}

TEST(StderrFilterDeathTest, ACrashTellsWhatWasWrittenBeforeIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto crash = [](int signal) {
    const StderrFilter filter("noise");
    const std::string text = "noise\nterminate called after throwing\n";
    (void)!::write(STDERR_FILENO, text.data(), text.size());
    ::raise(signal);
  };
  EXPECT_EXIT(crash(SIGABRT), ended_by(SIGABRT), "terminate called after throwing");
  EXPECT_EXIT(crash(SIGSEGV), ended_by(SIGSEGV), "terminate called after throwing");
}

}  // namespace
}  // namespace saccade::runtime
