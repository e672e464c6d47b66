#include "config/config.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <set>

#include "tests/support/corpus.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::config {
namespace {

namespace fs = std::filesystem;
using scheduler::Objective;

const fs::path kCorpus = fs::path(SACCADE_SOURCE_DIR) / "tests/config/corpus";

Errors errors_of(const fs::path& path) {
  const Result<LoadedConfig> config = read_config(path);
  return config.ok() ? Errors{} : config.errors();
}

runtime::RunConfig good(const std::string& name) {
  Result<LoadedConfig> config = read_config(kCorpus / "good" / name);
  if (!config) ADD_FAILURE() << to_string(config.errors());
  return config ? std::move(config).value().run : runtime::RunConfig{};
}

TEST(Configurations, EveryBrokenOneIsRefusedWithExactlyItsMistakes) {
  testing::expect_refused_as_listed(kCorpus / "bad", errors_of);
}

// A small document would hold gigabytes otherwise.
TEST(Configurations, ATimelineHasOnlySoManyStatesOfTasks) {
  const std::string task =
      R"(, "profiles": "../../../support/profiles/shapes.json", "fps": 1, "source": {"type": "synthetic", "data_set": "glyphs"}})";
  std::string tasks;
  for (int i = 0; i < 250; ++i)
    tasks += (i == 0 ? "" : ",") + (R"({"id": "t)" + std::to_string(i)) + "\"" + task;
  const auto errors = [&](int entries) {
    std::string timeline;
    for (int i = 1; i <= entries; ++i) {
      timeline += (i == 1 ? "" : ",") + (R"({"at_seconds": )" + std::to_string(i)) + R"(, "patch": {}})";
    }
    const Result<LoadedConfig> config =
        parse_config(R"({"version": 1, "processors": [{"name": "cpu"}], "engine": {"backend": "simulated"},
                         "tasks": [)" +
                         tasks + R"(], "timeline": [)" + timeline + "]}",
                     "f.json", kCorpus / "good");
    return config ? Errors{} : config.errors();
  };
  EXPECT_EQ(to_string(errors(2)), "");
  ASSERT_EQ(errors(401).size(), 1u);
  EXPECT_NE(errors(401)[0].where.find("/timeline"), std::string::npos);
}

TEST(Configurations, ALatencyThatNoVariantReachesIsWarnedOfWhereItIsAsked) {
  const auto warnings = [](const std::string& limit, const std::string& timeline) {
    const Result<LoadedConfig> config = parse_config(
        R"({"version": 1, "processors": [{"name": "cpu"}], "engine": {"backend": "simulated"}, "tasks": [{
            "id": "gate", "profiles": "../../../support/profiles/shapes.json", "fps": 5, "max_latency_seconds": )" +
            limit + R"(, "source": {"type": "synthetic", "data_set": "glyphs"}}], "timeline": [)" + timeline +
            "]}",
        "f.json", kCorpus / "good");
    if (!config) ADD_FAILURE() << to_string(config.errors());
    Errors found = config ? config.value().warnings : Errors{};
    std::erase_if(found, [](const Error& warning) {
      return warning.where.find("max_latency_seconds") == std::string::npos;
    });
    return found;
  };
  EXPECT_EQ(to_string(warnings("null", "")), "");
  const Errors found = warnings("1e-6", "");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].where.find("/tasks/0/max_latency_seconds"), std::string::npos) << found[0].where;
  const std::string least = "the least possible latency at 5 frames/s is ";
  const std::size_t at = found[0].what.find(least);
  ASSERT_NE(at, std::string::npos) << found[0].what;
  const std::string seconds = found[0].what.substr(at + least.size());
  EXPECT_EQ(to_string(warnings(seconds.substr(0, seconds.find(' ')), "")), "") << "so much is enough";
  const Errors later =
      warnings("1", R"({"at_seconds": 1, "patch": {"tasks": {"gate": {"max_latency_seconds": 1e-6}}}})");
  ASSERT_EQ(later.size(), 1u);
  EXPECT_NE(later[0].where.find("/timeline/0/patch/tasks/gate"), std::string::npos) << later[0].where;
}

