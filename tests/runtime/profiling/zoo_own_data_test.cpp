// Networks of the zoo measured on own data: a few drawn scenes and images, written by the test in each
// format.
#include "runtime/profiling/own_data.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iomanip>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>
#include <set>
#include <string>
#include <vector>

#include "images/image_generator.hpp"
#include "images/scene_export.hpp"
#include "images/scene_generator.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/profiling/profiler.hpp"
#include "runtime/sources/held_out_images.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime::zoo_own_data_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kScenes = 8;
constexpr images::Split kSplit = images::Split::held_out;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

// Some variants of a set of the zoo.
profiles::ProfileSet zoo_set(const std::string& name, const std::vector<std::string>& variants) {
  const fs::path file = fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo" / name;
  auto read = profiles::read_profile_set(file, profiles::Drafts::read);
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : to_string(read.errors()));
  profiles::ProfileSet set = std::move(read).value();
  std::vector<profiles::Variant> kept;
  for (const std::string& id : variants) kept.push_back(set.variants.at(set.index_of(VariantId(id)).value()));
  set.variants = std::move(kept);
  return set;
}

// The same scenes as COCO JSON, a YOLO folder and CSV.
class OwnScenes : public testing::Test {
 protected:
  void SetUp() override {
    auto made = make_backend("onnxruntime");
    if (!made) GTEST_SKIP() << to_string(made.errors());
    backend_ = std::move(made).value();
    const auto exported = images::export_scenes("yard", "held_out", kScenes, {224, 224},
                                                images::SceneFiles::png, folder_.path());
    ASSERT_TRUE(exported) << to_string(exported.errors());
    write_yolo_and_csv();
  }

  void write_yolo_and_csv() {
    const auto generator = images::SceneGenerator::find("yard");
    std::ostringstream csv;
    csv << "file,label,x,y,width,height\n";
    for (std::size_t i = 0; i < kScenes; ++i) {
      const std::string name = "00000" + std::to_string(i);
      const fs::path picture = fs::path("yolo/images") / (name + ".png");
      fs::create_directories(folder_.path() / picture.parent_path());
      fs::copy_file(folder_.path() / "yard-held_out" / (name + ".png"), folder_.path() / picture);
      std::ostringstream lines;
      lines << std::setprecision(17);
      for (const images::LabelledBox& box : generator->make(kSplit, i).boxes) {
        lines << box.label << ' ' << (box.left + box.width / 2.0) / 224.0 << ' '
              << (box.top + box.height / 2.0) / 224.0 << ' ' << box.width / 224.0 << ' ' << box.height / 224.0
              << '\n';
        csv << picture.generic_string() << ',' << generator->labels()[static_cast<std::size_t>(box.label)]
            << ',' << box.left << ',' << box.top << ',' << box.width << ',' << box.height << '\n';
      }
      write(folder_.path() / "yolo/labels" / (name + ".txt"), lines.str());
    }
    write(csv_, csv.str());
  }

  [[nodiscard]] ProfileRequest request(const profiles::ProfileSet& set, LabelledImages images) const {
    ProfileRequest request;
    request.set = set;
    request.batches = {1};
    request.rounds.warmup = 0;
    request.rounds.fewest = request.rounds.most = 1;
    request.loads = 1;
    request.memory_engines = 0;
    request.images = std::move(images);
    return request;
  }
  MeasuredProfiles measured(const ProfileRequest& request) const {
    auto result = measure_profiles(*backend_, request, SteadyClock(), {});
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.errors()));
    return std::move(result).value();
  }
  MeasuredProfiles measured(const profiles::ProfileSet& set, const OwnData& data) const {
    auto images = labelled_images(set, data);
    EXPECT_TRUE(images.ok()) << (images.ok() ? "" : to_string(images.errors()));
    return measured(request(set, std::move(images).value()));
  }

  const test::TemporaryFolder folder_;
  const fs::path coco_ = folder_ / "yard-held_out.coco.json";
  const fs::path csv_ = folder_ / "scenes.csv";
  std::unique_ptr<EngineBackend> backend_;
};

