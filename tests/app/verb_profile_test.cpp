// `saccade profile` from its arguments to the file it writes, with the simulated engine and tiny models.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/profile_report.hpp"
#include "app/verbs/profile_session.hpp"
#include "app/verbs/profile_subject.hpp"
#include "app/verbs/profile_verify.hpp"
#include "app/verbs/verbs.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/engines/simulated_backend.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

class VerbProfile : public ::testing::Test {
 protected:
  VerbProfile() {
    fs::create_directories(folder_ / "net");
    for (const char* model : {"tiny-gap.onnx", "tiny-flat.onnx"}) {
      fs::copy_file(fs::path(SACCADE_SOURCE_DIR) / "tests/support/models" / model, folder_ / "net" / model);
    }
    profiles::ProfileSet set;
    set.network = "net";
    set.device = {"elsewhere", {ProcessorId("cpu")}, std::nullopt};
    set.input = {8, 8, 3};
    set.labels = {"a", "b", "c", "d", "e"};
    for (const char* name : {"tiny-gap", "tiny-flat"}) {
      profiles::Variant v;
      v.id = VariantId(name);
      v.model = "net/" + std::string(name) + ".onnx";
      v.sha256 = runtime::sha256_of(folder_ / v.model).value();
      v.accuracy = 0.75;
      v.memory = Bytes(1e6);
      v.frame_time[ProcessorId("cpu")] = Seconds(1000.0);
      v.batch_time[4][ProcessorId("cpu")] = Seconds(4000.0);
      set.variants.push_back(v);
    }
    EXPECT_TRUE(profiles::write_profile_set(set, set_));
  }
  ~VerbProfile() override { fs::remove_all(folder_); }

  int profile(std::vector<std::string> args) {
    out_.str("");
    err_.str("");
    args.insert(args.end(), {"--backend", "simulated"});
    return verb_profile(args, out_, err_);
  }

