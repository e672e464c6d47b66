// A profile set on the processors of a service. Law: with n processors of a variant's kind there are n
// variants in its place, each as the measured one but for the processor's name; with one nothing changes but
// that name.
#include "profiles/processor_kinds.hpp"

#include <gtest/gtest.h>

namespace saccade::profiles {
namespace {

const ProcessorId kCpu{"cpu"};
const ProcessorId kGpu{"gpu"};

Variant variant(const std::string& id, const std::vector<ProcessorId>& kinds) {
  Variant made;
  made.id = VariantId(id);
  made.accuracy = 0.9;
  double time = 0.001;
  for (const ProcessorId& kind : kinds) {
    made.frame_time[kind] = Seconds(time);
    made.frame_time_p99[kind] = Seconds(2 * time);
    made.batch_time[4][kind] = Seconds(3 * time);
    time += 0.001;
  }
  made.power = Power{std::nullopt, {}};
  for (const ProcessorId& kind : kinds) made.power->by_processor[kind] = Watts(5.0);
  return made;
}

ProfileSet set_of(std::vector<Variant> variants) {
  ProfileSet set;
  set.network = "net";
  set.device.processors = {kCpu, kGpu};
  set.variants = std::move(variants);
  return set;
}

std::vector<KindOfProcessor> cpus(int count) {
  std::vector<KindOfProcessor> list;
  for (int i = 0; i < count; ++i) list.push_back({ProcessorId("cpu" + std::to_string(i)), kCpu});
  return list;
}

std::vector<std::string> ids(const ProfileSet& set) {
  std::vector<std::string> names;
  for (const Variant& v : set.variants) names.push_back(v.id.str());
  return names;
}

TEST(ProcessorKinds, AVariantIsThereOnceForEveryProcessorOfItsKind) {
  const ProfileSet set = set_of({variant("big", {kCpu}), variant("small", {kCpu})});
  const ProfileSet placed = on_processors(set, cpus(3));
  EXPECT_EQ(ids(placed), (std::vector<std::string>{"big@cpu0", "big@cpu1", "big@cpu2", "small@cpu0",
                                                   "small@cpu1", "small@cpu2"}));
  for (std::size_t i = 0; i < placed.variants.size(); ++i) {
    const Variant& measured = set.variants[i / 3];
    Variant back = placed.variants[i];
    const ProcessorId own("cpu" + std::to_string(i % 3));
    EXPECT_EQ(back.frame_time, (TimeByProcessor{{own, Seconds(0.001)}}));
    EXPECT_EQ(back.frame_time_p99, (TimeByProcessor{{own, Seconds(0.002)}}));
    EXPECT_EQ(back.batch_time.at(4), (TimeByProcessor{{own, Seconds(0.003)}}));
    EXPECT_EQ(back.power->by_processor, (std::map<ProcessorId, Watts>{{own, Watts(5.0)}}));
    EXPECT_EQ(measured_id(back), measured.id);
    EXPECT_EQ(same_measured(placed, i), (std::vector<std::size_t>{i / 3 * 3, i / 3 * 3 + 1, i / 3 * 3 + 2}));
    back.id = measured.id;
    back.measured_as = {};
    back.frame_time = measured.frame_time;
    back.frame_time_p99 = measured.frame_time_p99;
    back.batch_time = measured.batch_time;
    back.power = measured.power;
    EXPECT_EQ(back, measured);
  }
}

TEST(ProcessorKinds, OneProcessorOfAKindLeavesTheIdsAlone) {
  const ProfileSet placed = on_processors(set_of({variant("v", {kCpu})}), {{{ProcessorId("left"), kCpu}}});
  EXPECT_EQ(ids(placed), std::vector<std::string>{"v"});
  EXPECT_EQ(placed.variants[0].frame_time, (TimeByProcessor{{ProcessorId("left"), Seconds(0.001)}}));
  EXPECT_EQ(measured_id(placed.variants[0]), VariantId("v"));
  EXPECT_EQ(same_measured(placed, 0), std::vector<std::size_t>{0});
}

TEST(ProcessorKinds, ProcessorsThatAreTheirOwnKindsChangeNothing) {
  const ProfileSet set = set_of({variant("v", {kCpu}), variant("both", {kCpu, kGpu})});
  const std::vector<KindOfProcessor> same{{kCpu, kCpu}, {kGpu, kGpu}};
  EXPECT_TRUE(are_their_own_kinds(same));
  EXPECT_EQ(on_processors(set, same), set);
  EXPECT_FALSE(are_their_own_kinds(cpus(1)));
}

TEST(ProcessorKinds, AVariantOnTwoKindsTakesOneProcessorOfEach) {
  std::vector<KindOfProcessor> processors = cpus(2);
  processors.push_back({ProcessorId("gpu0"), kGpu});
  processors.push_back({ProcessorId("gpu1"), kGpu});
  const ProfileSet placed = on_processors(set_of({variant("v", {kCpu, kGpu})}), processors);
  EXPECT_EQ(ids(placed),
            (std::vector<std::string>{"v@cpu0+gpu0", "v@cpu0+gpu1", "v@cpu1+gpu0", "v@cpu1+gpu1"}));
  EXPECT_EQ(placed.variants[2].frame_time,
            (TimeByProcessor{{ProcessorId("cpu1"), Seconds(0.001)}, {ProcessorId("gpu0"), Seconds(0.002)}}));
}

TEST(ProcessorKinds, AVariantOfAnotherKindStaysAndIsOfNoUse) {
  const ProfileSet placed = on_processors(set_of({variant("v", {kGpu}), variant("w", {kCpu})}), cpus(2));
  EXPECT_EQ(ids(placed), (std::vector<std::string>{"v", "w@cpu0", "w@cpu1"}));
  EXPECT_TRUE(placed.variants[0].frame_time.contains(kGpu));
}

TEST(ProcessorKinds, TheDeviceHasTheProcessorsAndTheirThreads) {
  ProfileSet set = set_of({variant("v", {kCpu})});
  set.device.threads[kCpu] = 2;
  const ProfileSet placed = on_processors(set, cpus(2));
  EXPECT_EQ(placed.device.processors,
            (std::vector<ProcessorId>{ProcessorId("cpu0"), ProcessorId("cpu1"), kGpu}));
  EXPECT_EQ(placed.device.threads_on(ProcessorId("cpu1")), 2);
  EXPECT_EQ(placed.device.threads_on(kGpu), 1);
}

}  // namespace
}  // namespace saccade::profiles