TEST_F(OwnScenes, EveryFormatOfTheSameScenesGivesTheSameAccuracyAsTheHeldOutScenes) {
  const profiles::ProfileSet set = zoo_set("yard-detector.json", {"w1.00-224-fp32", "w0.50-128-int8"});
  const auto held_out = held_out_images(set, kScenes);
  ASSERT_TRUE(held_out.ok());
  const MeasuredProfiles expected = measured(request(set, held_out.value()));
  EXPECT_GT(expected.set.variants[0].accuracy, 0.3);
  EXPECT_LT(expected.set.variants[1].accuracy, expected.set.variants[0].accuracy);
  for (const fs::path& data : {coco_, folder_ / "yolo", csv_}) {
    const MeasuredProfiles found = measured(set, {data, {}});
    for (std::size_t v = 0; v < set.variants.size(); ++v) {
      const profiles::Variant& variant = found.set.variants[v];
      EXPECT_EQ(variant.accuracy, expected.set.variants[v].accuracy) << data;
      EXPECT_EQ(variant.accuracy_interval, expected.set.variants[v].accuracy_interval);
      EXPECT_EQ(variant.accuracy_images, static_cast<int>(kScenes));
      EXPECT_TRUE(variant.frame_time_parts);
    }
    EXPECT_EQ(found.set.provenance.accuracy_source, profiles::AccuracySource::measured);
    EXPECT_NE(found.set.provenance.accuracy_data.find("8 pictures"), std::string::npos)
        << found.set.provenance.accuracy_data;
  }
}

TEST_F(OwnScenes, TheMetricOfTheSetIsTheOneThatIsMeasured) {
  profiles::ProfileSet set = zoo_set("yard-detector.json", {"w1.00-224-fp32"});
  const MeasuredAccuracy at_all = measured(set, {coco_, {}}).accuracy.at(0);
  set.interface.metric = "map50";
  const MeasuredAccuracy at_50 = measured(set, {coco_, {}}).accuracy.at(0);
  EXPECT_EQ(at_all.value, at_all.map);
  EXPECT_EQ(at_50.value, at_all.map50);
  EXPECT_GT(at_50.value, at_all.value);
  EXPECT_LE(at_50.least, at_50.value);
  EXPECT_GE(at_50.most, at_50.value);
}

// What a threshold of the service cuts off does not change the accuracy.
TEST_F(OwnScenes, TheThresholdOfTheServiceDoesNotCount) {
  profiles::ProfileSet set = zoo_set("yard-detector.json", {"w0.75-160-fp32"});
  const double low = measured(set, {coco_, {}}).set.variants[0].accuracy;
  set.interface.selection.score_threshold = 0.9;
  EXPECT_EQ(measured(set, {coco_, {}}).set.variants[0].accuracy, low);
}

TEST_F(OwnScenes, ADraftIsCompleteWhenItIsMeasured) {
  profiles::ProfileSet set = zoo_set("yard-detector.json", {"w0.50-96-fp32"});
  set.variants[0].accuracy_known = false;
  set.variants[0].frame_time.clear();
  ASSERT_TRUE(set.is_draft());
  EXPECT_FALSE(measured(set, {coco_, {}}).set.is_draft());
}

