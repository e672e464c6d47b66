// Kinds of processors: `kind`, "auto", threads.
#include "config/processors_config.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "config/config.hpp"
#include "config/providers.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engines/providers.hpp"
#include "runtime/machine/cores.hpp"
#include "scheduler/prepared_set.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::config::processors_config_test {
namespace {

namespace fs = std::filesystem;

const fs::path kProfiles = fs::path(SACCADE_SOURCE_DIR) / "tests/support/profiles";

std::string document(const std::string& processors, const std::string& set = "shapes.json") {
  return R"({"version": 1, "processors": )" + processors + R"(, "engine": {"backend": "simulated"},
    "tasks": [{"id": "gate", "profiles": ")" +
         set + R"(", "fps": 10, "source": {"type": "synthetic", "data_set": "glyphs"}}]})";
}

Result<LoadedConfig> read(const std::string& processors, const fs::path& folder = kProfiles) {
  return parse_config(document(processors), "f.json", folder);
}

LoadedConfig good(const std::string& processors, const fs::path& folder = kProfiles) {
  Result<LoadedConfig> config = read(processors, folder);
  if (!config) ADD_FAILURE() << to_string(config.errors());
  return config ? std::move(config).value() : LoadedConfig{};
}

// The set of `shapes.json`, measured with so many threads.
void write_set(const fs::path& file, int threads) {
  auto set = profiles::read_profile_set(kProfiles / "shapes.json");
  ASSERT_TRUE(set.ok());
  profiles::ProfileSet changed = std::move(set).value();
  for (const ProcessorId& processor : changed.device.processors) changed.device.threads[processor] = threads;
  ASSERT_TRUE(profiles::write_profile_set(changed, file).ok());
}

TEST(ProcessorKinds, ATaskPlansWithEveryProcessorOfTheKind) {
  const LoadedConfig one = good(R"([{"name": "cpu"}])");
  const LoadedConfig two = good(R"([{"name": "left", "kind": "cpu"}, {"name": "right", "kind": "cpu"}])");
  const auto& measured = one.run.timeline.front().snapshot.tasks[0].profiles->variants;
  const auto& planned = two.run.timeline.front().snapshot.tasks[0].profiles->variants;
  ASSERT_EQ(planned.size(), 2 * measured.size());
  EXPECT_EQ(planned[0].id.str(), measured[0].id.str() + "@left");
  EXPECT_EQ(planned[1].id.str(), measured[0].id.str() + "@right");
  EXPECT_EQ(planned[1].frame_time.begin()->first, ProcessorId("right"));
  EXPECT_EQ(two.profile_files[0].set->variants, measured);  // what is checked and warned of is the file's
}

TEST(ProcessorKinds, AutoIsAProcessorForEveryCore) {
  const LoadedConfig loaded = good(R"("auto")");
  const auto& cores = runtime::machine_cores();
  ASSERT_EQ(loaded.run.processors.size(), cores.size());
  for (std::size_t p = 0; p < cores.size(); ++p) {
    EXPECT_EQ(loaded.run.processors[p].id.str(), "cpu" + std::to_string(cores[p].front()));
    EXPECT_EQ(loaded.run.processors[p].cpus, std::vector<int>{cores[p].front()});
    EXPECT_TRUE(loaded.run.processors[p].auto_guard);
    EXPECT_EQ(loaded.run.timeline.front().snapshot.processors[p].kind, ProcessorId("cpu"));
  }
}

TEST(ProcessorKinds, AutoUsesOneCpuOfACore) {
  text::JsonValue word;
  word.kind = text::JsonValue::Kind::string;
  word.string = "auto";
  text::JsonReport report("f.json");
  const ProcessorList list = read_processors({&word, "/processors"}, {{0, 4}, {1, 5}, {2}}, report);
  EXPECT_TRUE(report.empty());
  ASSERT_EQ(list.run.size(), 3u);
  EXPECT_EQ(list.run[1].id, ProcessorId("cpu1"));
  EXPECT_EQ(list.run[1].cpus, std::vector<int>{1});
}

