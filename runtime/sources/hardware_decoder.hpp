// A hardware decoder, if this machine and FFmpeg's libraries have one: through a device of libavcodec (VAAPI,
// CUDA), from which pictures are copied to memory on demand, or a separate decoder (V4L2 memory-to-memory).
// If it cannot be used, software decodes, and trouble() gives the reason. Hardware that cannot be opened is
// tried again at the next connection; hardware that fails while it decodes is not used again. Call order:
// choose(), prepare(), then avcodec_open2(); answered() for every packet, fetch() for every picture needed.
// The object must outlive the context. Threads: one. Errors: false and trouble(), in a few words.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "runtime/run/run_config.hpp"

struct AVBufferRef;
struct AVCodec;
struct AVCodecContext;
struct AVFrame;

namespace saccade::runtime {

// How hardware is reached: libavutil's functions, or a test's replacement. Below 0: an error code of
// libavutil.
struct HardwareAccess {
  std::function<int(AVBufferRef** device, int type)> open;            // of that AVHWDeviceType
  std::function<int(const AVCodec& decoder, int type)> format;        // AVPixelFormat in it; -1: not used
  std::function<int(AVFrame& to, const AVFrame& from)> copy_picture;  // to memory
};
[[nodiscard]] HardwareAccess hardware_access();

class HardwareDecoder {
 public:
  explicit HardwareDecoder(StreamHardware kind, HardwareAccess access = hardware_access())
      : kind_(kind), access_(std::move(access)) {}
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
  // The picture in memory: `decoded` itself, or `fetched`, the copy; null: it cannot be copied, the hardware
  // has failed.
  [[nodiscard]] AVFrame* fetch(AVFrame& decoded, AVFrame& fetched);
  // Libavcodec's answer to a packet; `key`: of a picture that depends on no other. False: the hardware has
  // failed.
  [[nodiscard]] bool answered(int code, bool key);
  // Packets arrive, but no picture was decoded for long. True: by hardware, which has failed.
  [[nodiscard]] bool brought_nothing();
  // Whether pictures of this AVPixelFormat are in device memory; called by libavcodec's choice of a format.
  [[nodiscard]] bool takes(int format) const { return format == format_; }
  // Libavcodec does not offer the device's format for this stream.
  void declined() { give_up("it does not take this stream"); }
  // Why software decodes although hardware was requested; empty: it does not, or nothing was decoded yet.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  static constexpr int kMostRefused = 3;
  void give_up(const std::string& why);
  void fail(const std::string& why);

  StreamHardware kind_;
  HardwareAccess access_;
  AVBufferRef* device_ = nullptr;  // opened once, for all connections
  int format_ = -1;                // AVPixelFormat of pictures in the device
  bool decodes_ = false;           // as far as is known
  bool failed_ = false;            // while it decoded
  int refused_ = 0;                // consecutive key packets
  std::string trouble_;
};

}  // namespace saccade::runtime
