// Energy where no meter measured it: a declared model, so that the experiments which limit or minimise
// energy can be run at all. Its figures are labelled modelled wherever they appear and say nothing of
// any device; they only make energy something else than a copy of time.
//
//   e = P(precision) * t + c * m        energy of one inference, J
//   P_v = e / t                         power of the variant, W
//
// t is the measured time of one frame, m the measured memory of the engine without the inputs of all
// pictures of its largest batch but one (what one inference walks through at least once), P what the core
// draws while it computes in that precision, c the cost of moving a byte. Small networks with large tables so
// draw more power than large ones that compute long on little data. Threads: pure.
#pragma once

#include "base/quantity.hpp"
#include "profiles/profile_set.hpp"

namespace saccade::bench {

using JoulesPerByte = Quantity<struct JoulesPerByteTag>;

struct EnergyModel {
  Watts idle{0.0};  // of the device
  Watts fp32{0.0};  // above idle
  Watts fp16{0.0};  // and bf16
  Watts int8{0.0};
  JoulesPerByte per_byte{0.0};
};

// The set with power and energy of every variant whose memory was measured, energy_source "modelled".
[[nodiscard]] profiles::ProfileSet with_modelled_energy(profiles::ProfileSet set, const EnergyModel& model);

}  // namespace saccade::bench