TEST(ProcessorKinds, AnotherWordIsRefused) {
  const auto config = read(R"("all")");
  ASSERT_FALSE(config.ok());
  EXPECT_NE(config.errors()[0].what.find("a list of processors or \"auto\""), std::string::npos);
}

TEST(ProcessorKinds, AKindRunsTheThreadsItWasMeasuredWith) {
  const test::TemporaryFolder folder;
  write_set(folder / "shapes.json", 2);
  const LoadedConfig pair = good(R"([{"name": "pair", "kind": "cpu", "cpus": [2, 3]}])", folder.path());
  EXPECT_EQ(pair.run.processors[0].threads, 2);
  // Without CPUs nothing is pinned, and nothing can disagree.
  EXPECT_EQ(good(R"([{"name": "cpu"}])", folder.path()).run.processors[0].threads, 2);
}

TEST(ProcessorKinds, AKindThatNoSetOfNowNamesRunsAsManyThreadsAsItWillHaveTo) {
  const LoadedConfig without =
      good(R"([{"name": "cpu"}, {"name": "pair", "kind": "cpu-x2", "cpus": [2, 3]}])");
  EXPECT_EQ(without.run.processors[1].threads, 2) << "the task that has such a set may come again";
  EXPECT_EQ(
      good(R"([{"name": "cpu"}, {"name": "b", "kind": "cpu-x1", "cpus": [2]}])").run.processors[1].threads,
      1);
}

TEST(ProcessorKinds, OtherThreadsThanCpusAreRefused) {
  const test::TemporaryFolder folder;
  write_set(folder / "shapes.json", 2);
  const auto three = read(R"([{"name": "three", "kind": "cpu", "cpus": [1, 2, 3]}])", folder.path());
  ASSERT_FALSE(three.ok());
  EXPECT_EQ(three.errors()[0].what,
            "shapes.json was measured with 2 threads on `cpu`, and processor `three` has 3 CPUs");
  const auto single = read(R"([{"name": "a", "kind": "cpu", "cpus": [1, 2]}])");
  ASSERT_FALSE(single.ok());
  EXPECT_NE(single.errors()[0].what.find("measured with 1 thread on"), std::string::npos);
}

// As configurations were before there were kinds.
TEST(ProcessorKinds, SeveralCpusWithoutAKindRunOneThreadAsBefore) {
  const LoadedConfig loaded = good(R"([{"name": "cpu", "cpus": [2, 3]}])");
  EXPECT_EQ(loaded.run.processors[0].threads, 1);
  EXPECT_EQ(loaded.run.processors[0].cpus, (std::vector<int>{2, 3}));
}

// What a running service compares to see whether a task's profiles changed.
TEST(ProcessorKinds, TheSameProcessorsPlanWithTheSameSet) {
  KnownProfileSets known;
  const std::string file = (kProfiles / "shapes.json").string();
  const std::vector<profiles::KindOfProcessor> two{{ProcessorId("a"), ProcessorId("cpu")},
                                                   {ProcessorId("b"), ProcessorId("cpu")}};
  const auto first = known.read(file, two);
  const auto again = known.read(file, two);
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(first.value().planned, again.value().planned);
  const auto other = known.read(file, {});
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other.value().measured, first.value().measured);
  EXPECT_EQ(*other.value().planned, *other.value().measured);
}

TEST(ProcessorKinds, OnlyTheSetThatPlansUseIsPrepared) {
  const std::string file = (kProfiles / "shapes.json").string();
  const std::vector<profiles::KindOfProcessor> two{{ProcessorId("a"), ProcessorId("cpu")},
                                                   {ProcessorId("b"), ProcessorId("cpu")}};
  KnownProfileSets known;
  const auto kinds = known.read(file, two);
  ASSERT_TRUE(kinds.ok());
  EXPECT_EQ(scheduler::prepared(kinds.value().measured), nullptr);
  EXPECT_NE(scheduler::prepared(kinds.value().planned), nullptr);
  const auto later = known.read(file, {});
  ASSERT_TRUE(later.ok());
  EXPECT_NE(scheduler::prepared(later.value().planned), nullptr);
  KnownProfileSets others;
  const auto alone = others.read(file, {});
  ASSERT_TRUE(alone.ok());
  EXPECT_EQ(alone.value().planned, alone.value().measured);
  EXPECT_NE(scheduler::prepared(alone.value().planned), nullptr);
}

