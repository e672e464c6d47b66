#include "runtime/profiling/profiler.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/engines/simulated_backend.hpp"
#include "runtime/machine/resident_memory.hpp"

namespace saccade::runtime {
namespace {

const ProcessorId kCpu("cpu");

profiles::Variant variant(const std::string& id) {
  profiles::Variant v;
  v.id = VariantId(id);
  v.accuracy = 0.5;
  v.accuracy_images = 7;
  v.memory = Bytes(1e6);
  v.load_peak = Bytes(2e6);
  v.frame_time[ProcessorId("npu")] = Seconds(9.0);  // of another device: must not survive
  v.batch_time[2][ProcessorId("npu")] = Seconds(9.0);
  v.energy_per_inference = Joules(9.0);
  return v;
}

// Variants "fast" and "slow" of a simulated engine under a clock that only engines move: an inference
// takes 1 or 3 ms per image, a load 20 ms.
class ProfilerTest : public testing::Test {
 protected:
  ProfilerTest() {
    request_.set.network = "net";
    request_.set.input = {2, 2, 1};
    request_.set.interface.input.color = profiles::ColorOrder::gray;
    request_.set.labels = {"a", "b"};
    request_.set.variants = {variant("fast"), variant("slow")};
    request_.batches = {1, 4};
    request_.rounds.warmup = 2;
    request_.rounds.fewest = 5;
    request_.rounds.most = 10;
    request_.loads = 3;
    request_.memory_engines = 0;
  }

  [[nodiscard]] SimulatedBackend backend() {
    return SimulatedBackend({.before_load = [this](const EngineSpec&) -> Status {
                               clock_.advance(std::chrono::milliseconds(20));
                               return Done{};
                             },
                             .before_inference = [this](const EngineSpec& spec) -> Status {
                               const int per_image = spec.sha256 == "slow" ? 3 : 1;
                               clock_.advance(std::chrono::milliseconds(per_image * spec.batch));
                               ran_.push_back(spec.sha256 + std::to_string(spec.batch));
                               return Done{};
                             }});
  }

  Result<MeasuredProfiles> measure() {
    // Without a model file nothing looks at the hash; here it tells the hooks which variant runs.
    for (profiles::Variant& v : request_.set.variants) v.sha256 = v.id.str();
    return measure_profiles(backend(), request_, clock_,
                            [this](const ProfileProgress& p) { progress_.push_back(p); });
  }

  MeasuredProfiles measured() {
    auto result = measure();
    EXPECT_TRUE(result) << to_string(result.errors());
    return std::move(result).value();
  }

