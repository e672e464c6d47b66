#include "runtime/sources/stream_capture.hpp"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/log.h>
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <sstream>
#include <utility>

#include "runtime/sources/frame_picture.hpp"
#include "runtime/sources/hardware_decoder.hpp"
#include "runtime/sources/key_frame_choice.hpp"
#include "runtime/sources/picture_clock.hpp"
#include "runtime/sources/stream_trouble.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kGoodbye = std::chrono::seconds(1);           // for the camera to be told of the end
constexpr Duration kPicturePatience = std::chrono::seconds(30);  // packets come, but no picture of them
constexpr std::int64_t kProbeMicroseconds = 3'000'000;           // of a stream whose codec nobody names
constexpr int kPadding = 32;                                     // pixels; rows are written in such blocks

struct CloseFormat {
  void operator()(AVFormatContext* format) const { avformat_close_input(&format); }
};
struct FreeCodec {
  void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
};
struct FreeFrame {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};
struct FreePacket {
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};
struct FreeScaler {
  void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
};

// FFmpeg's options for one opening.
class Options {
 public:
  ~Options() { av_dict_free(&all_); }
  Options() = default;
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  void set(const char* key, const std::string& value) { av_dict_set(&all_, key, value.c_str(), 0); }
  [[nodiscard]] AVDictionary** get() { return &all_; }

 private:
  AVDictionary* all_ = nullptr;
};

int scaling_of(profiles::Filter filter) {
  switch (filter) {
    case profiles::Filter::linear:
      return SWS_BILINEAR;
    case profiles::Filter::cubic:
      return SWS_BICUBIC;
    case profiles::Filter::area:
      return SWS_AREA;
    case profiles::Filter::nearest:
      return SWS_POINT;
  }
  return SWS_BILINEAR;
}

std::string in_seconds(Seconds time) {
  std::ostringstream out;
  out << time.value() << " s";
  return out.str();
}

class StreamCapture final : public LiveCapture {
 public:
  StreamCapture(std::function<Result<std::string>()> address, StreamSettings settings)
      : address_(std::move(address)),
        settings_(std::move(settings)),
        choice_(settings_.decode),
        hardware_(settings_.hardware, settings_.access) {
    av_log_set_level(AV_LOG_QUIET);  // its lines would tell the password
  }
  ~StreamCapture() override { end(); }
  StreamCapture(const StreamCapture&) = delete;
  StreamCapture& operator=(const StreamCapture&) = delete;

  bool open() override {
    trouble_ = {};
    const Result<std::string> address = address_();
    if (!address.ok()) {
      const Error& error = address.errors().front();
      trouble_ = {"cannot be asked: " + error.where + " " + error.what, error.hint};
      return false;
    }
    wait_at_most(to_duration(settings_.silence));
    if (open_format(address.value()) && open_codec()) return true;
    end();
    return false;
  }

  void release() override { end(); }

  bool grab(CaptureTime& arrived) override {
    if (!codec_) return false;
    const Duration patience = std::max(kPicturePatience, 2 * to_duration(settings_.silence));
    TimePoint give_up = clock_.now() + patience;
    wait_at_most(to_duration(settings_.silence));
    while (avcodec_receive_frame(codec_.get(), frame_.get()) != 0) {
      if (clock_.now() > give_up && hardware_.brought_nothing()) {
        if (!decode_in_software()) return false;
        give_up = clock_.now() + patience;
      }
      if (clock_.now() > give_up) {
        trouble_ = {"sends no picture that can be decoded", "look at its stream with another player"};
        return false;
      }
      if (!send_packet(arrived)) return false;
    }
    return true;
  }

