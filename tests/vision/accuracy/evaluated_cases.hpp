// Truths and objects for tests of the accuracy of detectors: the cases of the reference evaluator, and drawn
// ones.
// Threads: functions without state.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/vision/accuracy/slow_evaluator.hpp"
#include "vision/accuracy/average_precision.hpp"

namespace saccade::vision::testing {

inline constexpr std::size_t kLabels = 5;

inline DetectionAccuracy judged(const LabelledImages& images, std::size_t labels = kLabels) {
  DetectionAccuracy accuracy(labels);
  for (const LabelledImage& image : images) accuracy.add(image.truths, image.objects);
  return accuracy;
}

inline std::array<double, 12> figures_of(const LabelledImages& images, std::size_t labels = kLabels) {
  std::array<double, 12> numbers{};
  const auto figures = judged(images, labels).figures().in_coco_order();
  std::transform(figures.begin(), figures.end(), numbers.begin(),
                 [](const auto& figure) { return figure.value_or(-1.0); });
  return numbers;
}

// Cases of the reference evaluator with its figures.
struct ReferenceCase {
  LabelledImages images;
  std::array<double, 12> figures{};
};

inline std::vector<ReferenceCase> reference_cases() {
  std::ifstream in(std::string(SACCADE_SOURCE_DIR) + "/tests/vision/accuracy/reference_cases.json");
  const auto document = nlohmann::json::parse(in);
  std::vector<ReferenceCase> cases;
  for (const auto& item : document["cases"]) {
    ReferenceCase reference;
    reference.images.resize(40);
    const auto box = [](const auto& row) {
      return Box{row[2].template get<float>(), row[3].template get<float>(), row[4].template get<float>(),
                 row[5].template get<float>()};
    };
    for (const auto& row : item["truths"]) {
      reference.images[row[0].get<std::size_t>()].truths.push_back(
          {box(row), row[1].get<int>(), row[7] == 1, row[6].get<double>()});
    }
    for (const auto& row : item["objects"]) {
      reference.images[row[0].get<std::size_t>()].objects.push_back(
          {box(row), row[1].get<int>(), row[6].get<float>()});
    }
    reference.figures = item["figures"].get<std::array<double, 12>>();
    cases.push_back(std::move(reference));
  }
  return cases;
}

// Boxes on a coarse grid and few scores, so that thresholds are met exactly, and IoU and scores tie.
inline LabelledImages drawn_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
  const bool crowded = seed % 10 == 0;  // more than 100 objects of a label
  const float step = seed % 3 == 0 ? 32.0F : 8.0F;
  const auto box = [&] {
    return Box{step * static_cast<float>(below(4)), step * static_cast<float>(below(3)),
               step * static_cast<float>(1 + below(6)), step * static_cast<float>(1 + below(6))};
  };
  LabelledImages images(crowded ? 2 : 1 + static_cast<std::size_t>(below(12)));
  for (LabelledImage& image : images) {
    for (int i = below(7); i > 0; --i) {
      Truth truth{box(), below(3), below(6) == 0, std::nullopt};
      if (below(3) == 0) truth.area = std::array{500.0, 1024.0, 5000.0, 9216.0, 20000.0}[random() % 5];
      image.truths.push_back(truth);
    }
    const int objects = crowded ? 300 : below(12);
    for (int i = 0; i < objects; ++i) {
      Object object{box(), below(crowded ? 2 : 4), 0.1F * static_cast<float>(1 + below(9))};
      if (!image.truths.empty() && below(2) == 0) {  // near a truth
        const Truth& truth = image.truths[random() % image.truths.size()];
        object.box = truth.box;
        object.label = truth.label;
        object.box.x += step / 4 * static_cast<float>(below(3));
        if (below(3) == 0) object.box.width *= 2;
      }
      image.objects.push_back(object);
    }
  }
  return images;
}

}  // namespace saccade::vision::testing
