// `saccade profile` with an execution provider: its options, and that it measures nothing on the CPU instead.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/verbs/profile_session.hpp"
#include "app/verbs/verbs.hpp"
#include "runtime/engines/providers.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app::verb_profile_provider_test {
namespace {

const std::string kSet = std::string(SACCADE_SOURCE_DIR) + "/profiles/zoo/densenet-signs.json";

struct Said {
  int code = 0;
  std::string err;
};

Said profile(std::vector<std::string> args) {
  std::ostringstream out;
  std::ostringstream err;
  args.insert(args.begin(), kSet);
  const int code = verb_profile(args, out, err);
  return {code, err.str()};
}

TEST(ProfileProvider, OptionsThatDoNotFitAreRefused) {
  const auto complaint = [](const std::vector<std::string>& args) {
    const Said said = profile(args);
    EXPECT_EQ(said.code, kExitUsage) << said.err;
    return said.err;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(complaint({"--provider", "tensorrt"}), "--provider is cpu or cuda"));
  EXPECT_TRUE(has(complaint({"--no-graphs"}), "--no-graphs is for --provider cuda"));
  EXPECT_TRUE(has(complaint({"--provider", "cuda", "--wait", "sleep"}), "--wait is spin or block"));
  EXPECT_TRUE(has(complaint({"--provider", "cuda", "--device", "64"}), "--device is from 0 to 63"));
  EXPECT_TRUE(has(complaint({"--provider", "cuda", "--backend", "opencv"}), "not of --backend opencv"));
  EXPECT_TRUE(has(complaint({"--provider", "cuda", "--layers"}), "--provider says nothing about layers"));
  EXPECT_TRUE(has(complaint({"--provider", "cuda", "--agree"}), "engines of the CPU"));
}

TEST(ProfileProvider, WhatTheMachineLacksIsSaidAndNothingIsMeasured) {
  const Errors missing = runtime::missing_here({{"of --provider", "cuda", 0}}, "");
  if (missing.empty()) GTEST_SKIP() << "this machine has a card";
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "set.json";
  const Said said = profile({"--provider", "cuda", "--quick", "--out", file.string()});
  EXPECT_EQ(said.code, kExitUnavailable) << said.err;
  EXPECT_NE(said.err.find(missing.front().what), std::string::npos) << said.err;
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(ProfileProvider, ASetIsMeasuredForItsOwnProcessorUnlessAnotherProviderMeasuredIt) {
  profiles::ProfileSet set;
  SessionOptions cpu;
  SessionOptions cuda;
  cuda.provider.name = "cuda";
  EXPECT_EQ(profiled_processor(set, cpu), ProcessorId("cpu"));
  EXPECT_EQ(profiled_processor(set, cuda), ProcessorId("gpu"));
  set.device.processors = {ProcessorId("arm")};
  EXPECT_EQ(profiled_processor(set, cpu), ProcessorId("arm"));
  EXPECT_EQ(profiled_processor(set, cuda), ProcessorId("gpu")) << "a processor of the host measured it";
  set.provenance.provider = "cuda";
  set.device.processors = {ProcessorId("card")};
  EXPECT_EQ(profiled_processor(set, cuda), ProcessorId("card"));
  EXPECT_EQ(profiled_processor(set, cpu), ProcessorId("cpu"));
  cpu.threads = 2;
  set.provenance.provider.clear();
  set.device.processors = {ProcessorId("arm")};
  EXPECT_EQ(profiled_processor(set, cpu), ProcessorId("arm-x2"));
}

TEST(ProfileProvider, AQuickMeasurementMeasuresMemoryThatAnotherProviderTook) {
  const auto measures_memory = [](const std::string& before, const std::string& now) {
    runtime::ProfileRequest request;
    request.set.variants.emplace_back();
    request.set.provenance.provider = before;
    request.provider = now;
    make_quick(request);
    return request.memory_engines > 0;
  };
  EXPECT_FALSE(measures_memory("", "cpu"));
  EXPECT_TRUE(measures_memory("", "cuda"));
  EXPECT_FALSE(measures_memory("cuda", "cuda"));
  EXPECT_TRUE(measures_memory("cuda", "cpu"));
}

}  // namespace
}  // namespace saccade::app::verb_profile_provider_test
