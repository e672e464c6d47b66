// One profiled implementation of a network [paper 004: v_ij], as an immutable fact: precision and
// size, and with them accuracy, time, power, energy and memory, as measured on one device.
// A measure that was not measured is absent, never 0. Times, power and energy are per inference at
// batch 1 unless a batch is named; power and energy are above idle when the device declares idle
// power, gross otherwise. A processor that frame_time does not name is not used by the variant.
// Threads: plain values.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/id.hpp"
#include "base/quantity.hpp"
#include "profiles/interface.hpp"
#include "profiles/stage.hpp"

namespace saccade::profiles {

// tf32: single precision whose products a tensor core rounds to 10 bits; of accelerators only.
enum class Precision { fp32, tf32, fp16, bf16, int8 };
inline constexpr std::array kPrecisions = {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16,
                                           Precision::int8};
[[nodiscard]] const char* to_string(Precision precision);
[[nodiscard]] std::optional<Precision> precision_from(const std::string& name);

using TimeByProcessor = std::map<ProcessorId, Seconds>;

// Power while the variant runs [paper: P]: one figure for the device or one per processor.
struct Power {
  std::optional<Watts> device;
  std::map<ProcessorId, Watts> by_processor;  // empty when `device` is given
  bool operator==(const Power&) const = default;
};

// The components of frame_time; the sum is the time of a frame at batch 1.
struct FrameTimeParts {
  Seconds prepare;  // from the picture to the network's input
  Seconds infer;    // in the engine
  Seconds decode;   // from the network's outputs to results
  bool operator==(const FrameTimeParts&) const = default;
};

struct Variant {
  VariantId id;
  VariantId measured_as;  // its id in the profile set, if different (processor_kinds.hpp)
  Precision precision = Precision::fp32;
  std::optional<double> width;  // width multiplier of the network
  std::optional<double> depth;  // depth multiplier of the network
  std::string model;            // file name relative to the profile set; empty = none (simulated only)
  std::string sha256;           // of the model file, lower-case hex; empty = not checked
  // Differences from the set's interface: in the input's name, layout, type, size and normalisation, in the
  // outputs' names and the decoder's layout, never in the meaning of labels, colours or boxes. See
  // interface_of().
  std::optional<ModelInterface> interface;

  // [A] in [0, 1], in the interface's metric; absent only in a draft (see ProfileSet::is_draft).
  double accuracy = 0.0;
  bool accuracy_known = true;
  std::optional<int> accuracy_images;
  std::optional<std::pair<double, double>> accuracy_interval;  // of 95 %: least, most

  TimeByProcessor frame_time;      // [T] at batch 1; all > 0; empty only in a draft
  TimeByProcessor frame_time_p99;  // may be empty
  // Absent in sets that were measured without preparation and decoding.
  std::optional<FrameTimeParts> frame_time_parts;
  std::map<int, TimeByProcessor> batch_time;   // whole batch; keys > 1; may be empty
  std::optional<Power> power;                  // [P]
  std::optional<Joules> energy_per_inference;  // [E] measured, at batch 1; see energy_per_frame()
  std::optional<Bytes> memory;                 // [M] the peak while serving
  std::optional<Seconds> load_time;            // as when serving: with cached optimised graphs, if any
  std::optional<Seconds> load_time_uncached;   // the same without the cache; absent if there is none
  std::optional<Bytes> load_peak;              // the peak while loading
  // On an accelerator: device memory that one more engine occupies, at the largest batch measured,
  // while it serves and while it loads. `memory` and `load_peak` are always the host's.
  std::optional<Bytes> device_memory;
  std::optional<Bytes> device_load_peak;
  // [E] measured, of the whole batch; keys > 1; may be empty, and is without energy_per_inference.
  std::map<int, Joules> batch_energy;
  // Of a variant that several processors share; it has no model of its own then.
  Staging staging = {};
  bool operator==(const Variant&) const = default;
};

// Time of one frame of `regions` >= 1 inferences on every processor the variant uses: measured
// batches are used where they match, straight lines between them (a batch of R runs as one), and
// beyond the largest measured batch the slope of the last segment, never below flat (of batch 1
// alone: R times it).
[[nodiscard]] TimeByProcessor time_per_frame(const Variant& variant, int regions);

// Energy of one frame of `regions` inferences: between the measured energies of batches as time_per_frame();
// of batch 1 alone: scaled with time; of none: the sum over processors of power times time [paper: e = p t];
// absent when neither is known. A device-wide power counts with the sum of the times.
[[nodiscard]] std::optional<Joules> energy_per_frame(const Variant& variant, int regions);

// Peak power of the variant alone: the device figure, or the sum over the processors it uses; absent
// when one of them is not known.
[[nodiscard]] std::optional<Watts> peak_power(const Variant& variant);

}  // namespace saccade::profiles
