#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "scheduler/filter.hpp"
#include "scheduler/prepared_set.hpp"
#include "scheduler/snapshot.hpp"
#include "scheduler/text.hpp"

namespace saccade::scheduler {
namespace {

class Complaints {
 public:
  void add(std::string where, std::string what, std::string hint = "") {
    errors_.push_back({std::move(where), std::move(what), std::move(hint)});
  }
  // What is wrong is at where + key; the two are put together only then.
  void at_least_zero(const std::string& where, const char* key, double value) {
    if (!plausible(value) || value < 0.0) add(where + key, "must be 0 or more, is " + number(value));
  }
  void above_zero(const std::string& where, const char* key, double value) {
    if (!plausible(value) || value <= 0.0) add(where + key, "must be above 0, is " + number(value));
  }
  void share(const std::string& where, const char* key, double value, const char* hint = "") {
    if (!std::isfinite(value) || value < 0.0 || value > 1.0) {
      add(where + key, "must lie in [0, 1], is " + number(value), hint);
    }
  }
  template <class Q>
  void at_least_zero(const std::string& where, const char* key, const std::optional<Q>& value) {
    if (value) at_least_zero(where, key, value->value());
  }

  [[nodiscard]] std::size_t count() const { return errors_.size(); }
  [[nodiscard]] Errors take() { return std::move(errors_); }

 private:
  // Finite, and so small that products and sums of such numbers stay so.
  [[nodiscard]] static bool plausible(double value) {
    return std::isfinite(value) && value <= kLargestMeasure;
  }

