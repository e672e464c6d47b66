// The warnings of profile_io.hpp. One complaint per kind and set, at the first variant it is about.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <tuple>
#include <utility>

#include "profiles/profile_io.hpp"
#include "text/strict_json.hpp"

namespace saccade::profiles {
namespace {

constexpr std::size_t kMostNames = 3;
constexpr double kWideTail = 3.0;   // p99 / median from which a machine was not quiet
constexpr double kLowPeak = 0.5;    // load peak / memory below which one of them is wrong
constexpr double kSlowFrame = 1.0;  // seconds; a typical frame this slow is rather milliseconds
constexpr Seconds kLaunchBound{
    3e-3};  // below this an accelerator's time is that of launching, not of computing
constexpr double kLittleMemory = 1e4;  // bytes; a typical model this small is rather MB

std::string three_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

std::string milliseconds(Seconds time) { return three_digits(1e3 * time.value()) + " ms"; }

// The variants that one kind of warning is about.
class Group {
 public:
  void add(std::size_t variant, std::string words) {
    if (words_.empty()) first_ = variant;
    words_.push_back(std::move(words));
  }
  [[nodiscard]] bool empty() const { return words_.empty(); }
  [[nodiscard]] std::size_t first() const { return first_; }
  // "a, b, c and 9 more"
  [[nodiscard]] std::string list() const {
    std::string text;
    for (std::size_t i = 0; i < std::min(words_.size(), kMostNames); ++i)
      text += (i > 0 ? ", " : "") + words_[i];
    if (words_.size() > kMostNames) text += " and " + std::to_string(words_.size() - kMostNames) + " more";
    return text;
  }
  [[nodiscard]] std::size_t size() const { return words_.size(); }

 private:
  std::size_t first_ = 0;
  std::vector<std::string> words_;
};

class Judge {
 public:
  Judge(const ProfileSet& set, const std::string& name)
      : set_(set), name_(name.empty() ? set.network : name) {}

  Errors all() {
    warn_draft();
    warn_units();
    warn_no_accuracy();
    warn_collapsed();
    warn_slow_int8();
    warn_duplicates();
    warn_batches();
    warn_tails();
    warn_load_peaks();
    warn_energy();
    return std::move(found_);
  }

 private:
  [[nodiscard]] const std::string& id(std::size_t variant) const { return set_.variants[variant].id.str(); }

  void tell(const Group& group, const std::string& key, std::string what, std::string hint) {
    if (group.empty()) return;
    found_.push_back({name_ + " /variants/" + std::to_string(group.first()) + "/" + key, std::move(what),
                      std::move(hint)});
  }