TEST_F(OwnScenes, AllMistakesOfTheDataAreReportedAtOnce) {
  const profiles::ProfileSet set = zoo_set("yard-detector.json", {"w0.50-96-fp32"});
  write(folder_ / "wrong.csv",
        "file,label,x,y,width,height\n"
        "yolo/images/000000.png,carr,1,2,30,40\n"
        "yolo/images/000001.png,car,200,2,100,40\n"
        "missing.png,car,1,2,30,40\n");
  const auto wrong = labelled_images(set, {folder_ / "wrong.csv", {}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.errors().size(), 3U) << to_string(wrong.errors());
  EXPECT_EQ(wrong.errors()[0].hint, "did you mean `car`?");
}

TEST_F(OwnScenes, PicturesThatCannotBeReadOrHaveAnotherSizeAreReportedAtOnce) {
  const profiles::ProfileSet set = zoo_set("yard-detector.json", {"w0.50-96-fp32"});
  const fs::path pictures = folder_ / "yard-held_out";
  write(pictures / "000002.png", "cut short");
  cv::imwrite((pictures / "000004.png").string(), cv::Mat(100, 60, CV_8UC3, cv::Scalar::all(90)));
  const auto wrong = labelled_images(set, {coco_, {}});
  ASSERT_FALSE(wrong.ok());
  ASSERT_EQ(wrong.errors().size(), 2U) << to_string(wrong.errors());
  EXPECT_NE(wrong.errors()[0].what.find("cannot be read"), std::string::npos);
  EXPECT_NE(wrong.errors()[1].what.find("60 x 100 pixels, but the data says 224 x 224"), std::string::npos)
      << wrong.errors()[1].what;
}

TEST_F(OwnScenes, DataOfAnotherKindIsRefused) {
  profiles::ProfileSet detector = zoo_set("yard-detector.json", {"w0.50-96-fp32"});
  const fs::path classes = folder_ / "classes";
  fs::create_directories(classes / "car");
  fs::copy_file(folder_ / "yolo/images/000000.png", classes / "car/a.png");
  const auto labels = labelled_images(detector, {classes, {}});
  ASSERT_FALSE(labels.ok());
  EXPECT_NE(labels.errors()[0].what.find("one label per picture"), std::string::npos);
  profiles::ProfileSet classifier = zoo_set("mobilenet_v2-glyphs.json", {"w0.25-d0.50-fp32"});
  classifier.labels = detector.labels;
  const auto boxes = labelled_images(classifier, {coco_, {}});
  ASSERT_FALSE(boxes.ok());
  EXPECT_NE(boxes.errors()[0].what.find("has boxes"), std::string::npos);
  write(folder_ / "empty.csv", "file,label,x,y,width,height\nyolo/images/000000.png,,,,,\n");
  const auto nothing = labelled_images(detector, {folder_ / "empty.csv", {}});
  ASSERT_FALSE(nothing.ok());
  EXPECT_NE(nothing.errors()[0].what.find("no picture has an object"), std::string::npos);
  detector.interface.task = profiles::NetworkTask::tensor;
  EXPECT_FALSE(labelled_images(detector, {coco_, {}}).ok());
}

// A measurement that was stopped does not take the results of other data for its own.
TEST_F(OwnScenes, OtherDataIsAnotherMeasurement) {
  const profiles::ProfileSet set = zoo_set("yard-detector.json", {"w0.50-96-fp32"});
  const auto identity = [&] {
    return measurement_identity(*backend_, request(set, labelled_images(set, {csv_, {}}).value()));
  };
  const std::string before = identity();
  EXPECT_EQ(identity(), before);
  std::ofstream(csv_, std::ios::app) << "yolo/images/000000.png,car,1,2,30,40\n";
  EXPECT_NE(identity(), before);
}

TEST_F(OwnScenes, WhatAMeasurementOfDetectorsFoundIsNotMeasuredAgain) {
  const profiles::ProfileSet set = zoo_set("yard-detector.json", {"w0.50-96-fp32", "w0.50-96-int8"});
  ProfileRequest asked = request(set, labelled_images(set, {coco_, {}}).value());
  const MeasuredProfiles whole = measured(asked);
  const std::string identity = measurement_identity(*backend_, asked);
  const fs::path file = folder_ / "set.json.journal";
  {
    auto journal = std::move(ProfileJournal::open(file, identity, false)).value();
    asked.journal = journal.get();
    asked.set.variants[1].model = "missing.onnx";  // ends at the second variant
    EXPECT_FALSE(measure_profiles(*backend_, asked, ManualClock(), {}).ok());
    EXPECT_NE(journal->find("loading/w0.50-96-fp32"), nullptr);
  }
  auto journal = std::move(ProfileJournal::open(file, identity, false)).value();
  EXPECT_GT(journal->found(), 0U);
  asked.journal = journal.get();
  asked.set = set;
  const MeasuredProfiles resumed = measured(asked);
  for (std::size_t v = 0; v < 2; ++v) {
    EXPECT_EQ(resumed.set.variants[v].accuracy, whole.set.variants[v].accuracy);
    EXPECT_EQ(resumed.set.variants[v].accuracy_interval, whole.set.variants[v].accuracy_interval);
    EXPECT_EQ(resumed.accuracy[v].map50, whole.accuracy[v].map50);
  }
  // All of it is kept now: other truths would give another accuracy.
  asked.images->show = [show = asked.images->show](std::size_t index,
                                                   Picture& picture) -> Result<PictureTruth> {
    if (const auto shown = show(index, picture); !shown) return shown.errors();
    return PictureTruth{};
  };
  EXPECT_EQ(measured(asked).set.variants[0].accuracy, whole.set.variants[0].accuracy);
}

TEST_F(OwnScenes, ATeacherScoresOneAgainstItself) {
  const profiles::ProfileSet set = zoo_set("yard-detector.json", {"w0.75-192-fp32", "w0.50-128-fp32"});
  const auto pictures = unlabelled_images(set, folder_ / "yard-held_out");
  ASSERT_TRUE(pictures.ok()) << to_string(pictures.errors());
  ProfileRequest asked = request(set, pictures.value());
  asked.teacher = 0;
  const MeasuredProfiles found = measured(asked);
  EXPECT_EQ(found.set.variants[0].accuracy, 1.0);
  EXPECT_GT(found.set.variants[1].accuracy, 0.0);
  EXPECT_LT(found.set.variants[1].accuracy, 1.0);
  EXPECT_EQ(found.set.provenance.accuracy_source, profiles::AccuracySource::teacher);
  EXPECT_EQ(found.set.provenance.accuracy_data,
            "what w0.75-192-fp32 finds in yard-held_out, 8 pictures without labels");
}

TEST_F(OwnScenes, ATeacherLearnsFromAVideoToo) {
  const profiles::ProfileSet set = zoo_set("yard-detector.json", {"w0.75-192-fp32", "w0.50-128-fp32"});
  const fs::path video = folder_ / "yard.avi";
  {
    cv::VideoWriter writer(video.string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 10.0,
                           cv::Size(224, 224));
    ASSERT_TRUE(writer.isOpened());
    for (const auto& entry : std::set<fs::path>{fs::directory_iterator(folder_ / "yard-held_out"), {}}) {
      writer.write(cv::imread(entry.string()));
    }
  }
  const auto frames = unlabelled_images(set, video);
  ASSERT_TRUE(frames.ok()) << to_string(frames.errors());
  ProfileRequest asked = request(set, frames.value());
  asked.teacher = 0;
  const MeasuredProfiles found = measured(asked);
  EXPECT_EQ(found.set.variants[0].accuracy, 1.0);
  EXPECT_GT(found.set.variants[1].accuracy, 0.0);
  EXPECT_LT(found.set.variants[1].accuracy, 1.0);
  EXPECT_EQ(found.set.provenance.accuracy_data,
            "what w0.75-192-fp32 finds in yard.avi, 8 frames without labels");
}

TEST_F(OwnScenes, WhatIsNoVideoIsSaidToBeNone) {
  const profiles::ProfileSet set = zoo_set("yard-detector.json", {"w0.50-96-fp32"});
  const fs::path text = folder_ / "list.txt";
  std::ofstream(text) << "yard-1.png\n";
  const auto frames = unlabelled_images(set, text);
  ASSERT_FALSE(frames.ok());
  EXPECT_EQ(frames.errors()[0].what, "cannot be read as a video");
}

TEST_F(OwnScenes, ATeacherThatFindsNothingTeachesNothing) {
  const profiles::ProfileSet set = zoo_set("yard-detector.json", {"w0.50-96-fp32"});
  const fs::path grey = folder_ / "grey";
  fs::create_directories(grey);
  cv::imwrite((grey / "a.png").string(), cv::Mat(224, 224, CV_8UC3, cv::Scalar::all(128)));
  ProfileRequest asked = request(set, unlabelled_images(set, grey).value());
  asked.teacher = 0;
  const auto found = measure_profiles(*backend_, asked, ManualClock(), {});
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.errors()[0].what.find("finds nothing"), std::string::npos);
  EXPECT_FALSE(unlabelled_images(set, folder_ / "nowhere").ok());
}