  Errors errors_;
};

void check_processors(const Snapshot& snapshot, Complaints& complaints) {
  if (snapshot.processors.empty()) complaints.add("/processors", "there is no processor");
  std::set<ProcessorId> seen;
  for (const Processor& processor : snapshot.processors) {
    const std::string where = "/processors/" + processor.id.str();
    if (processor.id.str().empty()) complaints.add(where, "a processor has no name");
    if (!seen.insert(processor.id).second) complaints.add(where, "the name is used twice");
    complaints.above_zero(where, "/capacity", processor.capacity);
    complaints.at_least_zero(where, "/guard_seconds", processor.guard.value());
    if (std::isfinite(processor.budget()) && processor.budget() <= 0.0) {
      complaints.add(where + "/guard_seconds",
                     "leaves nothing of the capacity " + number(processor.capacity));
    }
    complaints.above_zero(where, "/correction", processor.correction);
    complaints.at_least_zero(where, "/context_memory_bytes", processor.context.value());
    complaints.at_least_zero(where, "/context_device_memory_bytes", processor.device_context.value());
    if (processor.memory.empty() && processor.device_context > Bytes(0.0)) {
      complaints.add(where + "/context_device_memory_bytes", "the processor names no memory of a device",
                     "give it a `memory`, for example \"gpu0\"");
    }
  }
}

// A context is there whatever is chosen: a limit has to leave something beyond it.
void above_context(const std::string& where, Bytes limit, Bytes context, Complaints& complaints) {
  if (context <= Bytes(0.0) || limit > context) return;
  complaints.add(where,
                 "leaves no engine anything: contexts take " + number(context.value()) + " bytes of it");
}

void check_memories(const Snapshot& snapshot, Complaints& complaints) {
  const std::vector<DeviceMemory> memories = device_memories(snapshot);
  for (const auto& [name, limit] : snapshot.limits.memories) {
    const std::string where = "/limits/memories/" + name;
    complaints.at_least_zero(where, "", limit.value());
    const auto used =
        std::find_if(memories.begin(), memories.end(),
                     [&, &wanted = name](const DeviceMemory& memory) { return memory.name == wanted; });
    if (used == memories.end()) {
      complaints.add(where, "no processor uses a memory " + quoted(name),
                     "the host's limit is `memory_bytes`; a processor names its memory by `memory`");
    } else {
      above_context(where, limit, used->context, complaints);
    }
  }
  if (snapshot.limits.memory)
    above_context("/limits/memory_bytes", *snapshot.limits.memory, host_context(snapshot), complaints);
}

void check_device(const Snapshot& snapshot, Complaints& complaints) {
  complaints.at_least_zero("", "/limits/peak_power_watts", snapshot.limits.peak_power);
  complaints.at_least_zero("", "/limits/energy_joules_per_second", snapshot.limits.energy_per_second);
  complaints.at_least_zero("", "/limits/memory_bytes", snapshot.limits.memory);
  check_memories(snapshot, complaints);
  complaints.at_least_zero("", "/device/idle_power_watts", snapshot.idle_power.value());
  const std::string penalty = "/solver/switch_penalty/";
  complaints.at_least_zero(penalty, "max_accuracy", snapshot.switch_penalty.max_accuracy);
  complaints.at_least_zero(penalty, "min_energy", snapshot.switch_penalty.min_energy);
  complaints.at_least_zero(penalty, "min_memory", snapshot.switch_penalty.min_memory);
  complaints.at_least_zero("", "/solver/min_dwell_seconds", snapshot.min_dwell.value());
}

void check_variant(const std::string& where, const profiles::Variant& variant, Complaints& complaints) {
  if (variant.frame_time.empty()) complaints.add(where + "/frame_time_seconds", "names no processor");
  const auto times = [&](const std::string& key, const profiles::TimeByProcessor& by_processor) {
    for (const auto& [processor, time] : by_processor) {
      complaints.above_zero(where + "/" + key + "/" + processor.str(), "", time.value());
    }
  };
  times("frame_time_seconds", variant.frame_time);
  for (const auto& [batch, time] : variant.batch_time) {
    times("batch_time_seconds/" + std::to_string(batch), time);
  }
  complaints.share(where, "/accuracy", variant.accuracy);
  complaints.at_least_zero(where, "/energy_joules_per_frame", variant.energy_per_inference);
  for (const auto& [batch, energy] : variant.batch_energy)
    complaints.at_least_zero(where + "/batch_energy_joules/" + std::to_string(batch), "", energy.value());
  complaints.at_least_zero(where, "/memory_bytes", variant.memory);
  complaints.at_least_zero(where, "/device_memory_bytes", variant.device_memory);
  if (variant.power) {
    complaints.at_least_zero(where, "/power_watts", variant.power->device);
    for (const auto& [processor, watts] : variant.power->by_processor) {
      complaints.at_least_zero(where + "/power_watts/" + processor.str(), "", watts.value());
    }
  }
}

// Some variants for processors that this machine has not are normal in a shared profile set and are
// filtered; a set without any that runs here is a mistake.
void check_processors_of(const std::string& where, const Snapshot& snapshot,
                         const profiles::ProfileSet& profiles, Complaints& complaints) {
  std::set<std::string> unknown;
  for (const profiles::Variant& variant : profiles.variants) {
    bool all_known = true;
    for (const auto& [processor, time] : variant.frame_time) {
      const bool known =
          std::any_of(snapshot.processors.begin(), snapshot.processors.end(),
                      [&, &id = processor](const Processor& candidate) { return candidate.id == id; });
      if (!known) unknown.insert(quoted(processor.str()));
      all_known = all_known && known;
    }
    if (all_known) return;
  }
  complaints.add(where, "no variant runs on the configured processors",
                 "the profiles use " + join({unknown.begin(), unknown.end()}));
}

void check_variants(const std::string& where, const Snapshot& snapshot, const profiles::ProfileSet& profiles,
                    Complaints& complaints) {
  const std::size_t count = profiles.variants.size();
  for (std::size_t i = 0; i < count; ++i) {
    const profiles::Variant& variant = profiles.variants[i];
    prefetch_after(profiles.variants, i);
    if (plausible(variant)) continue;  // words are only put together for one that is wrong
    check_variant(where + "/variants/" + std::to_string(i), variant, complaints);
  }
  if (!snapshot.processors.empty()) check_processors_of(where, snapshot, profiles, complaints);
}

// Whether the snapshot has every processor that a variant uses: so it is as a rule, and no variant is read.
bool has_all_processors(const Snapshot& snapshot, const PreparedSet& profiles) {
  return std::all_of(profiles.processors.begin(), profiles.processors.end(), [&](const ProcessorId& used) {
    return std::any_of(snapshot.processors.begin(), snapshot.processors.end(),
                       [&](const Processor& processor) { return processor.id == used; });
  });
}

using SoundProfiles = std::unordered_set<const profiles::ProfileSet*>;

// Tasks tend to share profiles: those that were found sound are in `sound` and are not looked at again.
void check_profiles(const std::string& where, const Snapshot& snapshot, const Task& task, bool variants,
                    SoundProfiles& sound, Complaints& complaints) {
  if (!task.profiles) {
    complaints.add(where + "/profiles", "there is no profile set");
    return;
  }
  const std::size_t count = task.profiles->variants.size();
  if (count == 0) {
    complaints.add(where + "/profiles", "the profile set has no variant");
    return;
  }
  if (variants && !sound.contains(task.profiles.get())) {
    const std::size_t before = complaints.count();
    check_variants(where + "/profiles", snapshot, *task.profiles, complaints);
    if (complaints.count() == before) sound.insert(task.profiles.get());
  }
  if (!task.excluded.empty() && task.excluded.size() != count) {
    complaints.add(where + "/excluded", "must have one entry per variant");
  }
  if (task.running && *task.running >= count) {
    complaints.add(where + "/running",
                   "names variant " + std::to_string(*task.running) + " of " + std::to_string(count));
  }
}

void check_tasks(const Snapshot& snapshot, bool variants_of_active, Complaints& complaints) {
  std::unordered_set<std::string_view> seen;
  seen.reserve(snapshot.tasks.size());
  SoundProfiles sound;
  for (const Task& task : snapshot.tasks) {
    const std::string where = "/tasks/" + task.id.str();
    if (task.id.str().empty()) complaints.add(where, "a task has no id");
    if (!seen.insert(task.id.str()).second) complaints.add(where, "the id is used twice");
    complaints.at_least_zero(where, "/fps", task.demand.value());
    if (task.regions < 1) complaints.add(where + "/regions", "must be 1 or more");
    complaints.above_zero(where, "/weight", task.weight);
    const char* const hint = "accuracy is a share, 0.95 rather than 95";
    if (task.min_accuracy) complaints.share(where, "/min_accuracy", *task.min_accuracy, hint);
    if (task.min_relative_accuracy) {
      complaints.share(where, "/min_relative_accuracy", *task.min_relative_accuracy, hint);
    }
    if (task.max_frame_time) {
      complaints.above_zero(where, "/max_frame_time_seconds", task.max_frame_time->value());
    }
    if (task.max_latency) complaints.above_zero(where, "/max_latency_seconds", task.max_latency->value());
    complaints.at_least_zero(where, "/min_time_share", task.min_time_share);
    complaints.at_least_zero(where, "/min_fps", task.min_fps.value());
    complaints.at_least_zero(where, "/max_power_watts", task.max_power);
    complaints.at_least_zero(where, "/max_memory_bytes", task.max_memory);
    complaints.at_least_zero(where, "/running_rate", task.running_rate.value());
    complaints.at_least_zero(where, "/since_switch", task.since_switch);
    check_profiles(where, snapshot, task, variants_of_active || !task.active(), sound, complaints);
  }
}

void check_measures(const Task& task, const Filtered& filtered, Complaints& complaints) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> variants;  // limit, measure
  for (const Unmeasured& unmeasured : filtered.unmeasured) {
    variants[{unmeasured.needed_by, unmeasured.measure}].push_back(
        quoted(task.profiles->variants[unmeasured.variant].id.str()));
  }
  for (const auto& [key, names] : variants) {
    complaints.add(key.first,
                   "needs the " + key.second + " of every variant of task " + quoted(task.id.str()) +
                       ", which was not measured for " + join(names),
                   "measure it, or drop the limit or objective");
  }
}

}  // namespace