// Each has threads of its own, and a machine has only so many.
TEST(Configurations, HaveOnlySoManyTasks) {
  const auto errors = [](int count) {
    std::string tasks;
    for (int i = 0; i < count; ++i) {
      tasks +=
          (i == 0 ? "" : ",") + (R"({"id": "t)" + std::to_string(i)) +
          R"(", "profiles": "../../../support/profiles/shapes.json", "fps": 1, "source": {"type": "push"}})";
    }
    const Result<LoadedConfig> config =
        parse_config(R"({"version": 1, "processors": [{"name": "cpu"}], "engine": {"backend": "simulated"},
                         "tasks": [)" +
                         tasks + "]}",
                     "f.json", kCorpus / "good");
    return config ? Errors{} : config.errors();
  };
  EXPECT_EQ(to_string(errors(256)), "");
  const Errors refused = errors(257);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_NE(refused[0].where.find("/tasks"), std::string::npos) << refused[0].where;
  EXPECT_EQ(refused[0].what, "there are 257 tasks, at most 256 are allowed");
}

TEST(Configurations, NoComplaintShowsCredentials) {
  for (const auto& entry : fs::directory_iterator(kCorpus / "bad")) {
    if (entry.path().filename() == "expected.json") continue;
    EXPECT_EQ(to_string(errors_of(entry.path())).find("secret"), std::string::npos) << entry.path();
  }
}

TEST(Configurations, WhatIsLeftOutHasTheDefaultsThatAreDocumented) {
  const runtime::RunConfig a = good("smallest.json");
  const runtime::RunConfig b = good("defaults-written-out.json");
  ASSERT_EQ(a.timeline.size(), 1u);
  ASSERT_EQ(b.timeline.size(), 1u);
  const scheduler::Snapshot& left_out = a.timeline[0].snapshot;
  const scheduler::Snapshot& written = b.timeline[0].snapshot;
  EXPECT_EQ(left_out.processors[0].capacity, written.processors[0].capacity);
  EXPECT_EQ(left_out.processors[0].guard, written.processors[0].guard);
  EXPECT_EQ(a.processors[0].auto_guard, b.processors[0].auto_guard);
  EXPECT_EQ(left_out.objective, written.objective);
  EXPECT_EQ(left_out.selection, written.selection);
  EXPECT_EQ(left_out.degrade, written.degrade);
  EXPECT_EQ(left_out.min_dwell, written.min_dwell);
  EXPECT_EQ(left_out.limits.memory, written.limits.memory);
  EXPECT_EQ(left_out.tasks[0].demand, written.tasks[0].demand);
  EXPECT_EQ(left_out.tasks[0].weight, written.tasks[0].weight);
  EXPECT_EQ(left_out.tasks[0].priority, written.tasks[0].priority);
  EXPECT_EQ(left_out.tasks[0].min_fps, written.tasks[0].min_fps);
  EXPECT_EQ(left_out.tasks[0].min_time_share, written.tasks[0].min_time_share);
  EXPECT_EQ(left_out.tasks[0].regions, written.tasks[0].regions);
  EXPECT_EQ(a.policy, b.policy);
  EXPECT_EQ(a.backend, b.backend);
  EXPECT_EQ(a.graph_cache.place, b.graph_cache.place);
  EXPECT_EQ(a.graph_cache.limit, b.graph_cache.limit);
  EXPECT_EQ(a.solver, b.solver);
  EXPECT_EQ(a.solver_deadline, b.solver_deadline);
  EXPECT_EQ(a.processors[0].cpus, b.processors[0].cpus);
  EXPECT_EQ(a.runtime.transition, b.runtime.transition);
  EXPECT_EQ(a.runtime.shares, b.runtime.shares);
  EXPECT_EQ(a.runtime.warm_cache, b.runtime.warm_cache);
  EXPECT_EQ(a.runtime.load_timeout, b.runtime.load_timeout);
  EXPECT_EQ(a.runtime.loader_nice, b.runtime.loader_nice);
  EXPECT_EQ(a.runtime.loader_boost, b.runtime.loader_boost);
  EXPECT_EQ(a.runtime.gate_frames, b.runtime.gate_frames);
  EXPECT_EQ(a.runtime.coalesce, b.runtime.coalesce);
}

