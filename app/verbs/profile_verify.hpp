// Compares a profile set with another measurement of the same files: are the accuracies equal, and do the
// frame times rank the variants in the same order? Also compares two engines: do they give the same labels?
// With the same instruction set and engine, an accuracy must be reproduced to 1e-4, which with 4 000 images
// means every single image; otherwise kernels round differently, and two standard errors are allowed;
// between measurements on different pictures, those of both. On another machine the frame times may rank the
// variants differently; on the same machine no pair that is 20 % or more apart may change its order. Threads:
// functions without state. Errors: of the engines.
#pragma once

#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/sources/labelled_images.hpp"

namespace saccade::app {

inline constexpr double kSameAccuracy = 1e-4;
inline constexpr double kClearlyApart = 1.2;  // ratio of two frame times
inline constexpr double kSameLabels = 0.999;  // share of images

struct VerifiedVariant {
  std::string id;
  double accuracy_shipped = 0.0;
  double accuracy_now = 0.0;
  double tolerance = 0.0;
  double seconds_shipped = 0.0;
  double seconds_now = 0.0;
  [[nodiscard]] bool accuracy_holds() const;
  [[nodiscard]] double ratio() const { return seconds_now / seconds_shipped; }
};

struct Verification {
  std::string network;
  bool same_arithmetic = false;  // engine and instruction set are those of the shipped set
  bool same_machine = false;     // the device's name as well
  std::string accuracy_shipped;  // the source and the data of the accuracies; empty: the zoo's images
  std::string accuracy_now;
  std::vector<VerifiedVariant> variants;
  double median_ratio = 1.0;
  double least_ratio = 1.0;
  double most_ratio = 1.0;
  double kendall = 1.0;
  double spearman = 1.0;
  std::size_t clear_pairs = 0;                               // at least kClearlyApart in the shipped set
  std::vector<std::pair<std::string, std::string>> swapped;  // of those; the one shipped as faster first

  [[nodiscard]] bool holds() const;
};

// `now` has the variants of `shipped` that could be run, measured on the first processor of `shipped`.
[[nodiscard]] Verification verify(const profiles::ProfileSet& shipped, const profiles::ProfileSet& now);

struct AgreeingVariant {
  std::string id;
  std::optional<double> agreement;  // share of images; absent if an engine gives no labels
  Errors errors;                    // the reason in that case
  [[nodiscard]] bool holds() const { return agreement && *agreement >= kSameLabels; }
};
struct Agreement {
  std::string network;
  std::string left;  // engines
  std::string right;
  std::size_t images = 0;
  std::vector<AgreeingVariant> variants;  // the fp32 ones
  [[nodiscard]] bool holds() const;
};
// Over all images; `progress` receives the completed share. A model that an engine cannot read fails the
// check, but the others are still compared.
[[nodiscard]] Agreement compare_engines(const runtime::EngineBackend& left,
                                        const runtime::EngineBackend& right, const profiles::ProfileSet& set,
                                        const runtime::LabelledImages& images,
                                        const std::function<void(double)>& progress);
// ONNX Runtime against OpenCV, over the first held-out images.
[[nodiscard]] Result<Agreement> compare_engines(const profiles::ProfileSet& set, std::size_t images,
                                                const std::function<void(double)>& progress);

void print(const Verification& verification, std::ostream& out);
void print(const Agreement& agreement, std::ostream& out);
[[nodiscard]] nlohmann::ordered_json to_json(const Verification& verification);
[[nodiscard]] nlohmann::ordered_json to_json(const Agreement& agreement);

}  // namespace saccade::app
