// What every engine backend owes its callers (runtime/engines/engine.hpp). EngineContract is for all
// backends, ModelReadingEngineContract for those that run the model they load; instantiate both with the
// backends under test. The models are those of tests/support/models (make_models.py says what they
// compute).
#pragma once

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/engines/engine.hpp"
#include "tests/conformance/engine_models.hpp"

namespace saccade::runtime::conformance {

struct EngineSubject {
  std::string name;
  std::function<std::unique_ptr<EngineBackend>()> make;
};

inline std::ostream& operator<<(std::ostream& out, const EngineSubject& subject) {
  return out << subject.name;
}

class EngineContract : public testing::TestWithParam<EngineSubject> {
 protected:
  const std::unique_ptr<EngineBackend> backend_ = GetParam().make();
};

TEST_P(EngineContract, SaysItsNameAndVersion) {
  EXPECT_EQ(backend_->name(), GetParam().name);
  EXPECT_EQ(backend_->version().rfind(backend_->name(), 0), 0U) << backend_->version();
}

TEST_P(EngineContract, KeepsTheBatchAndTheClassesItWasLoadedWith) {
  const auto engine = load(*backend_, spec_of(model_file("tiny-gap.onnx"), 4));
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(engine->batch(), 4);
  EXPECT_EQ(engine->classes(), kClasses);
}

TEST_P(EngineContract, AnImageGetsTheSameLogitsAloneAndInABatch) {
  for (const char* model : {"tiny-gap.onnx", "tiny-flat.onnx"}) {
    const auto one = load(*backend_, spec_of(model_file(model), 1));
    const auto four = load(*backend_, spec_of(model_file(model), 4));
    ASSERT_TRUE(one != nullptr && four != nullptr);
    const std::vector<float> together = infer(*four, 0);
    for (int image = 0; image < 4; ++image) {
      const auto first = together.begin() + image * static_cast<int>(kClasses);
      expect_near(infer(*one, image), {first, first + kClasses}, 1e-5);
    }
  }
}

TEST_P(EngineContract, TheSameInputGetsTheSameAnswerAgain) {
  const auto engine = load(*backend_, spec_of(model_file("tiny-flat.onnx")));
  ASSERT_NE(engine, nullptr);
  const std::vector<float> first = infer(*engine, 0);
  EXPECT_NE(infer(*engine, 1), first);
  EXPECT_EQ(infer(*engine, 0), first);
}

TEST_P(EngineContract, APictureGetsTheAnswerOfItsNumbers) {
  const auto engine = load(*backend_, spec_of(model_file("tiny-flat.onnx"), 2));
  ASSERT_NE(engine, nullptr);
  Picture picture;
  picture.resize(16, 8);  // two regions side by side
  for (std::size_t i = 0; i < picture.pixels.size(); ++i)
    picture.pixels[i] = static_cast<std::uint8_t>(i * 41);
  std::vector<float> planes;
  for (std::size_t region = 0; region < 2; ++region) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t at = 0; at < 64; ++at) {
        const std::size_t pixel = at / 8 * 16 + region * 8 + at % 8;
        planes.push_back(static_cast<float>(picture.pixels[3 * pixel + 2 - c]) / 255.0F);
      }
    }
  }
  std::vector<float> of_numbers;
  ASSERT_TRUE(infer(*engine, planes, of_numbers));
  ASSERT_TRUE(engine->prepare(0, picture, {0, 0, 8, 8}));
  ASSERT_TRUE(engine->prepare(1, picture, {8, 0, 8, 8}));
  Outputs outputs;
  ASSERT_TRUE(engine->infer(outputs));
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ((std::vector<std::int64_t>(outputs[0].shape.begin(), outputs[0].shape.end())),
            (std::vector<std::int64_t>{2, kClasses}));
  const std::span<const float> of_pictures = logits_of(outputs);
  EXPECT_EQ((std::vector<float>(of_pictures.begin(), of_pictures.end())), of_numbers);
}

TEST_P(EngineContract, PicturesOfAnySizeAreTaken) {
  const auto engine = load(*backend_, spec_of(model_file("tiny-flat.onnx")));
  ASSERT_NE(engine, nullptr);
  Outputs outputs;
  for (const auto& [width, height] : {std::pair{8, 8}, {1, 1}, {3, 200}, {640, 360}}) {
    Picture picture;
    picture.resize(width, height);
    ASSERT_TRUE(engine->prepare(0, picture, picture.whole()));
    ASSERT_TRUE(engine->infer(outputs));
    EXPECT_EQ(logits_of(outputs).size(), kClasses);
  }
}

