#include "runtime/sources/hardware_decoder.hpp"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/buffer.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/hwcontext.h>
}

#include <array>
#include <cerrno>

namespace saccade::runtime {
namespace {

AVHWDeviceType device_type(StreamHardware kind) {
  switch (kind) {
    case StreamHardware::vaapi:
      return AV_HWDEVICE_TYPE_VAAPI;
    case StreamHardware::cuda:
      return AV_HWDEVICE_TYPE_CUDA;
    case StreamHardware::v4l2m2m:  // a decoder of its own
    case StreamHardware::none:
      break;
  }
  return AV_HWDEVICE_TYPE_NONE;
}

std::string error_text(int code) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(code, text.data(), text.size());
  return text.data();
}

// In which format the decoder's pictures lie in a device of that type; none: it does not use it.
int device_format(const AVCodec& decoder, int type) {
  for (int i = 0;; ++i) {
    const AVCodecHWConfig* config = avcodec_get_hw_config(&decoder, i);
    if (config == nullptr) return AV_PIX_FMT_NONE;
    const bool by_device = (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0;
    if (by_device && config->device_type == type) return config->pix_fmt;
  }
}

// Asked by libavcodec at every new stream, and again without the device's format where that failed.
AVPixelFormat format_of(AVCodecContext* context, const AVPixelFormat* formats) {
  auto* decoder = static_cast<HardwareDecoder*>(context->opaque);
  for (const AVPixelFormat* each = formats; *each != AV_PIX_FMT_NONE; ++each) {
    if (decoder->takes(*each)) return *each;
  }
  decoder->declined();
  return avcodec_default_get_format(context, formats);
}

}  // namespace

HardwareAccess hardware_access() {
  return {[](AVBufferRef** device, int type) {
            return av_hwdevice_ctx_create(device, static_cast<AVHWDeviceType>(type), nullptr, nullptr, 0);
          },
          device_format,
          [](AVFrame& to, const AVFrame& from) { return av_hwframe_transfer_data(&to, &from, 0); }};
}

HardwareDecoder::~HardwareDecoder() { av_buffer_unref(&device_); }

void HardwareDecoder::fail(const std::string& why) {
  give_up(why);
  failed_ = true;
  format_ = -1;
  av_buffer_unref(&device_);
}

void HardwareDecoder::give_up(const std::string& why) {
  decodes_ = false;
  trouble_ = std::string(to_string(kind_)) + " cannot decode: " + why + "; software does";
}

const AVCodec* HardwareDecoder::choose(int codec, const AVCodec* software) {
  decodes_ = false;
  if (failed_ || kind_ != StreamHardware::v4l2m2m) return software;
  const std::string codec_name = avcodec_get_name(static_cast<AVCodecID>(codec));
  const AVCodec* decoder = avcodec_find_decoder_by_name((codec_name + "_v4l2m2m").c_str());
  decodes_ = decoder != nullptr;
  refused_ = 0;
  if (decoder != nullptr) {
    trouble_.clear();
    return decoder;
  }
  give_up("it has no decoder for " + codec_name);
  return software;
}

void HardwareDecoder::refused(int code) {
  give_up("there is no such device, or it cannot be used (" + error_text(code) + ")");
}

void HardwareDecoder::prepare(AVCodecContext& context, const AVCodec& decoder) {
  const AVHWDeviceType type = device_type(kind_);
  if (failed_ || type == AV_HWDEVICE_TYPE_NONE) return;
  const int format = access_.format(decoder, type);
  if (format < 0) return give_up(std::string("it has no decoder for ") + decoder.name);
  if (device_ == nullptr) {
    if (const int code = access_.open(&device_, type); code < 0) return refused(code);
  }
  context.hw_device_ctx = av_buffer_ref(device_);
  if (context.hw_device_ctx == nullptr) return refused(AVERROR(ENOMEM));
  format_ = format;
  decodes_ = true;
  refused_ = 0;
  context.opaque = this;
  context.get_format = format_of;
  trouble_.clear();
}

AVFrame* HardwareDecoder::fetch(AVFrame& decoded, AVFrame& fetched) {
  if (format_ < 0 || decoded.format != format_) return &decoded;
  av_frame_unref(&fetched);
  if (const int code = access_.copy_picture(fetched, decoded); code < 0) {
    fail("its pictures cannot be copied (" + error_text(code) + ")");
    return nullptr;
  }
  if (const int code = av_frame_copy_props(&fetched, &decoded); code < 0) {
    fail("its pictures cannot be copied (" + error_text(code) + ")");
    return nullptr;
  }
  return &fetched;
}

bool HardwareDecoder::answered(int code, bool key) {
  if (!decodes_ || !key || code == AVERROR(EAGAIN)) return true;
  refused_ = code < 0 ? refused_ + 1 : 0;
  if (refused_ < kMostRefused) return true;
  fail("it refuses the camera's pictures (" + error_text(code) + ")");
  return false;
}

bool HardwareDecoder::brought_nothing() {
  if (!decodes_) return false;
  fail("it decoded no picture of what the camera sends");
  return true;
}

}  // namespace saccade::runtime
