// Frames that clients send, from the request to the answer, over a service that has nothing behind it:
// what is taken, what is refused and with which words. FakeService's task looks at two regions of 4 x 4.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "runtime/pictures/preparer.hpp"
#include "service/api/api.hpp"
#include "service/api/base64.hpp"
#include "tests/support/fake_service.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;

constexpr std::size_t kNumbers = 2 * 3 * 4 * 4;

// 8 x 4 pixels: the left half red, the right half blue.
std::string png_of_halves() {
  cv::Mat bgr(4, 8, CV_8UC3, cv::Scalar(0, 0, 255));
  bgr.colRange(4, 8).setTo(cv::Scalar(255, 0, 0));
  std::vector<std::uint8_t> png;
  EXPECT_TRUE(cv::imencode(".png", bgr, png));
  return {png.begin(), png.end()};
}

std::string to_base64(const std::string& bytes) {
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

json tensor(const std::string& datatype = "FP32") {
  return {{"name", "input"},
          {"shape", {2, 3, 4, 4}},
          {"datatype", datatype},
          {"data", std::vector<int>(kNumbers, 1)}};
}

class InferTest : public testing::Test {
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
  Response infer(const json& input) { return infer(json{{"inputs", {input}}}.dump()); }
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
    for (const json& error : json::parse(response.body).value("errors", json::array())) {
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

TEST_F(InferTest, ATensorIsPushedAndItsAnswerTellsWhoGaveIt) {
  EXPECT_EQ(infer(json{{"id", "frame 7"}, {"inputs", {tensor()}}}.dump()).status, 0);
  ASSERT_EQ(service_.waiting.size(), 1U);
  EXPECT_EQ(service_.waiting[0].task, 5U);
  EXPECT_EQ(pushed(), std::vector<float>(kNumbers, 1.0F));
  service_.waiting[0].answer({.logits = {1.0F, 2.0F, 3.0F, 2.5F},
                              .variant = 1,
                              .latency = std::chrono::milliseconds(8),
                              .inference = std::chrono::milliseconds(2)});
  EXPECT_EQ(answer_.status, 200);
  const json told = json::parse(answer_.body);
  EXPECT_EQ(told.at("model_name"), "gate");
  EXPECT_EQ(told.at("model_version"), "big");
  EXPECT_EQ(told.at("id"), "frame 7");
  EXPECT_EQ(told.at("parameters"), (json{{"variant", "big"},
                                         {"processor", "cpu"},
                                         {"latency_seconds", 0.008},
                                         {"inference_seconds", 0.002}}));
  EXPECT_EQ(
      told.at("outputs"),
      (json{{{"name", "label"}, {"datatype", "BYTES"}, {"shape", {2}}, {"data", {"odd", "even"}}},
            {{"name", "class"}, {"datatype", "INT64"}, {"shape", {2}}, {"data", {1, 0}}},
            {{"name", "logits"}, {"datatype", "FP32"}, {"shape", {2, 2}}, {"data", {1.0, 2.0, 3.0, 2.5}}}}));
  EXPECT_EQ(answers_, 1);
}

TEST_F(InferTest, ATensorMayBeNestedAndOfBytes) {
  json nested = tensor("UINT8");
  nested["data"] = std::vector(2, std::vector(3, std::vector(4, std::vector<int>(4, 255))));
  EXPECT_EQ(infer(nested).status, 0) << answer_.body;
  EXPECT_EQ(pushed(), std::vector<float>(kNumbers, 1.0F));
}

TEST_F(InferTest, BinaryDataFollowsItsJson) {
  std::vector<float> numbers(kNumbers);
  for (std::size_t i = 0; i < kNumbers; ++i) numbers[i] = static_cast<float>(i);
  std::string bytes(kNumbers * sizeof(float), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  json input = tensor();
  input.erase("data");
  input["parameters"] = {{"binary_data_size", bytes.size()}};
  const std::string head = json{{"inputs", {input}}}.dump();
  const std::string length = std::to_string(head.size());
  EXPECT_EQ(infer(head + bytes, "application/octet-stream", length).status, 0) << answer_.body;
  EXPECT_EQ(pushed(), numbers);

  EXPECT_EQ(infer(head + bytes + "x", "application/octet-stream", length).status, 422);
  EXPECT_EQ(complaints(answer_), std::vector<std::string>{"#/inputs/0/parameters/binary_data_size"});
  for (const char* wrong : {"-1", "x", "999999", "1e2", "4 "}) {
    EXPECT_EQ(infer(head + bytes, "application/octet-stream", wrong).status, 422) << wrong;
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bytes.data(), &nan, sizeof nan);
  EXPECT_EQ(infer(head + bytes, "application/octet-stream", length).status, 422);
  EXPECT_EQ(service_.waiting.size(), 1U);
}

TEST_F(InferTest, TheAnswerMayBeBinary) {
  const json wanted = {{"inputs", {tensor()}},
                       {"outputs",
                        {{{"name", "class"}},
                         {{"name", "logits"}, {"parameters", {{"binary_data", true}}}},
                         {{"name", "label"}, {"parameters", {{"binary_data", true}}}}}}};
  EXPECT_EQ(infer(wanted.dump()).status, 0);
  service_.waiting[0].answer({.logits = {1.0F, 2.0F, 3.0F, 2.5F}});
  EXPECT_EQ(answer_.content_type, "application/octet-stream");
  std::size_t length = 0;
  for (const auto& [name, value] : answer_.headers) {
    if (name == "Inference-Header-Content-Length") length = std::stoul(value);
  }
  const json told = json::parse(answer_.body.substr(0, length));
  EXPECT_EQ(told.at("outputs").at(0).at("data"), (json{1, 0}));
  EXPECT_EQ(told.at("outputs").at(1).at("parameters"), (json{{"binary_data_size", 16}}));
  const std::string labels("\3\0\0\0odd\4\0\0\0even", 15);
  EXPECT_EQ(told.at("outputs").at(2).at("parameters"), (json{{"binary_data_size", labels.size()}}));
  EXPECT_EQ(answer_.body.size(), length + 16 + labels.size());
  float third = 0.0F;
  std::memcpy(&third, answer_.body.data() + length + 8, sizeof third);
  EXPECT_EQ(third, 3.0F);
  EXPECT_EQ(answer_.body.substr(length + 16), labels);
}

TEST_F(InferTest, APictureIsCutIntoRegionsHoweverItIsSent) {
  const std::string png = png_of_halves();  // 8 x 4 pixels: red, blue
  EXPECT_EQ(infer(png, "image/png").status, 0) << answer_.body;
  std::vector<float> expected(kNumbers, 0.0F);
  std::fill_n(expected.begin(), 16, 1.0F);                    // red plane of the first region
  std::fill_n(expected.begin() + 3 * 16 + 2 * 16, 16, 1.0F);  // blue plane of the second
  EXPECT_EQ(pushed(), expected);

  json input = {{"name", "input"}, {"shape", {1}}, {"datatype", "BYTES"}, {"data", {to_base64(png)}}};
  EXPECT_EQ(infer(input).status, 0) << answer_.body;
  EXPECT_EQ(pushed(), expected);

  input.erase("data");
  input["parameters"] = {{"binary_data_size", png.size() + 4}};
  const std::string head = json{{"inputs", {input}}}.dump();
  std::string element(4, '\0');
  element[0] = static_cast<char>(png.size() & 0xFFU);
  element[1] = static_cast<char>(png.size() >> 8U);
  EXPECT_EQ(infer(head + element + png, "application/octet-stream", std::to_string(head.size())).status, 0)
      << answer_.body;
  EXPECT_EQ(pushed(), expected);
  EXPECT_EQ(service_.waiting.size(), 3U);
}

TEST_F(InferTest, ATensorForVariantsOfSeveralSizesIsAPicture) {
  profiles::PictureInput larger = service_.takes.variants.front();
  larger.width = 8;
  service_.takes.variants.push_back(larger);
  json input = tensor();
  std::vector<float> numbers(kNumbers);
  for (std::size_t i = 0; i < kNumbers; ++i) numbers[i] = static_cast<float>(i * 37 % 256) / 255.0F;
  input["data"] = numbers;
  EXPECT_EQ(infer(input).status, 0) << answer_.body;
  const runtime::Frame& frame = service_.waiting.back().frame.frame;
  ASSERT_TRUE(frame.picture);
  EXPECT_TRUE(frame.input.empty());
  EXPECT_EQ(pushed(), numbers) << "steps of 1/255 are what a picture has";
}

TEST_F(InferTest, WhatIsNoPictureIsRefused) {
  const std::string png = png_of_halves();
  std::string bomb = png;
  bomb.replace(16, 8, std::string("\0\0\x40\0\0\0\x40\0", 8));  // 16384 x 16384 pixels
  std::string empty = png;
  empty.replace(16, 4, std::string(4, '\0'));
  std::string damaged = png;
  for (std::size_t i = 30; i < damaged.size(); ++i) damaged[i] = 'x';
  for (const std::string& bytes :
       {std::string("GIF89a"), std::string(), png.substr(0, 20), bomb, empty, damaged,
        std::string("\xFF\xD8\xFF"), std::string("\xFF\xD8\xFF\xE0\0\0", 6),
        std::string("\xFF\xD8\xFF\xE0\xFF\xFF", 6)}) {
    const Response refused = infer(bytes, "image/png");
    EXPECT_EQ(refused.status, 422) << bytes.size();
    EXPECT_EQ(complaints(refused), std::vector<std::string>{"#"});
  }
  EXPECT_NE(infer(bomb, "image/png").body.find("64 million pixels"), std::string::npos);
  const json input = {{"name", "input"}, {"shape", {1}}, {"datatype", "BYTES"}, {"data", {"AAAA"}}};
  EXPECT_EQ(complaints(infer(input)), std::vector<std::string>{"#/inputs/0"});
  EXPECT_TRUE(service_.waiting.empty());
}

TEST_F(InferTest, EveryMistakeIsToldAtOnce) {
  json wrong = tensor();
  wrong["name"] = "image";
  wrong["shape"] = {1, 3, 4, 4};
  wrong["data"] = {1, "x", nullptr};
  const Response refused =
      infer(json{{"id", 7}, {"outputs", {{{"name", "boxes"}}}}, {"inputs", {wrong}}}.dump());
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(complaints(refused),
            (std::vector<std::string>{"#/id", "#/outputs/0/name", "#/inputs/0/name", "#/inputs/0/shape",
                                      "#/inputs/0/data/1", "#/inputs/0/data/2", "#/inputs/0/data"}));
  EXPECT_EQ(json::parse(refused.body).at("error"), "the request was refused");
}

TEST_F(InferTest, WhatIsNoRequestIsRefused) {
  for (const char* body :
       {"", "{", "[]", "{}", "null", R"({"inputs":{}})", R"({"inputs":[]})", R"({"inputs":[1]})",
        R"({"inputs":[{},{}]})", R"({"inputs":[{"name":"input"}]})",
        R"({"inputs":[{"name":"input","shape":[1],"datatype":"BYTES","data":["*"]}]})",
        R"({"inputs":[{"name":"input","shape":[1],"datatype":"BYTES","data":"AAAA"}]})",
        R"({"inputs":[{"name":"input","shape":[2,3,4,4],"datatype":"FP64","data":[1]}]})",
        R"({"inputs":[{"name":"input","shape":[2,3,4,4],"datatype":"FP32","data":[NaN]}]})",
        R"({"inputs":[{"name":"input","shape":[2,3,4,4],"datatype":"FP32"}]})"}) {
    const Response refused = infer(std::string(body));
    EXPECT_EQ(refused.status, 422) << body;
    EXPECT_FALSE(complaints(refused).empty()) << body;
  }
  EXPECT_EQ(infer(std::string(100, '[')).status, 422);
  json bytes = tensor("UINT8");
  bytes["data"] = std::vector<int>(kNumbers, 256);
  EXPECT_EQ(complaints(infer(bytes)).size(), 9U) << "eight places, and how many more";
  json huge = tensor();
  huge["data"] = std::vector<double>(kNumbers, 1e300);
  EXPECT_EQ(infer(huge).status, 422) << "no finite number of 32 bits";
  EXPECT_TRUE(service_.waiting.empty());
}

TEST_F(InferTest, AnEmptyNameOrDatatypeIsOneThatIsNotKnown) {
  for (const char* key : {"name", "datatype"}) {
    json empty = tensor();
    empty[key] = "";
    empty["data"] = json::array();
    const Response refused = infer(empty);
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(complaints(refused).front(), std::string("#/inputs/0/") + key);
  }
  EXPECT_EQ(complaints(infer(json{{"outputs", {{{"name", ""}}}}, {"inputs", {tensor()}}}.dump())),
            std::vector<std::string>{"#/outputs/0/name"});
  EXPECT_TRUE(service_.waiting.empty());
}

TEST_F(InferTest, NoRequestAsksForMoreThanThereIs) {
  const auto with_outputs = [](const json& outputs) {
    return json{{"outputs", outputs}, {"inputs", {tensor()}}}.dump();
  };
  EXPECT_EQ(complaints(infer(with_outputs({{{"name", "logits"}}, {{"name", "logits"}}}))),
            std::vector<std::string>{"#/outputs/1/name"});
  EXPECT_EQ(complaints(infer(with_outputs(std::vector<int>(1000, 0)))),
            std::vector<std::string>{"#/outputs"});
  EXPECT_EQ(complaints(infer(json{{"id", std::string(257, 'x')}, {"inputs", {tensor()}}}.dump())),
            std::vector<std::string>{"#/id"});
  json many = tensor();
  many["data"] = std::vector<int>(10'000, 1);
  EXPECT_NE(infer(many).body.find("far more values"), std::string::npos);
  std::string objects = R"({"inputs":[)";
  for (int i = 0; i < 10'000; ++i) objects += "{},";
  EXPECT_NE(infer(objects + "{}]}").body.find("far more values"), std::string::npos);
  EXPECT_TRUE(service_.waiting.empty());
}

TEST_F(InferTest, ANumberThatIsTooLargeIsTheClientsMistake) {
  EXPECT_EQ(infer(std::string(R"({"inputs":[{"name":"input","data":[1e999]}]})")).status, 422);
  EXPECT_EQ(infer(R"({"inputs":[{"data":[)" + std::string(100'000, '9') + "]}]}").status, 422);
}

TEST_F(InferTest, WhatAJpegSaysOfItsSizeIsWhatItsDecoderReads) {
  const auto start_of_frame = [](char kind, int width, int height) {
    std::string bytes("\xFF\0\0\x11\x08\0\0\0\0\x03\x01\x11\0\x02\x11\0\x03\x11\0", 19);
    bytes[1] = kind;
    bytes[5] = static_cast<char>(height >> 8);
    bytes[6] = static_cast<char>(height & 255);
    bytes[7] = static_cast<char>(width >> 8);
    bytes[8] = static_cast<char>(width & 255);
    return bytes;
  };
  const std::string begin = "\xFF\xD8";
  // A marker without a length, taken for one with, would hide the frame behind it.
  const std::string hidden = begin + "\xFF\x01" + start_of_frame('\xC0', 32000, 32000) +
                             std::string(0xFFC0, 'x') + start_of_frame('\xC0', 16, 16);
  EXPECT_NE(infer(hidden, "image/jpeg").body.find("damaged"), std::string::npos);
  EXPECT_NE(infer(begin + start_of_frame('\xC0', 16000, 16000), "image/jpeg").body.find("64 million pixels"),
            std::string::npos);
  EXPECT_NE(infer(begin + start_of_frame('\xC2', 5000, 5000), "image/jpeg").body.find("16 million pixels"),
            std::string::npos);
  std::string scans = begin + start_of_frame('\xC2', 16, 16);
  for (int i = 0; i < 100; ++i) scans += "\xFF\xDA";
  EXPECT_NE(infer(scans, "image/jpeg").body.find("scans"), std::string::npos);
  EXPECT_TRUE(service_.waiting.empty());
}

TEST_F(InferTest, ADetectorAnswersWithItsObjects) {
  service_.kind = profiles::NetworkTask::detect;
  EXPECT_EQ(infer(tensor()).status, 0) << answer_.body;
  const vision::Objects objects{{{10.5F, 20.0F, 30.0F, 40.0F}, 1, 0.75F, 1},
                                {{0.0F, 0.0F, 8.0F, 4.0F}, 0, 0.5F, 0}};
  service_.waiting.back().answer({.objects = objects});
  EXPECT_EQ(json::parse(answer_.body).at("outputs"), json::parse(R"([
    {"name": "boxes", "datatype": "FP32", "shape": [2, 4], "data": [10.5, 20, 40.5, 60, 0, 0, 8, 4]},
    {"name": "scores", "datatype": "FP32", "shape": [2], "data": [0.75, 0.5]},
    {"name": "class", "datatype": "INT64", "shape": [2], "data": [1, 0]},
    {"name": "label", "datatype": "BYTES", "shape": [2], "data": ["odd", "even"]},
    {"name": "region", "datatype": "INT32", "shape": [2], "data": [1, 0]}])"));

  const json wanted = {{"inputs", {tensor()}}, {"parameters", {{"binary_data_output", true}}}};
  for (const std::size_t count : {std::size_t{2}, std::size_t{0}}) {
    EXPECT_EQ(infer(wanted.dump()).status, 0) << answer_.body;
    service_.waiting.back().answer({.objects = {objects.begin(), objects.begin() + static_cast<int>(count)}});
    EXPECT_EQ(answer_.content_type, "application/octet-stream");
    EXPECT_EQ(answer_.headers.back().first, "Inference-Header-Content-Length");
    const std::size_t length = std::stoul(answer_.headers.back().second);
    const json told = json::parse(answer_.body.substr(0, length)).at("outputs");
    std::size_t bytes = 0;
    for (const json& output : told)
      bytes += output.at("parameters").at("binary_data_size").get<std::size_t>();
    EXPECT_EQ(told.at(0).at("shape"), json({count, 4}));
    EXPECT_EQ(bytes, count == 0 ? 0U : 2 * (16 + 4 + 8 + 4 + 4) + 7U);
    EXPECT_EQ(answer_.body.size(), length + bytes);
  }
}

TEST_F(InferTest, TensorsAreHandedOnByTheirNames) {
  service_.kind = profiles::NetworkTask::tensor;
  service_.tensors = {{"ids", "INT64", {1, 2}}, {"mask", "UINT8", {3}}};
  const auto answer = [] {
    runtime::FrameAnswer given;
    given.tensors.push_back({"ids", {1, 2}, std::vector<std::int64_t>{7, -1}});
    given.tensors.push_back({"mask", {3}, std::vector<std::uint8_t>{0, 255, 1}});
    return given;
  };
  EXPECT_EQ(infer(json{{"inputs", {tensor()}}, {"outputs", {{{"name", "mask"}}}}}.dump()).status, 0);
  service_.waiting.back().answer(answer());
  EXPECT_EQ(json::parse(answer_.body).at("outputs"), json::parse(R"([
    {"name": "mask", "datatype": "UINT8", "shape": [3], "data": [0, 255, 1]}])"));
  service_.tensors.clear();  // no engine served when the request came
  EXPECT_EQ(infer(tensor()).status, 0);
  service_.waiting.back().answer(answer());
  EXPECT_EQ(json::parse(answer_.body).at("outputs").size(), 2U);
  EXPECT_EQ(json::parse(answer_.body).at("outputs").at(0).at("data"), json({7, -1}));
  EXPECT_EQ(infer(json{{"inputs", {tensor()}}, {"outputs", {{{"name", "mask"}}}}}.dump()).status, 422);
}

TEST_F(InferTest, AVersionAnswersForItselfAlone) {
  Request request;
  request.method = Method::post;
  request.host = "localhost";
  request.content_type = "application/json";
  request.body = json{{"inputs", {tensor()}}}.dump();
  const auto ask_version = [&](const std::string& version) {
    request.target = "/v2/models/gate/versions/" + version + "/infer";
    return ask(request);
  };
  EXPECT_EQ(ask_version("huge").status, 404);
  EXPECT_EQ(ask_version("small").status, 409);
  EXPECT_TRUE(service_.waiting.empty());
  EXPECT_EQ(ask_version("big").status, 0);
  service_.waiting.back().answer({.logits = {1.0F, 2.0F, 3.0F, 2.5F}, .variant = 1});
  EXPECT_EQ(json::parse(answer_.body).at("model_version"), "big");
  EXPECT_EQ(ask_version("big").status, 0);
  service_.waiting.back().answer({.logits = {1.0F, 2.0F, 3.0F, 2.5F}, .variant = 0});
  EXPECT_EQ(answer_.status, 409) << "switched while the frame waited";
  EXPECT_NE(answer_.body.find("`small` does"), std::string::npos) << answer_.body;
  service_.ready = false;
  const Response none = ask_version("big");
  EXPECT_EQ(none.status, 409);
  EXPECT_NE(none.body.find("no other does"), std::string::npos) << none.body;
}

TEST_F(InferTest, AFrameThatIsNotTakenSaysWhy) {
  const auto header = [](const Response& response, const std::string& name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return std::string();
  };
  service_.verdict = runtime::PushVerdict::full;
  const Response full = infer(tensor());
  EXPECT_EQ(full.status, 429);
  EXPECT_EQ(header(full, "Retry-After"), "1");
  service_.verdict = runtime::PushVerdict::ending;
  EXPECT_EQ(infer(tensor()).status, 503);
  EXPECT_EQ(json::parse(answer_.body).at("reason"), "shutdown");
  service_.verdict = runtime::PushVerdict::starting;
  EXPECT_EQ(infer(tensor()).status, 503);
  service_.verdict = runtime::PushVerdict::not_pushed;  // since a moment ago
  EXPECT_EQ(infer(tensor()).status, 409);
  service_.pushed = false;
  const Response captured = infer(tensor());
  EXPECT_EQ(captured.status, 409);
  EXPECT_NE(captured.body.find("\\\"type\\\": \\\"push\\\""), std::string::npos) << captured.body;
  Request other;
  other.method = Method::post;
  other.target = "/v2/models/other/infer";
  other.host = "localhost";
  other.content_type = "application/json";
  EXPECT_EQ(ask(other).status, 404);
}

TEST_F(InferTest, AFrameThatIsDroppedSaysWhy) {
  for (const runtime::DropReason reason :
       {runtime::DropReason::over_quota, runtime::DropReason::no_engine, runtime::DropReason::engine_error,
        runtime::DropReason::inactive, runtime::DropReason::shutdown}) {
    EXPECT_EQ(infer(tensor()).status, 0);
    service_.waiting.back().answer({.dropped = reason});
    EXPECT_EQ(answer_.status, 503);
    EXPECT_EQ(answer_.content_type, "application/problem+json");
    EXPECT_EQ(json::parse(answer_.body).at("reason"), to_string(reason));
  }
}

TEST_F(InferTest, OnlyFramesAreTakenAndOnlySoLargeOnes) {
  EXPECT_EQ(infer("x", "application/x-www-form-urlencoded").status, 415);
  EXPECT_EQ(infer("x", "image/gif").status, 415);
  EXPECT_EQ(infer("x", "").status, 415);
  EXPECT_EQ(infer(std::string(16UL * 1024 * 1024 + 1, 'x'), "image/png").status, 413);
  Request status;
  status.method = Method::put;
  status.target = "/v1/config";
  status.host = "localhost";
  status.content_type = "image/png";
  EXPECT_EQ(api_.handle(status).status, 415) << "elsewhere no picture is wanted";
  status.target = "/v2/models/gate/infer";
  status.method = Method::get;
  EXPECT_EQ(api_.handle(status).status, 405);
}

TEST(Base64, IsTheInverseOfWriting) {
  std::string bytes;
  for (int i = 0; i < 260; ++i) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    bytes.push_back(static_cast<char>(i * 7));
  }
  for (const char* wrong :
       {"A", "AA", "AAA", "A===", "AB==", "AAB=", "AA=A", "AA A", "AA-_", "====", "AAAA\n"}) {
    EXPECT_FALSE(from_base64(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace saccade::service
