#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "app/report/exit_codes.hpp"
#include "app/verbs/verbs.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engines/engine.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kTable =
    "id,accuracy,frame_time_seconds,memory_bytes,model\n"
    "big,0.95,0.004,4000000,models/big.onnx\n"
    "small,0.90,0.002,2000000,\n";

class ImportVerb : public ::testing::Test {
 protected:
  struct Outcome {
    int code = 0;
    std::string out;
    std::string err;
  };

  std::string file(const fs::path& name, const std::string& text) {
    fs::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << text;
    return (folder_.path() / name).string();
  }
  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  static Outcome saccade(const VerbArguments& args) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = run_program(args, out, err);
    return {code, out.str(), err.str()};
  }
  // Of one imported set, at 50 frames per second.
  std::string config(const std::string& profiles, const json& change = json::object()) {
    json config = {{"version", 1},
                   {"processors", {{{"name", "cpu"}}}},
                   {"tasks",
                    {{{"id", "gate"},
                      {"profiles", profiles},
                      {"fps", 50},
                      {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}}}}};
    config.merge_patch(change);
    return file("config.json", config.dump());
  }

  const test::TemporaryFolder folder_;
};

TEST_F(ImportVerb, ATableWithModelsBecomesAProfileSet) {
  const std::string table = file("t.csv", kTable);
  const std::string model = file("models/big.onnx", "not a network, but bytes");
  const std::string labels = file("labels.txt", "cat\r\ndog\n\n");
  const Outcome outcome = saccade({"import", table, "--network", "net", "--device", "board", "--labels",
                                   labels, "--input", "64x48", "--out", path("set.json")});
  ASSERT_EQ(outcome.code, kExitOk) << outcome.err;
  EXPECT_EQ(outcome.out,
            path("set.json") + ": 2 variants of net on board, 1 with a model; accuracy: top1, declared\n");
  EXPECT_NE(outcome.err.find("energy is not known for any variant"), std::string::npos);
  const auto set = profiles::read_profile_set(path("set.json"));
  ASSERT_TRUE(set.ok()) << to_string(set.errors());
  EXPECT_EQ(set.value().input, (profiles::InputShape{64, 48, 3}));
  EXPECT_EQ(set.value().labels, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(set.value().variants[0].model, "models/big.onnx");
  EXPECT_EQ(set.value().variants[0].sha256, runtime::sha256_of(model).value());
  EXPECT_EQ(set.value().variants[1].model, "");
  EXPECT_EQ(saccade({"check", path("set.json")}).code, kExitOk);
}

TEST_F(ImportVerb, AModelThatIsNotThereIsRefused) {
  const std::string table = file("t.csv", kTable);
  const Outcome outcome =
      saccade({"import", table, "--network", "net", "--device", "board", "--out", path("set.json")});
  EXPECT_EQ(outcome.code, kExitConfig);
  EXPECT_NE(outcome.err.find("models/big.onnx: there is no such model file, which variant big names"),
            std::string::npos)
      << outcome.err;
  EXPECT_FALSE(fs::exists(path("set.json")));
}

TEST_F(ImportVerb, ABrokenTableAndBrokenNamesAreToldAtOnce) {
  const std::string table = file("t.csv", "id,accuracy,frame_time_seconds\na,95,0.004\n");
  const Outcome outcome =
      saccade({"import", table, "--network", "a b", "--device", "board", "--out", path("set.json")});
  EXPECT_EQ(outcome.code, kExitConfig);
  EXPECT_NE(outcome.err.find(table + ":2:3 accuracy: must be between 0 and 1"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("--network: `a b` cannot be a name"), std::string::npos) << outcome.err;
}

TEST_F(ImportVerb, AWrongCommandLineIsUsage) {
  const VerbArguments good = {"import", "t.csv", "--network", "n", "--device", "d", "--out", "o.json"};
  const auto with = [&](const VerbArguments& more) {
    VerbArguments args = good;
    args.insert(args.end(), more.begin(), more.end());
    return saccade(args).code;
  };
  EXPECT_EQ(saccade({"import", "t.csv"}).code, kExitUsage);
  EXPECT_EQ(with({"--idle-power", "-1"}), kExitUsage);
  for (const char* input : {"", "64", "64x", "64x64x5", "0x64", "64x64x3x1", "64X64"}) {
    EXPECT_EQ(with({"--input", input}), kExitUsage) << input;
  }
  EXPECT_EQ(with({"--labels", "/nowhere/at-all"}), kExitConfig);
  EXPECT_EQ(with({}), kExitConfig) << "there is no such table";
}

// A table of mAP is none of top1: the set says what it is, and so does whatever compares it.
TEST_F(ImportVerb, TheMetricOfTheTableIsRecordedAndNeverMixedInSilence) {
  const std::string table = file("t.csv", "id,accuracy,frame_time_seconds\nbig,0.5,0.008\nsmall,0.4,0.002\n");
  const auto made = [&](const char* set, const VerbArguments& more) {
    VerbArguments args = {"import", table, "--network", "net", "--device", "board", "--out", path(set)};
    args.insert(args.end(), more.begin(), more.end());
    return saccade(args);
  };
  const Outcome boxes = made("boxes.json", {"--metric", "map"});
  ASSERT_EQ(boxes.code, kExitOk) << boxes.err;
  EXPECT_NE(boxes.out.find("accuracy: map, declared"), std::string::npos) << boxes.out;
  EXPECT_EQ(boxes.err.find("the metric of the accuracies"), std::string::npos) << boxes.err;
  const auto set = profiles::read_profile_set(path("boxes.json"));
  ASSERT_TRUE(set.ok()) << to_string(set.errors());
  EXPECT_EQ(set.value().interface.metric, "map");
  EXPECT_EQ(set.value().provenance.accuracy_source, profiles::AccuracySource::declared);

  const Outcome assumed = made("labels.json", {});
  ASSERT_EQ(assumed.code, kExitOk) << assumed.err;
  EXPECT_NE(assumed.err.find("the metric of the accuracies was not given, top1 is assumed"),
            std::string::npos)
      << assumed.err;
  const Outcome misspelt = made("none.json", {"--metric", "mAP"});
  EXPECT_EQ(misspelt.code, kExitConfig);
  EXPECT_NE(misspelt.err.find("--metric: `mAP` is another spelling"), std::string::npos) << misspelt.err;
  EXPECT_EQ(made("none.json", {"--metric", ""}).code, kExitConfig);
  EXPECT_FALSE(fs::exists(path("none.json")));

  json two = json::parse(std::ifstream(config(path("boxes.json"))));
  two["tasks"].push_back(two["tasks"][0]);
  two["tasks"][1].update({{"id", "yard"}, {"profiles", path("labels.json")}});
  const Outcome check = saccade({"check", file("two.json", two.dump())});
  EXPECT_EQ(check.code, kExitOk) << check.err;
  EXPECT_NE(check.err.find("have different metrics: map of boxes.json; top1 of labels.json"),
            std::string::npos)
      << check.err;
}

// The outputs of a network whose metric a table declared mean nothing before it has an interface.
TEST_F(ImportVerb, ASetOfAForeignMetricIsPlannedAndNeitherRunNorMeasured) {
  const std::string table = file("t.csv", kTable);
  file("models/big.onnx", "not a network, but bytes");
  ASSERT_EQ(saccade({"import", table, "--network", "net", "--device", "board", "--metric", "map", "--input",
                     "64x64x3", "--labels", file("labels.txt", "cat\ndog\n"), "--out", path("set.json")})
                .code,
            kExitOk);
  const std::string planned = config(path("set.json"));
  EXPECT_EQ(saccade({"plan", planned}).code, kExitOk);
  const std::string why = "the profile set of net has the metric `map` and no interface";
  const Outcome run = saccade({"run", planned, "--duration", "1"});
  EXPECT_EQ(run.code, kExitConfig);
  EXPECT_NE(run.err.find("can be planned but not run: " + why), std::string::npos) << run.err;
  const Outcome profile = saccade({"profile", path("set.json")});
  EXPECT_EQ(profile.code, kExitConfig);
  EXPECT_NE(profile.err.find("the profile set has the metric `map` and no interface"), std::string::npos)
      << profile.err;
}

// What was only measured can be planned; that it cannot run is said before anything starts.
TEST_F(ImportVerb, ATaskWithoutModelsIsPlannedAndNotRun) {
  const std::string table =
      file("t.csv", "id,accuracy,frame_time_seconds\nbig,0.95,0.03\nsmall,0.90,0.002\n");
  ASSERT_EQ(
      saccade({"import", table, "--network", "net", "--device", "board", "--out", path("set.json")}).code,
      kExitOk);
  const std::string planned = config(path("set.json"));
  const Outcome plan = saccade({"plan", planned, "--json"});
  ASSERT_EQ(plan.code, kExitOk) << plan.err;
  EXPECT_EQ(json::parse(plan.out)["tasks"][0]["variant"], "small")
      << "big takes more than a second per second";

  const std::string complaint = planned +
                                " /tasks/0/profiles: warning: task `gate` can be planned but not run: no "
                                "variant of net has a model file\n";
  EXPECT_NE(saccade({"check", planned}).err.find(complaint), std::string::npos)
      << saccade({"check", planned}).err;
  const Outcome run = saccade({"run", planned, "--duration", "1"});
  EXPECT_EQ(run.code, kExitConfig);
  EXPECT_NE(run.err.find("task `gate` can be planned but not run: no variant of net has a model file"),
            std::string::npos)
      << run.err;

  const Outcome profile = saccade({"profile", path("set.json")});
  EXPECT_EQ(profile.code, kExitConfig);
  EXPECT_NE(profile.err.find("does not say the input and the labels of its network"), std::string::npos)
      << profile.err;

  const std::string simulated = config(path("set.json"), {{"engine", {{"backend", "simulated"}}}});
  EXPECT_NE(
      saccade({"run", simulated, "--duration", "1"})
          .err.find("can be planned but not run: the profile set of net does not say its input and labels"),
      std::string::npos);
}

// The figures of examples/placement/googlenet-xavier.json as a table.
const char* const kGoogLeNetTable =
    "name,seconds:gpu,seconds:dla,transfer_seconds:gpu:dla,transfer_seconds:dla:gpu\n"
    "group 0,0.0003606,0.00075,,\n"
    "group 1,0.000149,0.00034,1.99e-05,7.35e-05\n"
    "group 2,0.0002048,0.00045,2.8e-05,6.4e-05\n"
    "group 3,0.0001136,0.00037,9.7e-06,6.72e-05\n"
    "group 4,0.0001243,0.00031,4.07e-05,5.61e-05\n"
    "group 5,0.0001262,0.00033,2.79e-05,4.84e-05\n"
    "group 6,0.000148,0.00031,3.62e-05,4.66e-05\n"
    "group 7,0.0001984,0.00035,3.72e-05,4.52e-05\n"
    "group 8,0.0001265,0.00027,2.77e-05,4.63e-05\n"
    "group 9,0.0002148,0.00036,4.28e-05,5.05e-05\n";

TEST_F(ImportVerb, ATableOfLayersIsPlacedAsTheSameFile) {
  const Outcome imported = saccade({"import", file("t.csv", kGoogLeNetTable), "--layers", "--network",
                                    "GoogLeNet", "--paid-by", "sender", "--out", path("layers.json")});
  ASSERT_EQ(imported.code, kExitOk) << imported.err;
  EXPECT_EQ(imported.out, path("layers.json") +
                              ": 10 layers, 9 cuts, times on gpu, dla; of no model, so that it can be placed "
                              "but not cut (--model)\n");
  const std::string shipped = std::string(SACCADE_SOURCE_DIR) + "/examples/placement/googlenet-xavier.json";
  const json expected = json::parse(saccade({"place", shipped, "--json"}).out);
  const Outcome placed = saccade({"place", path("layers.json"), "--json"});
  ASSERT_EQ(placed.code, kExitOk) << placed.err;
  EXPECT_EQ(json::parse(placed.out), expected);
}

TEST_F(ImportVerb, LayersNameTheirModelFromTheFileThatIsMade) {
  const std::string model = file("models/net.onnx", "not a network, but bytes");
  const Outcome imported = saccade({"import", file("t.csv", kGoogLeNetTable), "--layers", "--model", model,
                                    "--link", "gpu:dla=1e-4+2e-10", "--link", "dla:gpu=3e-4", "--whole",
                                    "gpu=0.0017", "--out", path("layers.json")});
  ASSERT_EQ(imported.code, kExitOk) << imported.err;
  std::ifstream in(path("layers.json"));
  const json layers = json::parse(in);
  EXPECT_EQ(layers["model"], "models/net.onnx");
  EXPECT_EQ(layers["sha256"], runtime::sha256_of(model).value());
  EXPECT_EQ(layers["links"][0]["seconds_per_byte"], 2e-10);
  EXPECT_EQ(layers["links"][1]["fixed_seconds"], 3e-4);
  EXPECT_EQ(layers["whole"]["gpu"]["frame_time_seconds"], 0.0017);
}

TEST_F(ImportVerb, WrongLayersAndTheirCommandLineAreToldAtOnce) {
  const std::string table = file("t.csv", "name,seconds:gpu\na,fast\n");
  const Outcome usage =
      saccade({"import", table, "--layers", "--device", "board", "--link", "gpu=1", "--whole", "gpu"});
  EXPECT_EQ(usage.code, kExitUsage);
  for (const char* part :
       {"--device says nothing about layers", "--layers wants --out", "--link: `gpu=1`", "--whole: `gpu`"}) {
    EXPECT_NE(usage.err.find(part), std::string::npos) << part << " in\n" << usage.err;
  }
  EXPECT_EQ(saccade({"import", table, "--link", "a:b=1"}).code, kExitUsage);
  const Outcome wrong = saccade({"import", table, "--layers", "--model", path("none.onnx"), "--link",
                                 "gpu:npu=1", "--out", path("layers.json")});
  EXPECT_EQ(wrong.code, kExitConfig);
  for (const char* part :
       {"none.onnx", ":2:3 seconds:gpu: must be a number", "--link: there is no processor `npu`"}) {
    EXPECT_NE(wrong.err.find(part), std::string::npos) << part << " in\n" << wrong.err;
  }
  EXPECT_FALSE(fs::exists(path("layers.json")));
}

// As large as the paper's: 3,000 variants of one network, imported and planned for three tasks.
TEST_F(ImportVerb, ThreeThousandVariantsArePlanned) {
  std::mt19937_64 random(20261121);
  std::uniform_real_distribution<double> share(0.1, 1.0);
  std::string text = "id,accuracy,frame_time_seconds,power_watts,memory_bytes\n";
  for (int i = 0; i < 3000; ++i) {
    const double size = share(random);
    text += "v" + std::to_string(i) + "," + std::to_string(0.5 + 0.45 * size * share(random)) + "," +
            std::to_string(0.02 * size) + "," + std::to_string(2 + size) + "," +
            std::to_string(1e6 * (1 + size * share(random))) + "\n";
  }
  ASSERT_EQ(saccade({"import", file("t.csv", text), "--network", "net", "--device", "board", "--out",
                     path("set.json")})
                .code,
            kExitOk);
  json tasks = json::array();
  for (const char* id : {"gate", "dock", "yard"}) {
    tasks.push_back({{"id", id},
                     {"profiles", path("set.json")},
                     {"fps", 40},
                     {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}});
  }
  const Outcome plan = saccade({"plan",
                                config(path("set.json"), {{"tasks", tasks},
                                                          {"limits", {{"memory_bytes", 5e6}}},
                                                          {"solver", {{"deadline_seconds", 60}}}}),
                                "--json"});
  ASSERT_EQ(plan.code, kExitOk) << plan.err;
  EXPECT_EQ(json::parse(plan.out)["status"], "optimal");
}

TEST_F(ImportVerb, AModelThatLiesThereAlreadyIsNotCopiedOntoItself) {
  const std::string table = file("there/t.csv", kTable);
  file("there/models/big.onnx", "not a network, but bytes");
  fs::create_directories(folder_.path() / "here");
  fs::create_directory_symlink(folder_.path() / "there/models", folder_.path() / "here/net");
  const Outcome outcome =
      saccade({"import", table, "--network", "net", "--device", "board", "--out", path("here/set.json")});
  ASSERT_EQ(outcome.code, kExitOk) << outcome.err;
  const auto set = profiles::read_profile_set(path("here/set.json"));
  ASSERT_TRUE(set.ok()) << to_string(set.errors());
  EXPECT_TRUE(runtime::sha256_of(folder_.path() / "here" / set.value().variants[0].model).ok());
}

// A meter does not read the same idle power twice.
TEST_F(ImportVerb, SetsOfOneDeviceMayDifferALittleInIdlePowerAndTheLargestCounts) {
  const std::string table =
      file("t.csv", "id,accuracy,frame_time_seconds,power_watts\nbig,0.9,0.01,9\nsmall,0.8,0.002,5\n");
  // A plan of one task for each set, on the device of all of them.
  const auto planned = [&](const std::vector<std::string>& idle) {
    json tasks = json::array();
    for (std::size_t i = 0; i < idle.size(); ++i) {
      const std::string network = "net" + std::to_string(i);
      EXPECT_EQ(saccade({"import", table, "--network", network, "--device", "board", "--idle-power", idle[i],
                         "--out", path((network + ".json").c_str())})
                    .code,
                kExitOk);
      tasks.push_back({{"id", network},
                       {"profiles", network + ".json"},
                       {"fps", 5},
                       {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}});
    }
    return saccade({"plan", config("net0.json", {{"tasks", tasks}}), "--json"});
  };
  for (const std::vector<std::string>& idle :
       {std::vector<std::string>{"121", "119.5"}, {"119.5", "121"}, {"121", "121"}}) {
    const Outcome plan = planned(idle);
    ASSERT_EQ(plan.code, kExitOk) << plan.err;
    EXPECT_EQ(json::parse(plan.out).at("totals").at("peak_power_watts"), 121.0 + 9.0);
  }
  for (const std::vector<std::string>& idle :
       {std::vector<std::string>{"100", "91", "109"}, {"109", "100", "91"}, {"91", "109", "100"}}) {
    const Outcome plan = planned(idle);
    EXPECT_EQ(plan.code, kExitConfig) << "whatever their order, two of them are too far apart";
    EXPECT_NE(plan.err.find("disagree about the device's idle power"), std::string::npos) << plan.err;
  }
}

}  // namespace
}  // namespace saccade::app
