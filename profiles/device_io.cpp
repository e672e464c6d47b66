#include "profiles/device_io.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "text/object_reader.hpp"

namespace saccade::profiles {
namespace {

void read_processors(const text::JsonAt& at, Device& device, text::JsonReport& report) {
  const std::vector<text::JsonAt> items = text::read_list(at, report);
  if (items.empty() && at.value->kind == text::JsonValue::Kind::array) {
    report.add(at, "a device has at least one processor", "name it, for example [\"cpu\"]");
  }
  for (const text::JsonAt& item : items) {
    const std::optional<std::string> name = text::read_id(item, report);
    if (!name) continue;
    const ProcessorId id(*name);
    if (std::find(device.processors.begin(), device.processors.end(), id) != device.processors.end()) {
      report.add(item, "the processor " + text::in_quotes(*name) + " is listed twice",
                 "remove one of the two");
      continue;
    }
    device.processors.push_back(id);
  }
}

void read_threads(const text::JsonAt& at, Device& device, text::JsonReport& report) {
  constexpr int kMostThreads = 1024;
  for (const auto& [key, item] : text::read_members(at, report)) {
    const std::optional<int> count = text::read_integer(item, 1, kMostThreads, report);
    const ProcessorId id(key);
    const bool known =
        std::find(device.processors.begin(), device.processors.end(), id) != device.processors.end();
    if (!known && !device.processors.empty()) {
      report.add(item, "the device has no processor " + text::in_quotes(key), "it is not among `processors`");
    } else if (count && *count > 1) {
      device.threads[id] = *count;
    }
  }
}

}  // namespace

Device read_device(const text::JsonAt& at, text::JsonReport& report) {
  Device device;
  text::ObjectReader reader(at, report);
  if (const auto name = reader.require("name")) device.name = text::read_text(*name, report).value_or("");
  if (const auto list = reader.require("processors")) read_processors(*list, device, report);
  if (const auto threads = reader.find_given("threads")) read_threads(*threads, device, report);
  reader.quantity("idle_power_watts", device.idle_power, text::kNotNegative);
  return device;
}

}  // namespace saccade::profiles
