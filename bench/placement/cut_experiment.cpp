// Networks cut in two at every legal cut and run in two engines, against the whole network.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "bench/bench_folder.hpp"
#include "bench/placement/experiments.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engines/stages.hpp"
#include "runtime/sources/held_out_images.hpp"

namespace saccade::bench {
namespace {

namespace fs = std::filesystem;
using runtime::StageChain;

struct CutResult {
  std::size_t cuts = 0, answers = 0, other_labels = 0;
  double difference = 0.0;  // the largest, as a share of max(1, largest logit)
};

std::size_t label_of(const std::vector<float>& logits) {
  return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

double margin_of(std::vector<float> logits) {
  std::partial_sort(logits.begin(), logits.begin() + 2, logits.end(), std::greater<>());
  return static_cast<double>(logits[0]) - static_cast<double>(logits[1]);
}

void compare(const std::vector<float>& whole, const std::vector<float>& cut, bool labels, CutResult& result) {
  double largest = 1.0, difference = 0.0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(whole[i])));
    difference = std::max(difference, std::abs(static_cast<double>(whole[i]) - static_cast<double>(cut[i])));
  }
  result.difference = std::max(result.difference, difference / largest);
  ++result.answers;
  constexpr double kClear = 1e-4;
  if (labels && margin_of(whole) > kClear && label_of(whole) != label_of(cut)) ++result.other_labels;
}

// All outputs, one after the other: of a classifier its logits.
std::vector<float> numbers_of(const runtime::Outputs& outputs) {
  std::vector<float> numbers;
  for (const vision::TensorView& output : outputs) {
    const auto* const values = std::get_if<std::span<const float>>(&output.data);
    if (values != nullptr) numbers.insert(numbers.end(), values->begin(), values->end());
  }
  return numbers;
}

Result<std::vector<std::vector<float>>> answers_of(StageChain& chain,
                                                   const std::vector<runtime::Picture>& pictures) {
  std::vector<std::vector<float>> answers;
  runtime::Outputs outputs;
  for (const runtime::Picture& picture : pictures) {
    if (const auto prepared = chain.first().prepare(0, picture, picture.whole()); !prepared)
      return prepared.errors();
    if (const auto done = chain.infer(outputs); !done) return done.errors();
    answers.push_back(numbers_of(outputs));
  }
  return answers;
}

Result<std::unique_ptr<StageChain>> chain_of(const runtime::EngineBackend& backend,
                                             const vision::OnnxCutter& cutter,
                                             const runtime::EngineSpec& whole,
                                             const std::vector<std::size_t>& cuts, const fs::path& folder) {
  std::vector<runtime::LoadedStage> stages;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    auto stage = runtime::load_stage(backend, cutter, whole, cuts[k], cuts[k + 1], folder);
    if (!stage) return stage.errors();
    stages.push_back(std::move(stage).value());
  }
  return std::make_unique<StageChain>(std::move(stages));
}

Result<CutResult> cut_everywhere(const runtime::EngineBackend& backend, const profiles::ProfileSet& set,
                                 std::size_t variant, const std::vector<runtime::Picture>& pictures) {
  const BenchFolder folder;
  const runtime::EngineSpec spec = runtime::engine_spec(set, variant, 1);
  vision::ChainOptions options;
  options.picture = spec.input;  // detectors leave the size open
  const bool labels = spec.classes > 0;
  constexpr std::size_t kOfDetectors = 4;  // their top-down path keeps the maps of several levels
  if (!labels) options.max_live_tensors = kOfDetectors;
  const auto cutter = vision::OnnxCutter::open(spec.model, options);
  if (!cutter) return cutter.errors();
  const std::size_t groups = cutter.value().chain().groups.size();
  const auto whole = chain_of(backend, cutter.value(), spec, {0, groups}, folder.path());
  if (!whole) return whole.errors();
  const auto expected = answers_of(*whole.value(), pictures);
  if (!expected) return expected.errors();
  CutResult result;
  for (std::size_t cut = 1; cut < groups; ++cut) {
    const auto chain = chain_of(backend, cutter.value(), spec, {0, cut, groups}, folder.path());
    if (!chain) return chain.errors();
    const auto found = answers_of(*chain.value(), pictures);
    if (!found) return found.errors();
    for (std::size_t i = 0; i < pictures.size(); ++i)
      compare(expected.value()[i], found.value()[i], labels, result);
    ++result.cuts;
  }
  return result;
}

Result<std::vector<runtime::Picture>> pictures_of(const profiles::ProfileSet& set, std::size_t count) {
  const auto images = runtime::held_out_images(set, count);
  if (!images) return images.errors();
  std::vector<runtime::Picture> pictures(images.value().count);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    if (const auto shown = images.value().show(i, pictures[i]); !shown) return shown.errors();
  }
  return pictures;
}

std::string in_millionths(double share) { return fixed(1e6 * share); }

}  // namespace

Result<PlacementTable> cut_table(const std::string& folder, const PlacementSizes& sizes) {
  const auto backend = runtime::make_backend("onnxruntime");
  if (!backend) return backend.errors();
  Sheet sheet{
      {"network", "variants", "cuts", "answers compared", "largest difference, 1e-6", "other labels"}};
  std::vector<fs::path> files;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const auto set = profiles::read_profile_set(file);
    if (!set) continue;
    const bool labels = set.value().interface.task == profiles::NetworkTask::classify;
    const auto pictures = pictures_of(set.value(), sizes.quick ? 2 : sizes.images);
    if (!pictures) return pictures.errors();
    CutResult all;
    std::size_t variants = 0;
    for (std::size_t v = 0; v < set.value().variants.size(); ++v) {
      if (set.value().variants[v].precision != profiles::Precision::fp32 || (sizes.quick && variants == 1))
        continue;
      const auto result = cut_everywhere(*backend.value(), set.value(), v, pictures.value());
      if (!result) return result.errors();
      ++variants;
      all.cuts += result.value().cuts;
      all.answers += result.value().answers;
      all.other_labels += result.value().other_labels;
      all.difference = std::max(all.difference, result.value().difference);
    }
    sheet.rows.push_back({set.value().network, std::to_string(variants), std::to_string(all.cuts),
                          std::to_string(all.answers), in_millionths(all.difference),
                          labels ? std::to_string(all.other_labels) : ""});
  }
  return PlacementTable{
      "cuts",
      "The shipped fp32 networks cut in two at every legal cut (the detector at up to four "
      "tensors, in every size), both parts in engines of their own, against the whole "
      "network on held-out images: the largest difference of an output as a share of max(1, "
      "largest output), and other labels where a classifier's best two logits are more than "
      "1e-4 apart. **Run**, with " +
          backend.value()->version() + ".",
      std::move(sheet)};
}

}  // namespace saccade::bench
