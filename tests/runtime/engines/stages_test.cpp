// Networks cut into stages, each stage in an engine of its own, against the whole network.
#include "runtime/engines/stages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "profiles/profile_io.hpp"
#include "tests/support/onnx_graph.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

namespace fs = std::filesystem;

std::string said(const Errors& errors) { return to_string(errors); }

// A network of the zoo, its chain, and its engines.
class CutNetwork {
 public:
  CutNetwork(const std::string& network, const std::string& variant, vision::ChainOptions options = {})
      : backend_(make_backend("onnxruntime")) {
    const auto set =
        profiles::read_profile_set(fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo" / (network + ".json"));
    if (!set || !backend_) return;
    whole_ = engine_spec(set.value(), set.value().index_of(VariantId(variant)).value(), 1);
    whole_.profile = nullptr;  // the set goes
    options.picture = whole_.input;
    auto cutter = vision::OnnxCutter::open(whole_.model, options);
    EXPECT_TRUE(cutter) << (cutter ? "" : said(cutter.errors()));
    if (cutter) cutter_ = std::move(cutter).value();
  }

  [[nodiscard]] std::size_t groups() const { return cutter_->chain().groups.size(); }
  [[nodiscard]] const EngineSpec& spec() const { return whole_; }
  [[nodiscard]] const vision::OnnxCutter& cutter() const { return *cutter_; }

  [[nodiscard]] std::unique_ptr<StageChain> whole() { return chain({{0, groups()}}); }
  // Groups [first, last) of each stage.
  std::unique_ptr<StageChain> chain(const std::vector<std::pair<std::size_t, std::size_t>>& stages) {
    std::vector<LoadedStage> loaded;
    for (const auto& [first, last] : stages) {
      auto stage = load_stage(*backend_.value(), *cutter_, whole_, first, last, folder_.path());
      EXPECT_TRUE(stage) << first << "-" << last << ": " << (stage ? "" : said(stage.errors()));
      if (!stage) return nullptr;
      loaded.push_back(std::move(stage).value());
    }
    return std::make_unique<StageChain>(std::move(loaded));
  }

 private:
  Result<std::unique_ptr<EngineBackend>> backend_;
  EngineSpec whole_;
  std::optional<vision::OnnxCutter> cutter_;
  test::TemporaryFolder folder_;
};

// All outputs, one after the other: of a classifier its logits.
std::vector<float> answer(StageChain& chain, std::span<const float> picture) {
  EXPECT_TRUE(chain.first().prepare(picture));
  Outputs outputs;
  const Status done = chain.infer(outputs);
  EXPECT_TRUE(done) << (done ? "" : said(done.errors()));
  std::vector<float> numbers;
  for (const vision::TensorView& output : outputs) {
    const auto values = std::get<std::span<const float>>(output.data);
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  EXPECT_FALSE(numbers.empty());
  return numbers;
}

std::vector<std::vector<float>> pictures(std::size_t count, std::size_t numbers) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same pictures in every run
  std::uniform_real_distribution<float> number(0.0F, 1.0F);
  std::vector<std::vector<float>> made(count, std::vector<float>(numbers));
  for (auto& picture : made) {
    for (float& value : picture) value = number(random);
  }
  return made;
}

std::size_t label_of(const std::vector<float>& logits) {
  return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}
double margin_of(std::vector<float> logits) {
  std::sort(logits.begin(), logits.end(), std::greater<>());
  return logits[0] - logits[1];
}

#ifdef SACCADE_SANITIZED
constexpr std::size_t kPictures = 4;
#else
constexpr std::size_t kPictures = 64;  // of each cut
#endif

std::vector<std::vector<float>> answers(StageChain& chain, const std::vector<std::vector<float>>& shown) {
  std::vector<std::vector<float>> found;
  for (const auto& picture : shown) found.push_back(answer(chain, picture));
  return found;
}

enum class Answers { labels, boxes };

void expect_same(const std::vector<float>& expected, const std::vector<float>& found,
                 Answers kind = Answers::labels) {
  ASSERT_EQ(expected.size(), found.size());
  double largest = 1.0, difference = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
    difference = std::max(difference, std::abs(static_cast<double>(expected[i]) - found[i]));
  }
  EXPECT_LE(difference, 1e-5 * largest);
  if (kind == Answers::labels && margin_of(expected) > 1e-4) {
    EXPECT_EQ(label_of(expected), label_of(found));
  }
}

