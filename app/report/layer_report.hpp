// A network's chain as a saccade-layers/1 file, without times or with measured ones, and what was measured as
// a table. Threads: functions without state. Errors: none.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/profiling/hand_over.hpp"
#include "runtime/profiling/layer_times.hpp"
#include "vision/model/onnx_chain.hpp"

namespace saccade::app {

struct LayerSubject {
  std::string network;
  std::string model;  // relative to the file
  std::string sha256;
  const vision::OnnxChain* chain = nullptr;
};

struct MeasuredProcessor {
  std::string id;
  double slowdown = 1.0;  // above 1: emulated, all times are that much longer than measured
  runtime::LayerTimes times;
};

struct MeasuredLink {
  std::size_t from = 0, to = 0;  // processors
  runtime::TransferLine line;
};

struct LayerMeasurement {
  std::string source;  // in words
  std::vector<MeasuredProcessor> processors;
  std::vector<MeasuredLink> links;
};

[[nodiscard]] nlohmann::ordered_json layers_json(const LayerSubject& subject);
[[nodiscard]] nlohmann::ordered_json layers_json(const LayerSubject& subject,
                                                 const LayerMeasurement& measured);

// Times of groups, what each cut would cost, the sums beside the whole network, and the links.
void print_layers(const LayerSubject& subject, const LayerMeasurement& measured, std::ostream& out);

}  // namespace saccade::app
