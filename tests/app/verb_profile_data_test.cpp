// `saccade profile --data`, with the simulated engine and tiny models: it names every grey picture `a`.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/verbs/profile_session.hpp"
#include "app/verbs/profile_subject.hpp"
#include "app/verbs/verbs.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engines/engine.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;

class VerbProfileData : public ::testing::Test {
 protected:
  VerbProfileData() {
    fs::create_directories(folder_ / "net");
    profiles::ProfileSet set;
    set.network = "net";
    set.device = {"elsewhere", {ProcessorId("cpu")}, std::nullopt};
    set.input = {8, 8, 3};
    set.labels = {"a", "b", "c", "d", "e"};
    for (const char* name : {"tiny-gap", "tiny-flat"}) {
      profiles::Variant v;
      v.id = VariantId(name);
      v.model = "net/" + std::string(name) + ".onnx";
      fs::copy_file(fs::path(SACCADE_SOURCE_DIR) / "tests/support/models" / (std::string(name) + ".onnx"),
                    folder_.path() / v.model);
      v.sha256 = runtime::sha256_of(folder_.path() / v.model).value();
      v.accuracy_known = false;
      set.variants.push_back(v);
    }
    EXPECT_TRUE(profiles::write_profile_set(set, draft_));
    for (const std::string& label : set.labels) add_picture("classes/" + label + "/1.bmp");
  }

