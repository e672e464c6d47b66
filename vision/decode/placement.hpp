// Where a region of a frame is placed in a network's input, and the inverse mapping. The preparer that makes
// the input and the decoder that reads the outputs use the same Placement, so that a box is mapped back to
// its origin.
//
// The whole region, w x h pixels of the frame, becomes `picture`, a rectangle of whole pixels of the input
// W x H:
//   stretch    W x H
//   letterbox  round(w r) x round(h r), r = min(W / w, H / h); left = floor((W - width) / 2), top alike, or
//              both 0 with Align::top_left; the rest of the input is padding
//   cover      round(w r) x round(h r), r = max(W / w, H / h); left = floor((W - width) / 2), top alike,
//   never
//              above 0: the middle is cut out
// round(): halves away from 0; no side is below 1 pixel, nor above the input's in a letterbox. The scales of
// x and y are those of the rounded sides: what the resize does, and not r.
// `target` is the part of `picture` inside the input and `source` the part of the frame that it shows: a
// preparer resizes `source` to `target` and pads the rest.
//
// Units: pixels; the frame's are those of the source, also where the picture was reduced on its way.
// Coordinates are those of edges: the first pixel reaches from 0 to 1. Threads: plain values.
#pragma once

#include "profiles/interface.hpp"
#include "vision/decode/geometry.hpp"
#include "vision/decode/objects.hpp"

namespace saccade::vision {

struct PixelRect {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  bool operator==(const PixelRect&) const = default;
};

struct Placement {
  PixelSize frame;
  Box region;            // in the frame
  int number = 0;        // of the region; becomes Object::region
  PixelSize input;       // of the network
  PixelRect picture;     // the whole region in the input; with cover it reaches beyond the input
  PixelRect target;      // what of `picture` lies inside the input
  Box source;            // what of the frame `target` shows; with cover its borders may lie inside pixels
  double scale_x = 1.0;  // pixels of the input per pixel of the frame
  double scale_y = 1.0;
  bool operator==(const Placement&) const = default;
};

// `region` and `frame` have an area and are finite; the input has at least one pixel.
[[nodiscard]] Placement place(const profiles::PictureInput& input, const Box& region, PixelSize frame,
                              int number = 0);

// From pixels of the input to pixels of the frame, and back. Nothing is clipped.
[[nodiscard]] Corners to_frame(const Placement& placement, const Corners& in_input);
[[nodiscard]] Corners to_input(const Placement& placement, const Corners& in_frame);

}  // namespace saccade::vision
