// What a network answered, as the named tensors that a client gets (KServe v2):
//   classify  label BYTES [regions], class INT64 [regions], logits FP32 [regions, classes]
//   detect    boxes FP32 [n, 4] (x1, y1, x2, y2), scores FP32 [n], class INT64 [n], label BYTES [n], region
//   INT32 [n] tensor    the network's outputs by their names
// Units: pixels of the picture that was sent. Threads: functions without state.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "runtime/real/pushed_frame.hpp"
#include "service/api/service_model.hpp"

namespace saccade::service {

using TensorData = std::variant<std::vector<std::string>, std::vector<float>, std::vector<std::int64_t>,
                                std::vector<std::int32_t>, std::vector<std::uint8_t>>;
struct OutputTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  TensorData data;
};

// "BYTES", "FP32", "INT64", "INT32", "UINT8"
[[nodiscard]] const char* datatype_of(const TensorData& data);

// The declared outputs of a task of that kind; none for `tensor`, whose outputs only its engine knows.
[[nodiscard]] std::vector<NetworkTensor> declared_outputs(profiles::NetworkTask kind, std::int64_t regions,
                                                          std::int64_t classes);

// In declaration order. `answer` is of a frame that was processed.
[[nodiscard]] std::vector<OutputTensor> outputs_of(const NetworkFacts& facts,
                                                   const runtime::FrameAnswer& answer);

}  // namespace saccade::service