  ProfileRequest request_;
  ManualClock clock_;
  std::vector<std::string> ran_;
  std::vector<ProfileProgress> progress_;
};

TEST_F(ProfilerTest, TimesAreThoseOfTheClock) {
  const MeasuredProfiles result = measured();
  const profiles::Variant& slow = result.set.variants[1];
  EXPECT_EQ(slow.frame_time, (profiles::TimeByProcessor{{kCpu, Seconds(0.003)}}));
  EXPECT_EQ(slow.frame_time_p99, (profiles::TimeByProcessor{{kCpu, Seconds(0.003)}}));
  EXPECT_EQ(slow.batch_time, (std::map<int, profiles::TimeByProcessor>{{4, {{kCpu, Seconds(0.012)}}}}));
  EXPECT_EQ(slow.load_time, Seconds(0.020));
  EXPECT_EQ(result.set.variants[0].frame_time.at(kCpu), Seconds(0.001));
  EXPECT_EQ(result.spread, (std::vector<double>{0.0, 0.0}));
}

TEST_F(ProfilerTest, TheFrameTimeIsTheSumOfItsParts) {
  const MeasuredProfiles result = measured();
  for (const profiles::Variant& v : result.set.variants) {
    ASSERT_TRUE(v.frame_time_parts);
    const profiles::FrameTimeParts& parts = *v.frame_time_parts;
    EXPECT_NEAR((parts.prepare + parts.infer + parts.decode).value(), v.frame_time.at(kCpu).value(), 2e-9);
    EXPECT_EQ(parts.infer, v.frame_time.at(kCpu)) << "the clock moves in engines alone";
  }
}

TEST_F(ProfilerTest, VariantsRunInTurnsOneInferenceEach) {
  measured();
  const auto begin = std::find(ran_.begin(), ran_.end(), "fast1");
  ASSERT_GE(std::distance(begin, ran_.end()), 24);
  for (int i = 0; i < 24; ++i) EXPECT_EQ(begin[i], i % 2 == 0 ? "fast1" : "slow1") << "inference " << i;
}

TEST_F(ProfilerTest, RoundsEndWhenTheTimeIsUsedButNotBeforeTheFewest) {
  request_.rounds.time = Seconds(0.030);  // 4 ms a round at batch 1, the 2 warm-up rounds included
  EXPECT_EQ(measured().set.provenance.frames, 6);
  request_.rounds.time = Seconds(1e-6);
  EXPECT_EQ(measured().set.provenance.frames, request_.rounds.fewest);
  request_.rounds.time = Seconds(1e6);
  EXPECT_EQ(measured().set.provenance.frames, request_.rounds.most);
}

TEST_F(ProfilerTest, WhatIsNotMeasuredIsKeptAndWhatAnotherDeviceMeasuredIsNot) {
  const MeasuredProfiles result = measured();
  for (const profiles::Variant& v : result.set.variants) {
    EXPECT_EQ(v.accuracy, 0.5);
    EXPECT_EQ(v.accuracy_images, 7);
    EXPECT_EQ(v.memory, Bytes(1e6));
    EXPECT_EQ(v.load_peak, Bytes(2e6));
    EXPECT_FALSE(v.energy_per_inference);
    EXPECT_FALSE(v.frame_time.contains(ProcessorId("npu")));
    EXPECT_FALSE(v.batch_time.contains(2));
  }
  EXPECT_EQ(result.set.device.processors, (std::vector<ProcessorId>{kCpu}));
  EXPECT_EQ(result.set.provenance.energy_source, "unavailable");
  EXPECT_EQ(result.set.provenance.engine, "simulated");
}

// What draws 2 W at rest; engines add to it themselves.
class DrawnMeter final : public EnergyMeter {
 public:
  [[nodiscard]] std::string name() const override { return "drawn"; }
  [[nodiscard]] std::optional<Joules> total(TimePoint now) override {
    return Watts(2.0) * since_start(now) + above;
  }
  Joules above;
};

TEST_F(ProfilerTest, EnergyIsMeasuredAtBatchOneAndAtTheLargest) {
  DrawnMeter meter;
  request_.energy = EnergyTrial{};
  request_.energy->meter = &meter;
  request_.energy->clock = &clock_;
  request_.energy->rest = [this](Duration time) { clock_.advance(time); };
  for (profiles::Variant& v : request_.set.variants) v.sha256 = v.id.str();
  // 5 mJ for an inference and 1 mJ for an image: of batch 4, in 4 ms, less than four of batch 1.
  const SimulatedBackend metered({.before_inference = [&](const EngineSpec& spec) -> Status {
    clock_.advance(std::chrono::milliseconds(spec.batch));
    meter.above += Joules(5e-3 + 1e-3 * spec.batch);
    return Done{};
  }});
  const auto result = measure_profiles(metered, request_, clock_, [](const ProfileProgress&) {});
  ASSERT_TRUE(result) << to_string(result.errors());
  EXPECT_EQ(result.value().set.provenance.energy_source, "measured");
  EXPECT_NEAR(result.value().set.device.idle_power.value().value(), 2.0, 1e-9);
  for (const profiles::Variant& v : result.value().set.variants) {
    EXPECT_NEAR(v.energy_per_inference.value().value(), 6e-3, 1e-9);
    ASSERT_EQ(v.batch_energy.size(), 1u);
    EXPECT_NEAR(v.batch_energy.at(4).value(), 9e-3, 1e-9);
    EXPECT_NEAR(v.power.value().device.value().value(), 6.0, 1e-6)
        << "the larger: 6 mJ in 1 ms, 9 mJ in 4 ms";
    EXPECT_NEAR(profiles::energy_per_frame(v, 4)->value(), 9e-3, 1e-9);
  }
}

TEST_F(ProfilerTest, AccuracyIsTheShareOfImagesWhoseLargestLogitIsTheirLabel) {
  // The simulated engine adds up the even numbers for class 0 and the odd ones for class 1. Image k
  // is bright in the numbers of class k mod 2; every fifth label is wrong.
  request_.images = LabelledImages{25, [](std::size_t index, Picture& picture) -> Result<PictureTruth> {
                                     picture.resize(2, 2);
                                     for (std::size_t i = 0; i < 12; ++i) {
                                       picture.pixels[i] = i / 3 % 2 == index % 2 ? 255 : 64;
                                     }
                                     const int shown = static_cast<int>(index % 2);
                                     return PictureTruth{index % 5 == 0 ? 1 - shown : shown, {}};
                                   }};
  const MeasuredProfiles result = measured();
  EXPECT_EQ(result.set.variants[0].accuracy, 0.8);
  EXPECT_EQ(result.set.variants[0].accuracy_images, 25);
}

// The zoo's images have no name, and those of one's own that an earlier measurement named do not count then.
TEST_F(ProfilerTest, TheSourceOfAccuraciesIsThatOfTheLastMeasurement) {
  profiles::Provenance& before = request_.set.provenance;
  before.accuracy_source = profiles::AccuracySource::teacher;
  before.accuracy_data = "what fast finds in yard, 9 pictures without labels";
  for (profiles::Variant& v : request_.set.variants) v.accuracy_interval = {0.4, 0.6};
  request_.images = LabelledImages{4, [](std::size_t, Picture& picture) -> Result<PictureTruth> {
                                     picture.resize(2, 2);
                                     return PictureTruth{0, {}};
                                   }};
  request_.keep_accuracy = true;
  const MeasuredProfiles kept = measured();
  EXPECT_EQ(kept.set.provenance.accuracy_source, profiles::AccuracySource::teacher);
  EXPECT_EQ(kept.set.provenance.accuracy_data, "what fast finds in yard, 9 pictures without labels");
  request_.keep_accuracy = false;
  const MeasuredProfiles unnamed = measured();
  EXPECT_FALSE(unnamed.set.provenance.accuracy_source);
  EXPECT_EQ(unnamed.set.provenance.accuracy_data, "");
  EXPECT_FALSE(unnamed.set.variants[0].accuracy_interval);
  request_.images->name = "gate, 4 pictures";
  const MeasuredProfiles named = measured();
  EXPECT_EQ(named.set.provenance.accuracy_source, profiles::AccuracySource::measured);
  EXPECT_EQ(named.set.provenance.accuracy_data, "gate, 4 pictures");
}

TEST_F(ProfilerTest, ProgressCountsPhasesAndNeverRunsBackwards) {
  request_.images = LabelledImages{4, [](std::size_t, Picture& picture) -> Result<PictureTruth> {
                                     picture.resize(2, 2);
                                     std::fill(picture.pixels.begin(), picture.pixels.end(), 255);
                                     return PictureTruth{0, {}};
                                   }};
  measured();
  ASSERT_FALSE(progress_.empty());
  int number = 1;
  double share = 0.0;
  for (const ProfileProgress& p : progress_) {
    EXPECT_EQ(p.phases, 4);  // loading, accuracy, batches 1 and 4
    ASSERT_TRUE(p.number == number || p.number == number + 1);
    if (p.number > number) share = 0.0;
    EXPECT_GE(p.share, share);
    EXPECT_LE(p.share, 1.0);
    number = p.number;
    share = p.share;
  }
  EXPECT_EQ(number, 4);
}

TEST_F(ProfilerTest, AVariantThatCannotBeLoadedEndsTheMeasurementWithItsError) {
  request_.set.variants[1].model = "missing.onnx";
  request_.set.directory = "/nonexistent";
  const auto result = measure();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.errors()[0].where, "/nonexistent/missing.onnx");
}

TEST_F(ProfilerTest, VariantsOfOneSpeedAreReportedAsUnranked) {
  request_.set.variants = {variant("fast"), variant("fast"), variant("slow")};
  request_.rounds.most = 100;
  EXPECT_EQ(measured().unranked, (std::vector<IndexPair>{{0, 1}}));
}

TEST_F(ProfilerTest, MemoryIsMeasuredAnewOrAbsentNeverLeftOver) {
  request_.memory_engines = 3;
  for (profiles::Variant& v : request_.set.variants) v.memory = Bytes(1e15);
  for (const profiles::Variant& v : measured().set.variants) {
    EXPECT_TRUE(!v.memory || *v.memory < Bytes(1e12));
  }
}

TEST(LeaveOutUnsupported, TakesOutWhatTheBackendRefusesButNotDamagedFiles) {
  const auto backend = std::move(make_backend("opencv")).value();
  ProfileRequest request;
  request.set.network = "net";
  request.set.directory = std::string(SACCADE_SOURCE_DIR) + "/tests/support/models";
  request.set.input = {8, 8, 3};
  request.set.labels = {"a", "b", "c", "d", "e"};
  for (const char* name : {"tiny-gap", "tiny-alien", "tiny-fp16", "tiny-flat"}) {
    profiles::Variant v = variant(name);
    v.model = name + std::string(".onnx");
    v.sha256 = sha256_of(request.set.directory / v.model).value();
    request.set.variants.push_back(v);
  }
  request.set.variants[2].sha256 = std::string(64, '0');
  const Errors reasons = leave_out_unsupported(*backend, request);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].where, "net tiny-alien");
  std::vector<std::string> left;
  for (const profiles::Variant& v : request.set.variants) left.push_back(v.id.str());
  EXPECT_EQ(left, (std::vector<std::string>{"tiny-gap", "tiny-fp16", "tiny-flat"}));
}

