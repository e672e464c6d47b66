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
#include "runtime/engines/prepared_input.hpp"

namespace saccade::runtime {

namespace {

// The exception's text on one line, without the library's file and line where it says them apart.
std::string to_line(const std::exception& error) {
  const auto* thrown = dynamic_cast<const cv::Exception*>(&error);
  std::string text = thrown != nullptr ? thrown->err : error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

class OpenCvEngine final : public Engine {
 public:
  // `net` is a handle; the caller lets go of its own.
  OpenCvEngine(const cv::dnn::Net& net, const EngineSpec& spec)
      : net_(net),
        where_(spec.model.string()),
        batch_(spec.batch),
        classes_(spec.classes),
        input_name_(spec.input.name),
        names_(spec.outputs.begin(), spec.outputs.end()),
        input_(spec) {
    if (names_.empty() && classes_ == 0) {
      const auto all = net_.getUnconnectedOutLayersNames();
      names_.assign(all.begin(), all.end());
    }
    if (names_.empty()) names_.emplace_back();  // the only one
  }

  Status prepare(std::size_t place, const Picture& picture, const PixelBox& region) override {
    return input_.prepare(place, picture, region);
  }
  Status prepare(std::span<const float> planes) override { return input_.prepare(planes); }

  Status infer(Outputs& outputs) override {
    try {
      forward();
    } catch (const std::exception& error) {
      return Error{where_, "the inference failed: " + to_line(error), ""};
    }
    outputs.resize(answers_.size());
    shapes_.resize(answers_.size());
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      const cv::Mat& answer = answers_[i];
      const bool logits = classes_ > 0 && i == 0;
      const std::size_t wanted = logits ? static_cast<std::size_t>(batch_) * classes_ : answer.total();
      if (answer.total() != wanted || answer.type() != CV_32F || !answer.isContinuous()) {
        return Error{where_,
                     "the network answered " + std::to_string(answer.total()) + " numbers instead of " +
                         std::to_string(wanted),
                     ""};
      }
      shapes_[i].assign(answer.size.p, answer.size.p + answer.dims);
      outputs[i] = {names_[i], shapes_[i], std::span<const float>(answer.ptr<float>(), answer.total())};
    }
    return Done{};
  }

  // Throws when the network cannot compute its input.
  void forward() {
    const std::array<std::int64_t, 4>& shape = input_.shape();
    const std::array<int, 4> sizes{static_cast<int>(shape[0]), static_cast<int>(shape[1]),
                                   static_cast<int>(shape[2]), static_cast<int>(shape[3])};
    // The library takes inputs by a pointer it does not write through.
    net_.setInput(cv::Mat(static_cast<int>(sizes.size()), sizes.data(), CV_32F, input_.bytes().data()),
                  input_name_);
    if (names_.size() > 1) {
      net_.forward(answers_, names_);
    } else {
      answers_.resize(1);
      answers_[0] = net_.forward(names_[0]);
    }
  }
  [[nodiscard]] const cv::Mat& answer() const { return answers_.front(); }

  // After forward().
  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override {
    std::vector<vision::OutputPort> outputs;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      const cv::Mat& answer = answers_[i];
      outputs.push_back({names_[i], std::vector<std::int64_t>(answer.size.p, answer.size.p + answer.dims),
                         profiles::ElementType::fp32});
    }
    return outputs;
  }
  [[nodiscard]] int batch() const override { return batch_; }
  [[nodiscard]] std::size_t classes() const override { return classes_; }

 private:
  cv::dnn::Net net_;
  std::string where_;
  int batch_;
  std::size_t classes_;
  cv::String input_name_;
  std::vector<cv::String> names_;  // of the outputs; one that is empty: the only one
  PreparedInput input_;
  std::vector<cv::Mat> answers_;
  std::vector<std::vector<std::int64_t>> shapes_;
};

// What the library cannot do at all.
Errors not_for_opencv(const EngineSpec& spec) {
  const std::string where = spec.model.string();
  const char* const hint = "use ONNX Runtime";
  Errors errors;
  if (spec.provider != "cpu") {
    errors.push_back({"processor '" + spec.processor.str() + "'",
                      "OpenCV has no execution provider '" + spec.provider + "'", "use \"cpu\""});
  }
  if (spec.threads > 1) {
    errors.push_back({"processor '" + spec.processor.str() + "'",
                      "runs one thread per inference, not " + std::to_string(spec.threads),
                      "use ONNX Runtime, or processors with one CPU each"});
  }
  if (spec.input.type.value_or(profiles::ElementType::fp32) != profiles::ElementType::fp32)
    errors.push_back({where, "takes an input that is not fp32, which OpenCV does not", hint});
  if (spec.takes_tensors())
    errors.push_back({where, "is a later stage of a network, which OpenCV does not run", hint});
  if (!spec.constants.empty()) errors.push_back({where, "takes constants, which OpenCV does not", hint});
  return errors;
}

class OpenCvBackend final : public EngineBackend {
 public:
  [[nodiscard]] std::string name() const override { return "opencv"; }
  [[nodiscard]] std::string version() const override { return "opencv " + cv::getVersionString(); }

  [[nodiscard]] Result<std::unique_ptr<Engine>> load(const EngineSpec& spec) const override {
    SACCADE_CHECK(spec.batch > 0 && (spec.takes_tensors() || spec.input_size() > 0));
    const auto bytes = read_model(spec.model, spec.sha256);
    if (!bytes) return bytes.errors();
    const std::string where = spec.model.string();
    if (auto errors = not_for_opencv(spec); !errors.empty()) return errors;
    const char* hint = "OpenCV runs fp32 models of plain operators; fp16 and int8 variants need ONNX Runtime";
    try {
      cv::dnn::Net net = cv::dnn::readNetFromONNX(bytes.value().data(), bytes.value().size());
      net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
      net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
      hint = "the model and its profile set do not belong together";
      auto engine = std::make_unique<OpenCvEngine>(net, spec);
      // Once, on zeros: only then does the library compare what the layers hold with what they are fed.
      engine->forward();
      const cv::Mat& answer = engine->answer();
      const cv::dnn::MatShape shape(answer.size.p, answer.size.p + answer.dims);
      if (spec.classes > 0 && shape != cv::dnn::MatShape{spec.batch, static_cast<int>(spec.classes)}) {
        return Error{where,
                     "the model answers " + std::to_string(shape.empty() ? 0 : shape.back()) +
                         " classes in " + std::to_string(shape.size()) + " dimensions instead of " +
                         std::to_string(spec.classes) + " in 2",
                     hint};
      }
      return std::unique_ptr<Engine>(std::move(engine));
    } catch (const std::exception& error) {
      return Error{where, "cannot be loaded: " + to_line(error), hint};
    }
  }
};

}  // namespace

Result<std::unique_ptr<EngineBackend>> make_opencv_backend() {
  static std::once_flag once;
  std::call_once(once, [] { cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT); });
  return std::unique_ptr<EngineBackend>(std::make_unique<OpenCvBackend>());
}

}  // namespace saccade::runtime
