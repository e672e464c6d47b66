// A decoder in hardware, as far as this machine and FFmpeg's libraries have one: through a device of
// libavcodec (VAAPI, CUDA), whose pictures are fetched into memory when they are wanted, or one of its
// decoders of its own (V4L2 memory-to-memory). Where it cannot be used, software decodes, and trouble() says
// why.
// Call order: prepare(), then avcodec_open2(); fetch() for every picture that is wanted. The object outlives
// the context. Threads: one. Errors: false and trouble(), in a few words.
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

  // The decoder for streams of that codec (an AVCodecID) instead of `software`, which is returned where there
  // is none.
  [[nodiscard]] const AVCodec* choose(int codec, const AVCodec* software);
  // Of a context for that decoder that is not open yet. Software decodes where this does nothing.
  void prepare(AVCodecContext& context, const AVCodec& decoder);
  // The decoder that choose() returned cannot be opened; software is to be tried.
  void refused(int code);
  // The picture in memory: `decoded` itself, or `fetched`, which it was copied to; null: it cannot be copied.
  [[nodiscard]] AVFrame* fetch(AVFrame& decoded, AVFrame& fetched);
  // Whether pictures of this AVPixelFormat lie in the device; asked by libavcodec's choice of a format.
  [[nodiscard]] bool takes(int format) const { return format == format_; }
  // Libavcodec does not offer the device's format for this stream.
  void declined() { give_up("it does not take this stream"); }
  // Why software decodes although hardware was asked for; empty: it does not, or nothing was decoded yet.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  void give_up(const std::string& why);

  StreamHardware kind_;
  AVBufferRef* device_ = nullptr;  // opened once, for all connections
  int format_ = -1;                // AVPixelFormat of pictures in the device
  std::string trouble_;
};

}  // namespace saccade::runtime
