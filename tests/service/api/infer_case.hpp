// A request to /v2/models/gate/infer for tests, and its answer, over a service that has nothing behind it:
// FakeService's task looks at two regions of 4 x 4.
// Threads: one.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/pictures/preparer.hpp"
#include "service/api/api.hpp"
#include "tests/support/fake_service.hpp"

namespace saccade::service::testing {

inline constexpr std::size_t kNumbers = 2 * 3 * 4 * 4;

// 8 x 4 pixels: the left half red, the right half blue.
inline std::string png_of_halves() {
  cv::Mat bgr(4, 8, CV_8UC3, cv::Scalar(0, 0, 255));
  bgr.colRange(4, 8).setTo(cv::Scalar(255, 0, 0));
  std::vector<std::uint8_t> png;
  EXPECT_TRUE(cv::imencode(".png", bgr, png));
  return {png.begin(), png.end()};
}

inline std::string to_base64(const std::string& bytes) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? digits[bits >> (18U - 6U * k) & 63U] : '=';
  }
  return text;
}

inline nlohmann::json tensor(const std::string& datatype = "FP32") {
  return {{"name", "input"},
          {"shape", {2, 3, 4, 4}},
          {"datatype", datatype},
          {"data", std::vector<int>(kNumbers, 1)}};
}

class InferTest : public ::testing::Test {
 protected:
  Response infer(std::string body, const std::string& type = "application/json",
                 const std::string& json_length = {}) {
    Request request;
    request.method = Method::post;
    request.target = "/v2/models/gate/infer";
    request.host = "localhost";
    request.content_type = type;
    request.inference_header_length = json_length;
    request.body = std::move(body);
    return ask(std::move(request));
  }
  Response infer(const nlohmann::json& input) { return infer(nlohmann::json{{"inputs", {input}}}.dump()); }
  // What is answered at once, or by the frame that waits. 0: nothing yet.
  Response ask(Request request) {
    Response now = api_.handle(std::move(request));
    if (!now.later) return now;
    answer_ = {.status = 0};
    answers_ = 0;
    now.later([this](const std::function<Response()>& make) {
      answer_ = make();
      ++answers_;
    });
    return answer_;
  }
  [[nodiscard]] std::vector<std::string> complaints(const Response& response) const {
    std::vector<std::string> pointers;
    for (const nlohmann::json& error :
         nlohmann::json::parse(response.body).value("errors", nlohmann::json::array())) {
      pointers.push_back(error.at("pointer"));
    }
    return pointers;
  }
  // As an engine of the task would take it.
  std::vector<float> pushed() {
    const runtime::Frame& frame = service_.waiting.back().frame.frame;
    if (!frame.input.empty()) return frame.input;
    runtime::Preparer preparer(profiles::plain_interface({4, 4, 3}).input);
    std::vector<float> numbers;
    for (const runtime::PixelBox& region : frame.regions) {
      std::vector<float> each(std::size_t{3} * 4 * 4);
      preparer.write(*frame.picture, region, std::as_writable_bytes(std::span(each)));
      numbers.insert(numbers.end(), each.begin(), each.end());
    }
    return numbers;
  }

  test::FakeService service_;
  Api api_{service_, {{"", "127.0.0.1", 8080}}};
  Response answer_;
  int answers_ = 0;
};

}  // namespace saccade::service::testing
