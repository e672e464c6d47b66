// From a picture to what a network takes: a region is cut out, resized, padded, brought into the network's
// order of colours and layout, and normalised. Belongs to the engine of a variant and runs on its worker. The
// one place where tensors are made of pictures. Where the region lies in the input, the decoders' placement
// says (vision/decode/placement.hpp); what it does not cover is padded, and of what reaches beyond the input
// the middle is cut out after resizing. An element is (pixel * scale - mean) / std, computed in double
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

// Bytes of one element.
[[nodiscard]] std::size_t size_of(profiles::ElementType type);

// A box of a picture in pixels of the source's frame, and where it lies in the input.
[[nodiscard]] vision::Box region_in_frame(const Picture& picture, const PixelBox& box);
[[nodiscard]] vision::Placement placement_of(const profiles::PictureInput& input, const Picture& picture,
                                             const PixelBox& box, int number = 0);

class Preparer {
 public:
  // A layout that is absent is nchw, a type that is absent fp32. The type is fp32, fp16 or uint8.
  explicit Preparer(const profiles::PictureInput& input);
  ~Preparer();
  Preparer(Preparer&&) noexcept;
  Preparer& operator=(Preparer&&) noexcept;

  // Of the input of one region.
  [[nodiscard]] std::size_t bytes() const;

  // `region` lies in the picture; `tensor` has bytes() bytes. Throws what derives from std::exception: memory
  // ran out, or a region so narrow that it would have to become 64 million pixels to cover the input.
  void write(const Picture& picture, const PixelBox& region, std::span<std::byte> tensor);
  // The same of the input's size from numbers that a client sent: NCHW in the order RGB (one plane of gray),
  // 0 to 1 for black to white.
  void write(std::span<const float> planes, std::span<std::byte> tensor) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade::runtime
