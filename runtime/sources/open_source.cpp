// Which file opens which kind of source.
#include <opencv2/videoio.hpp>

#include "base/address.hpp"
#include "runtime/sources/capture.hpp"
#include "runtime/sources/file_source.hpp"
#include "runtime/sources/frame_source.hpp"
#include "runtime/sources/images_source.hpp"
#include "runtime/sources/live_source.hpp"
#include "runtime/sources/replay_source.hpp"
#include "runtime/sources/stream_source.hpp"
#include "runtime/sources/synthetic_source.hpp"

namespace saccade::runtime {
namespace {

using Opened = Result<std::unique_ptr<FrameSource>>;

struct Opener {
  const Regions& regions;
  const NetworkInputs& inputs;
  const std::vector<std::string>& labels;

  Opened operator()(const StreamSource& source) const { return open_stream(source, regions, inputs); }

  Opened operator()(const VideoSource& source) const {
    StreamSource stream;
    stream.url = source.path;
    if (is_always_live(source.path)) return open_stream(stream, regions, inputs);
    auto capture = std::make_unique<cv::VideoCapture>();
    if (!open_capture(*capture, source.path)) {
      return Error{without_secrets(source.path), "cannot open the video",
                   "check that the file or address exists and its format is known to OpenCV"};
    }
    // A stream knows no number of frames; it is a camera, whatever its address looks like.
    if (capture->get(cv::CAP_PROP_FRAME_COUNT) > 0.0) return open_file(*capture, source, regions, inputs);
    if (source.path.starts_with("http://") || source.path.starts_with("https://")) {
      capture.reset();  // it was needed to know
      return open_stream(stream, regions, inputs);
    }
    return open_live(
        live_capture(std::move(capture),
                     [path = source.path](cv::VideoCapture& again) { return open_capture(again, path); }),
        without_secrets(source.path), regions, inputs);
  }

  Opened operator()(const CameraSource& source) const {
    const std::string name = "/dev/video" + std::to_string(source.device);
    auto capture = std::make_unique<cv::VideoCapture>();
    if (!open_capture(*capture, source.device)) {
      return Error{name, "cannot open the camera", "check that it is plugged in and that you may read it"};
    }
    return open_live(live_capture(std::move(capture),
                                  [device = source.device](cv::VideoCapture& again) {
                                    return open_capture(again, device);
                                  }),
                     name, regions, inputs);
  }

  Opened operator()(const ImagesSource& source) const { return open_images(source, regions, inputs); }

  Opened operator()(const SyntheticSource& source) const {
    return open_synthetic(source, regions, inputs, labels);
  }

  Opened operator()(const ReplaySource& source) const { return open_replay(source, regions, inputs); }

  Opened operator()(const PushSource&) const {
    return Error{"source", "frames that clients send come by the API", "there is nothing to open"};
  }
};

}  // namespace

Result<std::unique_ptr<FrameSource>> open_source(const SourceConfig& source, const Regions& regions,
                                                 const NetworkInputs& inputs,
                                                 const std::vector<std::string>& labels) {
  for (const profiles::PictureInput& input : inputs.variants) {
    if (inputs.channels == profiles::channels_of(input.color)) continue;
    return Error{"input", "the network takes " + std::to_string(inputs.channels) + " channels",
                 "sources deliver 3 (RGB)"};
  }
  return std::visit(Opener{regions, inputs, labels}, source);
}

}  // namespace saccade::runtime
