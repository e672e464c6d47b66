// What keeps a processor from serving by its execution provider, and what the adapter asks of the library.
#include "runtime/engines/providers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/conformance/engine_models.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

CudaFacts whole() {
  return {.core = true,
          .folder = "/opt/onnxruntime",
          .version = "1.29.0",
          .provider_library = true,
          .driver = true,
          .devices = 2};
}

std::string missing(const ProviderUse& use, const CudaFacts& facts) {
  return to_string(missing_for({use}, facts));
}

TEST(Providers, NothingIsMissingForTheCpuWhateverTheMachineHas) {
  EXPECT_TRUE(missing_for({{"cpu", "cpu", 0}}, CudaFacts{}).empty());
}

TEST(Providers, TheFirstThingThatCudaLacksIsNamedPerProcessor) {
  const ProviderUse gpu{"gpu", "cuda", 1};
  EXPECT_EQ(missing(gpu, whole()), "");
  CudaFacts facts = whole();
  facts.devices = 1;
  EXPECT_NE(missing(gpu, facts).find("there is no device 1: the driver reports 1"), std::string::npos);
  facts.devices = 0;
  EXPECT_NE(missing(gpu, facts).find("reports no device"), std::string::npos);
  facts.driver = false;
  EXPECT_NE(missing(gpu, facts).find("there is no driver"), std::string::npos);
  facts.provider_library = false;
  EXPECT_NE(missing(gpu, facts).find("is not beside ONNX Runtime 1.29.0 in /opt/onnxruntime"),
            std::string::npos);
  facts.core = false;
  EXPECT_NE(missing(gpu, facts).find("no library of ONNX Runtime"), std::string::npos);
  const Errors both = missing_for({gpu, {"second", "cuda", 0}, {"cpu", "cpu", 0}}, facts);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].where, "processor 'second'");
}

TEST(Providers, OfADeviceWithoutANameItIsSaidWhatCannotBeToldAndWhatToDo) {
  EXPECT_EQ(unnamed_device(0, {"Card A", ""}), std::nullopt);
  for (const int device : {1, 2}) {
    const auto note = unnamed_device(device, {"Card A", ""});
    ASSERT_TRUE(note);
    EXPECT_EQ(note->where, "device " + std::to_string(device));
    EXPECT_NE(note->what.find("the driver reports no name for it"), std::string::npos) << note->what;
    EXPECT_NE(note->hint.find("nvidia-smi -L"), std::string::npos) << note->hint;
  }
}

TEST(Providers, ThoseThatAreNotServedSayWhyEvenOnAMachineWithEverything) {
  for (const char* name : {"tensorrt", "webgpu"}) {
    const std::string why = missing({"gpu", name, 0}, whole());
    EXPECT_NE(why.find("is not served: "), std::string::npos) << name;
    EXPECT_NE(why.find(std::string("`") + name + "`"), std::string::npos);
  }
}

// Whatever this machine has: on one without a card the words are those of what it lacks.
TEST(Providers, OfAnEmptyFolderNothingIsUsed) {
  const test::TemporaryFolder folder;
  const CudaFacts facts = look_for_cuda(folder.path().string());
  EXPECT_FALSE(facts.core);
  EXPECT_FALSE(missing_here({{"gpu", "cuda", 0}}, folder.path().string()).empty());
}

TEST(Providers, OptionsOfTheProcessorAreThoseOfTheMeasuredSets) {
  EXPECT_EQ(provider_options("cpu", true, false), "");
  EXPECT_EQ(provider_options("cuda", true, false),
            "graphs=1 cudnn_conv_algo_search=HEURISTIC arena_extend_strategy=kSameAsRequested");
  EXPECT_EQ(provider_options("cuda", false, true),
            "graphs=0 cudnn_conv_algo_search=HEURISTIC arena_extend_strategy=kSameAsRequested wait=block");
}

TEST(Providers, OptionsOfAnEngineFollowFromItsVariantAndItsProcessor) {
  profiles::Variant variant;
  EngineSpec spec;
  spec.profile = &variant;
  spec.device = 3;
  const auto option = [&](const std::string& name) {
    for (const auto& [known, value] : cuda_options(spec)) {
      if (known == name) return value;
    }
    return std::string("absent");
  };
  for (const profiles::Precision precision : profiles::kPrecisions) {
    variant.precision = precision;
    EXPECT_EQ(option("use_tf32"), precision == profiles::Precision::fp32 ? "0" : "1") << to_string(precision);
    EXPECT_EQ(option("prefer_nhwc"), precision == profiles::Precision::fp16 ? "1" : "0")
        << to_string(precision);
    EXPECT_EQ(option("cudnn_conv_algo_search"), "HEURISTIC");
    EXPECT_EQ(option("arena_extend_strategy"), "kSameAsRequested");
  }
  EXPECT_EQ(option("device_id"), "3");
  EXPECT_EQ(option("enable_cuda_graph"), "1");
  spec.graphs = false;
  EXPECT_EQ(option("enable_cuda_graph"), "0");
  spec.profile = nullptr;
  EXPECT_EQ(option("use_tf32"), "0") << "nothing is rounded without being asked for";
}

// Where there is no card, the adapter refuses by a value. It never answers from the CPU.
TEST(Providers, NoEngineOfCudaComesIntoBeingWithoutACard) {
  const CudaFacts facts = look_for_cuda("");
  if (missing_for({{"gpu", "cuda", 0}}, facts).empty()) GTEST_SKIP() << "this machine has a card";
  const auto backend = make_backend("onnxruntime");
  if (!backend) GTEST_SKIP() << to_string(backend.errors());
  EngineSpec spec = conformance::spec_of(conformance::model_file("tiny-gap.onnx"));
  spec.provider = "cuda";
  for (int i = 0; i < 2; ++i) {
    const auto loaded = backend.value()->load(spec);
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(to_string(loaded.errors()).find("damaged"), std::string::npos)
        << "of a device, not of the file";
  }
  spec.provider = "cpu";
  EXPECT_NE(conformance::load(*backend.value(), spec), nullptr);
}

}  // namespace
}  // namespace saccade::runtime
