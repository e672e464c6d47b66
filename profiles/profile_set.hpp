// All variants of one network, measured on one device; immutable once read (share it as
// std::shared_ptr<const ProfileSet>). The order of the variants is that of the file and is the
// meaning of every variant index elsewhere.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiles/variant.hpp"

namespace saccade::profiles {

struct Device {
  std::string name;
  std::vector<ProcessorId> processors;  // kinds of processors, see processor_kinds.hpp
  std::optional<Watts> idle_power;
  std::map<ProcessorId, int> threads = {};  // that compute one inference there; absent = 1
  [[nodiscard]] int threads_on(const ProcessorId& processor) const;
  bool operator==(const Device&) const = default;
};

// Where the accuracies of a set come from: from labelled data, from what the most accurate variant finds (the
// teacher), or from a published table. One source per set, so that its variants can be compared.
enum class AccuracySource { measured, teacher, declared };
[[nodiscard]] const char* to_string(AccuracySource source);

struct Provenance {
  std::string measured_by;
  std::string engine;
  std::optional<int> frames;
  std::optional<int> warmup_frames;
  std::string date;
  std::string instruction_set;  // runtime::instruction_set() where it was measured; may be empty
  // What of the engine's library computed: "cuda"; empty = the CPU. Options as the adapter gave them to it,
  // one "NAME=VALUE" each, joined by spaces; a run with others takes other times.
  std::string provider;
  std::string provider_options;
  std::optional<Seconds> measuring;               // how long the measuring took
  std::string energy_source = "unavailable";      // measured | modelled | unavailable
  std::optional<AccuracySource> accuracy_source;  // absent: the set does not say
  std::string accuracy_data;                      // of what: the data's name, or the teacher's; may be empty
  std::vector<std::string> guessed;               // JSON pointers into the set: what no file said
  std::string read_from;                          // which files said the rest; empty: written by hand
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

// What sets of the format saccade-profiles/1 mean: a classifier that takes float32 NCHW, RGB, value / 255 of
// the whole region, stretched to the input by area averaging.
[[nodiscard]] ModelInterface plain_interface(const InputShape& input);

struct ProfileSet {
  std::string network;
  Device device;
  Provenance provenance;
  InputShape input;                                // of the interface; the numbers of a plain set
  ModelInterface interface = plain_interface({});  // input without a size: that of `input`
  std::vector<std::string> labels;
  std::vector<Variant> variants;
  std::filesystem::path directory;  // where model files are looked up; empty when built in memory

  // Whether an accuracy or a frame time is still to be measured. A draft is written by `saccade adopt`,
  // completed by `saccade profile`, and never planned with.
  [[nodiscard]] bool is_draft() const;
  // The highest accuracy of any variant [paper Fig. 3: the maximum possible for that task].
  [[nodiscard]] double best_accuracy() const;
  [[nodiscard]] std::optional<std::size_t> index_of(const VariantId& id) const;
  bool operator==(const ProfileSet&) const = default;
};

// The variant's own interface, or the set's.
[[nodiscard]] ModelInterface interface_of(const ProfileSet& set, const Variant& variant);
[[nodiscard]] PictureInput input_of(const ProfileSet& set, const Variant& variant);  // its input alone
// The numbers per pixel of an input.
[[nodiscard]] constexpr int channels_of(ColorOrder color) { return color == ColorOrder::gray ? 1 : 3; }

using ProfileSetPtr = std::shared_ptr<const ProfileSet>;

}  // namespace saccade::profiles