// --- emulated --------------------------------------------------------------------------------------

TEST(Slowdowns, ArePerProcessorAndATimelineChangesThemByName) {
  const std::string text =
      R"({"version": 1, "processors": [{"name": "cpu"}, {"name": "slow", "slowdown": 2.5}],
      "engine": {"backend": "simulated"}, "tasks": [{"id": "gate", "profiles": "shapes.json", "fps": 10,
        "source": {"type": "synthetic", "data_set": "glyphs"}}],
      "timeline": [{"at_seconds": 5, "patch": {"processors": {"slow": {"slowdown": 5}}}},
                   {"at_seconds": 7, "patch": {"tasks": {"gate": {"fps": 5}}}},
                   {"at_seconds": 9, "patch": {"processors": {"slow": {"slowdown": null}, "cpu": {"slowdown": 3}}}}]})";
  const auto read = parse_config(text, "f.json", kProfiles);
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  const auto& states = read.value().run.timeline;
  ASSERT_EQ(states.size(), 4U);
  EXPECT_EQ(states[0].slowdowns, (std::vector<double>{1.0, 2.5}));
  EXPECT_EQ(states[1].slowdowns, (std::vector<double>{1.0, 5.0}));
  EXPECT_EQ(states[2].slowdowns, (std::vector<double>{1.0, 5.0})) << "not named, not changed";
  EXPECT_EQ(states[3].slowdowns, (std::vector<double>{3.0, 1.0})) << "null is the default";
  for (const auto& state : states) {  // what plans know
    EXPECT_EQ(state.snapshot.processors, states[0].snapshot.processors);
    EXPECT_EQ(state.snapshot.processors[1].correction, 1.0);
  }
}

// --- memories --------------------------------------------------------------------------------------

TEST(ProcessorMemories, AreNamedByProcessorsAndLimitedByName) {
  profiles::ProfileSet set = profiles::read_profile_set(kProfiles / "shapes.json").value();
  for (profiles::Variant& variant : set.variants) variant.device_memory = Bytes(5e6);
  const test::TemporaryFolder folder;
  ASSERT_TRUE(profiles::write_profile_set(set, folder.path() / "shapes.json").ok());
  const std::string text =
      R"({"version": 1, "processors": [{"name": "cpu", "memory": "gpu0", "context_memory_bytes": 7,
           "context_device_memory_bytes": 9}, {"name": "other", "memory": "host"}],
          "limits": {"memory_bytes": 1e9, "memories": {"gpu0": 2e9}}, "engine": {"backend": "simulated"},
          "tasks": [{"id": "gate", "profiles": "shapes.json", "fps": 10,
                     "source": {"type": "synthetic", "data_set": "glyphs"}}],
          "timeline": [{"at_seconds": 5, "patch": {"limits": {"memories": {"gpu0": 1e9}}}},
                       {"at_seconds": 6, "patch": {"limits": {"memories": null}}}]})";
  const Result<LoadedConfig> read = parse_config(text, "f.json", folder.path());
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  const auto& timeline = read.value().run.timeline;
  const scheduler::Snapshot& first = timeline.at(0).snapshot;
  EXPECT_EQ(first.processors[0].memory, "gpu0");
  EXPECT_EQ(first.processors[0].context, Bytes(7.0));
  EXPECT_EQ(first.processors[0].device_context, Bytes(9.0));
  EXPECT_EQ(first.processors[1].memory, "") << "`host` is the default written out";
  EXPECT_EQ(first.limits.memories.at("gpu0"), Bytes(2e9));
  EXPECT_EQ(timeline.at(1).snapshot.limits.memories.at("gpu0"), Bytes(1e9));
  EXPECT_EQ(timeline.at(1).snapshot.limits.memory, Bytes(1e9));
  EXPECT_TRUE(timeline.at(2).snapshot.limits.memories.empty());
}

