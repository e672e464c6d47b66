// The accuracy that a service shows of its own frames, beside what the profile promises: the pictures of a
// synthetic source, which no profile was measured on. Threads: plain functions, on the calling thread.
// Errors: no data set of scenes has the set's labels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/profiling/picture_accuracy.hpp"
#include "runtime/sources/labelled_images.hpp"
#include "vision/accuracy/average_precision.hpp"

namespace saccade::bench {

inline constexpr std::uint64_t kLiveSeed = 1;

// As the source delivers them, one after the other.
[[nodiscard]] Result<runtime::LabelledImages> live_images(const profiles::ProfileSet& set, std::size_t count);

struct LiveFigures {
  double value = 0.0;  // in the set's metric, as the profile has it
  double least = 0.0;  // 95 %: where the profile's interval expects it for so many pictures
  double most = 0.0;
  vision::MeanPrecision shown;  // `live_map`, `live_map50`: of the objects that reach the serving threshold
  [[nodiscard]] bool as_expected() const { return least <= value && value <= most; }
};
// `live`: what the variant finds in the pictures of the source, objects of any score; `measured`: its
// accuracy on `pictures` others.
[[nodiscard]] LiveFigures live_figures(const runtime::AnsweredImages& live,
                                       const runtime::MeasuredAccuracy& measured, std::size_t pictures,
                                       const profiles::ModelInterface& interface, std::size_t labels);

}  // namespace saccade::bench