TEST(Configurations, EveryKeyArrivesWhereItBelongs) {
  const runtime::RunConfig run = good("everything.json");
  const scheduler::Snapshot& base = run.timeline.at(0).snapshot;
  EXPECT_EQ(run.processors.at(0).cpus, std::vector<int>{1});
  EXPECT_DOUBLE_EQ(base.processors.at(0).budget(), 0.9);
  EXPECT_FALSE(run.processors.at(0).auto_guard) << "a number stays";
  EXPECT_EQ(base.processors.at(1).id, ProcessorId("gpu"));
  EXPECT_EQ(run.processors.at(1).auto_guard, runtime::GuardOptions{0.01});
  EXPECT_EQ(base.processors.at(1).guard, Seconds(0.05)) << "where it starts";
  EXPECT_EQ(base.limits.peak_power, Watts(12.0));
  EXPECT_EQ(base.limits.energy_per_second, Watts(8.0));
  EXPECT_EQ(base.limits.memory, Bytes(4e7));
  EXPECT_EQ(base.idle_power, Watts(1.5)) << "as the profile sets declare it";
  EXPECT_EQ(run.policy, scheduler::PolicyKind::fair_time);
  EXPECT_EQ(base.selection, pareto::Selection::time_energy);
  EXPECT_EQ(base.degrade, scheduler::Degrade::refuse);
  EXPECT_EQ(run.solver_deadline, Seconds(0.5));
  EXPECT_EQ(base.switch_penalty.max_accuracy, 0.01);
  EXPECT_EQ(base.switch_penalty.min_energy, 0.1);
  EXPECT_EQ(base.switch_penalty.min_memory, 0.0);
  EXPECT_EQ(base.min_dwell, Seconds(2.0));
  EXPECT_TRUE(base.heuristics.within_limits);
  EXPECT_TRUE(base.heuristics.redistribute);
  EXPECT_EQ(run.runtime.transition, runtime::TransitionMode::unload_first);
  EXPECT_EQ(run.runtime.shares, scheduler::Shares::equal);
  EXPECT_EQ(run.runtime.warm_cache, Bytes(1e7));
  EXPECT_EQ(run.runtime.load_timeout, Seconds(10.0));
  EXPECT_EQ(run.runtime.loader_nice, 10);
  EXPECT_EQ(run.runtime.loader_boost, Seconds(0.0));
  EXPECT_EQ(run.runtime.gate_frames, 4u);
  EXPECT_EQ(run.runtime.coalesce, Seconds(0.0));
  EXPECT_EQ(run.backend, "simulated");

  const scheduler::Task& video = base.tasks.at(0);
  EXPECT_EQ(video.weight, 2.0);
  EXPECT_EQ(video.priority, 3);
  EXPECT_EQ(video.min_accuracy, 0.8);
  EXPECT_EQ(video.min_relative_accuracy, 0.9);
  EXPECT_EQ(video.max_frame_time, Seconds(0.05));
  EXPECT_EQ(video.max_latency, Seconds(0.06));
  EXPECT_EQ(video.min_time_share, 0.1);
  EXPECT_EQ(video.min_fps, Fps(5.0));
  EXPECT_EQ(video.max_power, Watts(10.0));
  EXPECT_EQ(video.max_memory, Bytes(9e6));
  EXPECT_EQ(video.regions, 3);
  EXPECT_EQ(base.tasks.at(1).regions, 8);
  EXPECT_EQ(base.tasks.at(2).regions, 1);
  EXPECT_EQ(video.profiles, base.tasks.at(4).profiles) << "a profile set is read once";

  const auto& file = std::get<runtime::VideoSource>(run.tasks.at(0).source);
  EXPECT_EQ(file.path, (kCorpus / "good/clip.avi").string()) << "relative to the configuration";
  EXPECT_FALSE(file.loop);
  EXPECT_EQ(std::get<runtime::VideoSource>(run.tasks.at(1).source).path, "rtsp://me:secret@camera/1");
  EXPECT_EQ(std::get<runtime::CameraSource>(run.tasks.at(2).source).device, 2);
  EXPECT_EQ(std::get<runtime::ImagesSource>(run.tasks.at(3).source).directory, kCorpus / "good/");
  const auto& synthetic = std::get<runtime::SyntheticSource>(run.tasks.at(4).source);
  EXPECT_EQ(synthetic.data_set, "vehicles");
  EXPECT_EQ(synthetic.seed, 7u);
}

