#include "vision/model/onnx_file.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/vision/model/model_files.hpp"
#include "vision/model/interface_guess.hpp"

namespace saccade::vision {
namespace {

using testing::model_bytes;
using testing::model_file;
using testing::model_names;
using testing::parse_bytes;

std::string varint_bytes(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80U; value >>= 7U) out += static_cast<char>((value & 0x7FU) | 0x80U);
  return out + static_cast<char>(value);
}

// A field of protobuf's wire format that has a length.
std::string wire_field(std::uint32_t number, const std::string& content) {
  return varint_bytes(number << 3U | 2U) + varint_bytes(content.size()) + content;
}

// A model around a graph's fields.
std::string model_around(const std::string& graph) {
  return wire_field(8, "\x10\x0c") + wire_field(7, graph);  // opset 12
}

std::string told_of(const std::string& bytes, const OnnxLimits& limits = {}) {
  const Result<OnnxFile> file = parse_bytes(bytes, limits);
  return file ? "" : to_string(file.errors());
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(OnnxFile, TellsPortsMetadataAndOperators) {
  const OnnxFile file = model_file("yolo11n-open");
  ASSERT_EQ(file.inputs.size(), 1u);
  EXPECT_EQ(file.inputs[0].name, "images");
  EXPECT_EQ(file.inputs[0].type, "float");
  EXPECT_EQ(element_type(file.inputs[0]), profiles::ElementType::fp32);
  EXPECT_EQ(shape_text(file.inputs[0]), "[batch, 3, height, width]");
  ASSERT_EQ(file.outputs.size(), 1u);
  EXPECT_EQ(shape_text(file.outputs[0]), "[batch, 84, anchors]");
  EXPECT_EQ(file.producer, "pytorch 2.1.0");
  EXPECT_EQ(file.ir_version, 7);
  EXPECT_EQ(file.opsets, (std::vector<std::pair<std::string, std::int64_t>>{{"", 12}}));
  EXPECT_EQ(file.operators, (std::map<std::string, std::size_t>{
                                {"Cast", 1}, {"Expand", 1}, {"Identity", 1}, {"ReduceMean", 1}}));
  EXPECT_EQ(file.nodes, 4u);
  EXPECT_EQ(file.weight_bytes, 3u * 8u);
  EXPECT_EQ(file.file_bytes, model_bytes("yolo11n-open").size());
  ASSERT_NE(file.find_metadata("imgsz"), nullptr);
  EXPECT_EQ(*file.find_metadata("imgsz"), "[640, 640]");
  EXPECT_EQ(file.find_metadata("nothing"), nullptr);
}

TEST(OnnxFile, WeightsThatAreListedAsInputsAreNone) {
  const OnnxFile file = model_file("resnet");
  ASSERT_EQ(file.inputs.size(), 1u);
  EXPECT_EQ(file.inputs[0].name, "input");
}

TEST(OnnxFile, TellsWhichNodeMakesAnOutput) {
  EXPECT_EQ(model_file("mobilenet-tf").outputs[0].made_by, "Softmax");  // behind an Identity
  EXPECT_EQ(model_file("resnet").outputs[0].made_by, "Expand");
}

TEST(OnnxFile, ReadsTheShippedNetworks) {
  std::size_t read = 0;
  std::size_t detectors = 0;
  const std::filesystem::path zoo = std::filesystem::path(SACCADE_SOURCE_DIR) / "profiles/zoo";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(zoo)) {
    if (entry.path().extension() != ".onnx") continue;
    const auto file = read_onnx_file(entry.path());
    ASSERT_TRUE(file.ok()) << to_string(file.errors());
    EXPECT_EQ(file.value().inputs.size(), 1u);
    EXPECT_GT(file.value().weight_bytes, 1000u);
    EXPECT_LT(file.value().weight_bytes, file.value().file_bytes);
    const InterfaceGuess guess = guess_interface(file.value());
    ++read;
    if (entry.path().parent_path().filename() == "yard-detector") {
      ++detectors;
      EXPECT_EQ(guess.interface.task, profiles::NetworkTask::detect) << entry.path();
      EXPECT_TRUE(std::holds_alternative<profiles::YoloDecoder>(guess.interface.decoder)) << entry.path();
      EXPECT_EQ(guess.interface.input.width, 0) << "its sides are open";
      continue;
    }
    EXPECT_EQ(guess.interface.task, profiles::NetworkTask::classify) << entry.path();
    EXPECT_EQ(guess.interface.input.width, 64);
  }
  EXPECT_GE(read, 60u);
  EXPECT_EQ(detectors, 9u);
}

TEST(OnnxFile, OtherFilesAreNamedForWhatTheyAre) {
  EXPECT_TRUE(has(told_of(""), "the file is empty"));
  EXPECT_TRUE(has(told_of(std::string("PK\x03\x04", 4) + std::string(100, 'x')), "zip archive"));
  EXPECT_TRUE(has(told_of(std::string("\x1c\0\0\0TFL3", 8) + std::string(100, 'x')), "TensorFlow Lite"));
  EXPECT_TRUE(has(told_of("{\"format\": 1}"), "JSON"));
  EXPECT_TRUE(has(told_of("version https://git-lfs.github.com/spec/v1\noid 1"), "Git LFS"));
  EXPECT_TRUE(has(told_of(std::string(1000, '\xff')), "not an ONNX file"));
  EXPECT_TRUE(has(told_of(model_around("")), "no nodes"));
  EXPECT_TRUE(has(told_of(wire_field(7, wire_field(1, wire_field(4, "Relu")))), "no version"));
  const auto missing = read_onnx_file("/nowhere/model.onnx");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.errors()[0].what, "there is no such file");
  EXPECT_EQ(read_onnx_file("/tmp").errors()[0].what, "this is not a file");
}