void expect_same(StageChain& whole, StageChain& cut, const std::vector<std::vector<float>>& shown,
                 Answers kind = Answers::labels) {
  const auto expected = answers(whole, shown), found = answers(cut, shown);
  for (std::size_t i = 0; i < shown.size(); ++i) expect_same(expected[i], found[i], kind);
}

void expect_every_cut_is_the_whole(CutNetwork& network, const std::vector<std::size_t>& cuts,
                                   std::size_t count = kPictures) {
  const auto shown = pictures(count, network.spec().input_size());
  const auto whole = network.whole();
  ASSERT_NE(whole, nullptr);
  const auto expected = answers(*whole, shown);
  for (const std::size_t cut : cuts) {
    SCOPED_TRACE(cut);
    const auto stages = network.chain({{0, cut}, {cut, network.groups()}});
    ASSERT_NE(stages, nullptr);
    const auto found = answers(*stages, shown);
    const Answers kind = network.spec().classes > 0 ? Answers::labels : Answers::boxes;
    for (std::size_t i = 0; i < shown.size(); ++i) expect_same(expected[i], found[i], kind);
  }
}

std::vector<std::size_t> every_cut(const CutNetwork& network) {
  std::vector<std::size_t> cuts;
  for (std::size_t cut = 1; cut < network.groups(); ++cut) cuts.push_back(cut);
  return cuts;
}

// All fp32 variants of a network of the zoo.
class CutZooNetwork : public ::testing::TestWithParam<const char*> {
 protected:
  static std::vector<std::string> variants() {
    std::vector<std::string> ids;
    const auto set = profiles::read_profile_set(fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo" /
                                                (GetParam() + std::string(".json")));
    for (const profiles::Variant& variant : set.value().variants) {
      if (variant.precision == profiles::Precision::fp32) ids.push_back(variant.id.str());
    }
    return ids;
  }
};

TEST_P(CutZooNetwork, AtEveryLegalCutIsTheWhole) {
  ASSERT_GE(variants().size(), 4U);
  for (const std::string& variant : variants()) {
    SCOPED_TRACE(variant);
    CutNetwork network(GetParam(), variant);
    ASSERT_GE(network.groups(), 4U);
    expect_every_cut_is_the_whole(network, every_cut(network));
  }
}

TEST_P(CutZooNetwork, CutEverywhereAtOnceIsTheWhole) {
  for (const std::string& variant : variants()) {
    SCOPED_TRACE(variant);
    CutNetwork network(GetParam(), variant);
    std::vector<std::pair<std::size_t, std::size_t>> stages;
    for (std::size_t k = 0; k < network.groups(); ++k) stages.emplace_back(k, k + 1);
    const auto whole = network.whole(), cut = network.chain(stages);
    ASSERT_TRUE(whole && cut);
    expect_same(*whole, *cut, pictures(4, network.spec().input_size()));
  }
}