  // `measure(variant)` may be absent; so may the median.
  template <class Measure>
  [[nodiscard]] std::optional<double> median(Measure measure) const {
    std::vector<double> values;
    for (const Variant& variant : set_.variants) {
      if (const std::optional<double> value = measure(variant)) values.push_back(*value);
    }
    if (values.empty()) return std::nullopt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  // Until it is measured nothing shows whether what was guessed is right.
  void warn_draft() {
    if (!set_.is_draft()) return;
    Group times, accuracies, guessed;
    for (std::size_t i = 0; i < set_.variants.size(); ++i) {
      if (set_.variants[i].frame_time.empty()) times.add(i, id(i));
      if (!set_.variants[i].accuracy_known) accuracies.add(i, id(i));
    }
    for (const std::string& pointer : set_.provenance.guessed) guessed.add(0, pointer);
    std::string what = "this set is a draft";
    if (!accuracies.empty()) what += "; accuracy is not known of " + accuracies.list();
    if (!times.empty()) what += "; frame time is not known of " + times.list();
    if (!guessed.empty()) what += "; guessed was " + guessed.list();
    found_.push_back({name_, std::move(what), "measure it: saccade profile SET.json --data FOLDER"});
  }

  void warn_no_accuracy() {
    const auto known = [](const Variant& v) { return v.accuracy_known; };
    if (set_.best_accuracy() > 0.0 || std::none_of(set_.variants.begin(), set_.variants.end(), known)) return;
    Group first;
    first.add(0, "");
    tell(
        first, "accuracy", "the accuracy of every variant is 0: nothing that the network says is right",
        "check labels, colours, normalisation and decoder of the interface, and the data it was measured on");
  }

  using Side = std::pair<int, int>;  // width and height of an input
  [[nodiscard]] Side side_of(const Variant& variant) const {
    const PictureInput input = input_of(set_, variant);
    return {input.width, input.height};
  }

  [[nodiscard]] std::int64_t pixels_of(const Variant& variant) const {
    const auto [width, height] = side_of(variant);
    return static_cast<std::int64_t>(width) * height;
  }

  // Times in milliseconds and sizes in MB, written where seconds and bytes belong.
  void warn_units() {
    Group first;
    first.add(0, "");
    const auto time = median([](const Variant& v) {
      return v.frame_time.empty() ? std::nullopt : std::optional(v.frame_time.begin()->second.value());
    });
    if (time && *time > kSlowFrame) {
      tell(first, "frame_time_seconds",
           "half of the variants take " + three_digits(*time) + " s or more for one inference",
           "times are in seconds; divide milliseconds by 1000");
    }
    const auto memory =
        median([](const Variant& v) { return v.memory ? std::optional(v.memory->value()) : std::nullopt; });
    if (memory && *memory < kLittleMemory) {
      tell(first, "memory_bytes", "half of the variants need " + three_digits(*memory) + " bytes or less",
           "memory is in bytes; multiply MB by 1000000");
    }
  }

  // A smaller input may cost half of the accuracy: compared are variants that see as many pixels, and those
  // that see as many or fewer, where that is more. One that is never right has collapsed whatever the others
  // do.
  void warn_collapsed() {
    Group group;
    double usual = 0.0;  // of the first that has collapsed
    for (std::size_t i = 0; i < set_.variants.size(); ++i) {
      const Variant& v = set_.variants[i];
      const auto no_larger = [&](const Variant& other) {
        return other.accuracy_known && pixels_of(other) <= pixels_of(v) ? std::optional(other.accuracy)
                                                                        : std::nullopt;
      };
      const auto alike = [&](const Variant& other) {
        return other.accuracy_known && side_of(other) == side_of(v) ? std::optional(other.accuracy)
                                                                    : std::nullopt;
      };
      const double expected = std::max(median(alike).value_or(0.0), median(no_larger).value_or(0.0));
      const bool dead = v.accuracy <= 0.0 && set_.best_accuracy() > 0.0;
      if (!v.accuracy_known || (v.accuracy >= 0.5 * expected && !dead)) continue;
      if (group.empty()) usual = dead ? set_.best_accuracy() : expected;
      group.add(i, id(i) + " (" + three_digits(v.accuracy) + ")");
    }
    tell(
        group, "accuracy",
        "the accuracy has collapsed for " + group.list() + "; others of the set reach " + three_digits(usual),
        "look at how they were made (quantisation, training) before they are used");
  }

  void warn_slow_int8() {
    using Size = std::tuple<std::optional<double>, std::optional<double>, Side>;
    std::map<Size, const Variant*> full;
    for (const Variant& v : set_.variants) {
      if (v.precision == Precision::fp32) full.emplace(Size{v.width, v.depth, side_of(v)}, &v);
    }
    Group group;
    for (std::size_t i = 0; i < set_.variants.size(); ++i) {
      const Variant& v = set_.variants[i];
      const auto twin = full.find({v.width, v.depth, side_of(v)});
      // Without a size there is no telling which fp32 an int8 was made from.
      if (v.precision != Precision::int8 || twin == full.end() || !v.width) continue;
      for (const auto& [processor, time] : v.frame_time) {
        const auto other = twin->second->frame_time.find(processor);
        if (other == twin->second->frame_time.end() || time <= other->second) continue;
        group.add(i, id(i) + " on " + processor.str() + " (" + milliseconds(time) + ", fp32 " +
                         milliseconds(other->second) + ")");
      }
    }
    tell(group, "frame_time_seconds", "int8 is slower than its fp32: " + group.list(),
         "the engine may lack int8 kernels for this network; the planner will rarely choose such a variant");
  }

  // Two ids for one thing: a copied line, or a model exported twice.
  void warn_duplicates() {
    std::map<std::string, std::size_t> by_hash;
    std::map<std::string, std::size_t> by_measures;
    Group models, measures;
    for (std::size_t i = 0; i < set_.variants.size(); ++i) {
      const Variant& v = set_.variants[i];
      std::string use = " " + std::to_string(side_of(v).first) + "x" + std::to_string(side_of(v).second);
      for (const auto& [processor, time] : v.frame_time) use += " " + processor.str();
      if (!v.sha256.empty()) {
        // One model on two processors, or on inputs of two sizes, is two variants.
        const auto [first, fresh] = by_hash.try_emplace(v.sha256 + use, i);
        if (!fresh) {
          models.add(i, id(i) + " and " + id(first->second));
          continue;
        }
      }
      if (!v.accuracy_known && v.frame_time.empty()) continue;  // nothing was measured
      const auto [first, fresh] = by_measures.try_emplace(measures_of(v), i);
      if (!fresh) measures.add(i, id(i) + " and " + id(first->second));
    }
    tell(models, "sha256", "one model file stands under two ids: " + models.list(), "remove one of each two");
    tell(measures, "id", "all measures are equal under two ids: " + measures.list(),
         "remove one of each two, or measure again");
  }

  // Everything measured, bit for bit.
  [[nodiscard]] static std::string measures_of(const Variant& v) {
    std::string text;
    const auto add = [&text](double value) {
      std::array<char, 40> digits{};
      std::snprintf(digits.data(), digits.size(), "%a ", value);
      text += digits.data();
    };
    const auto add_times = [&](const TimeByProcessor& times) {
      for (const auto& [processor, time] : times) {
        text += processor.str() + " ";
        add(time.value());
      }
      text += "/ ";
    };
    const auto add_maybe = [&](const auto& measure) {
      if (measure) add(measure->value());
      text += "/ ";
    };
    add(v.accuracy);
    add_times(v.frame_time);
    add_times(v.frame_time_p99);
    for (const auto& [batch, times] : v.batch_time) {
      text += std::to_string(batch) + " ";
      add_times(times);
    }
    add_maybe(peak_power(v));
    add_maybe(v.energy_per_inference);
    for (const auto& [batch, energy] : v.batch_energy) {
      text += std::to_string(batch) + " ";
      add(energy.value());
    }
    add_maybe(v.memory);
    add_maybe(v.load_time);
    add_maybe(v.load_peak);
    add_maybe(v.device_memory);
    add_maybe(v.device_load_peak);
    return text;
  }

  // An accelerator that is launched for every operator takes the same time for small batches, give or take.
  void warn_batches() {
    const bool launched = !set_.provenance.provider.empty() && set_.provenance.provider != "cpu";
    Group group;
    for (std::size_t i = 0; i < set_.variants.size(); ++i) {
      const Variant& v = set_.variants[i];
      for (const auto& [processor, single] : v.frame_time) {
        Seconds smaller = single;
        for (const auto& [batch, times] : v.batch_time) {
          const auto time = times.find(processor);
          if (time == times.end()) continue;
          if (time->second < smaller && !(launched && smaller < kLaunchBound)) {
            group.add(i, id(i) + " (batch " + std::to_string(batch) + " on " + processor.str() + ")");
          }
          smaller = time->second;
        }
      }
    }
    tell(group, "batch_time_seconds", "a batch is faster than a smaller one: " + group.list(),
         "measure again on a quiet machine");
  }

  void warn_tails() {
    Group wide, inverted;
    for (std::size_t i = 0; i < set_.variants.size(); ++i) {
      const Variant& v = set_.variants[i];
      for (const auto& [processor, p99] : v.frame_time_p99) {
        const auto median_time = v.frame_time.find(processor);
        if (median_time == v.frame_time.end()) continue;
        const double ratio = p99 / median_time->second;
        if (ratio > kWideTail) wide.add(i, id(i) + " (" + three_digits(ratio) + " times)");
        if (ratio < 1.0) inverted.add(i, id(i));
      }
    }
    tell(wide, "frame_time_p99_seconds",
         "the slowest frames take much longer than the median: " + wide.list(),
         "measure again on a quiet machine, or expect late frames");
    tell(inverted, "frame_time_p99_seconds", "the 99th percentile is below the median: " + inverted.list(),
         "the two cannot be of the same frames; measure again");
  }

  void warn_load_peaks() {
    Group group, device;
    for (std::size_t i = 0; i < set_.variants.size(); ++i) {
      const Variant& v = set_.variants[i];
      if (v.load_peak && v.memory && *v.load_peak < kLowPeak * *v.memory) group.add(i, id(i));
      if (v.device_load_peak && v.device_memory && *v.device_load_peak < kLowPeak * *v.device_memory)
        device.add(i, id(i));
    }
    tell(group, "load_peak_bytes", "loading needs less than half the memory of serving: " + group.list(),
         "one of load_peak_bytes and memory_bytes is wrong; memory limits hold only as well as they do");
    tell(device, "device_load_peak_bytes",
         "loading needs less than half the device memory of serving: " + device.list(),
         "one of device_load_peak_bytes and device_memory_bytes is wrong; limits of the device's memory hold "
         "only as well as they do");
  }

  void warn_energy() {
    Group group;
    for (std::size_t i = 0; i < set_.variants.size(); ++i) {
      const Variant& v = set_.variants[i];
      if (!v.frame_time.empty() && !energy_per_frame(v, 1)) group.add(i, id(i));
    }
    if (group.empty()) return;
    const bool all = group.size() == set_.variants.size();
    found_.push_back({name_, "energy is not known for " + (all ? std::string("any variant") : group.list()),
                      "energy limits and the objective min_energy cannot be used with this profile set"});
  }

  const ProfileSet& set_;
  std::string name_;
  Errors found_;
};

}  // namespace

Errors warnings(const ProfileSet& set, const std::string& name) { return Judge(set, name).all(); }

}  // namespace saccade::profiles