  void write_training(const std::string& variants) {
    write(folder_ / "net/training.json",
          R"({"format": "saccade-training/1", "network": "net", "data_set": "x", "labels": ["a", "b"],
              "sizes": [{"size": "s", "width": 0.5, "depth": 1.0, "variants": [)" +
              variants + "]}]}");
  }

  const fs::path folder_ = fs::temp_directory_path() / ("saccade-profile-" + std::to_string(::getpid()));
  const fs::path set_ = folder_ / "net.json";
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(VerbProfile, QuickMeasuresTimesAndKeepsAccuracyAndMemory) {
  ASSERT_EQ(profile({set_.string(), "--quick"}), kExitOk) << err_.str();
  const auto set = profiles::read_profile_set(set_);
  ASSERT_TRUE(set) << to_string(set.errors());
  ASSERT_EQ(set.value().variants.size(), 2U);
  for (const profiles::Variant& v : set.value().variants) {
    EXPECT_EQ(v.accuracy, 0.75);
    EXPECT_EQ(v.memory, Bytes(1e6));
    EXPECT_LT(v.frame_time.at(ProcessorId("cpu")), Seconds(1000.0));
    ASSERT_TRUE(v.batch_time.contains(4)) << "the batch sizes are those of the set";
    EXPECT_LT(v.batch_time.at(4).at(ProcessorId("cpu")), Seconds(4000.0));
    EXPECT_TRUE(v.load_time);
  }
  EXPECT_NE(set.value().device.name, "elsewhere");
  EXPECT_EQ(set.value().provenance.measured_by, "saccade profile --quick");
  EXPECT_NE(out_.str().find("tiny-gap"), std::string::npos) << out_.str();
}

TEST_F(VerbProfile, JsonOnStandardOutputIsTheFile) {
  ASSERT_EQ(profile({set_.string(), "--quick", "--json"}), kExitOk) << err_.str();
  EXPECT_EQ(out_.str(), read(set_));
}

TEST_F(VerbProfile, OnlyTheNamedVariantsAreWrittenAndTheirModelsComeAlong) {
  const fs::path other = folder_ / "elsewhere" / "set.json";
  fs::create_directories(other.parent_path());
  const std::string before = read(set_);
  ASSERT_EQ(profile({set_.string(), "--quick", "--only", "tiny-flat", "--out", other.string()}), kExitOk)
      << err_.str();
  const auto set = profiles::read_profile_set(other);
  ASSERT_TRUE(set) << to_string(set.errors());
  ASSERT_EQ(set.value().variants.size(), 1U);
  const profiles::Variant& v = set.value().variants[0];
  EXPECT_EQ(runtime::sha256_of(set.value().directory / v.model).value(), v.sha256);
  EXPECT_EQ(read(set_), before);
}

TEST_F(VerbProfile, ADamagedModelEndsItAndTheOldFileStays) {
  const std::string before = read(set_);
  write(folder_ / "net/tiny-flat.onnx", "damaged");
  EXPECT_EQ(profile({set_.string(), "--quick"}), kExitFailed);
  EXPECT_NE(err_.str().find("SHA-256"), std::string::npos) << err_.str();
  EXPECT_EQ(read(set_), before);
}

TEST_F(VerbProfile, MistakesOnTheCommandLineAreUsageErrors) {
  write_training(R"({"id": "v", "precision": "fp32", "model": "tiny-gap.onnx"})");
  const std::string set = set_.string();
  for (const std::vector<std::string>& args : {std::vector<std::string>{},
                                               {set, "--only", "tiny-gap"},
                                               {set, "--only", "tiny-gab", "--out", set},
                                               {set, "--cpu", "100000"},
                                               {set, "--cpu", "one"},
                                               {set, "--quick", "--verify"},
                                               {set, "--verify", "--out", set},
                                               {(folder_ / "net").string(), "--verify"},
                                               {(folder_ / "net").string(), "--quick"}}) {
    EXPECT_EQ(profile(args), kExitUsage) << ::testing::PrintToString(args);
    EXPECT_FALSE(err_.str().empty());
  }
}

TEST_F(VerbProfile, ABackendThatIsNotThereIsUnavailable) {
  EXPECT_EQ(verb_profile({set_.string(), "--quick", "--backend", "abacus"}, out_, err_), kExitUnavailable);
}

TEST_F(VerbProfile, WithoutImagesForItsLabelsAccuracyIsNotInvented) {
  EXPECT_EQ(profile({set_.string()}), kExitConfig);
  EXPECT_NE(err_.str().find("--quick"), std::string::npos) << err_.str();
}

TEST_F(VerbProfile, ATrainedNetworkIsReadWithItsSizesAndFiles) {
  write_training(R"({"id": "s-fp32", "precision": "fp32", "model": "tiny-gap.onnx", "sha256": "ab"},
                    {"id": "s-int8", "precision": "int8", "model": "tiny-flat.onnx", "sha256": "cd"})");
  for (const std::string& name : {std::string("net"), std::string("net/")}) {
    const auto subject = read_profile_subject(folder_ / name);
    ASSERT_TRUE(subject) << to_string(subject.errors());
    EXPECT_FALSE(subject.value().measured);
    EXPECT_EQ(subject.value().home, set_);
    const profiles::ProfileSet& set = subject.value().set;
    EXPECT_EQ(set.labels, (std::vector<std::string>{"a", "b"}));
    ASSERT_EQ(set.variants.size(), 2U);
    EXPECT_EQ(set.variants[1].id, VariantId("s-int8"));
    EXPECT_EQ(set.variants[1].precision, profiles::Precision::int8);
    EXPECT_EQ(set.variants[1].width, 0.5);
    EXPECT_EQ(set.variants[1].sha256, "cd");
    EXPECT_TRUE(fs::exists(set.directory / set.variants[1].model));
  }
}

TEST_F(VerbProfile, AllMistakesOfATrainingRecordAreToldAtOnce) {
  write_training(R"({"id": "s fp32", "precision": "fp33", "model": "../tiny-gap.onnx"})");
  const auto subject = read_profile_subject(folder_ / "net");
  ASSERT_FALSE(subject);
  EXPECT_EQ(subject.errors().size(), 3U) << to_string(subject.errors());
  EXPECT_FALSE(read_profile_subject(folder_ / "nowhere"));
}

TEST_F(VerbProfile, AStoppedMeasurementIsGoneOnWithAndLeavesNoJournal) {
  ASSERT_EQ(profile({set_.string(), "--quick"}), kExitOk) << err_.str();
  const fs::path journal = set_.string() + ".journal";
  EXPECT_FALSE(fs::exists(journal));
  EXPECT_EQ(err_.str().find("went on"), std::string::npos);

  // What a process leaves that is killed between its last measure and the end.
  auto subject = read_profile_subject(set_);
  ASSERT_TRUE(subject);
  SessionOptions options;
  options.backend = "simulated";
  options.thoroughness = Thoroughness::quick;
  {
    const auto session = std::move(ProfileSession::open(options)).value();
    ASSERT_TRUE(session->measure(subject.value(), set_, {}));
    EXPECT_EQ(session->resumed(), 0U);
  }
  ASSERT_TRUE(fs::exists(journal));
  const auto kept = profiles::read_profile_set(set_);
  ASSERT_TRUE(kept);
  ASSERT_EQ(profile({set_.string(), "--quick"}), kExitOk) << err_.str();
  EXPECT_NE(err_.str().find("went on"), std::string::npos) << err_.str();
  EXPECT_FALSE(fs::exists(journal));
  const auto again = profiles::read_profile_set(set_);
  ASSERT_TRUE(again);
  for (std::size_t v = 0; v < 2; ++v) {
    EXPECT_EQ(again.value().variants[v].frame_time, kept.value().variants[v].frame_time);
    EXPECT_EQ(again.value().variants[v].load_time, kept.value().variants[v].load_time);
  }
  EXPECT_TRUE(again.value().provenance.measuring);
}

TEST_F(VerbProfile, FreshForgetsWhatAStoppedMeasurementLeft) {
  const auto subject = read_profile_subject(set_);
  SessionOptions options;
  options.backend = "simulated";
  options.thoroughness = Thoroughness::quick;
  ASSERT_TRUE(std::move(ProfileSession::open(options)).value()->measure(subject.value(), set_, {}));
  ASSERT_EQ(profile({set_.string(), "--quick", "--fresh"}), kExitOk) << err_.str();
  EXPECT_EQ(err_.str().find("went on"), std::string::npos) << err_.str();
}

TEST_F(VerbProfile, AFolderOfNetworksIsMeasuredOneAfterTheOther) {
  auto other = profiles::read_profile_set(set_).value();
  other.network = "another";
  ASSERT_TRUE(profiles::write_profile_set(other, folder_ / "another.json"));
  write_training("");  // below net.json, so not a network of its own
  const fs::path out = folder_ / "out";
  ASSERT_EQ(profile({folder_.string(), "--quick", "--only", "net/*gap,another/tiny-f?at", "--out",
                     out.string(), "--plot", (out / "plots").string()}),
            kExitOk)
      << err_.str();
  const auto net = profiles::read_profile_set(out / "net.json");
  const auto another = profiles::read_profile_set(out / "another.json");
  ASSERT_TRUE(net && another);
  ASSERT_EQ(net.value().variants.size(), 1U);
  ASSERT_EQ(another.value().variants.size(), 1U);
  EXPECT_EQ(net.value().variants[0].id, VariantId("tiny-gap"));
  EXPECT_EQ(another.value().variants[0].id, VariantId("tiny-flat"));
  EXPECT_LT(out_.str().find("another on"), out_.str().find("net on")) << out_.str();
  EXPECT_NE(out_.str().find("2 networks"), std::string::npos);
  EXPECT_TRUE(fs::exists(out / "plots" / "net-front.csv"));
  EXPECT_EQ(profile({folder_.string(), "--quick", "--only", "net/tiny-gab", "--out", out.string()}),
            kExitUsage);
  EXPECT_NE(err_.str().find("did you mean"), std::string::npos) << err_.str();
}

TEST_F(VerbProfile, EnergyIsModelledOnRequestAndSaidToBe) {
  ASSERT_EQ(profile({set_.string(), "--quick"}), kExitOk) << err_.str();
  EXPECT_FALSE(profiles::read_profile_set(set_).value().variants[0].energy_per_inference);
  ASSERT_EQ(profile({set_.string(), "--quick", "--model-power", "2,7.5"}), kExitOk) << err_.str();
  const auto set = profiles::read_profile_set(set_).value();
  EXPECT_EQ(set.provenance.energy_source, "modelled");
  EXPECT_NE(set.provenance.measured_by.find("--model-power 2,7.5"), std::string::npos);
  EXPECT_EQ(set.device.idle_power, Watts(2.0));
  const profiles::Variant& v = set.variants[0];
  EXPECT_EQ(v.power->device, Watts(5.5));
  EXPECT_NEAR(v.energy_per_inference->value(), 5.5 * v.frame_time.at(ProcessorId("cpu")).value(), 1e-12);
  for (const char* wrong : {"2", "7,2", "2,x", "2,2"}) {
    EXPECT_EQ(profile({set_.string(), "--quick", "--model-power", wrong}), kExitUsage) << wrong;
  }
}

profiles::ProfileSet measured_set(const std::vector<double>& milliseconds) {
  profiles::ProfileSet set;
  set.network = "net";
  set.device = {"board", {ProcessorId("cpu")}, std::nullopt};
  set.provenance.engine = "engine 1";
  set.provenance.instruction_set = "avx2 fma";
  for (const double time : milliseconds) {
    profiles::Variant v;
    v.id = VariantId("v" + std::to_string(set.variants.size()));
    v.accuracy = 0.9;
    v.accuracy_images = 4000;
    v.frame_time[ProcessorId("cpu")] = Seconds(1e-3 * time);
    set.variants.push_back(v);
  }
  return set;
}

TEST(Verify, TheSameMachineMustKeepEveryAccuracyAndTheOrderOfWhatIsClearlyApart) {
  const auto shipped = measured_set({1.0, 1.1, 2.0});
  auto now = measured_set({2.2, 2.1, 4.0});  // half as fast; the two that are near have changed places
  Verification verified = verify(shipped, now);
  EXPECT_TRUE(verified.same_machine);
  EXPECT_TRUE(verified.holds());
  EXPECT_EQ(verified.clear_pairs, 2U);
  EXPECT_NEAR(verified.median_ratio, 2.0, 1e-9);
  EXPECT_NEAR(verified.kendall, 1.0 / 3.0, 1e-9);

  now = measured_set({2.2, 4.1, 4.0});
  verified = verify(shipped, now);
  EXPECT_FALSE(verified.holds());
  EXPECT_EQ(verified.swapped, (std::vector<std::pair<std::string, std::string>>{{"v1", "v2"}}));

  now = shipped;
  now.variants[1].accuracy += 1.0 / 4000.0;  // one image
  EXPECT_FALSE(verify(shipped, now).holds());
}

TEST(Verify, AnotherMachineMayRoundAndOrderOtherwiseWithinTwoStandardErrors) {
  const auto shipped = measured_set({1.0, 2.0});
  auto now = measured_set({2.0, 1.0});
  now.device.name = "another board";
  EXPECT_TRUE(verify(shipped, now).holds()) << "its order is its own";
  now.variants[0].accuracy = 0.9 + 0.0002;
  EXPECT_FALSE(verify(shipped, now).holds()) << "the same instructions give the same accuracy";
  now.provenance.instruction_set = "asimd";
  EXPECT_FALSE(verify(shipped, now).same_arithmetic);
  EXPECT_TRUE(verify(shipped, now).holds());
  now.variants[0].accuracy = 0.9 - 2.1 * std::sqrt(0.9 * 0.1 / 4000.0);
  EXPECT_FALSE(verify(shipped, now).holds());
  auto old = shipped;
  old.provenance.instruction_set.clear();
  EXPECT_FALSE(verify(old, shipped).same_arithmetic) << "what is not known is not the same";
}

TEST(Verify, AccuraciesOnOtherPicturesMayDifferByBothIntervalsAndAreSaidToBe) {
  auto shipped = measured_set({1.0, 2.0});
  shipped.provenance.accuracy_source = profiles::AccuracySource::measured;
  shipped.provenance.accuracy_data = "spring, folder per class: 400 pictures of 5 labels";
  for (profiles::Variant& variant : shipped.variants) variant.accuracy_interval = {0.88, 0.92};
  auto now = shipped;
  now.variants[0].accuracy = 0.915;
  const auto printed = [&] {
    std::ostringstream text;
    print(verify(shipped, now), text);
    return text.str();
  };
  EXPECT_FALSE(verify(shipped, now).holds()) << "the same pictures, engine and instructions";
  EXPECT_EQ(printed().find("different pictures"), std::string::npos) << printed();
  now.provenance.accuracy_data = "autumn, folder per class: 400 pictures of 5 labels";
  EXPECT_TRUE(verify(shipped, now).holds());
  EXPECT_NE(printed().find(
                "then measured: spring, folder per class: 400 pictures of 5 labels; now measured: autumn"),
            std::string::npos)
      << printed();
  EXPECT_EQ(to_json(verify(shipped, now)).at("accuracy_data_now"),
            "measured: autumn, folder per class: 400 pictures of 5 labels");
  now.variants[0].accuracy = 0.9 + 1.01 * std::sqrt(2.0) * 0.02;  // two samples of pictures
  EXPECT_FALSE(verify(shipped, now).holds());
}

TEST(Report, TheFrontIsWhatNothingElseBeats) {
  auto set = measured_set({3.0, 1.0, 2.0});
  set.variants[0].accuracy = 0.95;
  set.variants[2].accuracy = 0.85;  // slower and worse than v1
  EXPECT_EQ(accuracy_time_front(set), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(front_chart(set).series.size(), 2U);
}

TEST_F(VerbProfile, AModelThatOneEngineCannotReadDoesNotHoldAndTheOthersAreCompared) {
  const auto set = profiles::read_profile_set(set_);
  ASSERT_TRUE(set);
  const runtime::SimulatedBackend all;
  const runtime::SimulatedBackend some({.failing_loads = 1});
  const runtime::LabelledImages images{
      4, [](std::size_t, runtime::Picture& picture) -> Result<runtime::PictureTruth> {
        picture.resize(8, 8);
        std::fill(picture.pixels.begin(), picture.pixels.end(), 128);
        return runtime::PictureTruth{0, {}};
      }};
  const Agreement found = compare_engines(all, some, set.value(), images, [](double) {});
  ASSERT_EQ(found.variants.size(), 2U);
  EXPECT_FALSE(found.variants[0].agreement);
  EXPECT_EQ(found.variants[0].errors.size(), 1U);
  EXPECT_EQ(found.variants[1].agreement, 1.0);
  EXPECT_TRUE(found.variants[1].holds());
  EXPECT_FALSE(found.holds());
  std::ostringstream table;
  print(found, table);
  EXPECT_NE(table.str().find("not readable"), std::string::npos) << table.str();
}

}  // namespace
}  // namespace saccade::app
