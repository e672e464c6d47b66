// What a variant costs a task per frame, computed a second time: the plan check and the brute-force oracle
// of the tests take their figures from here, so that a mistake in variant_cost(), which the filters,
// the choice problems and the accounting share, does not pass unnoticed. Shares no code with them: it reads
// the profile's and the snapshot's data and calls nothing of either room. With t_p(1) the time of one
// inference on processor p, t_p(n) the time of a measured batch of n, R the task's regions:
//   seconds[p]  = correction_p * t_p(R); between measured batches a < R < b the weighted mean
//                 ((b - R) t_p(a) + (R - a) t_p(b)) / (b - a); beyond the largest batch b its time and, per
//                 further inference, what the last two batches a, b differ by, at least 0; without any
//                 measured batch R * t_p(1)
//   joules      = measured energy per inference * sum_p t_p(R) / sum_p t_p(1), else sum_p P_p * t_p(R)
//                 (without correction: power times profiled time)
//   watts       = the device's figure, else sum_p P_p over the processors that the variant uses
//   watts_on[p] = P_p; 0 where the variant does not use p; the device's figure on the only one it uses
//   latency     = of a frame at the demanded rate f: sum_p seconds[p] of a whole network. In stages, with
//                 T = sum_p seconds[p] / sum_p t_p(1) and S = max_p seconds[p] / max_p t_p(1): alone, T times
//                 the profiled latency, while f S <= 0.8 max_fps; else max_in_flight S / max_fps where that
//                 is more
// Threads: pure. Order: the snapshot must be valid (validate()), `variant` in range.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "scheduler/snapshot.hpp"

namespace saccade::scheduler {

struct RecomputedCost {                         // absent = was not measured
  std::vector<double> seconds;                  // per processor of the snapshot
  std::optional<double> joules;                 // above idle
  std::optional<double> watts;                  // peak, above idle
  std::vector<std::optional<double>> watts_on;  // per processor of the snapshot
  std::optional<double> bytes;                  // of the host
  std::optional<double> device_bytes;  // on every device whose memory a processor of the variant names
  double latency = 0.0;                // seconds
  double accuracy = 0.0;
  double best_accuracy = 0.0;      // of any variant of the network
  double relative_accuracy = 0.0;  // 1 when the best is 0
  [[nodiscard]] double total_seconds() const;
};
[[nodiscard]] RecomputedCost recompute_cost(const Snapshot& snapshot, const Task& task, std::size_t variant);

}  // namespace saccade::scheduler