TEST(Sources, StreamsAreReadWithTheirDefaultsAndAPasswordInAnAddressIsWarnedOf) {
  const Result<LoadedConfig> read = read_config(kCorpus / "good/stream.json");
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  const LoadedConfig& loaded = read.value();
  const auto stream = [&](std::size_t task) {
    return std::get<runtime::StreamSource>(loaded.run.tasks.at(task).source);
  };
  runtime::StreamSource plain;
  plain.url = "rtsp://192.168.1.20/stream2";
  EXPECT_EQ(stream(0), plain);
  EXPECT_EQ(stream(1).username, "viewer");
  EXPECT_EQ(stream(1).password_file, kCorpus / "good/camera-password") << "relative to the configuration";
  EXPECT_EQ(stream(1).transport, runtime::StreamTransport::udp);
  EXPECT_EQ(stream(1).decode, runtime::StreamDecode::key);
  EXPECT_EQ(stream(1).hardware, runtime::StreamHardware::vaapi);
  EXPECT_EQ(stream(1).silence, Seconds(2.5));
  EXPECT_TRUE(stream(2).password_file.empty());
  const auto warned = std::find_if(loaded.warnings.begin(), loaded.warnings.end(), [](const Error& warning) {
    return warning.what.find("knows the camera's password") != std::string::npos;
  });
  ASSERT_NE(warned, loaded.warnings.end());
  EXPECT_NE(warned->where.find("/tasks/3/source"), std::string::npos) << warned->where;
}

TEST(Timeline, PatchesAddUpAndNullResetsToTheDefault) {
  const runtime::RunConfig run = good("everything.json");
  ASSERT_EQ(run.timeline.size(), 4u);
  EXPECT_EQ(run.timeline[0].at, Duration(0));
  EXPECT_EQ(run.timeline[2].at, to_duration(Seconds(7.5)));

  const scheduler::Snapshot& first = run.timeline[1].snapshot;
  EXPECT_EQ(first.tasks[0].min_accuracy, std::nullopt);
  EXPECT_EQ(first.tasks[0].weight, 1.0);
  EXPECT_EQ(first.tasks[0].priority, 3) << "not named, not changed";
  EXPECT_EQ(first.limits.memory, Bytes(3e7));
  EXPECT_EQ(first.limits.peak_power, std::nullopt);
  EXPECT_EQ(first.limits.energy_per_second, Watts(8.0));

  const scheduler::Snapshot& second = run.timeline[2].snapshot;
  EXPECT_EQ(second.objective, Objective::min_memory);
  EXPECT_EQ(second.selection, pareto::Selection::active);
  EXPECT_EQ(second.degrade, scheduler::Degrade::exact);
  EXPECT_EQ(second.tasks[0].min_fps, Fps(1.0));
  EXPECT_EQ(second.tasks[0].priority, 0);
  EXPECT_EQ(second.limits.memory, Bytes(3e7)) << "carried on";

  const scheduler::Snapshot& third = run.timeline[3].snapshot;
  EXPECT_EQ(third.objective, Objective::max_accuracy);
  EXPECT_EQ(third.limits.memory, std::nullopt);
  EXPECT_EQ(third.limits.energy_per_second, std::nullopt);
}

TEST(Timeline, FpsScaleMultipliesEveryDemand) {
  const runtime::RunConfig run = good("everything.json");  // fps_scale 0.5
  EXPECT_EQ(run.timeline[0].snapshot.tasks[0].demand, Fps(15.0));
  EXPECT_EQ(run.timeline[0].snapshot.tasks[3].demand, Fps(0.75));
  EXPECT_EQ(run.timeline[1].snapshot.tasks[0].demand, Fps(5.0));
  EXPECT_EQ(run.timeline[1].snapshot.tasks[2].demand, Fps(2.0));
  EXPECT_EQ(run.timeline[1].snapshot.tasks[4].demand, Fps(4.0)) << "scaled once, not at every patch";
  EXPECT_EQ(run.timeline[2].snapshot.tasks[0].demand, Fps(15.0));
  EXPECT_EQ(run.timeline[0].snapshot.tasks[0].min_fps, Fps(5.0)) << "floors are not demands";
}

TEST(Configurations, MissingModelsAreAWarningUnlessEnginesAreSimulated) {
  const auto warns_of_models = [](const std::string& name) {
    const Result<LoadedConfig> config = read_config(kCorpus / "good" / name);
    return to_string(config.value().warnings).find("has a model file") != std::string::npos;
  };
  EXPECT_TRUE(warns_of_models("smallest.json"));
  EXPECT_FALSE(warns_of_models("everything.json"));
}