TEST(OnnxFile, WeightsInAnotherFileAreRefusedWithItsName) {
  const std::string location = wire_field(1, "location") + wire_field(2, "weights.bin");
  const std::string tensor = wire_field(8, "w") + wire_field(13, location) + "\x70\x01";
  const std::string told =
      told_of(model_around(wire_field(1, wire_field(4, "Relu")) + wire_field(5, tensor)));
  EXPECT_TRUE(has(told, "in another file, `weights.bin`")) << told;
  EXPECT_TRUE(has(told, "onnx.save_model")) << told;
}

TEST(OnnxFile, LargeWeightsArePassedOverAndCounted) {
  OnnxLimits limits;
  limits.structure_bytes = 64 * 1024;
  const std::string raw(1 << 20, '\x7f');
  const std::string bytes = model_around(
      wire_field(1, wire_field(4, "Relu")) + wire_field(5, wire_field(8, "w") + wire_field(9, raw)) +
      wire_field(11, wire_field(1, "x")) + wire_field(12, wire_field(1, "y")));
  const auto file = parse_bytes(bytes, limits);
  ASSERT_TRUE(file.ok()) << to_string(file.errors());
  EXPECT_EQ(file.value().weight_bytes, raw.size());
  std::istringstream in(bytes);
  const auto structure = read_onnx_structure(in, bytes.size(), "m");
  ASSERT_TRUE(structure.ok());
  EXPECT_LT(structure.value().bytes.size(), 100u);
}