namespace {

Errors validate_form(const Snapshot& snapshot, bool variants_of_active) {
  Complaints complaints;
  check_processors(snapshot, complaints);
  check_device(snapshot, complaints);
  check_tasks(snapshot, variants_of_active, complaints);
  return complaints.take();
}

}  // namespace

Errors validate_form(const Snapshot& snapshot) { return validate_form(snapshot, true); }

bool valid_but_for_variants(const Snapshot& snapshot) { return validate_form(snapshot, false).empty(); }

bool sound(const Snapshot& snapshot, const profiles::ProfileSetPtr& profiles) {
  const PreparedSet* const known = prepared(profiles);
  if (known != nullptr && known->all_plausible && has_all_processors(snapshot, *known)) return true;
  Complaints complaints;
  check_variants("", snapshot, *profiles, complaints);
  return complaints.count() == 0;
}

Errors validate_measures(const Snapshot& snapshot, std::span<const Filtered> filtered) {
  Complaints complaints;
  for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
    check_measures(snapshot.tasks[i], filtered[i], complaints);
  }
  return complaints.take();
}

Errors validate(const Snapshot& snapshot) {
  Errors errors = validate_form(snapshot);
  if (!errors.empty()) return errors;
  std::vector<Filtered> filtered;
  for (const Task& task : snapshot.tasks) {
    filtered.push_back(task.active() ? filter_variants(snapshot, task, variant_costs(snapshot, task))
                                     : Filtered{});
  }
  return validate_measures(snapshot, filtered);
}

}  // namespace saccade::scheduler
