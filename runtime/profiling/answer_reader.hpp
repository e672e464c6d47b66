// What a network answers to a picture: its label, or the objects it finds, read from its outputs as a worker
// reads them. One reader per engine; whether the outputs are those of the interface is seen at the first of
// them. Threads: one at a time. Errors: outputs that are not those of the interface, with all that does not
// fit; numbers that are none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "profiles/interface.hpp"
#include "runtime/engines/engine.hpp"
#include "vision/decode/decoder.hpp"
#include "vision/decode/objects.hpp"
#include "vision/decode/placement.hpp"

namespace saccade::runtime {

struct Answer {
  int label = -1;           // of a classifier
  vision::Objects objects;  // of a detector, best score first
};

class AnswerReader {
 public:
  // `labels`: how many the profile set has; `model`: for messages.
  AnswerReader(profiles::ModelInterface interface, std::size_t labels, std::string model);

  // Of one place of the batch; a detector's objects are added. Of outputs that are handed on nothing is read.
  [[nodiscard]] Status read(const Outputs& outputs, std::size_t place, const vision::Placement& placement,
                            Answer& answer);
  [[nodiscard]] const profiles::ModelInterface& interface() const { return interface_; }

 private:
  [[nodiscard]] Status make_decoder(const Outputs& outputs);

  profiles::ModelInterface interface_;
  std::size_t labels_;
  std::string model_;
  std::optional<vision::Decoder> decoder_;  // once outputs were seen
};

}  // namespace saccade::runtime
