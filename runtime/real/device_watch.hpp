// Measurements of the device during one run: energy, remaining memory, and how often the kernel throttled
// this process.
//
// Call order: open() before the first load, start() at time 0, then look() several times a second,
// read_energy() at the end. Threads: used by the main loop; energy() by any. Errors: a meter that can no
// longer be read, and memory that is nearly exhausted, are reported as faults through the conductor.
#pragma once

#include <memory>
#include <optional>

#include "runtime/machine/cpu_accounts.hpp"
#include "runtime/machine/memory_watch.hpp"
#include "runtime/real/energy_book.hpp"
#include "runtime/run/conductor.hpp"
#include "runtime/run/run_summary.hpp"

namespace saccade::runtime {

class DeviceWatch {
 public:
  // `conductor` must outlive this. Null: there is no meter.
  DeviceWatch(std::unique_ptr<EnergyMeter> meter, Conductor& conductor);

  void open();
  void start(TimePoint now);
  void look(TimePoint now);
  void read_energy(TimePoint now);
  [[nodiscard]] const EnergyBook& energy() const { return energy_; }
  // The measured energy, if there is any, and the throttling since open().
  void complete(RunSummary& summary) const;

 private:
  void report(TimePoint now, const std::string& fault);

  Conductor& conductor_;
  EnergyBook energy_;
  MemoryWatch memory_;
  std::optional<Throttling> throttled_before_;
};

}  // namespace saccade::runtime