  void add_picture(const std::string& name) const {
    fs::create_directories((folder_.path() / name).parent_path());
    test::write_picture(folder_.path() / name);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  int profile(std::vector<std::string> args) {
    out_.str("");
    err_.str("");
    args.insert(args.begin(), draft_.string());
    args.insert(args.end(), {"--backend", "simulated"});
    return verb_profile(args, out_, err_);
  }
  [[nodiscard]] profiles::ProfileSet written() const {
    auto set = profiles::read_profile_set(draft_);
    EXPECT_TRUE(set.ok()) << (set.ok() ? "" : to_string(set.errors()));
    return std::move(set).value();
  }

  const test::TemporaryFolder folder_;
  const fs::path draft_ = folder_ / "net.json";
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(VerbProfileData, ADraftBecomesAProfileSet) {
  ASSERT_EQ(profile({"--quick"}), kExitUsage) << "there is no accuracy to keep";
  ASSERT_EQ(profile({"--quick", "--data", path("classes")}), kExitOk) << err_.str();
  const profiles::ProfileSet set = written();
  EXPECT_FALSE(set.is_draft());
  for (const profiles::Variant& variant : set.variants) {
    EXPECT_EQ(variant.accuracy, 0.2);
    EXPECT_EQ(variant.accuracy_images, 5);
    ASSERT_TRUE(variant.accuracy_interval);
    EXPECT_LE(variant.accuracy_interval->first, 0.2);
    EXPECT_GE(variant.accuracy_interval->second, 0.2);
    EXPECT_TRUE(variant.frame_time_parts);
  }
  EXPECT_EQ(set.provenance.accuracy_source, profiles::AccuracySource::measured);
  EXPECT_EQ(set.provenance.accuracy_data, "classes, folder per class: 5 pictures of 5 labels");
  EXPECT_EQ(set.provenance.measured_by, "saccade profile --quick --data classes");
  EXPECT_NE(out_.str().find("accuracy (top1) on classes"), std::string::npos) << out_.str();
}

TEST_F(VerbProfileData, ATeachersAnswersAreTheTruthAndThatIsSaid) {
  ASSERT_EQ(profile({"--quick", "--data", path("classes"), "--teacher", "tiny-gap"}), kExitOk) << err_.str();
  const profiles::ProfileSet set = written();
  EXPECT_EQ(set.variants[0].accuracy, 1.0);
  EXPECT_EQ(set.provenance.accuracy_source, profiles::AccuracySource::teacher);
  EXPECT_EQ(set.provenance.accuracy_data, "what tiny-gap finds in classes, 5 pictures without labels");
  EXPECT_NE(out_.str().find("against a teacher, not against labels"), std::string::npos) << out_.str();
  EXPECT_NE(set.provenance.measured_by.find("--teacher tiny-gap"), std::string::npos);
}

// Agreement with a teacher and accuracy on labels are different figures.
TEST_F(VerbProfileData, ATeachersAccuraciesAndMeasuredOnesAreNotCompared) {
  ASSERT_EQ(profile({"--quick", "--data", path("classes")}), kExitOk) << err_.str();
  EXPECT_EQ(profile({"--verify", "--data", path("classes"), "--teacher", "tiny-gap"}), kExitConfig);
  EXPECT_NE(err_.str().find("its accuracies are on labels"), std::string::npos) << err_.str();
  ASSERT_EQ(profile({"--quick", "--data", path("classes"), "--teacher", "tiny-gap"}), kExitOk) << err_.str();
  EXPECT_EQ(profile({"--verify", "--data", path("classes")}), kExitConfig);
  EXPECT_NE(err_.str().find("its accuracies are against a teacher"), std::string::npos) << err_.str();
  EXPECT_EQ(profile({"--verify"}), kExitConfig) << "nor with those on the zoo's images";
}

TEST_F(VerbProfileData, DeclaredAccuraciesAreNotVerified) {
  ASSERT_EQ(profile({"--quick", "--data", path("classes")}), kExitOk) << err_.str();
  profiles::ProfileSet set = written();
  set.provenance.accuracy_source = profiles::AccuracySource::declared;
  set.provenance.accuracy_data = "table.csv";
  ASSERT_TRUE(profiles::write_profile_set(set, draft_));
  EXPECT_EQ(profile({"--verify", "--data", path("classes")}), kExitConfig);
  EXPECT_NE(err_.str().find("its accuracies are declared"), std::string::npos) << err_.str();
}

TEST_F(VerbProfileData, AnUnknownTeacherIsRefused) {
  EXPECT_EQ(profile({"--quick", "--data", path("classes"), "--teacher", "tiny-gab"}), kExitConfig);
  EXPECT_NE(err_.str().find("did you mean `tiny-gap`?"), std::string::npos) << err_.str();
}

TEST_F(VerbProfileData, MistakesOfTheDataAreReportedAtOnceAndNothingIsMeasured) {
  add_picture("classes/f/1.bmp");
  add_picture("classes/g/1.bmp");
  EXPECT_EQ(profile({"--quick", "--data", path("classes")}), kExitConfig);
  EXPECT_NE(err_.str().find("`f` is not a label"), std::string::npos) << err_.str();
  EXPECT_NE(err_.str().find("`g` is not a label"), std::string::npos) << err_.str();
  EXPECT_TRUE(profiles::read_profile_set(draft_, profiles::Drafts::read).value().is_draft());
  EXPECT_EQ(profile({"--quick", "--data", path("nowhere")}), kExitConfig);
}

TEST_F(VerbProfileData, AModelThatIsWrongInEveryPictureIsWarnedOf) {
  add_picture("others/b/1.bmp");
  ASSERT_EQ(profile({"--quick", "--data", path("others")}), kExitOk) << err_.str();
  EXPECT_EQ(written().variants[0].accuracy, 0.0);
  EXPECT_NE(err_.str().find("its accuracy is 0"), std::string::npos) << err_.str();
  EXPECT_NE(err_.str().find("saccade inspect net/tiny-gap.onnx"), std::string::npos) << err_.str();
}

TEST_F(VerbProfileData, AStoppedMeasurementContinuesOnTheSameDataAlone) {
  add_picture("others/b/1.bmp");
  SessionOptions options;
  options.backend = "simulated";
  options.thoroughness = Thoroughness::quick;
  options.data = AccuracyData{{path("classes"), {}}, std::nullopt};
  const auto subject = read_profile_subject(draft_);
  ASSERT_TRUE(subject);
  const auto stopped = [&] {
    const auto session = std::move(ProfileSession::open(options)).value();
    ASSERT_TRUE(session->check(subject.value()));
    ASSERT_TRUE(session->measure(subject.value(), draft_, {}));
  };
  stopped();
  ASSERT_EQ(profile({"--quick", "--data", path("classes")}), kExitOk) << err_.str();
  EXPECT_NE(err_.str().find("went on"), std::string::npos) << err_.str();
  stopped();
  ASSERT_EQ(profile({"--quick", "--data", path("others")}), kExitOk) << err_.str();
  EXPECT_EQ(err_.str().find("went on"), std::string::npos) << err_.str();
}

TEST_F(VerbProfileData, MistakesOnTheCommandLineAreUsageErrors) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"--images", path("classes")},
        {"--teacher", "tiny-gap"},
        {"--data", path("classes"), "--images", path("classes"), "--teacher", "tiny-gap"},
        {"--data", path("classes"), "--agree"},
        {"--data", path("classes"), "--verify"},
        {"--data", path("classes"), draft_.string()}}) {
    EXPECT_EQ(profile(args), kExitUsage) << ::testing::PrintToString(args) << err_.str();
  }
}

}  // namespace
}  // namespace saccade::app
