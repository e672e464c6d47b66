// What is measured of an accelerator's engines, whichever back end they are of: loads, inferences alone, and
// inferences while another thread loads, without a pause or with one between two loads; and two engines that
// infer alone and at the same time.
// Threads: starts and joins its own. Errors: a load or an inference that fails when nothing else happens.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "runtime/engines/engine.hpp"

namespace saccade::bench {

struct AcceleratorTrial {
  const runtime::EngineBackend* backend = nullptr;
  runtime::EngineSpec serving;
  std::vector<runtime::EngineSpec> loading;  // in turn; at least one
  Seconds stretch{5.0};                      // of each of the two that are compared
  int loads = 5;                             // measured alone
  double share = 0.6;                        // of its rate at which it serves while it is measured
  Duration pause{0};                         // between two loads beside it
};

struct AcceleratorFigures {
  std::vector<double> load_ms;  // creation and warm-up, one after the other
  std::vector<double> quiet_ms;
  std::vector<double> loaded_ms;  // while the other thread loads
  std::int64_t loads_beside = 0;
  std::int64_t failed_inferences = 0;
  std::int64_t failed_loads = 0;
  std::optional<double> bytes_per_load;  // by which the process grows; absent with few loads
  std::string first_failure;
};
[[nodiscard]] Result<AcceleratorFigures> measure_accelerator(const AcceleratorTrial& trial);

struct TwoEngines {  // inferences per second
  double first_alone = 0.0;
  double second_alone = 0.0;
  double first_together = 0.0;
  double second_together = 0.0;
};
// Two engines, each on a thread of its own, at full rate.
[[nodiscard]] Result<TwoEngines> measure_pair(const runtime::EngineBackend& backend,
                                              const runtime::EngineSpec& first,
                                              const runtime::EngineSpec& second, Seconds stretch);

// Milliseconds per inference, back to back, so many of them.
[[nodiscard]] Result<std::vector<double>> back_to_back(runtime::Engine& engine,
                                                       const runtime::EngineSpec& spec, int inferences);

}  // namespace saccade::bench
