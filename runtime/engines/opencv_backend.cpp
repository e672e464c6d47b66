#include "runtime/engines/opencv_backend.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <mutex>
#include <opencv2/core/utility.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn.hpp>
#include <string>

#include "base/check.hpp"
#include "runtime/engines/model_file.hpp"

namespace saccade::runtime {

namespace {

// The exception's text on one line, without the library's file and line where it says them apart.
std::string to_line(const std::exception& error) {
  const auto* thrown = dynamic_cast<const cv::Exception*>(&error);
  std::string text = thrown != nullptr ? thrown->err : error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::array<int, 4> input_shape(const EngineSpec& spec) {
  return {spec.batch, spec.input.channels, spec.input.height, spec.input.width};
}

class OpenCvEngine final : public Engine {
 public:
  // `net` is a handle; the caller lets go of its own.
  OpenCvEngine(const cv::dnn::Net& net, const EngineSpec& spec)
      : net_(net),
        where_(spec.model.string()),
        shape_(input_shape(spec)),
        batch_(spec.batch),
        classes_(spec.classes),
        input_size_(spec.input.size()) {}

  Status infer(std::span<const float> input, std::span<float> logits) override {
    const std::size_t images = static_cast<std::size_t>(batch_);
    SACCADE_CHECK(input.size() == images * input_size_);
    SACCADE_CHECK(logits.size() == images * classes_);
    try {
      // The library takes inputs by a pointer it does not write through.
      const cv::Mat blob(static_cast<int>(shape_.size()), shape_.data(), CV_32F,
                         const_cast<float*>(input.data()));
      net_.setInput(blob);
      const cv::Mat answer = net_.forward();
      if (answer.total() != logits.size() || answer.type() != CV_32F || !answer.isContinuous()) {
        return Error{where_,
                     "the network answered " + std::to_string(answer.total()) + " numbers instead of " +
                         std::to_string(logits.size()),
                     ""};
      }
      std::copy_n(answer.ptr<float>(), logits.size(), logits.begin());
      return Done{};
    } catch (const std::exception& error) {
      return Error{where_, "the inference failed: " + to_line(error), ""};
    }
  }

  [[nodiscard]] int batch() const override { return batch_; }
  [[nodiscard]] std::size_t classes() const override { return classes_; }

 private:
  cv::dnn::Net net_;
  std::string where_;
  std::array<int, 4> shape_;
  int batch_;
  std::size_t classes_;
  std::size_t input_size_;
};

// Runs the network once on zeros: only then does the library compare what the layers hold with what
// they are fed. Throws when the network cannot compute that input.
cv::dnn::MatShape answer_shape(cv::dnn::Net& net, const EngineSpec& spec) {
  const std::array<int, 4> shape = input_shape(spec);
  net.setInput(cv::Mat(static_cast<int>(shape.size()), shape.data(), CV_32F, cv::Scalar(0.0)));
  const cv::Mat answer = net.forward();
  return {answer.size.p, answer.size.p + answer.dims};
}

class OpenCvBackend final : public EngineBackend {
 public:
  [[nodiscard]] std::string name() const override { return "opencv"; }
  [[nodiscard]] std::string version() const override { return "opencv " + cv::getVersionString(); }

  [[nodiscard]] Result<std::unique_ptr<Engine>> load(const EngineSpec& spec) const override {
    SACCADE_CHECK(spec.batch > 0 && spec.classes > 0 && spec.input.size() > 0);
    const auto bytes = read_model(spec.model, spec.sha256);
    if (!bytes) return bytes.errors();
    const std::string where = spec.model.string();
    if (spec.provider != "cpu") {
      return Error{"processor '" + spec.processor.str() + "'",
                   "OpenCV has no execution provider '" + spec.provider + "'", "use \"cpu\""};
    }
    const char* hint = "OpenCV runs fp32 models of plain operators; fp16 and int8 variants need ONNX Runtime";
    try {
      cv::dnn::Net net = cv::dnn::readNetFromONNX(bytes.value().data(), bytes.value().size());
      net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
      net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
      hint = "the model and its profile set do not belong together";
      const cv::dnn::MatShape shape = answer_shape(net, spec);
      if (shape != cv::dnn::MatShape{spec.batch, static_cast<int>(spec.classes)}) {
        return Error{where,
                     "the model answers " + std::to_string(shape.empty() ? 0 : shape.back()) +
                         " classes in " + std::to_string(shape.size()) + " dimensions instead of " +
                         std::to_string(spec.classes) + " in 2",
                     hint};
      }
      return std::unique_ptr<Engine>(std::make_unique<OpenCvEngine>(net, spec));
    } catch (const std::exception& error) {
      return Error{where, "cannot be loaded: " + to_line(error), hint};
    }
  }
};

}  // namespace

Result<std::unique_ptr<EngineBackend>> make_opencv_backend() {
  static std::once_flag once;
  std::call_once(once, [] {
    cv::setNumThreads(1);
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  });
  return std::unique_ptr<EngineBackend>(std::make_unique<OpenCvBackend>());
}

}  // namespace saccade::runtime