// --- providers -------------------------------------------------------------------------------------

std::string on_card(const std::string& provenance, const std::string& settings, const fs::path& folder) {
  profiles::ProfileSet set = profiles::read_profile_set(kProfiles / "shapes.json").value();
  const std::size_t blank = provenance.find(' ');
  set.provenance.provider = provenance.substr(0, blank);
  if (blank != std::string::npos) set.provenance.provider_options = provenance.substr(blank + 1);
  EXPECT_TRUE(profiles::write_profile_set(set, folder / "shapes.json").ok());
  const Result<LoadedConfig> read =
      parse_config(R"({"version": 1, "processors": [{"name": "cpu")" + settings +
                       R"(}], "tasks": [{"id": "gate", "profiles": "shapes.json", "fps": 10,
                            "source": {"type": "synthetic", "data_set": "glyphs"}}]})",
                   "f.json", folder);
  EXPECT_TRUE(read.ok()) << to_string(read.errors());
  return read.ok() ? to_string(read.value().plan_only) : "";
}

TEST(ProcessorProviders, ASetOfAnotherProviderOrOtherOptionsIsPlannedAndNotRun) {
  const test::TemporaryFolder folder;
  const std::string cuda = R"(, "provider": "cuda", "memory": "gpu0")";
  const std::string options =
      "cuda graphs=1 cudnn_conv_algo_search=HEURISTIC arena_extend_strategy=kSameAsRequested";
  const auto refused = [&](const std::string& provenance, const std::string& settings) {
    return on_card(provenance, settings, folder.path()).find("it was measured with the provider") !=
           std::string::npos;
  };
  EXPECT_FALSE(refused("", ""));
  EXPECT_FALSE(refused(options, cuda));
  EXPECT_TRUE(refused(options, "")) << "the CPU is not what was measured";
  EXPECT_TRUE(refused("", cuda));
  EXPECT_TRUE(refused(options, cuda + R"(, "graphs": false)"));
  EXPECT_TRUE(refused(options, cuda + R"(, "wait": "block")"));
  EXPECT_TRUE(refused("cuda", cuda)) << "with options that are not known";
}

TEST(ProcessorProviders, SettingsReachTheRun) {
  const LoadedConfig loaded = good(
      R"([{"name": "cpu", "provider": "cuda", "memory": "gpu0", "device": 3, "graphs": false, "wait": "block"}])");
  const runtime::ProcessorConfig& processor = loaded.run.processors.at(0);
  EXPECT_EQ(processor.provider, "cuda");
  EXPECT_EQ(processor.device, 3);
  EXPECT_FALSE(processor.graphs);
  EXPECT_TRUE(processor.block);
  EXPECT_EQ(processor.load_pause, Seconds(0.25)) << "engines without graphs are disturbed by loads";
  EXPECT_TRUE(uses_accelerator(loaded.run));
  EXPECT_TRUE(missing_providers(loaded.run).empty()) << "the simulated back end needs no card";
  EXPECT_FALSE(uses_accelerator(good(R"([{"name": "cpu"}])").run));
}

TEST(ProcessorProviders, AnUntriedCardIsOneThatTheAdapterWasNotRunOn) {
  const auto second_card =
      good(R"([{"name": "cpu", "provider": "cuda", "memory": "gpu0", "device": 1}])").run;
  for (const char* card : runtime::kCudaCards) {
    EXPECT_FALSE(uses_untried_card(second_card, {"another", card}));
    EXPECT_TRUE(uses_untried_card(second_card, {card, "another"}));
    EXPECT_TRUE(uses_untried_card(second_card, {card, ""})) << "of an unknown name";
    EXPECT_TRUE(uses_untried_card(second_card, {card})) << "there is none of this number";
    EXPECT_NE(std::string(runtime::kCudaRunOn).find(card), std::string::npos)
        << "`version` and `check` name other cards than those that are not warned of";
  }
  EXPECT_FALSE(uses_untried_card(good(R"([{"name": "cpu"}])").run, {"another"})) << "it is not used";
}