// One file for all sizes: cut for the size of the variant. The smallest size with all pictures; `saccade
// bench placement` runs every size.
TEST(CutDetectors, AtEveryLegalCutAreTheWhole) {
  for (const auto& [variant, shown] : {std::pair{"w0.50-96-fp32", kPictures},
                                       {"w0.75-96-fp32", kPictures},
                                       {"w1.00-96-fp32", kPictures},
                                       {"w0.50-224-fp32", std::size_t{4}}}) {
    SCOPED_TRACE(variant);
    vision::ChainOptions options;
    options.max_live_tensors = 4;
    CutNetwork network("yard-detector", variant, options);
    ASSERT_GE(network.groups(), 8U);
    expect_every_cut_is_the_whole(network, every_cut(network), shown);
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, CutZooNetwork,
                         ::testing::Values("densenet-signs", "googlenet-defects", "mobilenet_v2-glyphs",
                                           "pnasnet-parking", "resnext-vehicles"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(CutNetworks, SkipConnectionsThatCrossAreHandedOn) {
  vision::ChainOptions options;
  options.max_live_tensors = 3;
  CutNetwork network("resnext-vehicles", "w0.40-d0.50-fp32", options);
  std::vector<std::size_t> several;
  for (std::size_t k = 1; k < network.groups(); ++k) {
    if (network.cutter().chain().groups[k].inputs.size() > 1) several.push_back(k);
  }
  ASSERT_FALSE(several.empty());
  expect_every_cut_is_the_whole(network, several);
}

TEST(CutNetworks, ATensorThatCrossesAStageUnusedIsKeptForTheNext) {
  vision::ChainOptions options;
  options.max_live_tensors = 3;
  CutNetwork network("resnext-vehicles", "w0.40-d0.50-fp32", options);
  std::vector<std::pair<std::size_t, std::size_t>> stages;
  std::size_t passed = 0;
  for (std::size_t k = 0; k < network.groups(); ++k) {
    stages.emplace_back(k, k + 1);
    passed += network.cutter().cut(k, k + 1).inputs.size() < network.cutter().chain().groups[k].inputs.size();
  }
  EXPECT_GT(passed, 0U);
  const auto whole = network.whole(), cut = network.chain(stages);
  ASSERT_TRUE(whole && cut);
  expect_same(*whole, *cut, pictures(4, network.spec().input_size()));
}

TEST(CutNetworks, HalfPrecisionIsHandedOnUnchanged) {
  CutNetwork network("mobilenet_v2-glyphs", "w0.55-d0.50-fp16");
  const auto whole = network.whole();
  const auto cut = network.chain({{0, 5}, {5, network.groups()}});
  ASSERT_TRUE(whole && cut);
  for (const auto& picture : pictures(4, network.spec().input_size())) {
    const auto expected = answer(*whole, picture), found = answer(*cut, picture);
    if (margin_of(expected) > 0.05) {
      EXPECT_EQ(label_of(expected), label_of(found));
    }
  }
}

TEST(CutNetworks, StagesThatDoNotFitAreRefusedWithAllThatIsWrong) {
  CutNetwork network("mobilenet_v2-glyphs", "w0.55-d0.50-fp32");
  const auto backend = make_backend("onnxruntime");
  const vision::CutModel cut = network.cutter().cut(3, network.groups());
  const test::TemporaryFolder folder;
  EngineSpec spec = stage_spec(network.spec(), cut, 3, network.groups(), network.groups());
  spec.model = folder / "late.onnx";
  std::ofstream(spec.model, std::ios::binary) << cut.bytes;
  ASSERT_EQ(spec.tensors.size(), 1U);
  EngineSpec wrong = spec;
  wrong.tensors[0].shape.back() += 1;
  wrong.tensors.push_back({"another", profiles::ElementType::fp32, {1}});
  const auto refused = backend.value()->load(wrong);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors().size(), 2U) << said(refused.errors());
  wrong = spec;
  wrong.tensors[0].type = profiles::ElementType::int32;
  EXPECT_FALSE(backend.value()->load(wrong));

  const auto engine = backend.value()->load(spec);
  ASSERT_TRUE(engine);
  EXPECT_TRUE(prepare_black(*engine.value(), spec));
  EXPECT_FALSE(engine.value()->take({}));
  EXPECT_FALSE(engine.value()->prepare(std::vector<float>(12)));
  std::vector<profiles::StageTensor> other = spec.tensors;
  other[0].type = profiles::ElementType::int32;
  EXPECT_FALSE(engine.value()->take(KeptTensors(other).views()));
}

TEST(CutNetworks, OnlyOneLibraryRunsLaterStages) {
  CutNetwork network("mobilenet_v2-glyphs", "w0.55-d0.50-fp32");
  const vision::CutModel cut = network.cutter().cut(3, network.groups());
  const test::TemporaryFolder folder;
  EngineSpec spec = stage_spec(network.spec(), cut, 3, network.groups(), network.groups());
  spec.model = folder / "late.onnx";
  std::ofstream(spec.model, std::ios::binary) << cut.bytes;
  for (const char* name : {"opencv", "simulated"}) {
    const auto refused = make_backend(name).value()->load(spec);
    ASSERT_FALSE(refused) << name;
    EXPECT_NE(refused.errors()[0].what.find("later stage"), std::string::npos);
  }
}

}  // namespace
}  // namespace saccade::runtime
