// Outputs of detectors as networks give them, made up, for timing the decoders: of several pictures in turn,
// as a run has them, more than the second cache keeps. Threads: plain values and functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiles/interface.hpp"
#include "vision/decode/decoder.hpp"

namespace saccade::bench {

inline constexpr std::uint64_t kDecodeSeed = 20261123;
inline constexpr std::size_t kFoundCandidates = 50;  // draws of candidates above the threshold

struct MadeOutputs {
  std::vector<std::vector<float>> numbers;  // by picture
  std::vector<std::int64_t> shape;
  profiles::ModelInterface interface;
  std::size_t labels = 80;

  [[nodiscard]] vision::TensorView view(std::size_t picture) const {
    return {"out", shape, std::span<const float>(numbers[picture % numbers.size()])};
  }
};

// Scores as a trained network gives them: near 0, some above the threshold.
[[nodiscard]] MadeOutputs made_outputs(profiles::YoloLayout layout, std::size_t candidates,
                                       std::size_t columns, std::size_t found = kFoundCandidates);
// Rows of box, score and class, all above the threshold, of one class: none suppresses another, or heaps of
// 20 on average.
[[nodiscard]] MadeOutputs made_candidates(std::size_t candidates, bool heaps);

// What one writes first: candidate by candidate, class by class. It only counts candidates; no boxes, no
// suppression.
struct Steps {
  std::size_t row;
  std::size_t column;
};
[[nodiscard]] std::size_t plain_scan(const MadeOutputs& outputs, std::size_t picture, const Steps& steps,
                                     std::size_t candidates);

// Decodes one picture after the other with the product's decoder.
class ProductDecoder {
 public:
  [[nodiscard]] static Result<ProductDecoder> make(const MadeOutputs& outputs);
  void decode(std::size_t picture);
  [[nodiscard]] const vision::Objects& objects() const { return objects_; }

 private:
  ProductDecoder(const MadeOutputs& outputs, vision::Decoder decoder);
  const MadeOutputs* outputs_;
  vision::Decoder decoder_;
  vision::Placement placement_;
  vision::Objects objects_;
};

[[nodiscard]] double thread_cpu_seconds();

}  // namespace saccade::bench
