// A network of the zoo on two CPUs of this machine, measured and placed by the commands that users have, and
// its placements one by one as what a run serves.
// Threads: as of the commands. Errors: Result, with what the command said.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/sources/frame_source.hpp"
#include "scheduler/policy.hpp"

namespace saccade::bench {

// A network on two processors, each a CPU of this machine.
struct PlacedNetwork {
  const char* set;
  const char* variant;
  const char* data_set;  // of its synthetic source
  int live_tensors;      // that may cross a cut
  std::vector<double> slowdowns;
};

// `saccade profile --layers` and `saccade place`, as a user runs them. The files lie in `folder`.
[[nodiscard]] Result<profiles::ProfileSet> placed_set(const PlacedNetwork& subject, const std::string& zoo,
                                                      const std::vector<int>& cpus, bool quick,
                                                      const std::filesystem::path& folder);

// A variant of the placed set as the only one, on its processors.
struct Schedule {
  std::string name;
  profiles::ProfileSetPtr set;
  double expected_fps = 0.0;
  [[nodiscard]] const profiles::Variant& variant() const { return set->variants.front(); }
  [[nodiscard]] bool staged() const { return !variant().staging.empty(); }
};

// Of the two processors, the fastest first.
[[nodiscard]] std::vector<Schedule> schedules_of(const profiles::ProfileSet& placed);

// Both processors alone, and of every cut in two the better direction, the fastest first.
struct Candidates {
  std::vector<Schedule> alone, cuts;
};
[[nodiscard]] Candidates candidates_of(const std::vector<Schedule>& schedules);

// Grants all that is demanded: what a schedule can do is measured, not asked of a plan.
class EveryFrame final : public scheduler::Policy {
 public:
  [[nodiscard]] const char* name() const override { return "every frame"; }
  [[nodiscard]] scheduler::Plan decide(const scheduler::Snapshot& snapshot,
                                       const scheduler::DecideLimits& limits) const override;
};

// One task with the schedule's variant.
[[nodiscard]] runtime::RunConfig config_of(const Schedule& schedule, const std::vector<int>& cpus,
                                           const PlacedNetwork& subject, Fps demand,
                                           runtime::SourceConfig source);

// Held-out pictures, as a source would deliver them.
[[nodiscard]] Result<std::vector<runtime::Frame>> frames_of(const profiles::ProfileSet& set);

}  // namespace saccade::bench