  bool retrieve(cv::Mat& picture, cv::Size& of) override {
    const AVFrame* frame = hardware_.fetch(*frame_, *fetched_);
    if (frame == nullptr) {  // that picture is lost: the next one in its place, with its time
      CaptureTime later;
      if (!decode_in_software() || !grab(later)) return false;
      frame = frame_.get();
    }
    of = {frame_->width, frame_->height};
    if (!prepare_scaler(*frame, of)) {
      trouble_ = {"sends pictures in a format that is not known", "choose another format in the camera"};
      return false;
    }
    make_room(picture);
    const std::array<std::uint8_t*, 4> planes = {picture.data, nullptr, nullptr, nullptr};
    const std::array<int, 4> strides = {static_cast<int>(picture.step[0]), 0, 0, 0};
    return sws_scale(scaler_.get(), frame->data, frame->linesize, 0, frame->height, planes.data(),
                     strides.data()) == picture.rows;
  }

  void interrupt() override { interrupted_ = true; }
  void taken_every(Duration interval) override { choice_.taken_every(interval); }
  std::string trouble() const override { return trouble_.what; }
  std::string hint() const override { return trouble_.hint; }
  std::string notice() const override {
    return hardware_.trouble().empty() ? advice_on(made_for_.from, made_for_.to) : hardware_.trouble();
  }
  std::uint64_t passed_over() const override { return passed_over_; }

 private:
  // What a scaler was made for.
  struct Conversion {
    int format = AV_PIX_FMT_NONE;
    cv::Size from;
    cv::Size to;
    AVColorSpace colors = AVCOL_SPC_UNSPECIFIED;
    AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
    bool operator==(const Conversion&) const = default;
  };

  // Asked by FFmpeg several times a second while it waits, and before it writes. An interruption ends what is
  // going on; the camera is told of the end nevertheless.
  static int has_to_stop(void* self) {
    const auto* capture = static_cast<const StreamCapture*>(self);
    const bool interrupted = capture->interrupted_ && !capture->leaving_;
    return interrupted || capture->too_late() ? 1 : 0;
  }
  bool too_late() const { return clock_.now().time_since_epoch().count() > deadline_; }
  void wait_at_most(Duration time) { deadline_ = (clock_.now() + time).time_since_epoch().count(); }

  bool failed(int code, bool opening) {
    const bool silent = code == AVERROR_EXIT || code == AVERROR(ETIMEDOUT);
    trouble_ = silent || too_late() ? StreamTrouble{"says nothing for " + in_seconds(settings_.silence),
                                                    "check that it is on, and its address"}
                                    : stream_trouble(code, opening);
    return false;
  }

  bool open_format(const std::string& address) {
    Options options;
    switch (settings_.transport) {
      case StreamTransport::automatic:
        options.set("rtsp_flags", "prefer_tcp");
        break;
      case StreamTransport::tcp:
        options.set("rtsp_transport", "tcp");
        break;
      case StreamTransport::udp:
        options.set("rtsp_transport", "udp");
        break;
    }
    options.set("allowed_media_types", "video");
    options.set("fflags", "nobuffer");
    options.set("protocol_whitelist", settings_.protocols);
    AVFormatContext* format = avformat_alloc_context();
    if (format == nullptr) return failed(AVERROR(ENOMEM), true);
    format->interrupt_callback = {has_to_stop, this};
    format->max_analyze_duration = kProbeMicroseconds;
    format->fps_probe_size = 0;
    // Frees the context when it fails.
    if (const int code = avformat_open_input(&format, address.c_str(), nullptr, options.get()); code < 0)
      return failed(code, true);
    format_.reset(format);
    video_ = find_video();
    if (video_) return true;
    if (const int code = avformat_find_stream_info(format, nullptr); code < 0) return failed(code, true);
    video_ = find_video();
    if (!video_) trouble_ = {"offers no video", "check the path of the address"};
    return video_.has_value();
  }

  std::optional<unsigned> find_video() const {
    for (unsigned i = 0; i < format_->nb_streams; ++i) {
      const AVCodecParameters& codec = *format_->streams[i]->codecpar;
      if (codec.codec_type == AVMEDIA_TYPE_VIDEO && codec.codec_id != AV_CODEC_ID_NONE) return i;
    }
    return std::nullopt;
  }

