// All variants of one network, measured on one device; immutable once read (share it as
// std::shared_ptr<const ProfileSet>). The order of the variants is that of the file and is the
// meaning of every variant index elsewhere.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiles/variant.hpp"

namespace saccade::profiles {

struct Device {
  std::string name;
  std::vector<ProcessorId> processors;
  std::optional<Watts> idle_power;
  bool operator==(const Device&) const = default;
};

struct Provenance {
  std::string measured_by;
  std::string engine;
  std::optional<int> frames;
  std::optional<int> warmup_frames;
  std::string date;
  std::string instruction_set;       // runtime::instruction_set() where it was measured; may be empty
  std::optional<Seconds> measuring;  // how long the measuring took
  std::string energy_source = "unavailable";  // measured | modelled | unavailable
  bool operator==(const Provenance&) const = default;
};

struct InputShape {
  int width = 0;
  int height = 0;
  int channels = 3;
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
           static_cast<std::size_t>(channels);
  }
  bool operator==(const InputShape&) const = default;
};

struct ProfileSet {
  std::string network;
  Device device;
  Provenance provenance;
  InputShape input;
  std::vector<std::string> labels;
  std::vector<Variant> variants;
  std::filesystem::path directory;  // where model files are looked up; empty when built in memory

  // The highest accuracy of any variant [paper Fig. 3: the maximum possible for that task].
  [[nodiscard]] double best_accuracy() const;
  [[nodiscard]] std::optional<std::size_t> index_of(const VariantId& id) const;
  bool operator==(const ProfileSet&) const = default;
};

using ProfileSetPtr = std::shared_ptr<const ProfileSet>;

}  // namespace saccade::profiles
