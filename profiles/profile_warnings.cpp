// The warnings of profile_io.hpp.
#include <algorithm>

#include "profiles/profile_io.hpp"
#include "profiles/strict_json.hpp"

namespace saccade::profiles {
namespace {

std::string place(const ProfileSet& set, const Variant& variant) {
  return set.network + " " + variant.id.str();
}

double median_accuracy_of_others(const ProfileSet& set, const Variant& variant) {
  std::vector<double> others;
  for (const Variant& other : set.variants) {
    if (&other != &variant) others.push_back(other.accuracy);
  }
  if (others.empty()) return 0.0;
  const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
  std::nth_element(others.begin(), middle, others.end());
  return *middle;
}

void warn_collapsed(const ProfileSet& set, const Variant& variant, Errors& found) {
  const double usual = median_accuracy_of_others(set, variant);
  if (variant.accuracy >= 0.5 * usual) return;
  found.push_back(
      {place(set, variant),
       "its accuracy is " + to_text(variant.accuracy) + " where its siblings have about " + to_text(usual),
       "look at how it was made (quantisation, training) before it is used"});
}

void warn_slow_int8(const ProfileSet& set, const Variant& variant, Errors& found) {
  if (variant.precision != Precision::int8) return;
  for (const Variant& other : set.variants) {
    if (other.precision != Precision::fp32 || other.width != variant.width || other.depth != variant.depth) {
      continue;
    }
    for (const auto& [processor, time] : variant.frame_time) {
      const auto full = other.frame_time.find(processor);
      if (full == other.frame_time.end() || time <= full->second) continue;
      found.push_back(
          {place(set, variant),
           "on " + processor.str() + " int8 takes " + to_text(time.value()) + " s where its fp32 `" +
               other.id.str() + "` takes " + to_text(full->second.value()) + " s",
           "the engine may lack int8 kernels for this network; the planner will rarely choose it"});
    }
  }
}

void warn_batches(const ProfileSet& set, const Variant& variant, Errors& found) {
  for (const auto& [processor, single] : variant.frame_time) {
    Seconds smaller = single;
    for (const auto& [batch, times] : variant.batch_time) {
      const auto time = times.find(processor);
      if (time == times.end()) continue;
      if (time->second < smaller) {
        found.push_back({place(set, variant),
                         "a batch of " + std::to_string(batch) + " on " + processor.str() +
                             " is faster than a smaller one",
                         "measure again on a quiet machine"});
      }
      smaller = time->second;
    }
  }
}

void warn_energy(const ProfileSet& set, Errors& found) {
  std::string without;
  std::size_t count = 0;
  for (const Variant& variant : set.variants) {
    if (energy_per_frame(variant, 1)) continue;
    if (++count <= 3) without += (without.empty() ? "" : ", ") + variant.id.str();
  }
  if (count == 0) return;
  if (count > 3) without += " and " + std::to_string(count - 3) + " more";
  found.push_back({set.network, "energy is not known for " + without,
                   "energy limits and the objective min_energy cannot be used with this profile set"});
}

}  // namespace

Errors warnings(const ProfileSet& set) {
  Errors found;
  for (const Variant& variant : set.variants) {
    warn_collapsed(set, variant, found);
    warn_slow_int8(set, variant, found);
    warn_batches(set, variant, found);
  }
  warn_energy(set, found);
  return found;
}

}  // namespace saccade::profiles