// A hint that leads to the next complaint is none.
TEST(Configurations, HintsNameOnlyWhatCanBeUsed) {
  const auto hint = [](const std::string& source, const std::string& provider) {
    const Result<LoadedConfig> config = parse_config(
        R"({"version": 1, "processors": [{"name": "cpu", "provider": ")" + provider +
            R"("}], "tasks": [{"id": "t", "profiles": "../../../support/profiles/shapes.json", "fps": 1,
                "source": {"type": ")" +
            source + R"(", "data_set": "glyphs"}}]})",
        "f.json", kCorpus / "good");
    return config ? "" : config.errors().front().hint;
  };
  EXPECT_EQ(hint("synthetic", "cudda"), "did you mean `cuda`?");
  EXPECT_EQ(hint("repla", "cpu"), "did you mean `replay`?");
  EXPECT_EQ(hint("vidoe", "cpu"), "did you mean `video`?");
}

// Damages a valid configuration in one of several ways.
std::string mutate(std::string text, std::mt19937_64& random) {
  const auto at = [&] { return static_cast<std::size_t>(random() % text.size()); };
  for (std::size_t edits = 1 + random() % 3; edits > 0 && !text.empty(); --edits) {
    switch (random() % 5) {
      case 0:
        text[at()] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at(), 1 + random() % 20);
        break;
      case 2:
        text.insert(at(), 1, "{}[]\",:0-1e9ntf\\/ \n"[random() % 19]);
        break;
      case 3: {  // the same piece twice
        const std::size_t from = at();
        const std::string piece = text.substr(from, random() % 80);
        text.insert(from, piece);
        break;
      }
      default: {  // two words change places
        const std::size_t a = text.find('"', at());
        const std::size_t b = text.find('"', at());
        const std::size_t a_end = a == std::string::npos ? a : text.find('"', a + 1);
        const std::size_t b_end = b == std::string::npos ? b : text.find('"', b + 1);
        if (a_end == std::string::npos || b_end == std::string::npos || a_end >= b) break;
        const std::string first = text.substr(a, a_end - a);
        const std::string second = text.substr(b, b_end - b);
        text.replace(b, second.size(), first);
        text.replace(a, first.size(), second);
      }
    }
  }
  return text;
}

TEST(Configurations, TwentyThousandDamagedOnesAreReadOrRefusedInWords) {
  std::vector<std::string> seeds;
  for (const char* name : {"smallest.json", "everything.json", "defaults-written-out.json"}) {
    seeds.push_back(testing::file_text(kCorpus / "good" / name));
  }
  std::mt19937_64 random(20261120);
  std::size_t read = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = mutate(seeds[random() % seeds.size()], random);
    const Result<LoadedConfig> config = parse_config(text, "damaged.json", kCorpus / "good");
    if (config) {
      ++read;
      continue;
    }
    ++refused;
    for (const Error& error : config.errors()) {
      ASSERT_FALSE(error.what.empty()) << text;
      ASSERT_FALSE(error.where.empty()) << text;
    }
  }
  EXPECT_GT(read, 500u);
  EXPECT_GT(refused, 10'000u);
}

TEST(Configurations, AProfileSetThatHasNotChangedIsNotReadAgain) {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "set.json";
  fs::copy_file(fs::path(SACCADE_SOURCE_DIR) / "tests/support/profiles/shapes.json", file);
  KnownProfileSets known;
  const auto first = known.read(file.string(), {});
  ASSERT_TRUE(first.ok()) << to_string(first.errors());
  EXPECT_EQ(known.read(file.string(), {}).value().measured, first.value().measured);
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(1));
  const auto again = known.read(file.string(), {});
  ASSERT_TRUE(again.ok());
  EXPECT_NE(again.value().measured, first.value().measured);
  EXPECT_EQ(*again.value().measured, *first.value().measured);
  std::ofstream(file) << "{";
  EXPECT_FALSE(known.read(file.string(), {}).ok());
}

TEST(Configurations, AGraphCacheIsAFolderBesideTheFileOrAWord) {
  const runtime::GraphCacheOptions cache = good("everything.json").graph_cache;
  EXPECT_EQ(fs::path(cache.place), kCorpus / "good" / "graphs");
  EXPECT_EQ(cache.limit, Bytes(64e6));
  EXPECT_EQ(good("smallest.json").graph_cache.place, "auto");
}

}  // namespace
}  // namespace saccade::config
