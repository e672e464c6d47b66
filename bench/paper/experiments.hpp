// The experiments of `saccade bench paper`, by name. Each is a function from the bed to a finding; the
// simulated ones are the same for one seed whatever the machine and the number of threads, but for the
// costs of deciding, which are told as measured.
// Threads: an experiment uses the workers it is given; one experiment at a time.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.hpp"
#include "bench/paper/bed.hpp"
#include "bench/paper/finding.hpp"
#include "bench/paper/workers.hpp"

namespace saccade::bench {

struct Context {
  const Bed& bed;
  const Workers& workers;
  std::filesystem::path real_config;  // of the experiment that runs real engines
};

struct Experiment {
  const char* name;
  const char* what;
  bool by_default;
  Result<Finding> (*run)(const Context& context);
};
[[nodiscard]] const std::vector<Experiment>& experiments();  // in the order of the report

Result<Finding> time_against_rate(const Context& context);      // figure 2
Result<Finding> accuracy_against_rate(const Context& context);  // figure 3
Result<Finding> least_against_floor(const Context& context);    // figure 4
Result<Finding> random_policies(const Context& context);        // figure 5
Result<Finding> random_most_accurate(const Context& context);   // figure 6
Result<Finding> random_least(const Context& context);           // figure 7
Result<Finding> precisions(const Context& context);             // table I
Result<Finding> metered(const Context& context);  // figures 4, 6, 7 and table I on measured energy
Result<Finding> overheads(const Context& context);
Result<Finding> degrade_modes(const Context& context);
Result<Finding> many_cameras(const Context& context);
Result<Finding> identical_cameras(const Context& context);
Result<Finding> detector_cameras(const Context& context);
Result<Finding> noisy_neighbour(const Context& context);
Result<Finding> known_future(const Context& context);
Result<Finding> fixed_choices(const Context& context);
Result<Finding> plain_engines(const Context& context);  // table I, measured anew
Result<Finding> simulated_against_real(const Context& context);

}  // namespace saccade::bench