// By what the most accurate of them finds, variants are ordered as by the truth.
TEST_F(OwnScenes, ATeacherOrdersVariantsAsTheTruthDoes) {
  const profiles::ProfileSet set =
      zoo_set("yard-detector.json", {"w1.00-224-fp32", "w1.00-160-fp32", "w0.75-128-fp32", "w0.50-160-fp32",
                                     "w0.50-128-fp32", "w0.75-96-fp32", "w0.50-96-fp32"});
  auto scenes = held_out_images(set, 200);  // two of the variants are close: 60 do not tell them apart
  ASSERT_TRUE(scenes.ok());
  ProfileRequest asked = request(set, scenes.value());
  const MeasuredProfiles truth = measured(asked);
  asked.teacher = 0;
  const MeasuredProfiles taught = measured(asked);
  std::vector<double> by_truth;
  std::vector<double> by_teacher;
  for (std::size_t v = 1; v < set.variants.size(); ++v) {
    by_truth.push_back(truth.set.variants[v].accuracy);
    by_teacher.push_back(taught.set.variants[v].accuracy);
  }
  EXPECT_GE(kendall(by_truth, by_teacher), 0.9);
}

// Of images of the zoo's generator, as a folder per class and as CSV.
TEST_F(OwnScenes, ClassifiersAreMeasuredOnFoldersAndTablesOfLabels) {
  const profiles::ProfileSet set = zoo_set("mobilenet_v2-glyphs.json", {"w0.40-d0.50-fp32"});
  const auto generator = images::ImageGenerator::find("glyphs");
  constexpr std::size_t kImages = 40;
  std::string csv = "file,label\n";
  for (std::size_t i = 0; i < kImages; ++i) {
    const images::LabelledImage image = generator->make(kSplit, i);
    const std::string& label = generator->labels()[static_cast<std::size_t>(image.label)];
    const fs::path name = fs::path("glyphs") / label / (std::to_string(i) + ".png");
    fs::create_directories((folder_.path() / name).parent_path());
    ASSERT_TRUE(cv::imwrite((folder_.path() / name).string(), image.bgr));
    csv += name.generic_string() + "," + label + "\n";
  }
  write(folder_ / "glyphs.csv", csv);
  const auto held_out = held_out_images(set, kImages);
  ASSERT_TRUE(held_out.ok());
  const MeasuredProfiles expected = measured(request(set, held_out.value()));
  EXPECT_FALSE(expected.set.provenance.accuracy_source) << "a set of the first format stays one";
  EXPECT_GT(expected.set.variants[0].accuracy, 0.5);
  for (const fs::path& data : {folder_ / "glyphs", folder_ / "glyphs.csv"}) {
    const profiles::ProfileSet found = measured(set, {data, {}}).set;
    EXPECT_EQ(found.variants[0].accuracy, expected.set.variants[0].accuracy) << data;
    ASSERT_TRUE(found.variants[0].accuracy_interval);
    EXPECT_LT(found.variants[0].accuracy_interval->first, found.variants[0].accuracy);
    EXPECT_EQ(found.provenance.accuracy_source, profiles::AccuracySource::measured);
  }
}

}  // namespace
}  // namespace saccade::runtime::zoo_own_data_test
