#include <gtest/gtest.h>

#include <functional>
#include <tuple>

#include "profiles/profile_io.hpp"

namespace saccade::profiles::profile_warnings_test {
namespace {

const ProcessorId kCpu("cpu");

Variant variant(const std::string& id, Precision precision, double accuracy, double time) {
  Variant v;
  v.id = VariantId(id);
  v.precision = precision;
  v.width = 1.0;
  v.accuracy = accuracy;
  v.frame_time[kCpu] = Seconds(time);
  v.power = Power{Watts(3.0), {}};
  return v;
}

ProfileSet plain_set() {
  ProfileSet set;
  set.network = "net";
  set.variants = {variant("big-fp32", Precision::fp32, 0.9, 0.004),
                  variant("big-int8", Precision::int8, 0.89, 0.002)};
  return set;
}

Errors told(const std::function<void(ProfileSet&)>& spoil) {
  ProfileSet set = plain_set();
  spoil(set);
  return warnings(set, "net.json");
}

TEST(ProfileWarnings, NothingIsSaidOfAGoodSet) { EXPECT_EQ(to_string(warnings(plain_set())), ""); }

TEST(ProfileWarnings, ADraftWithWhatIsMissingAndWhatWasGuessed) {
  const Errors found = told([](ProfileSet& set) {
    set.provenance.guessed = {"/interface/input/resize", "/interface/input/scale"};
    for (Variant& variant : set.variants) {
      variant.accuracy_known = false;
      variant.accuracy = 0.0;
      variant.frame_time.clear();
      variant.power.reset();
    }
  });
  ASSERT_EQ(found.size(), 1u) << to_string(found);
  EXPECT_EQ(found[0].where, "net.json");
  EXPECT_EQ(found[0].what,
            "this set is a draft; accuracy is not known of big-fp32, big-int8; frame time is not known of "
            "big-fp32, big-int8; guessed was /interface/input/resize, /interface/input/scale");
  const Errors half = told([](ProfileSet& set) {
    set.variants[1].accuracy_known = false;
    set.variants[1].accuracy = 0.0;
  });
  ASSERT_EQ(half.size(), 1u) << to_string(half);
  EXPECT_EQ(half[0].what, "this set is a draft; accuracy is not known of big-int8");
}

TEST(ProfileWarnings, AnAccuracyOfZero) {
  const Errors found = told([](ProfileSet& set) {
    for (Variant& variant : set.variants) variant.accuracy = 0.0;
  });
  ASSERT_EQ(found.size(), 1u) << to_string(found);
  EXPECT_EQ(found[0].where, "net.json /variants/0/accuracy");
  EXPECT_NE(found[0].what.find("of every variant is 0"), std::string::npos);
}

TEST(ProfileWarnings, ACollapsedAccuracy) {
  EXPECT_EQ(told([](ProfileSet& set) { set.variants[1].accuracy = 0.44; }),
            (Errors{{"net.json /variants/1/accuracy",
                     "the accuracy has collapsed for big-int8 (0.44); others of the set reach 0.9",
                     "look at how they were made (quantisation, training) before they are used"}}));
  EXPECT_TRUE(told([](ProfileSet& set) { set.variants[1].accuracy = 0.45; }).empty())
      << "half is not below half";
}

// As an int8 file is whose head was quantised as well: one file per size is how most detectors come.
TEST(ProfileWarnings, AVariantThatIsAloneWithItsSizeMayHaveCollapsedToo) {
  const auto with_int8 = [](int side, double accuracy) {
    ProfileSet set = plain_set();
    set.input = {320, 320, 3};
    set.variants[0].sha256 = "a";
    set.variants[1].sha256 = "b";
    set.variants[1].interface = plain_interface({side, side, 3});
    set.variants[1].accuracy = accuracy;
    return to_string(warnings(set));
  };
  EXPECT_NE(with_int8(640, 0.05).find("collapsed for big-int8 (0.05)"), std::string::npos)
      << "larger, yet worse";
  EXPECT_EQ(with_int8(160, 0.05), "") << "smaller";
  EXPECT_NE(with_int8(160, 0.0).find("collapsed for big-int8 (0)"), std::string::npos) << "never right";
}

TEST(ProfileWarnings, ManySmallVariantsDoNotHideThatALargeOneHasCollapsed) {
  ProfileSet set = plain_set();
  set.input = {224, 224, 3};
  set.variants[0].sha256 = "a";
  set.variants[1].sha256 = "b";
  set.variants[1].accuracy = 0.3;
  for (int i = 0; i < 3; ++i) {
    Variant small = set.variants[0];
    small.id = VariantId("small-" + std::to_string(i));
    small.accuracy = 0.35;
    small.frame_time[kCpu] = small.frame_time[kCpu] * (0.3 + 0.1 * i);
    small.interface = plain_interface({96, 96, 3});
    set.variants.push_back(small);
  }
  EXPECT_NE(to_string(warnings(set)).find("collapsed for big-int8 (0.3); others of the set reach"),
            std::string::npos)
      << to_string(warnings(set));
}

// A detector's files run at several sizes of the input, the small ones fast and with half of the accuracy.
TEST(ProfileWarnings, SizesOfTheInputAreNotMistakenForMistakes) {
  ProfileSet set = plain_set();
  set.input = {224, 224, 3};
  set.variants[0].sha256 = "a";
  set.variants[1].sha256 = "b";
  for (const std::size_t large : {0U, 1U}) {
    Variant small = set.variants[large];
    small.id = VariantId("small-" + small.id.str());
    small.accuracy *= 0.4;
    small.frame_time[kCpu] = small.frame_time[kCpu] * 0.3;
    small.interface = plain_interface({96, 96, 3});
    set.variants.push_back(small);
  }
  EXPECT_EQ(to_string(warnings(set)), "");
  set.variants[3].accuracy = 0.1;
  EXPECT_NE(to_string(warnings(set)).find("collapsed for small-big-int8 (0.1)"), std::string::npos)
      << to_string(warnings(set));
  set.variants[3].accuracy = 0.35;
  set.variants[3].frame_time[kCpu] = Seconds(0.0035);  // faster than the large fp32
  EXPECT_NE(to_string(warnings(set)).find("int8 is slower than its fp32: small-big-int8"), std::string::npos);
}

TEST(ProfileWarnings, ManyOfOneKindAreOneComplaint) {
  const Errors errors = told([](ProfileSet& set) {
    for (int i = 0; i < 10; ++i)
      set.variants.push_back(variant("good" + std::to_string(i), Precision::fp32, 0.9, 0.01 + i));
    for (int i = 0; i < 5; ++i)
      set.variants.push_back(variant("bad" + std::to_string(i), Precision::fp32, 0.1, 0.02 + i));
    for (Variant& v : set.variants) v.frame_time[kCpu] = v.frame_time[kCpu] * 0.001;
  });
  ASSERT_EQ(errors.size(), 1u) << to_string(errors);
  EXPECT_EQ(errors[0].where, "net.json /variants/12/accuracy");
  EXPECT_EQ(errors[0].what,
            "the accuracy has collapsed for bad0 (0.1), bad1 (0.1), bad2 (0.1) and 2 more; others of the set "
            "reach 0.9");
}

TEST(ProfileWarnings, AnInt8SlowerThanTheFp32OfItsSize) {
  const auto slow = [](ProfileSet& set) { set.variants[1].frame_time[kCpu] = Seconds(0.005); };
  EXPECT_EQ(told(slow), (Errors{{"net.json /variants/1/frame_time_seconds",
                                 "int8 is slower than its fp32: big-int8 on cpu (5 ms, fp32 4 ms)",
                                 "the engine may lack int8 kernels for this network; the planner will rarely "
                                 "choose such a variant"}}));
  EXPECT_TRUE(told([&](ProfileSet& set) {
                slow(set);
                set.variants[1].width = 2.0;
              }).empty())
      << "another size";
  EXPECT_TRUE(told([&](ProfileSet& set) {
                slow(set);
                set.variants[0].width.reset();
                set.variants[1].width.reset();
              }).empty())
      << "without sizes nothing is compared";
  EXPECT_TRUE(told([&](ProfileSet& set) {
                slow(set);
                set.variants[1].interface = set.interface;
                set.variants[1].interface->input.width = 640;
              }).empty())
      << "another size of the input";
}

TEST(ProfileWarnings, TwoIdsForOneModelOrForTheSameMeasures) {
  EXPECT_EQ(
      told([](ProfileSet& set) { set.variants[0].sha256 = set.variants[1].sha256 = std::string(64, 'a'); }),
      (Errors{{"net.json /variants/1/sha256", "one model file stands under two ids: big-int8 and big-fp32",
               "remove one of each two"}}));
  EXPECT_EQ(told([](ProfileSet& set) {
              set.variants.push_back(set.variants[0]);
              set.variants[2].id = VariantId("copy");
            }),
            (Errors{{"net.json /variants/2/id", "all measures are equal under two ids: copy and big-fp32",
                     "remove one of each two, or measure again"}}));
  EXPECT_TRUE(told([](ProfileSet& set) {
                set.variants[0].sha256 = set.variants[1].sha256 = std::string(64, 'a');
                set.variants[1].frame_time = {{ProcessorId("gpu"), Seconds(0.002)}};
              }).empty())
      << "one model on two processors is two variants";
  EXPECT_TRUE(told([](ProfileSet& set) {
                set.variants[0].sha256 = set.variants[1].sha256 = std::string(64, 'a');
                set.variants[1].interface = set.interface;
                set.variants[1].interface->input.width = 320;
              }).empty())
      << "and so is one with inputs of two sizes";
}

TEST(ProfileWarnings, MissingEnergyOncePerSet) {
  const char* hint = "energy limits and the objective min_energy cannot be used with this profile set";
  EXPECT_EQ(told([](ProfileSet& set) { set.variants[1].power.reset(); }),
            (Errors{{"net.json", "energy is not known for big-int8", hint}}));
  EXPECT_EQ(told([](ProfileSet& set) {
              for (Variant& v : set.variants) v.power.reset();
            }),
            (Errors{{"net.json", "energy is not known for any variant", hint}}));
}

TEST(ProfileWarnings, ABatchFasterThanASmallerOne) {
  EXPECT_EQ(told([](ProfileSet& set) {
              set.variants[0].batch_time[4][kCpu] = Seconds(0.009);
              set.variants[0].batch_time[8][kCpu] = Seconds(0.008);
            }),
            (Errors{{"net.json /variants/0/batch_time_seconds",
                     "a batch is faster than a smaller one: big-fp32 (batch 8 on cpu)",
                     "measure again on a quiet machine"}}));
}

TEST(ProfileWarnings, A99thPercentileFarAboveOrBelowTheMedian) {
  EXPECT_EQ(told([](ProfileSet& set) { set.variants[1].frame_time_p99[kCpu] = Seconds(0.0084); }),
            (Errors{{"net.json /variants/1/frame_time_p99_seconds",
                     "the slowest frames take much longer than the median: big-int8 (4.2 times)",
                     "measure again on a quiet machine, or expect late frames"}}));
  EXPECT_EQ(told([](ProfileSet& set) { set.variants[1].frame_time_p99[kCpu] = Seconds(0.001); }),
            (Errors{{"net.json /variants/1/frame_time_p99_seconds",
                     "the 99th percentile is below the median: big-int8",
                     "the two cannot be of the same frames; measure again"}}));
}

TEST(ProfileWarnings, ALoadPeakFarBelowTheMemory) {
  const auto with_peak = [](double peak) {
    return told([&](ProfileSet& set) {
      set.variants[0].memory = Bytes(4e6);
      set.variants[0].load_peak = Bytes(peak);
    });
  };
  EXPECT_EQ(
      with_peak(1e6),
      (Errors{
          {"net.json /variants/0/load_peak_bytes",
           "loading needs less than half the memory of serving: big-fp32",
           "one of load_peak_bytes and memory_bytes is wrong; memory limits hold only as well as they do"}}));
  EXPECT_TRUE(with_peak(3e6).empty()) << "serving may touch more than loading";
}

TEST(ProfileWarnings, MillisecondsAndMegabytesInTheWrongPlace) {
  EXPECT_EQ(told([](ProfileSet& set) {
              for (Variant& v : set.variants) v.frame_time[kCpu] = v.frame_time[kCpu] * 1000.0;
            }),
            (Errors{{"net.json /variants/0/frame_time_seconds",
                     "half of the variants take 4 s or more for one inference",
                     "times are in seconds; divide milliseconds by 1000"}}));
  EXPECT_EQ(told([](ProfileSet& set) {
              for (Variant& v : set.variants) v.memory = Bytes(6.5);
            }),
            (Errors{{"net.json /variants/0/memory_bytes", "half of the variants need 6.5 bytes or less",
                     "memory is in bytes; multiply MB by 1000000"}}));
}

TEST(ProfileWarnings, AFasterBatchIsExpectedOfAnAcceleratorThatIsLaunchBound) {
  const auto batches = [](double single, double batch) {
    return [single, batch](ProfileSet& set) {
      set.provenance.provider = "cuda";
      set.variants.resize(1);
      set.variants[0].frame_time[kCpu] = Seconds(single);
      set.variants[0].batch_time[4][kCpu] = Seconds(batch);
    };
  };
  EXPECT_EQ(to_string(told(batches(0.002, 0.001))), "");
  EXPECT_NE(to_string(told(batches(0.004, 0.0035))).find("a batch is faster"), std::string::npos);
}

TEST(ProfileWarnings, ADevicesLoadPeakIsHeldAgainstItsMemory) {
  const Errors found = told([](ProfileSet& set) {
    set.variants[0].device_memory = Bytes(10e6);
    set.variants[0].device_load_peak = Bytes(4e6);
  });
  ASSERT_EQ(found.size(), 1u) << to_string(found);
  EXPECT_NE(found[0].where.find("/variants/0/device_load_peak_bytes"), std::string::npos);
}

}  // namespace
}  // namespace saccade::profiles::profile_warnings_test