TEST_P(EngineContract, AnotherCountOfNumbersIsAnError) {
  const auto engine = load(*backend_, spec_of(model_file("tiny-flat.onnx")));
  ASSERT_NE(engine, nullptr);
  for (const std::size_t count : {std::size_t{0}, std::size_t{191}, std::size_t{384}})
    EXPECT_FALSE(engine->prepare(std::vector<float>(count)));
}

TEST_P(EngineContract, AWarmEngineTakesNoMemoryPerFrame) {
  EngineSpec spec = spec_of(model_file("tiny-flat.onnx"), 2);
  spec.input.resize = profiles::Resize::letterbox;
  const auto engine = load(*backend_, spec);
  ASSERT_NE(engine, nullptr);
  Picture picture;
  picture.resize(31, 23);
  Outputs outputs;
  const auto frame = [&] {
    for (std::size_t place = 0; place < 2; ++place)
      ASSERT_TRUE(engine->prepare(place, picture, {static_cast<int>(place), 3, 20, 15}));
    ASSERT_TRUE(engine->infer(outputs));
  };
  for (int i = 0; i < 20; ++i) frame();
  const std::size_t before = ::mallinfo2().uordblks;
  for (int i = 0; i < 100; ++i) frame();
  EXPECT_LE(::mallinfo2().uordblks, before + 100) << "more than a byte stays behind per frame";
}

TEST_P(EngineContract, TheRightHashIsAccepted) {
  EngineSpec spec = spec_of(model_file("tiny-gap.onnx"));
  spec.sha256 = sha256_of(spec.model).value();
  EXPECT_NE(load(*backend_, spec), nullptr);
}

TEST_P(EngineContract, AWrongHashIsRefusedBeforeTheFileIsUnderstood) {
  const TemporaryFile nonsense("this is no model");  // a library that saw it would complain of that
  EngineSpec spec = spec_of(nonsense.path());
  spec.sha256 = std::string(64, '0');
  const auto loaded = backend_->load(spec);
  ASSERT_FALSE(loaded);
  ASSERT_EQ(loaded.errors().size(), 1U);
  EXPECT_EQ(loaded.errors()[0].where, nonsense.path());
  EXPECT_NE(loaded.errors()[0].what.find("SHA-256"), std::string::npos) << loaded.errors()[0].what;
}

TEST_P(EngineContract, AMissingFileIsAnError) {
  const auto loaded = backend_->load(spec_of("/nonexistent/model.onnx"));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.errors()[0].what, "there is no such model file");
}

TEST_P(EngineContract, AnEmptyFileAndAFolderAreErrors) {
  const TemporaryFile empty("");
  EXPECT_FALSE(backend_->load(spec_of(empty.path())));
  EXPECT_FALSE(backend_->load(spec_of(std::filesystem::temp_directory_path())));
}

TEST_P(EngineContract, AnEngineServesOnAnotherThreadThanTheOneThatLoadedIt) {
  std::unique_ptr<Engine> engine;
  std::thread([&] { engine = load(*backend_, spec_of(model_file("tiny-gap.onnx"))); }).join();
  ASSERT_NE(engine, nullptr);
  std::vector<float> on_worker;
  std::thread([&] { on_worker = infer(*engine, 2); }).join();
  EXPECT_EQ(on_worker, infer(*engine, 2));
  std::thread([&] { engine.reset(); }).join();
}

TEST_P(EngineContract, EnginesOutliveTheirBackend) {
  auto backend = GetParam().make();
  const auto engine = load(*backend, spec_of(model_file("tiny-gap.onnx")));
  ASSERT_NE(engine, nullptr);
  const std::vector<float> before = infer(*engine, 0);
  backend.reset();
  EXPECT_EQ(infer(*engine, 0), before);
}

TEST_P(EngineContract, TwoEnginesOfOneModelServeIndependently) {
  const EngineSpec spec = spec_of(model_file("tiny-flat.onnx"));
  const auto left = load(*backend_, spec);
  auto right = load(*backend_, spec);
  ASSERT_TRUE(left != nullptr && right != nullptr);
  const std::vector<float> zero = infer(*left, 0);
  const std::vector<float> one = infer(*right, 1);
  constexpr int kRounds = 200;
  const auto serve = [&](Engine& engine, int image, const std::vector<float>& wanted, int& wrong) {
    for (int round = 0; round < kRounds; ++round) wrong += infer(engine, image) == wanted ? 0 : 1;
  };
  int wrong_left = 0;
  int wrong_right = 0;
  std::thread other([&] { serve(*right, 1, one, wrong_right); });
  serve(*left, 0, zero, wrong_left);
  other.join();
  EXPECT_EQ(wrong_left, 0);
  EXPECT_EQ(wrong_right, 0);
  right.reset();
  EXPECT_EQ(infer(*left, 0), zero);
}