class Pages {  // fresh memory from the system, touched page by page
 public:
  explicit Pages(std::size_t bytes)
      : bytes_(bytes),
        begin_(static_cast<char*>(
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    for (std::size_t i = 0; i < bytes; i += 4096) begin_[i] = 1;
  }
  ~Pages() { ::munmap(begin_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

 private:
  std::size_t bytes_;
  char* begin_;
};

// What this process has resident of files: its share of them is all to nothing as others map the same.
double resident_of_files() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0.0;
    if (word == "RssFile:" && status >> kilobytes) return kilobytes * 1024.0;
  }
  return 0.0;
}

TEST(ResidentMemory, GrowsWithTheMemoryThatIsTouchedAndThePeakRemembersIt) {
  constexpr std::size_t kBytes = 512U << 20U;
  const double shared = resident_of_files() + 10e6;  // other tests of this program come and go meanwhile
  ASSERT_LT(shared, kBytes / 2.0);
  const auto before = proportional_memory();
  if (!before) GTEST_SKIP() << "this system does not tell";
  const PeakMemory peak;
  {
    const Pages pages(kBytes);
    EXPECT_NEAR((*proportional_memory() - *before).value(), kBytes, shared);
  }
  EXPECT_NEAR((*proportional_memory() - *before).value(), 0.0, shared);
  const auto growth = peak.growth();
  if (!growth) GTEST_SKIP() << "this system does not let the peak be set back";
  EXPECT_NEAR(growth->value(), kBytes, shared);
}

#ifndef SACCADE_SANITIZED  // a sanitizer keeps the memory that was freed
// Ends the process: with 0 if it grew by what stays and no more.
[[noreturn]] void keep_small_blocks_between_large_ones() {
  give_large_blocks_back();
  constexpr std::size_t kStays = 64U << 10U;
  const double before = anonymous_memory().value().value();
  std::vector<std::vector<char>> stays;  // between large ones, as what an engine's neighbours keep
  for (std::size_t i = 0; i < 200; ++i) {
    const std::vector<char> goes((2 + i * 7 % 5) << 20U, 1);
    stays.emplace_back(kStays, 1);
  }
  const double growth = anonymous_memory().value().value() - before;
  const auto kept = static_cast<double>(stays.size() * kStays);
  std::fprintf(stderr, "grew by %.0f bytes, %.0f stay\n", growth, kept);
  std::exit(growth > 0.9 * kept && growth < kept + 1e6 ? 0 : 1);
}

// In a process of its own: large free blocks that other tests have left in the heap would be used first.
TEST(ResidentMemory, LargeBlocksThatCameAndWentLeaveNoHoles) {
  if (!anonymous_memory()) GTEST_SKIP() << "this system does not tell";
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(keep_small_blocks_between_large_ones(), testing::ExitedWithCode(0), "grew by");
}
#endif

}  // namespace
}  // namespace saccade::runtime