  bool open_codec() {
    const AVCodecParameters* parameters = format_->streams[*video_]->codecpar;
    const AVCodec* decoder = avcodec_find_decoder(parameters->codec_id);
    if (decoder == nullptr) {
      trouble_ = {
          std::string("sends ") + avcodec_get_name(parameters->codec_id) + ", which cannot be decoded",
          "choose H.264 or H.265 in the camera"};
      return false;
    }
    frame_.reset(av_frame_alloc());
    fetched_.reset(av_frame_alloc());
    packet_.reset(av_packet_alloc());
    if (!frame_ || !fetched_ || !packet_) return failed(AVERROR(ENOMEM), true);
    choice_.begin();
    picture_clock_ = {};
    const AVCodec* const chosen = hardware_.choose(parameters->codec_id, decoder);
    int code = open_decoder(*parameters, *chosen);
    if (code < 0 && chosen != decoder) {
      hardware_.refused(code);
      code = open_decoder(*parameters, *decoder);
    }
    return code >= 0 || failed(code, true);
  }

  int open_decoder(const AVCodecParameters& parameters, const AVCodec& decoder) {
    codec_.reset(avcodec_alloc_context3(&decoder));
    if (!codec_) return AVERROR(ENOMEM);
    if (const int code = avcodec_parameters_to_context(codec_.get(), &parameters); code < 0) return code;
    codec_->thread_count = 1;
    codec_->flags |= AV_CODEC_FLAG_LOW_DELAY;
    codec_->skip_frame = choice_.alone() ? AVDISCARD_NONKEY : AVDISCARD_DEFAULT;
    hardware_.prepare(*codec_, decoder);
    return avcodec_open2(codec_.get(), &decoder, nullptr);
  }

  // The hardware has failed: in its place, on the same connection.
  bool decode_in_software() {
    const AVCodecParameters& parameters = *format_->streams[*video_]->codecpar;
    const AVCodec* decoder = avcodec_find_decoder(parameters.codec_id);
    const int code = decoder == nullptr ? AVERROR_DECODER_NOT_FOUND : open_decoder(parameters, *decoder);
    return code >= 0 || failed(code, false);
  }

  // Reads until a packet of the video came and gives it to the decoder, which may refuse it: the next
  // picture that stands alone is decoded again.
  bool send_packet(CaptureTime& arrived) {
    for (;;) {
      const int code = av_read_frame(format_.get(), packet_.get());
      if (code == AVERROR(EAGAIN) && !interrupted_ && !too_late()) continue;
      if (code < 0) return failed(code, false);
      if (too_late()) {  // the picture that it kept until the next one would begin, which does not come
        av_packet_unref(packet_.get());
        return failed(AVERROR_EXIT, false);
      }
      const bool ours = packet_->stream_index == static_cast<int>(*video_);
      bool decodes = true;
      if (ours) {
        arrived = capture_time();
        const bool key = (packet_->flags & AV_PKT_FLAG_KEY) != 0;
        if (key) {
          codec_->skip_frame = choice_.key_frame(clock_.now()) ? AVDISCARD_NONKEY : AVDISCARD_DEFAULT;
        } else if (choice_.alone()) {
          ++passed_over_;
        }
        const int answer = avcodec_send_packet(codec_.get(), packet_.get());
        decodes = hardware_.answered(answer, key) || decode_in_software();
        wait_at_most(to_duration(settings_.silence));
      }
      av_packet_unref(packet_.get());
      if (ours) return decodes;
    }
  }

