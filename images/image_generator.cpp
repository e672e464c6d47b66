#include "images/image_generator.hpp"

#include <array>

#include "images/data_set.hpp"
#include "images/defects.hpp"
#include "images/glyphs.hpp"
#include "images/parking.hpp"
#include "images/random.hpp"
#include "images/signs.hpp"
#include "images/vehicles.hpp"

namespace saccade::images {
namespace {

struct NamedSplit {
  Split split;
  std::string_view name;
  std::uint64_t seed;
};

constexpr std::array<NamedSplit, 4> kSplits{{
    {Split::train, "train", 0x5ACCADE000000001ULL},
    {Split::calibration, "calibration", 0x5ACCADE000000002ULL},
    {Split::held_out, "held_out", 0x5ACCADE000000003ULL},
    {Split::live, "live", 0x5ACCADE000000004ULL},
}};

// Alphabetical, as names() promises.
const std::array<const DataSet*, 5>& data_sets() {
  static const std::array<const DataSet*, 5> all{&defects(), &glyphs(), &parking(), &signs(), &vehicles()};
  return all;
}

}  // namespace

std::uint64_t seed_of(Split split) noexcept { return kSplits[static_cast<std::size_t>(split)].seed; }

std::string_view name_of(Split split) noexcept { return kSplits[static_cast<std::size_t>(split)].name; }

std::optional<Split> split_named(std::string_view name) noexcept {
  for (const auto& candidate : kSplits) {
    if (candidate.name == name) return candidate.split;
  }
  return std::nullopt;
}

std::optional<ImageGenerator> ImageGenerator::find(std::string_view data_set) {
  for (const DataSet* candidate : data_sets()) {
    if (candidate->name == data_set) return ImageGenerator(*candidate);
  }
  return std::nullopt;
}

std::vector<std::string> ImageGenerator::names() {
  std::vector<std::string> result;
  for (const DataSet* data_set : data_sets()) result.emplace_back(data_set->name);
  return result;
}

std::string_view ImageGenerator::name() const noexcept { return data_set_->name; }

const std::vector<std::string>& ImageGenerator::labels() const noexcept { return data_set_->labels; }

LabelledImage ImageGenerator::make(std::uint64_t seed, std::uint64_t index) const {
  Random random(mix(mix(hash_of_name(data_set_->name) ^ seed) + index));
  LabelledImage image;
  image.label = random.below(static_cast<int>(data_set_->labels.size()));
  image.bgr.create(kImageSide, kImageSide, CV_8UC3);
  image.bgr.setTo(cv::Scalar::all(0));
  data_set_->draw(image.bgr, image.label, random);
  return image;
}

}  // namespace saccade::images
