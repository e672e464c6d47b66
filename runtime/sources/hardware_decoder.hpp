// A hardware decoder, if this machine and FFmpeg's libraries have one: through a device of libavcodec (VAAPI,
// CUDA), from which pictures are copied to memory on demand, or a separate decoder (V4L2 memory-to-memory).
// If it cannot be used, software decodes, and trouble() gives the reason.
// Call order: prepare(), then avcodec_open2(); fetch() for every picture needed. The object must outlive the
// context. Threads: one. Errors: false and trouble(), in a few words.
#pragma once

#include <memory>
#include <string>

#include "runtime/run/run_config.hpp"

struct AVBufferRef;
struct AVCodec;
struct AVCodecContext;
struct AVFrame;

namespace saccade::runtime {

class HardwareDecoder {
 public:
  explicit HardwareDecoder(StreamHardware kind) : kind_(kind) {}
  ~HardwareDecoder();
  HardwareDecoder(const HardwareDecoder&) = delete;
  HardwareDecoder& operator=(const HardwareDecoder&) = delete;

  // The decoder for streams of that codec (an AVCodecID) in place of `software`, which is returned if there
  // is none.
  [[nodiscard]] const AVCodec* choose(int codec, const AVCodec* software);
  // For a context of that decoder that is not open yet. If this has no effect, software decodes.
  void prepare(AVCodecContext& context, const AVCodec& decoder);
  // The decoder returned by choose() cannot be opened; try software next.
  void refused(int code);
  // The picture in memory: `decoded` itself, or `fetched`, the copy; null: it cannot be copied.
  [[nodiscard]] AVFrame* fetch(AVFrame& decoded, AVFrame& fetched);
  // Whether pictures of this AVPixelFormat are in device memory; called by libavcodec's choice of a format.
  [[nodiscard]] bool takes(int format) const { return format == format_; }
  // Libavcodec does not offer the device's format for this stream.
  void declined() { give_up("it does not take this stream"); }
  // Why software decodes although hardware was requested; empty: it does not, or nothing was decoded yet.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  void give_up(const std::string& why);

  StreamHardware kind_;
  AVBufferRef* device_ = nullptr;  // opened once, for all connections
  int format_ = -1;                // AVPixelFormat of pictures in the device
  std::string trouble_;
};

}  // namespace saccade::runtime
