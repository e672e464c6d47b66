#include "profiles/batch_io.hpp"

#include <charconv>

#include "text/object_reader.hpp"

namespace saccade::profiles {
namespace {

constexpr int kLargestBatch = 1024;

}  // namespace

std::optional<int> read_batch_size(const std::string& key, const text::JsonAt& at, const char* single,
                                   text::JsonReport& report) {
  int batch = 0;
  const auto [end, failure] = std::from_chars(key.data(), key.data() + key.size(), batch);
  if (failure == std::errc{} && end == key.data() + key.size() && batch >= 2 && batch <= kLargestBatch &&
      key == std::to_string(batch))
    return batch;
  report.add(at, text::in_quotes(key) + " is not a batch size",
             "batch sizes are whole numbers from 2 to 1024; batch 1 is " + text::in_quotes(single));
  return std::nullopt;
}

std::map<int, Joules> read_batch_energies(const text::JsonAt& at, bool single_is_known,
                                          text::JsonReport& report) {
  std::map<int, Joules> energies;
  for (const auto& [key, item] : text::read_members(at, report)) {
    const auto joules = text::read_number(item, text::kNotNegative, report);
    const auto batch = read_batch_size(key, item, "energy_joules_per_frame", report);
    if (batch && joules) energies[*batch] = Joules(*joules);
  }
  if (!energies.empty() && !single_is_known) {
    report.add(at, "energies of batches are given and that of batch 1 is not",
               "give `energy_joules_per_frame` as well, or remove the batches");
  }
  return energies;
}

}  // namespace saccade::profiles