TEST_P(EngineContract, LoadingAndDestroyingLeavesNothingBehind) {
  const EngineSpec spec = spec_of(model_file("tiny-gap.onnx"));
  const auto cycle = [&] {
    const auto engine = load(*backend_, spec);
    ASSERT_NE(engine, nullptr);
    infer(*engine, 0);
  };
  for (int i = 0; i < 20; ++i) cycle();
  const std::size_t threads = entries("/proc/self/task");
  const std::size_t files = entries("/proc/self/fd");
  const std::size_t heap = ::mallinfo2().uordblks;  // allocated, not resident: free of timing
  for (int i = 0; i < 200; ++i) cycle();
  EXPECT_EQ(entries("/proc/self/task"), threads);
  EXPECT_EQ(entries("/proc/self/fd"), files);
  EXPECT_LT(::mallinfo2().uordblks, heap + 100 * 200) << "more than 100 bytes stay behind per engine";
}

TEST_P(EngineContract, FourThreadsLoadWhileOneServes) {
  const EngineSpec spec = spec_of(model_file("tiny-gap.onnx"));
  const auto serving = load(*backend_, spec);
  ASSERT_NE(serving, nullptr);
  const std::vector<float> wanted = infer(*serving, 0);
  std::atomic<int> loading = 4;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> loaders;
  for (int i = 0; i < 4; ++i) {
    loaders.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        const auto engine = load(*backend_, spec);
        if (engine == nullptr || infer(*engine, 0) != wanted) ++wrong;
      }
      --loading;
    });
  }
  do {
    if (infer(*serving, 0) != wanted) ++wrong;
  } while (loading > 0);
  for (std::thread& loader : loaders) loader.join();
  EXPECT_EQ(wrong, 0);
}

class ModelReadingEngineContract : public EngineContract {};

TEST_P(ModelReadingEngineContract, ComputesWhatTheModelSays) {
  for (const char* model : {"tiny-gap", "tiny-flat"}) {
    const auto engine = load(*backend_, spec_of(model_file(model + std::string(".onnx")), kImages));
    ASSERT_NE(engine, nullptr);
    expect_near(infer(*engine, 0), expected_logits(model), 1e-4);
  }
}

TEST_P(ModelReadingEngineContract, ADamagedModelIsAnErrorAndTheNextLoadWorks) {
  const std::string whole = contents_of(model_file("tiny-gap.onnx"));
  std::string overwritten = whole;
  for (std::size_t i = 0; i < overwritten.size(); i += 3) overwritten[i] = '\xff';
  for (const std::string& damaged :
       {whole.substr(0, whole.size() / 2), overwritten, std::string("no model")}) {
    const TemporaryFile file(damaged);
    const auto loaded = backend_->load(spec_of(file.path()));
    ASSERT_FALSE(loaded) << damaged.size() << " bytes";
    EXPECT_EQ(loaded.errors()[0].where, file.path());
    EXPECT_NE(load(*backend_, spec_of(model_file("tiny-gap.onnx"))), nullptr);
  }
}

TEST_P(ModelReadingEngineContract, AModelForAnotherInputIsRefused) {
  for (const profiles::InputShape& input : {profiles::InputShape{16, 16, 3}, profiles::InputShape{8, 8, 1}}) {
    EngineSpec spec = spec_of(model_file("tiny-flat.onnx"));
    spec.input.width = input.width;
    spec.input.height = input.height;
    spec.channels = input.channels;
    EXPECT_FALSE(backend_->load(spec)) << input.width << " x " << input.height << " x " << input.channels;
  }
}

TEST_P(ModelReadingEngineContract, AModelWithAnotherNumberOfClassesIsRefused) {
  for (const std::size_t classes : {kClasses - 1, kClasses + 1}) {
    EngineSpec spec = spec_of(model_file("tiny-gap.onnx"));
    spec.classes = classes;
    EXPECT_FALSE(backend_->load(spec)) << classes;
  }
}

TEST_P(ModelReadingEngineContract, AnExecutionProviderThatIsNotThereIsRefusedWithAHint) {
  EngineSpec spec = spec_of(model_file("tiny-gap.onnx"));
  spec.provider = "abacus";
  const auto loaded = backend_->load(spec);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.errors()[0].what.find("'abacus'"), std::string::npos);
  EXPECT_NE(loaded.errors()[0].hint.find("\"cpu\""), std::string::npos);
}

}  // namespace saccade::runtime::conformance
