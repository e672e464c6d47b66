// What the paper's experiments run on, read from one file (bench/paper/experiments.json): the tasks, how
// much a frame holds, the rates, the ranges that random demands and limits are drawn from, and the
// model of energy. Whoever doubts a figure changes the file, not the program.
// Threads: plain values. Errors: every mistake in the file at once, with line, pointer and hint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "bench/paper/energy_model.hpp"

namespace saccade::bench {

struct Range {
  double least = 0.0;
  double most = 0.0;
};

struct ScenarioTask {
  std::string id;
  std::filesystem::path profiles;  // as read: the file's own folder in front
};

struct RateSweep {  // every task at one rate, 1 frame/s apart
  int from = 1;
  int to = 30;
  Seconds seconds{60.0};  // of one run
  int seeds = 1;
};

struct FloorSweep {  // one accuracy floor for every task
  Fps fps{10.0};
  double from = 0.6;
  double to = 1.0;
  double step = 0.01;
};

struct RandomRanges {  // what is drawn anew at every step: uniform, independent
  int steps = 0;
  Seconds step{5.0};
  Range fps;                    // per task
  Range min_relative_accuracy;  // per task
  Range energy_per_second;      // J/s, idle included
  Range memory;                 // bytes
  Range peak_power;             // W, idle included
};

struct CameraCounts {
  std::vector<int> counts;
  Fps fps{15.0};
  int columns = 1;
  int rows = 1;
  Seconds seconds{30.0};
};

struct DetectorCameras {  // all with one network, a frame is one picture
  std::filesystem::path profiles;
  int count = 1;
  RateSweep rates;
};

struct NoisyNeighbour {  // comes half-way and stays
  Fps fps{12.0};
  Seconds seconds{120.0};
  double factor = 1.0;  // what runs takes so many times as long
  int seeds = 1;
};

// The same networks as measured on a device whose meter can be read; planned only.
struct MeteredDevice {
  int columns = 1;  // of the grid of regions
  int rows = 1;
  std::vector<std::filesystem::path> profiles;  // one per task
  FloorSweep floors;
  RandomRanges random;  // of no limit on memory
};

struct Scenario {
  std::uint64_t seed = 1;
  Seconds guard{0.05};
  int columns = 1;  // of the grid of regions that every frame is cut into
  int rows = 1;
  std::vector<ScenarioTask> tasks;
  EnergyModel energy;
  RateSweep rates;
  FloorSweep floors;
  RandomRanges random;
  RandomRanges overload;  // demands that do not fit
  CameraCounts cameras;
  DetectorCameras detectors;
  NoisyNeighbour neighbour;
  MeteredDevice metered;
  int oracle_steps = 1;
  std::vector<double> switch_penalties;  // of max_accuracy, to set beside the oracle
};

[[nodiscard]] Result<Scenario> read_scenario(const std::filesystem::path& path);
// The same from text; `name` stands in complaints where the file's name would.
[[nodiscard]] Result<Scenario> parse_scenario(const std::string& text, const std::string& name,
                                              const std::filesystem::path& folder);

}  // namespace saccade::bench
