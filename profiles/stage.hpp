// A stage of a variant that several processors share: a part of the network in a model file of its own, on
// one processor. Frames pass the stages in order; what crosses from one to the next are tensors by name. A
// stage may have copies on further processors that are alike: each then serves every so-manyth frame.
// Paper 000 III (stages of a pipeline), paper 003 (copies: partial network duplication). Set format
// saccade-profiles/2. Threads: plain values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "base/quantity.hpp"
#include "profiles/interface.hpp"

namespace saccade::profiles {

struct StageTensor {
  std::string name;
  ElementType type = ElementType::fp32;
  std::vector<std::int64_t> shape;  // outermost dimension first, of one picture
  bool operator==(const StageTensor&) const = default;
};

struct Stage {
  ProcessorId kind;                     // that runs it; the variant has a frame time there
  std::vector<ProcessorId> copies;      // likewise, with the same time: in turn with `kind`; not of the last
  std::string model;                    // file name relative to the profile set; empty = none
  std::string sha256;                   // of the file, lower-case hex; empty = not checked
  int first_layer = 0, last_layer = 0;  // of the layer file it was placed by
  std::vector<StageTensor> takes;       // from stages before it; none of the first, which takes the picture
  std::vector<StageTensor> gives;       // to stages behind it; none of the last, which gives the outputs
  Seconds frame_time;                   // in it, with its share of the transfers
  Seconds transfer;                     // of what it takes, whoever pays for it; 0 of the first
  // The time between two frames if the cut before it lay one layer earlier or later; absent: not possible.
  std::optional<Seconds> period_if_earlier = {}, period_if_later = {};
  bool operator==(const Stage&) const = default;

  [[nodiscard]] std::size_t processors() const { return 1 + copies.size(); }
  // In turn: `kind` is number 0.
  [[nodiscard]] const ProcessorId& processor(std::size_t number) const {
    return number == 0 ? kind : copies.at(number - 1);
  }
  [[nodiscard]] std::string places() const {  // "dla0+dla1"
    std::string text = kind.str();
    for (const ProcessorId& copy : copies) text += "+" + copy.str();
    return text;
  }
  [[nodiscard]] bool runs_on(const ProcessorId& processor) const {
    return kind == processor || std::find(copies.begin(), copies.end(), processor) != copies.end();
  }
};

// What a variant of several stages is beside its frame times.
struct Staging {
  std::vector<Stage> stages;  // two at least; empty: the variant has none
  Seconds latency;            // of a frame alone
  Fps max_fps;                // of a pipeline that is kept full
  int max_in_flight = 1;      // frames under way at most
  [[nodiscard]] bool empty() const { return stages.empty(); }
  bool operator==(const Staging&) const = default;
};

}  // namespace saccade::profiles
