// What it costs to hand tensors from one processor to another: copied by the sender, put into a queue, the
// receiver woken, and copied into its engine's input, as stages of a pipeline do it. Measured for several
// sizes and fitted as fixed + seconds_per_byte * bytes.
// Threads: ThreadHandOver has one of its own, on the receiver's CPUs; the calling one is the sender and is
// left on its CPUs. Errors: one that fails ends the measurement.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace saccade::runtime {

struct TransferPoint {
  double bytes = 0.0;
  double seconds = 0.0;
};

struct TransferLine {
  double fixed = 0.0;             // seconds
  double seconds_per_byte = 0.0;  // neither is negative
  double residual = 0.0;          // root mean square of the points' distances from the line, seconds
};

// The line of least squares, each distance weighed by the point's own time, so that small transfers count as
// much as large ones. At least one point (checked).
[[nodiscard]] TransferLine fit_line(std::span<const TransferPoint> points);

struct TransferLimits {
  std::vector<std::size_t> bytes = {1U << 10U, 1U << 12U, 1U << 14U, 1U << 16U, 1U << 18U, 1U << 20U};
  int warmup = 5;
  int repeats = 101;  // of each size, all sizes in turn
};

// The medians. `hand_over(bytes)`: once; the seconds it took.
[[nodiscard]] Result<std::vector<TransferPoint>> measure_transfers(
    const std::function<Result<double>(std::size_t bytes)>& hand_over, const TransferLimits& limits);

// Hand-overs from the calling thread to one that waits on other CPUs. `clock` is read on both.
class ThreadHandOver {
 public:
  ThreadHandOver(const Clock& clock, const std::vector<int>& receiver_cpus);
  ~ThreadHandOver();
  ThreadHandOver(const ThreadHandOver&) = delete;
  ThreadHandOver& operator=(const ThreadHandOver&) = delete;

  // From before the sender copies until the receiver has copied; seconds.
  [[nodiscard]] double once(std::size_t bytes);

 private:
  class Receiver;
  const Clock& clock_;
  std::vector<std::byte> made_;  // by the sender's engine
  std::unique_ptr<Receiver> receiver_;
};

}  // namespace saccade::runtime
