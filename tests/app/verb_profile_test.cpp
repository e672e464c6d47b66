// `saccade profile` from its arguments to the file it writes, with the simulated engine and tiny models.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "app/exit_codes.hpp"
#include "app/profile_subject.hpp"
#include "app/verbs.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engine.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

class VerbProfile : public testing::Test {
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
                                               {(folder_ / "net").string(), "--quick"}}) {
    EXPECT_EQ(profile(args), kExitUsage) << testing::PrintToString(args);
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

}  // namespace
}  // namespace saccade::app