  // Of the packet that was read.
  CaptureTime capture_time() {
    std::size_t bytes = 0;
    std::optional<PictureClock::Wall> told;
    std::optional<PictureClock::Wall> placed;
    const std::uint8_t* data = av_packet_get_side_data(packet_.get(), AV_PKT_DATA_PRFT, &bytes);
    if (data != nullptr && bytes >= sizeof(AVProducerReferenceTime)) {
      AVProducerReferenceTime reference{};
      std::memcpy(&reference, data, sizeof reference);
      told = std::chrono::microseconds(reference.wallclock);
    }
    if (format_->start_time_realtime != AV_NOPTS_VALUE && packet_->pts != AV_NOPTS_VALUE) {
      const AVRational base = format_->streams[*video_]->time_base;
      placed = std::chrono::microseconds(format_->start_time_realtime +
                                         av_rescale_q(packet_->pts, base, AVRational{1, AV_TIME_BASE}));
    }
    return picture_clock_.picture(captured_now(), told, placed);
  }

  bool prepare_scaler(const AVFrame& frame, cv::Size from) {
    if (frame.format < 0 || from.empty()) return false;
    const cv::Size to = from == made_for_.from ? made_for_.to : settings_.reduced(from);
    const Conversion wanted{frame.format, from, to, frame.colorspace, frame.color_range};
    if (scaler_ && wanted == made_for_) return true;
    made_for_ = wanted;
    scaler_.reset(sws_getContext(from.width, from.height, static_cast<AVPixelFormat>(frame.format), to.width,
                                 to.height, AV_PIX_FMT_BGR24, scaling_of(settings_.filter), nullptr, nullptr,
                                 nullptr));
    if (!scaler_) return false;
    if (wanted.colors == AVCOL_SPC_UNSPECIFIED) return true;
    int* table = nullptr;
    int* into_table = nullptr;
    int full = 0;
    int into_full = 0;
    int brightness = 0;
    int contrast = 0;
    int saturation = 0;
    if (sws_getColorspaceDetails(scaler_.get(), &table, &full, &into_table, &into_full, &brightness,
                                 &contrast, &saturation) < 0)
      return true;  // of a format without colours that would have to be known
    if (wanted.range == AVCOL_RANGE_JPEG) full = 1;
    sws_setColorspaceDetails(scaler_.get(), sws_getCoefficients(wanted.colors), full, into_table, into_full,
                             brightness, contrast, saturation);
    return true;
  }

  // A picture whose rows have room behind their end: they are written in blocks.
  void make_room(cv::Mat& picture) const {
    const cv::Size size = made_for_.to;
    const int columns = (size.width + kPadding - 1) / kPadding * kPadding + kPadding;
    if (picture.size() == size && picture.type() == CV_8UC3 &&
        picture.step[0] == static_cast<std::size_t>(columns) * 3)
      return;
    picture = cv::Mat(size.height, columns, CV_8UC3)(cv::Rect({0, 0}, size));
  }

  void end() {
    wait_at_most(kGoodbye);
    leaving_ = true;
    codec_.reset();
    format_.reset();
    leaving_ = false;
    video_.reset();
  }

  const SteadyClock clock_;
  const std::function<Result<std::string>()> address_;
  const StreamSettings settings_;
  KeyFrameChoice choice_;
  HardwareDecoder hardware_;  // outlives the codec
  PictureClock picture_clock_;
  std::atomic<bool> interrupted_ = false;
  std::atomic<bool> leaving_ = false;  // the connection is being closed
  std::atomic<Duration::rep> deadline_ = 0;
  std::unique_ptr<AVFormatContext, CloseFormat> format_;
  std::unique_ptr<AVCodecContext, FreeCodec> codec_;
  std::unique_ptr<AVFrame, FreeFrame> frame_;
  std::unique_ptr<AVFrame, FreeFrame> fetched_;  // from the hardware's memory
  std::unique_ptr<AVPacket, FreePacket> packet_;
  std::unique_ptr<SwsContext, FreeScaler> scaler_;
  std::optional<unsigned> video_;  // which of the streams
  Conversion made_for_;
  StreamTrouble trouble_;
  std::uint64_t passed_over_ = 0;
};

}  // namespace

std::shared_ptr<LiveCapture> stream_capture(std::function<Result<std::string>()> address,
                                            StreamSettings settings) {
  return std::make_shared<StreamCapture>(std::move(address), std::move(settings));
}

}  // namespace saccade::runtime
