#include "runtime/machine/thermals.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/machine/sysfs.hpp"

namespace saccade::runtime {
namespace {

constexpr double kPerCelsius = 1000.0;  // the kernel counts in thousandths

std::optional<double> degrees_in(const std::filesystem::path& file) {
  const std::optional<double> number = number_in(file);
  return number ? std::optional(*number / kPerCelsius) : std::nullopt;
}

void add(std::vector<Temperature>& all, std::set<std::string>& names, Temperature temperature) {
  std::string name = temperature.sensor;
  for (int number = 2; !names.insert(name).second; ++number)
    name = temperature.sensor + " #" + std::to_string(number);
  temperature.sensor = std::move(name);
  all.push_back(std::move(temperature));
}

// "temp1_input" and its label; a sensor without one is called by its number.
void read_chip(const std::filesystem::path& chip, std::vector<Temperature>& all,
               std::set<std::string>& names) {
  const std::string name = line_in(chip / "name");
  for (const std::filesystem::path& file : folders_in(chip)) {
    const std::string entry = file.filename().string();
    if (!entry.starts_with("temp") || !entry.ends_with("_input")) continue;
    const std::string prefix = entry.substr(0, entry.find('_'));
    const std::optional<double> celsius = degrees_in(file);
    if (!celsius) continue;
    const std::string label = line_in(chip / (prefix + "_label"));
    add(all, names,
        {name + " " + (label.empty() ? prefix : label), *celsius, degrees_in(chip / (prefix + "_crit"))});
  }
}

}  // namespace

std::vector<Temperature> read_temperatures(const std::filesystem::path& sysfs, const Nvml* cards) {
  std::vector<Temperature> all;
  std::set<std::string> names;
  for (const std::filesystem::path& chip : folders_in(sysfs / "class" / "hwmon")) read_chip(chip, all, names);
  if (all.empty()) {
    for (const std::filesystem::path& zone : folders_in(sysfs / "class" / "thermal")) {
      const std::optional<double> celsius = degrees_in(zone / "temp");
      const std::string type = line_in(zone / "type");
      if (celsius) add(all, names, {type.empty() ? zone.filename().string() : type, *celsius, std::nullopt});
    }
  }
  for (std::size_t card = 0; cards != nullptr && card < cards->cards(); ++card) {
    const std::optional<double> celsius = cards->celsius(card);
    if (celsius) add(all, names, {"nvml " + cards->name(card), *celsius, cards->slowdown_celsius(card)});
  }
  return all;
}

std::vector<Temperature> temperatures() {
  static const std::shared_ptr<const Nvml> cards = Nvml::open();
  return read_temperatures("/sys", cards.get());
}

}  // namespace saccade::runtime
