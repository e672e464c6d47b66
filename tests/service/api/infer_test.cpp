// Frames that clients send, from the request to the answer.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/service/api/infer_case.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;
using testing::InferTest;
using testing::kNumbers;
using testing::png_of_halves;
using testing::tensor;
using testing::to_base64;

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

TEST_F(InferTest, WhatIsNotThereIsAnErrorAsTheProtocolHasIt) {
  Request request;
  request.host = "localhost";
  for (const char* model : {"other", "gate/versions/huge"}) {
    for (const char* end : {"", "/ready", "/infer"}) {
      request.method = std::string(end) == "/infer" ? Method::post : Method::get;
      request.content_type = "application/json";
      request.target = std::string("/v2/models/") + model + end;
      const Response refused = ask(request);
      EXPECT_EQ(refused.status, 404) << request.target;
      EXPECT_TRUE(json::parse(refused.body).value("error", "").starts_with("there is no ")) << refused.body;
    }
  }
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

}  // namespace
}  // namespace saccade::service