TEST(OnnxFile, LimitsHoldBeforeTheLibrarySeesTheFile) {
  OnnxLimits limits;
  limits.file_bytes = 100;
  EXPECT_TRUE(has(told_of(model_bytes("yolo11n"), limits), "MiB that are read"));
  limits = {};
  limits.fields = 50;
  EXPECT_TRUE(has(told_of(model_bytes("yolo11n"), limits), "more than 50 entries"));
  limits = {};
  limits.structure_bytes = 500;
  EXPECT_TRUE(has(told_of(model_bytes("yolo11n"), limits), "a text of"));
  limits.structure_bytes = 200;
  EXPECT_TRUE(has(told_of(model_bytes("resnet"), limits), "larger than"));
  // Two bytes per node in the file, hundreds in memory.
  std::string nodes;
  for (int i = 0; i < 1'100'000; ++i) nodes += std::string("\x0a\x00", 2);
  EXPECT_TRUE(has(told_of(model_around(nodes)), "more than 1000000 entries"));
  // A graph in an attribute of a node in a graph, and so on.
  std::string graph = wire_field(1, wire_field(4, "Relu"));
  for (int depth = 0; depth < 200; ++depth) graph = wire_field(1, wire_field(5, wire_field(6, graph)));
  EXPECT_TRUE(has(told_of(model_around(graph)), "nested deeper"));
  // A length beyond the end, and one that would wrap around.
  EXPECT_TRUE(has(told_of("\x3a" + varint_bytes(1U << 30U) + "x"), "ends too early"));
  EXPECT_TRUE(has(told_of("\x3a" + varint_bytes(~0ULL) + "x"), "ends too early"));
}

TEST(OnnxFile, NamesAndDimensionsAreNotBelieved) {
  const auto ports = [&](const std::string& input) {
    return told_of(model_around(wire_field(1, wire_field(4, "Relu")) + wire_field(11, input) +
                                wire_field(12, wire_field(1, "y"))));
  };
  EXPECT_EQ(ports(wire_field(1, "x")), "");
  EXPECT_TRUE(has(ports(wire_field(1, "")), "the name of input 0"));
  EXPECT_TRUE(has(ports(wire_field(1, "a\nb")), "the name of input 0"));
  EXPECT_TRUE(has(ports(wire_field(1, "\xff\xfe")), "the name of input 0"));
  EXPECT_TRUE(has(ports(wire_field(1, std::string(1000, 'a'))), "the name of input 0"));
  const auto sized = [&](const std::string& dimension) {
    return ports(wire_field(1, "x") + wire_field(2, wire_field(1, "\x08\x01" + wire_field(2, dimension))));
  };
  EXPECT_EQ(sized(wire_field(1, "\x08" + varint_bytes(640))), "");
  EXPECT_TRUE(has(sized(wire_field(1, "\x08" + varint_bytes(1ULL << 40U))), "a dimension of `x`"));
  EXPECT_EQ(sized(wire_field(1, "\x08" + varint_bytes(~0ULL))), "");  // -1: open
  std::string many;
  for (int i = 0; i < 100; ++i) many += wire_field(1, "\x08\x01");
  EXPECT_TRUE(has(sized(many), "100 dimensions"));
}

TEST(OnnxFile, EveryTruncationIsAnErrorOrStillAModel) {
  for (const std::string name : {"yolo11n-cls", "ssd-tensorflow", "rtdetr-deploy"}) {
    const std::string bytes = model_bytes(name);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const auto file = parse_bytes(bytes.substr(0, length));
      if (!file.ok()) {
        EXPECT_FALSE(file.errors().front().what.empty());
        continue;
      }
      (void)guess_interface(file.value());
    }
  }
}

// Under the sanitizers, too.
TEST(OnnxFile, MutatedFilesNeitherCrashNorPrint) {
  ::testing::internal::CaptureStderr();
  std::mt19937_64 random(15);
  const std::vector<std::string> names = model_names();
  std::size_t read = 0;
  std::size_t refused = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string bytes = model_bytes(names[random() % names.size()]);
    const auto changes = 1 + random() % 4;
    for (std::uint64_t i = 0; i < changes; ++i) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
          break;
        case 2:
          bytes.erase(at, 1 + random() % 8);
          break;
        default:
          bytes.insert(at, std::string(1 + random() % 4, static_cast<char>(random())));
      }
      if (bytes.empty()) break;
    }
    const auto file = parse_bytes(bytes);
    ++(file.ok() ? read : refused);
    if (file) (void)guess_interface(file.value());
  }
  EXPECT_GT(read, 500u);
  EXPECT_GT(refused, 500u);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace saccade::vision
