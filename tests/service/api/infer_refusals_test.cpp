// Frames that clients send and that are not taken: which, and with which words.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "tests/service/api/infer_case.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;
using testing::kNumbers;
using testing::png_of_halves;
using testing::tensor;

class InferRefusals : public testing::InferTest {};

TEST_F(InferRefusals, WhatIsNoPictureIsRefused) {
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

TEST_F(InferRefusals, EveryMistakeIsToldAtOnce) {
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

TEST_F(InferRefusals, WhatIsNoRequestIsRefused) {
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

TEST_F(InferRefusals, AnEmptyNameOrDatatypeIsOneThatIsNotKnown) {
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

TEST_F(InferRefusals, NoRequestAsksForMoreThanThereIs) {
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

TEST_F(InferRefusals, ANumberThatIsTooLargeIsTheClientsMistake) {
  EXPECT_EQ(infer(std::string(R"({"inputs":[{"name":"input","data":[1e999]}]})")).status, 422);
  EXPECT_EQ(infer(R"({"inputs":[{"data":[)" + std::string(100'000, '9') + "]}]}").status, 422);
}

TEST_F(InferRefusals, WhatAJpegSaysOfItsSizeIsWhatItsDecoderReads) {
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

TEST_F(InferRefusals, AFrameThatIsNotTakenSaysWhy) {
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

TEST_F(InferRefusals, ATaskThatWasMovedNamesItsBox) {
  Request sent;
  sent.method = Method::post;
  sent.target = "/v2/models/gone/versions/big/infer";
  sent.host = "localhost";
  sent.content_type = "application/json";
  service_.moved_task = "gone";
  service_.moved_to = {"north-08", ""};
  Response response = ask(sent);
  EXPECT_EQ(response.status, 409);
  using Header = std::pair<std::string, std::string>;
  EXPECT_EQ(response.headers, std::vector<Header>({{"Saccade-Box", "north-08"}}));
  EXPECT_NE(response.body.find("the box `north-08` serves it"), std::string::npos) << response.body;
  service_.moved_to->api = "http://10.0.0.8:8080";
  response = ask(sent);
  const Header place{"Location", "http://10.0.0.8:8080/v2/models/gone/versions/big/infer"};
  ASSERT_EQ(response.headers.size(), 2U);
  EXPECT_EQ(response.headers[1], place);
  service_.moved_task = "gate";  // an engine is kept ready for it here
  EXPECT_EQ(infer(tensor()).status, 409);
  service_.moved_to.reset();
  sent.target = "/v2/models/gone/infer";
  EXPECT_EQ(ask(sent).status, 404);
}

TEST_F(InferRefusals, OnlyFramesAreTakenAndOnlySoLargeOnes) {
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

}  // namespace
}  // namespace saccade::service
