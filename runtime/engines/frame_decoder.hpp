// From the outputs of one engine to the answer for a frame: the best label of every region, or the objects of
// the whole frame, or tensors that are passed through. One per engine, created after loading; creating it
// finds mismatches between the interface, the labels and the outputs that the graph declares; fits() finds
// those that show only in the first outputs, if a dimension is open.
// Units: boxes in pixels of the source's frame; for a region that is a picture of its own, in pixels of that.
// Allocation: none per frame, once the results have grown. Threads: one at a time.
// Errors: outputs that do not match the interface, or too many values that are not numbers (for the threshold
// see vision/decode/decoder.hpp); with where, what was found and what to do.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profiles/interface.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/pictures/picture.hpp"
#include "vision/decode/decoder.hpp"
#include "vision/decode/objects.hpp"
#include "vision/decode/output_port.hpp"
#include "vision/decode/placement.hpp"

namespace saccade::runtime {

// The source of a batch's places.
struct Shown {
  const Picture* picture = nullptr;  // null: the engine was given a tensor
  std::span<const PixelBox> regions;
  bool apart = false;  // every region is a picture of its own, whatever its position in `picture`
};

// Reused from frame to frame. Data in the engine's memory is valid until its next call.
struct FrameResult {
  std::vector<int> classes;       // classify: the best class of each region, the first of equals
  std::span<const float> logits;  // classify: of all regions, in the engine's memory
  vision::Objects objects;        // detect: of the frame, best score first
  std::vector<const vision::TensorView*> tensors;  // tensor: in the engine's memory
};

class FrameDecoder {
 public:
  // `labels`: number of labels of the profile set; `model`: for messages. An engine with unknown outputs, or
  // a classifier without labels, gets a decoder whose results are empty.
  [[nodiscard]] static Result<FrameDecoder> make(const profiles::ModelInterface& interface,
                                                 std::size_t labels, const Engine& engine,
                                                 const std::string& model);

  // Whether the engine's outputs match the interface.
  [[nodiscard]] Status fits(const Outputs& outputs) const;
  [[nodiscard]] Status decode(const Outputs& outputs, const Shown& shown, FrameResult& result);
  // For one place of the batch, seen through `placement`: adds its label or its objects to the result,
  // without merging. Tensors are not read.
  [[nodiscard]] Status read(const Outputs& outputs, std::size_t place, const vision::Placement& placement,
                            FrameResult& result);
  [[nodiscard]] const profiles::ModelInterface& interface() const { return interface_; }

  // The engine's declared outputs. Never null.
  using Ports = std::shared_ptr<const std::vector<vision::OutputPort>>;
  [[nodiscard]] const Ports& ports() const { return ports_; }

 private:
  FrameDecoder(const profiles::ModelInterface& interface, std::size_t labels, std::string model,
               std::size_t batch, Ports ports);
  [[nodiscard]] Result<vision::Decoder> decoder_for(std::span<const vision::OutputPort> ports) const;
  [[nodiscard]] Status classify(const Outputs& outputs, FrameResult& result);
  [[nodiscard]] Status detect(const Outputs& outputs, const Shown& shown, FrameResult& result);
  [[nodiscard]] Status hand_on(const Outputs& outputs, FrameResult& result) const;
  [[nodiscard]] Error nonsense(std::size_t bad, std::size_t all,
                               const vision::Unlabelled& unlabelled = {}) const;
  [[nodiscard]] Status unfit(const Outputs& outputs) const;

  profiles::ModelInterface interface_;
  std::size_t labels_;
  std::string model_;
  std::size_t batch_;
  Ports ports_;
  std::optional<vision::Decoder> decoder_;  // absent: the results are empty
};

}  // namespace saccade::runtime
