// From a picture to a network's input: a region is cut out, resized, padded, converted to the network's
// colour order and layout, and normalised. Belongs to the engine of a variant and runs on its worker. The
// only place where tensors are made from pictures. The region's position in the input is the decoders'
// placement (vision/decode/placement.hpp); what it does not cover is padded, and what exceeds the input is
// cropped after resizing, keeping the centre. An element is (pixel * scale - mean) / std, computed in double
// precision and rounded once. Units: pixels. Threads: none of its own; one instance is used by one thread at
// a time. Nothing is allocated per frame once the picture's size has been seen.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "profiles/interface.hpp"
#include "runtime/pictures/picture.hpp"
#include "vision/decode/placement.hpp"

namespace saccade::runtime {

// Size of one element in bytes.
[[nodiscard]] std::size_t size_of(profiles::ElementType type);

// A box of a picture in pixels of the source's frame, and its position in the input.
[[nodiscard]] vision::Box region_in_frame(const Picture& picture, const PixelBox& box);
[[nodiscard]] vision::Placement placement_of(const profiles::PictureInput& input, const Picture& picture,
                                             const PixelBox& box, int number = 0);

class Preparer {
 public:
  // An absent layout means nchw, an absent type fp32. The type is fp32, fp16 or uint8.
  explicit Preparer(const profiles::PictureInput& input);
  ~Preparer();
  Preparer(Preparer&&) noexcept;
  Preparer& operator=(Preparer&&) noexcept;

  // Of the input of one region.
  [[nodiscard]] std::size_t bytes() const;

  // `region` is inside the picture; `tensor` has bytes() bytes. Throws exceptions derived from
  // std::exception: out of memory, or a region so narrow that covering the input would take 64 million
  // pixels.
  void write(const Picture& picture, const PixelBox& region, std::span<std::byte> tensor);
  // The same from a tensor of the input's size that a client sent: NCHW in the order RGB (one plane of gray),
  // 0 to 1 for black to white.
  void write(std::span<const float> planes, std::span<std::byte> tensor) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade::runtime
