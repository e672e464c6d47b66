#include "bench/paper/experiments.hpp"

namespace saccade::bench {

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = {
      {"fig2", "processor time per task and in total against the rate, four policies", true,
       time_against_rate},
      {"fig3", "achieved rate and accuracy against the rate, four policies", true, accuracy_against_rate},
      {"fig4", "least memory and least energy against the accuracy floor, by Pareto selection", true,
       least_against_floor},
      {"fig5", "random demands and limits: the policies", true, random_policies},
      {"fig6", "random demands and limits: most accuracy, by Pareto selection", true, random_most_accurate},
      {"fig7", "random demands and limits: least energy and memory, by Pareto selection", true, random_least},
      {"table1", "precisions against fp32, from the profile sets", true, precisions},
      {"metered", "figures 4, 6 and 7 and table I on measured energy, beside the modelled", true, metered},
      {"overheads", "what deciding and switching cost", true, overheads},
      {"degrade", "beyond the paper: exact, step and refuse where the demand does not fit", true,
       degrade_modes},
      {"cameras", "beyond the paper: from one camera to many", true, many_cameras},
      {"identical", "beyond the paper: cameras that are all alike", true, identical_cameras},
      {"detectors", "beyond the paper: cameras with a detector, four policies", true, detector_cameras},
      {"neighbour", "beyond the paper: another program takes a part of the processor half-way", true,
       noisy_neighbour},
      {"oracle", "beyond the paper: switches against an oracle that knows the future", true, known_future},
      {"fixed", "beyond the paper: one fixed choice, conservative or accurate", true, fixed_choices},
      {"plain", "table I: optimised engines against plain ones, measured; needs a quiet machine", false,
       plain_engines},
      {"real", "the simulation against real engines, 20 s; needs a quiet machine", false,
       simulated_against_real},
  };
  return all;
}

}  // namespace saccade::bench
