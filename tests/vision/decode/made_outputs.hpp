// Outputs of networks made from known boxes, and an interface that describes them: the inverse of the
// decoders, written from the layouts' descriptions and sharing no code with them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "profiles/interface.hpp"
#include "vision/decode/objects.hpp"
#include "vision/decode/output_port.hpp"
#include "vision/decode/placement.hpp"
#include "vision/decode/tensor.hpp"

namespace saccade::vision::test {

using Random = std::mt19937_64;
[[nodiscard]] double uniform(Random& random, double low, double high);
[[nodiscard]] int whole(Random& random, int low, int high);  // both included

struct MadeOutput {
  std::string name;
  std::vector<std::int64_t> shape;
  std::variant<std::vector<float>, std::vector<std::int64_t>, std::vector<std::int32_t>,
               std::vector<std::uint8_t>>
      numbers;
};

struct Made {
  profiles::ModelInterface interface;
  std::size_t labels = 0;
  std::vector<MadeOutput> outputs;

  [[nodiscard]] std::vector<TensorView> views() const;
  [[nodiscard]] std::vector<OutputPort> ports() const;
  [[nodiscard]] std::vector<float>& floats(std::size_t output) {
    return std::get<std::vector<float>>(outputs[output].numbers);
  }
  [[nodiscard]] const std::vector<float>& floats(std::size_t output) const {
    return std::get<std::vector<float>>(outputs[output].numbers);
  }
};

// x of the input = scale * x of the frame + offset, from the words of the specification.
struct Axis {
  double scale;
  double offset;
};

struct Map {
  Axis x;
  Axis y;
};

[[nodiscard]] Map map_of(const profiles::PictureInput& input, const Box& region);

// A box in pixels of the network's input.
struct Known {
  double left, top, right, bottom;
  int label;
  double score;
};

enum class Family {
  anchors_last,
  anchors_first,
  objectness,
  end_to_end,
  yolox,
  gfl,
  ssd_classes,
  ssd_columns,
  detr_sigmoid,
  detr_softmax_first,
  detr_softmax_last,
  detr_ready
};
inline constexpr Family kFamilies[] = {Family::anchors_last,
                                       Family::anchors_first,
                                       Family::objectness,
                                       Family::end_to_end,
                                       Family::yolox,
                                       Family::gfl,
                                       Family::ssd_classes,
                                       Family::ssd_columns,
                                       Family::detr_sigmoid,
                                       Family::detr_softmax_first,
                                       Family::detr_softmax_last,
                                       Family::detr_ready};
[[nodiscard]] const char* name_of(Family family);

// `candidates` rows at least, among them the known boxes in random places, the others below the threshold of
// 0.25. `input` carries size, resize and align.
[[nodiscard]] Made make_outputs(Family family, const profiles::PictureInput& input, int labels,
                                const std::vector<Known>& known, int candidates, Random& random);

}  // namespace saccade::vision::test