TEST(ProcessorProviders, ASetOfAnotherCardIsPlannedButNotRun) {
  profiles::ProfileSet set;
  set.device.name = "Card A";
  set.device.processors = {ProcessorId("gpu")};
  set.provenance.provider = "cuda";
  const std::vector<ProfileFile> sets{{"net.json", std::make_shared<const profiles::ProfileSet>(set)}};
  scheduler::Processor planned;
  planned.id = ProcessorId("left");
  planned.kind = ProcessorId("gpu");
  runtime::ProcessorConfig processor;
  processor.id = planned.id;
  processor.provider = "cuda";
  processor.device = 1;
  const auto refused = [&](const std::vector<std::string>& cards) {
    return to_string(measured_on_other_cards(sets, {processor}, {planned}, cards));
  };
  EXPECT_EQ(refused({"Card B", "Card A"}), "");
  EXPECT_EQ(refused({"Card B", ""}), "") << "the driver does not say";
  EXPECT_EQ(refused({"Card B"}), "") << "what is missing is said elsewhere";
  const std::string why = refused({"Card A", "Card B"});
  EXPECT_NE(why.find("measured on the card `Card A`, and processor `left` uses `Card B`"), std::string::npos)
      << why;
  set.device.name = profiles::kUnnamedCard;
  const std::vector<ProfileFile> unnamed{{"net.json", std::make_shared<const profiles::ProfileSet>(set)}};
  const std::string unknown =
      to_string(measured_on_other_cards(unnamed, {processor}, {planned}, {"Card A", "Card B"}));
  EXPECT_NE(unknown.find("it is not known on which card it was measured, and processor `left` uses `Card B`"),
            std::string::npos)
      << unknown;
  processor.provider = "cpu";
  EXPECT_EQ(refused({"Card A", "Card B"}), "");
  processor.provider = "cuda";
  planned.kind = ProcessorId("cpu");
  EXPECT_EQ(refused({"Card A", "Card B"}), "") << "not measured for this processor";
}

TEST(ProcessorProviders, AcceleratorsOfOneProcessWaitInOneWay) {
  const auto two = [](const std::string& second) {
    return read(R"([{"name": "cpu", "provider": "cuda", "memory": "gpu0", "wait": "block"}, {"name": "x", )" +
                second + "}]");
  };
  EXPECT_TRUE(two(R"("provider": "cuda", "memory": "gpu1", "wait": "block")").ok());
  EXPECT_TRUE(two(R"("provider": "cpu")").ok());
  const auto mixed = two(R"("provider": "cuda", "memory": "gpu1")");
  ASSERT_FALSE(mixed.ok());
  ASSERT_EQ(mixed.errors().size(), 1U);
  EXPECT_EQ(mixed.errors().front().where, "f.json:1 /processors/1");
  EXPECT_EQ(mixed.errors().front().what,
            "it waits in another way than `cpu`, and `wait` holds for all accelerators of a process");
  EXPECT_EQ(mixed.errors().front().hint, "give all of them the same `wait`");
  const auto given = two(R"("provider": "cuda", "memory": "gpu0", "device": 0, "wait": "spin")");
  ASSERT_FALSE(given.ok());
  EXPECT_EQ(given.errors().front().where, "f.json:1 /processors/1/wait");
}

TEST(ProcessorProviders, LoadsPauseWithoutGraphsUnlessSaidOtherwise) {
  const auto pause = [](const std::string& settings) {
    return good(R"([{"name": "cpu", "provider": "cuda", "memory": "gpu0")" + settings + "}]")
        .run.processors.at(0)
        .load_pause;
  };
  EXPECT_EQ(pause(""), Seconds(0.0));
  EXPECT_EQ(pause(R"(, "graphs": false)"), Seconds(0.25));
  EXPECT_EQ(pause(R"(, "graphs": false, "load_pause_seconds": null)"), Seconds(0.25));
  EXPECT_EQ(pause(R"(, "graphs": false, "load_pause_seconds": 0)"), Seconds(0.0));
  EXPECT_EQ(pause(R"(, "load_pause_seconds": 1.5)"), Seconds(1.5));
}

}  // namespace
}  // namespace saccade::config::processors_config_test
